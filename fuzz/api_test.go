package fuzz_test

import (
	"flag"
	"fmt"
	"go/types"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/internal/tier"
)

// apiFile lists what the module exports, a line for each name, field and method.
const apiFile = "testdata/api.txt"

var writeAPI = flag.Bool("write-api", false, "write "+apiFile+" anew, where a change of exported names is meant")

// Exported names, but those of asm, which differ by platform, change only where they are meant to: then go test ./fuzz -run TestAPI -write-api writes the list anew, and CHANGELOG.md
// tells of it.
func TestAPI(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	if _, err := os.Stat("../ARCHITECTURE.md"); err != nil {
		t.Skip("not inside the module: ", err)
	}
	touchSources(t)
	packages, imp := compiledOf(t, func(name string) bool {
		return name != "asm" && !slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return part == "internal" || part == "cmd" || part == "mutants" })
	})
	var lines []string
	for _, p := range packages {
		pkg, err := imp.Import(p.ImportPath)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, exportedBy(p.name, pkg)...)
	}
	slices.Sort(lines)
	text := strings.Join(lines, "\n") + "\n"
	if *writeAPI {
		if err := os.WriteFile(apiFile, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); diff != "" {
		t.Errorf("exported names have changed (-%s +module); where that is meant: go test ./fuzz -run TestAPI -write-api, and a line in CHANGELOG.md\n%s", apiFile, diff)
	}
}

// exportedBy returns a line for each name that a package exports, and for exported fields and methods of its types.
func exportedBy(name string, pkg *types.Package) (lines []string) {
	short := func(p *types.Package) string {
		if p == pkg {
			return ""
		}
		return p.Name()
	}
	add := func(format string, args ...any) {
		lines = append(lines, name+": "+fmt.Sprintf(format, args...))
	}
	for _, n := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(n)
		if !o.Exported() {
			continue
		}
		text := func(t types.Type) string { return types.TypeString(t, short) }
		switch o := o.(type) {
		case *types.Const:
			add("const %s %s = %s", n, text(o.Type()), o.Val())
		case *types.Var:
			add("var %s %s", n, text(o.Type()))
		case *types.Func:
			add("func %s%s", n, strings.TrimPrefix(text(o.Type()), "func"))
		case *types.TypeName:
			kind := text(o.Type().Underlying())
			under := types.Unalias(o.Type()).Underlying()
			s, isStruct := under.(*types.Struct)
			if isStruct {
				kind = "struct"
				for f := range s.Fields() {
					if f.Exported() {
						add("type %s.%s %s", n, f.Name(), text(f.Type()))
					}
				}
			}
			if _, isInterface := under.(*types.Interface); isInterface {
				kind = "interface"
			}
			add("type %s %s", n, kind)
			methods := types.NewMethodSet(types.NewPointer(types.Unalias(o.Type())))
			if _, isInterface := under.(*types.Interface); isInterface {
				methods = types.NewMethodSet(o.Type())
			}
			for m := range methods.Methods() {
				if m.Obj().Exported() {
					add("type %s.%s%s", n, m.Obj().Name(), strings.TrimPrefix(text(m.Type()), "func"))
				}
			}
		}
	}
	return lines
}
