package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var writePictures = flag.Bool("write-pictures", false, "write the pictures of the pages in docs")

var (
	fence   = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")
	number  = regexp.MustCompile(`-?\d+(\.\d+)?(e[+-]?\d+)?`)
	picture = regexp.MustCompile(`!\[[^]]*\]\(([^)]+)\)`)
	blanks  = regexp.MustCompile(` +`)
)

// unknown is the output of what was not run.
const unknown = "-"

// quicker are texts of commands and programs, and what stands for them: the same with less work, of this module.
var quicker = strings.NewReplacer("go run ./docs/draw sea", "draw sea 24", "go run ./docs/draw", "draw",
	"sgplvm.EffortQuick}", "sgplvm.EffortQuick, LatentDims: 3, Training: sgplvm.TrainingConfig{Iterations: 5}}", "fill(sea,", "fill(sea[14:, ::2, ::2],")

// short stands for the program in scripts: trainings are quick, those without inputs of few steps.
const short = `#!/bin/sh
command=$1
case "$*" in
train*-inputs*) shift; set -- "$command" -effort quick "$@" ;;
train* | fill*) shift; set -- "$command" -effort quick -config "${0%/*}/short.json" "$@" ;;
esac
exec "${0%/*}/whole" "$@"
`

// pythonWith returns a Python that has modules; "" where there is none.
func pythonWith(modules ...string) string {
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import "+strings.Join(modules, ", ")).Run() == nil {
			return python
		}
	}
	return ""
}

// shown matches the form of a line that a page shows; … is any text.
func shown(line string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(form(line)), "…", ".*") + "$")
}

// form is a line without what differs from machine to machine: its numbers.
func form(line string) string {
	return strings.TrimSpace(blanks.ReplaceAllString(number.ReplaceAllString(line, "#"), " "))
}

// Every command, Go program and Python script of the pages does what the page says: each line of the output that is shown is in the real one, but for numbers.
func TestPages(t *testing.T) {
	if testing.Short() {
		t.Skip("trains models")
	}
	bin := t.TempDir()
	for name, path := range map[string]string{"whole": "../../cmd/sgplvm", "draw": "."} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, name), path).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	root, err := filepath.Abs("../..")
	for name, text := range map[string]string{"sgplvm": short, "short.json": `{"latentDims": 3, "training": {"iterations": 5}}`} {
		err = errors.Join(err, os.WriteFile(filepath.Join(bin, name), []byte(text), 0o777))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("PYTHONPATH", filepath.Join(root, "python"))
	pages, err := filepath.Glob("../*.md")
	if err != nil || len(pages) < 6 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) { follow(t, page, root, t.TempDir()) })
	}
}

// follow does what a page says in a folder.
func follow(t *testing.T, page, root, folder string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var last string // output
	python := pythonWith("numpy", "pandas", "xarray", "scipy")
	if python == "" {
		t.Log("no python3 with numpy, pandas, xarray and scipy here: scripts are not run")
	}
	for _, block := range fence.FindAllStringSubmatch(string(text), -1) {
		kind, content := block[1], quicker.Replace(block[2])
		run := func(name string, args ...string) {
			c := exec.Command(name, args...)
			if c.Dir = folder; strings.Contains(content, " ./cmd/") {
				c.Dir = root
			}
			out, err := c.CombinedOutput()
			if last = string(out); err != nil {
				t.Fatalf("%v\n%s\n%s", err, content, out)
			}
		}
		switch kind {
		case "sh":
			run("bash", "-euc", content)
		case "text":
			rest := last
			if rest == unknown {
				continue
			}
			for line := range strings.Lines(content) {
				found := false
				for !found && rest != "" {
					var first string
					first, rest, _ = strings.Cut(rest, "\n")
					found = shown(line).MatchString(form(first))
				}
				if !found {
					t.Fatalf("the page shows %q, the output was\n%s", strings.TrimSpace(line), last)
				}
			}
		case "go":
			program(t, root, folder, content, run)
		case "python":
			if last = unknown; python != "" {
				run(python, "-c", content)
			}
		default:
			t.Fatalf("a block of %q", kind)
		}
	}
	for _, match := range picture.FindAllStringSubmatch(string(text), -1) {
		made, kept := filepath.Join(folder, match[1]), filepath.Join(filepath.Dir(page), match[1])
		p, err := os.ReadFile(made)
		if err == nil && *writePictures {
			err = os.WriteFile(kept, p, 0o666)
		}
		if err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(kept); err != nil {
			t.Errorf("%v: go test ./docs/draw -write-pictures", err)
		}
	}
}

// program runs a Go program, or the tests of one, as a part of this module.
func program(t *testing.T, root, folder, content string, run func(name string, args ...string)) {
	name, build := "main.go", []string{"build", "-o", filepath.Join(folder, "program")}
	if strings.Contains(content, "\t\"testing\"\n") {
		name, build = "page_test.go", append([]string{"test", "-c"}, build[1:]...)
	}
	source := filepath.Join(folder, name)
	if err := os.WriteFile(source, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", append(build, source)...)
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, content, out)
	}
	run(filepath.Join(folder, "program"))
}
