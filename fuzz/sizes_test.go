package fuzz_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	mostFunctionLines = 80  // of a function, from its first line to its last one
	mostFileLines     = 300 // of a file of the program
)

// longer lists functions and files that may be longer, each with the reason.
var longer = map[string]string{}

// Outside tests no function is too long, and no file of the program.
func TestSizes(t *testing.T) {
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
			check(name, bytes.Count(text, []byte("\n")), mostFileLines)
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				check(name+": "+f.Name.Name, set.Position(f.End()).Line-set.Position(f.Pos()).Line+1, mostFunctionLines)
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
