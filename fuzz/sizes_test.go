package fuzz_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
)

const (
	maxFunctionLines = 80  // of a function, from its first line to its last one
	maxFileLines     = 300 // of a file of the program
)

// longer lists functions and files that may be longer, each with the reason.
var longer = map[string]string{}

// Outside tests no function is too long, and no file of the program.
func TestSizes(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	if _, err := os.Stat("../go.mod"); err != nil {
		t.Skip("not inside the module: ", err)
	}
	exceptions := map[string]bool{} // that are needed
	check := func(what string, lines, most int) {
		if lines <= most {
			return
		}
		if exceptions[what] = true; longer[what] == "" {
			t.Errorf("%s has %d lines, at most %d are allowed", what, lines, most)
		}
	}
	files := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files++
		name := filepath.ToSlash(path)[len("../"):]
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasPrefix(name, "cmd/") {
			check(name, bytes.Count(text, []byte("\n")), maxFileLines)
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				check(name+": "+f.Name.Name, set.Position(f.End()).Line-set.Position(f.Pos()).Line+1, maxFunctionLines)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Errorf("only %d files were read", files)
	}
	for what := range longer {
		if !exceptions[what] {
			t.Errorf("%s needs no exception any more", what)
		}
	}
}

var writeLines = flag.Bool("write-lines", false, "write the table of lines in ARCHITECTURE.md anew, where growth is meant; its reason goes into CHANGELOG.md")

// A row of a table of rooms: | `room` | what it knows | source | tests |. A room is a folder with all below it that are no rooms of their own.
var lineRow = regexp.MustCompile("(?m)^\\| `([a-z/-]+)` \\|(.*)\\| ([0-9]+) \\| ([0-9]+) \\|$")

// No room grows by more than a tenth beyond the lines of source and of tests that ARCHITECTURE.md has for it, and none is without.
func TestLines(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Skip("not inside the module: ", err)
	}
	rows := lineRow.FindAllStringSubmatch(string(text), -1)
	lines := countLines(t, rows)
	if *writeLines {
		anew := lineRow.ReplaceAllStringFunc(string(text), func(row string) string {
			m := lineRow.FindStringSubmatch(row)
			return fmt.Sprintf("| `%s` |%s| %d | %d |", m[1], m[2], lines[m[1]][0], lines[m[1]][1])
		})
		if err := os.WriteFile("../ARCHITECTURE.md", []byte(anew), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	total := [2]int{}
	for _, row := range rows {
		for k, kind := range []string{"source", "tests"} {
			budget, err := strconv.Atoi(row[3+k])
			if err != nil {
				t.Fatal(err)
			}
			if n := lines[row[1]][k]; n > budget+budget/10+20 {
				t.Errorf("%s: %d lines of %s, a tenth more than the %d in ARCHITECTURE.md; where that is meant: go test ./fuzz -run TestLines -write-lines, and the reason in CHANGELOG.md", row[1], n, kind, budget)
			}
			total[k] += lines[row[1]][k]
		}
	}
	t.Logf("%d rooms, %d lines of source, %d of tests", len(rows), total[0], total[1])
}

// countLines counts lines of Go and assembly, source and tests, by room.
func countLines(t *testing.T, rows [][]string) map[string][2]int {
	t.Helper()
	lines := map[string][2]int{}
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, ".s") {
			if err == nil && d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			return err
		}
		name := filepath.ToSlash(file)[len("../"):]
		room := ""
		for _, row := range rows {
			if strings.HasPrefix(name, row[1]+"/") && len(row[1]) > len(room) {
				room = row[1]
			}
		}
		text, err := os.ReadFile(file)
		if room == "" {
			t.Errorf("%s is in no room of the table of lines in ARCHITECTURE.md", name)
		}
		n := lines[room]
		if strings.HasSuffix(name, "_test.go") {
			n[1] += bytes.Count(text, []byte("\n"))
		} else {
			n[0] += bytes.Count(text, []byte("\n"))
		}
		lines[room] = n
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
