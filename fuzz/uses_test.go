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

	"github.com/seed-08962ecc/kronfield/internal/tier"
)

// maxBack is how many uses may run back in all packages of the model together.
const maxBack = 40

// A use is a pair of files of one package of which the first names something that the
// second declares: a package-level name, a method or a field. However many names there are,
// it is one use.
type use struct{ from, to string }

// The files of each package of the model and of the programs have an order in which each uses what later ones declare, but for a few uses that run
// back, as the rooms have. Where more run back, a part of a package should be one of its own.
func TestUses(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	touchSources(t)
	packages, imp := compiled(t)
	back, total := 0, 0
	var lines []string
	for _, p := range packages {
		uses, err := usesIn(p, imp)
		if err != nil {
			t.Fatal(err)
		}
		total += len(uses)
		order := bestOrder(p.GoFiles, uses)
		for _, u := range slices.SortedFunc(maps.Keys(uses), func(a, b use) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) }) {
			if slices.Index(order, u.from) > slices.Index(order, u.to) {
				back++
				lines = append(lines, fmt.Sprintf("%s: %s uses %s: %s", p.name, u.from, u.to, strings.Join(uses[u], ", ")))
			}
		}
	}
	if back > maxBack {
		t.Errorf("%d of %d uses run back, at most %d may:\n%s", back, total, maxBack, strings.Join(lines, "\n"))
	} else {
		t.Logf("%d of %d uses run back:\n%s", back, total, strings.Join(lines, "\n"))
	}
}

// modelPackage is what "go list -export" tells of a package.
type modelPackage struct {
	name                    string // inside the module
	Dir, ImportPath, Export string
	GoFiles                 []string
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
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles", "./...")
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
