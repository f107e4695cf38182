package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// The embedded lists can be read, and are as many faults as they are meant to be, in all parts.
func TestLists(t *testing.T) {
	all, err := readLists(lists)
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]int{}
	for _, m := range all {
		part := m.file[:strings.IndexByte(m.file, '/')]
		if strings.HasSuffix(m.file, ".s") {
			part = "assembly"
		}
		parts[part]++
	}
	for _, part := range []string{"assembly", "asm", "mat", "chol", "eig", "kronprod", "lbfgs", "sgplvm"} {
		if parts[part] < 5 {
			t.Errorf("%d faults in %s, want some more", parts[part], part)
		}
	}
	if len(all) < 120 {
		t.Errorf("%d faults, want 120 at least", len(all))
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		": name":                                  `a.txt:1: expected a line "file …"`,
		"-old":                                    `a.txt:1: expected "file …"`,
		"file f/a.go\n: name\n-old\n+new\n-more":  `a.txt:5: expected no more "-" after "+"`,
		"file f/a.go\n: name\nold":                `a.txt:3: expected a line that begins`,
		"file f/a.go\n: name\n+new":               `a.txt:2: name: expected lines`,
		"file f/a.go\n: name\n-old\n+old":         `a.txt:2: name: expected lines`,
		"file f/a.go\n: name\n-a\n+b\n: name\n-c": `f/a.go: name is in a.txt:2 already`,
	} {
		_, err := readLists(fstest.MapFS{"a.txt": {Data: []byte(text)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// A fault fits where its text occurs once.
func TestApply(t *testing.T) {
	m := mutant{old: "\tb\n\tc", new: "\td"}
	if got, err := m.apply("a\n\tb\n\tc\ne\n"); err != nil || got != "a\n\td\ne\n" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, text := range []string{"", "\tb\n c", "\tb\n\tc\n\tb\n\tc"} {
		if _, err := m.apply(text); err == nil {
			t.Errorf("fits %q", text)
		}
	}
}

// In a module of one package one fault is caught, one by the time limit, one survives, one has
// an excuse, and one does not compile; afterwards the files are what they were.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a module five times")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module example.com/m\n\ngo 1.26\n",
		"sum/sum.go":    "package sum\n\nfunc Sum(n int) (s int) {\n\tfor i := 0; i <= n; i++ {\n\t\ts += i\n\t}\n\treturn s\n}\n",
		"sum/x_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1) != 1 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
		".hidden":       "",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	some, err := parse("a.txt", "file sum/sum.go\n"+
		": starts late\n-i := 0\n+i := 2\n"+
		": never ends\n-i++\n+i += 0\n"+
		": adds more\n-s += i\n+s += i * i\n"+
		": starts elsewhere\n-i := 0\n+i := -0\n? it is the same\n"+
		": is none\n-i <= n\n+i <= m\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := check(root, some); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	scratch := t.TempDir()
	err = runAll(&out, some, options{root: root, scratch: scratch, jobs: 1, limit: 5 * time.Second})
	if err == nil || !strings.Contains(err.Error(), "1 faults survived and 1 could not be tried") {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{
		"caught    sum/sum.go: starts late (./sum TestSum)\n",
		"caught    sum/sum.go: never ends (./sum panic: test timed out after 5s)\n",
		"SURVIVED  sum/sum.go: adds more (a.txt:8)\n",
		"excused   sum/sum.go: starts elsewhere: it is the same\n",
		"error     sum/sum.go: is none: it does not compile",
		"2 of 5 faults caught, 1 excused, 1 survived, 1 not tried\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	before, _ := os.ReadFile(filepath.Join(root, "sum/sum.go"))
	after, _ := os.ReadFile(filepath.Join(scratch, "0", "sum/sum.go"))
	if len(before) == 0 || !bytes.Equal(before, after) {
		t.Error("the copy is not what it was")
	}
	if _, err := os.Stat(filepath.Join(scratch, "0", ".hidden")); err == nil {
		t.Error("hidden files are copied")
	}
}

// Samples are of the size asked for and those of a seed are the same.
func TestChoose(t *testing.T) {
	all, err := readLists(lists)
	if err != nil {
		t.Fatal(err)
	}
	names := func(seed uint64) (s string) {
		chosen, err := choose(all, options{run: "^(mat|chol)/", sample: 7, seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if len(chosen) != 7 {
			t.Errorf("%d faults of 7", len(chosen))
		}
		for _, m := range chosen {
			if !strings.HasPrefix(m.file, "mat/") && !strings.HasPrefix(m.file, "chol/") {
				t.Errorf("%s was not asked for", m.file)
			}
			s += m.file + m.name
		}
		return s
	}
	if first, again := names(1), names(1); first != again || first == names(2) {
		t.Error("samples do not follow the seed")
	}
	if _, err := choose(all, options{run: "("}); err == nil {
		t.Error("a wrong expression is taken")
	}
}
