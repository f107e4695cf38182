package fuzz_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/internal/tier"
)

// mostBack is how many uses may run back in all packages of the model together.
const mostBack = 40

// A use is a pair of files of one package of which the first names something that the
// second declares: a package-level name, a method or a field. However many names there are,
// it is one use.
type use struct{ from, to string }

// TestUses holds the files of each package of the model to their order in
// ARCHITECTURE.md: a file uses files further down. A few uses may run back. With -v it
// prints them all, and for each package the best order that it finds.
func TestUses(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	text, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Skip("not inside the module: ", err)
	}
	touchSources(t)
	orders, err := parseOrders(string(text))
	if err != nil {
		t.Fatal(err)
	}
	packages, imp := compiled(t)
	back, total := 0, 0
	var lines []string
	for _, p := range packages {
		order, known := orders[p.name]
		delete(orders, p.name)
		if !known {
			t.Errorf("ARCHITECTURE.md: no order of the files of %s: add a line - `%s`: %s", p.name, p.name, strings.Join(p.GoFiles, " "))
			continue
		}
		for _, line := range compare(order, p.GoFiles, p.IgnoredGoFiles) {
			t.Errorf("ARCHITECTURE.md: the order of the files of %s %s", p.name, line)
		}
		uses, err := usesIn(p, imp)
		if err != nil {
			t.Fatal(err)
		}
		total += len(uses)
		for _, u := range slices.SortedFunc(maps.Keys(uses), func(a, b use) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) }) {
			if slices.Index(order, u.from) > slices.Index(order, u.to) {
				back++
				lines = append(lines, fmt.Sprintf("%s: %s uses %s: %s", p.name, u.from, u.to, strings.Join(uses[u], ", ")))
			}
		}
		if testing.Verbose() {
			report(t, p.name, order, uses)
		}
	}
	for name := range orders {
		t.Errorf("ARCHITECTURE.md: an order of the files of %s, which is no package of the model", name)
	}
	if back > mostBack {
		t.Errorf("%d of %d uses run back, at most %d may:\n%s", back, total, mostBack, strings.Join(lines, "\n"))
	} else {
		t.Logf("%d of %d uses run back:\n%s", back, total, strings.Join(lines, "\n"))
	}
}

// parseOrders reads the lists under "## Order of files": an item names a package and its
// files, from the top down, and may go over several lines.
//
//   - `sgplvm/kernel`: doc.go kernel.go matern.go
func parseOrders(text string) (map[string][]string, error) {
	_, section, ok := strings.Cut(text, "\n## Order of files\n")
	if !ok {
		return nil, errors.New("ARCHITECTURE.md: no section \"## Order of files\"")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	orders := map[string][]string{}
	name := ""
	for line := range strings.Lines(section) {
		item, is := strings.CutPrefix(line, "- `")
		switch {
		case is:
			if name, line, is = strings.Cut(item, "`:"); !is {
				return nil, fmt.Errorf("ARCHITECTURE.md: %q, expected - `package`: files", strings.TrimSpace(item))
			}
			if orders[name] != nil {
				return nil, fmt.Errorf("ARCHITECTURE.md: two orders of the files of %s", name)
			}
		case strings.TrimSpace(line) == "":
			name = ""
		}
		if name != "" {
			orders[name] = append(orders[name], strings.Fields(line)...)
		}
	}
	return orders, nil
}

// compare says what is wrong with an order of files; files for other platforms may be
// missing.
func compare(order, files, others []string) (lines []string) {
	for i, f := range order {
		switch {
		case !slices.Contains(files, f) && !slices.Contains(others, f):
			lines = append(lines, "names "+f+", which is not there")
		case slices.Contains(order[:i], f):
			lines = append(lines, "names "+f+" twice")
		}
	}
	for _, f := range files {
		if !slices.Contains(order, f) {
			lines = append(lines, "lacks "+f)
		}
	}
	return lines
}

// modelPackage is what "go list -export" tells of a package.
type modelPackage struct {
	name                    string // inside the module
	Dir, ImportPath, Export string
	GoFiles, IgnoredGoFiles []string
}

// compiled returns the packages of the model and of the program, and an importer of what
// they import as it was compiled for this machine.
func compiled(t *testing.T) ([]modelPackage, types.Importer) {
	return compiledOf(t, func(name string) bool {
		return name == "sgplvm" || strings.HasPrefix(name, "sgplvm/") || strings.HasPrefix(name, "cmd/")
	})
}

// compiledOf returns the packages of the module that are wanted, and an importer of all packages that they import.
func compiledOf(t *testing.T, wanted func(name string) bool) ([]modelPackage, types.Importer) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles,IgnoredGoFiles", "./...")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "GOOS=", "GOARCH=", "CGO_ENABLED=0", "GOFLAGS=")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var packages []modelPackage
	exports := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p modelPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if name, ours := strings.CutPrefix(p.ImportPath, module+"/"); ours && wanted(name) {
			p.name = name
			packages = append(packages, p)
		}
	}
	if len(packages) == 0 {
		t.Fatal("go list lists no package that is wanted")
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	return packages, importer.ForCompiler(token.NewFileSet(), "gc", open)
}

// usesIn returns the uses between the files of a package, each with the names used.
func usesIn(p modelPackage, imp types.Importer) (map[use][]string, error) {
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return uses(p.ImportPath, set, files, imp)
}

func uses(path string, set *token.FileSet, files []*ast.File, imp types.Importer) (map[use][]string, error) {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: imp}
	pkg, err := config.Check(path, set, files, info)
	if err != nil {
		return nil, err
	}
	file := func(at token.Pos) string { return filepath.Base(set.Position(at).Filename) }
	found := map[use][]string{}
	for name, object := range info.Uses {
		if object.Pkg() != pkg {
			continue
		}
		// What is inside a function cannot be used in another file.
		if u := (use{file(name.Pos()), file(object.Pos())}); u.from != u.to && !slices.Contains(found[u], object.Name()) {
			found[u] = append(found[u], object.Name())
		}
	}
	for _, names := range found {
		slices.Sort(names)
	}
	return found, nil
}

// A use is a pair of files, whatever it goes through; what a package imports and what a
// function declares inside is none.
func TestUsesOf(t *testing.T) {
	set := token.NewFileSet()
	var files []*ast.File
	for name, source := range map[string]string{
		"a.go": "package p\nfunc F(s S) int { s.M(); local := T(s.field); return int(local) + g + g }",
		"b.go": "package p\ntype S struct{ field int }\nfunc (S) M() {}\ntype T int",
		"c.go": "package p\nvar g = func() int { n := 1; return n }()\ntype U struct{ S }\nvar _ = U{}.field",
	} {
		f, err := parser.ParseFile(set, name, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b *ast.File) int { return cmp.Compare(set.File(a.Pos()).Name(), set.File(b.Pos()).Name()) })
	found, err := uses("p", set, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[use][]string{{"a.go", "b.go"}: {"M", "S", "T", "field"}, {"a.go", "c.go"}: {"g"}, {"c.go", "b.go"}: {"S", "field"}}
	if diff := gocmp.Diff(want, found); diff != "" {
		t.Errorf("uses, -want +got:\n%s", diff)
	}
	order := []string{"b.go", "c.go", "a.go"}
	if n := backIn(order, found); n != 3 {
		t.Errorf("%d uses run back, want 3", n)
	}
	if best := bestOrder(order, found); !slices.Equal(best, []string{"a.go", "c.go", "b.go"}) {
		t.Errorf("best order %v", best)
	}
}
