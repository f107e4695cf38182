// Package clitest helps tests of programs: it runs them in the test's process and looks at what they leave behind.
package clitest

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// Program is a program by its name and its commands.
type Program struct {
	Name     string
	Commands func() []cli.Command
}

// Run runs the program in this process, not at a terminal, and however slow the machine is without lines
// about the work. The memory that a command asks for holds no longer than it.
func (p Program) Run(args ...string) (code int, stdout, stderr string) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	var out, errors bytes.Buffer
	code = cli.Run(context.Background(), &cli.Environment{Program: p.Name, Stdout: &out, Stderr: &errors, LineEvery: time.Hour}, p.Commands(), args)
	return code, out.String(), errors.String()
}

// AtTerminal runs the program as if a person watched stderr.
func (p Program) AtTerminal(ctx context.Context, stderr io.Writer, args ...string) (code int, stdout string) {
	var out bytes.Buffer
	code = cli.Run(ctx, &cli.Environment{Program: p.Name, Stdout: &out, Stderr: stderr, Terminal: true}, p.Commands(), args)
	return code, out.String()
}

// Must runs the program, which must succeed in silence on stderr, and returns its standard output.
func (p Program) Must(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := p.Run(args...)
	if code != 0 || stderr != "" {
		t.Fatalf("%s %s: exit code %d\n%s", p.Name, strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// Fail runs the program, which must end with the code and the line on
// stderr, print nothing and leave the working folder as it was. A line that
// begins with ~ is a pattern.
func (p Program) Fail(t *testing.T, code int, line string, args ...string) {
	t.Helper()
	before := Folder(t)
	got, stdout, stderr := p.Run(args...)
	fits := stderr == p.Name+": "+line+"\n"
	if pattern, ok := strings.CutPrefix(line, "~"); ok {
		fits = regexp.MustCompile("^" + p.Name + ": " + pattern + "\n$").MatchString(stderr)
	}
	if got != code || stdout != "" || !fits {
		t.Errorf("%s %q\ncode %d, want %d\nstdout %q, want nothing\nstderr %s\n  want %s: %s", p.Name, args, got, code, stdout, stderr, p.Name, line)
	}
	SameFolder(t, before)
}

// Canceller is a writer that ends a context at the first write that holds a word.
type Canceller struct {
	Word   string
	Cancel func()
	Text   strings.Builder // all that was written
}

func (w *Canceller) Write(b []byte) (int, error) {
	if strings.Contains(string(b), w.Word) {
		w.Cancel()
	}
	return w.Text.Write(b)
}

// Folder returns the contents of all files below the working folder, and of
// folders a mark.
func Folder(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			files[path] = "a folder"
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			files[path] = "a link to " + to
			return err
		default:
			b, err := os.ReadFile(path)
			files[path] = string(b)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// SameFolder fails unless the working folder is as it was, but for the files
// named.
func SameFolder(t *testing.T, before map[string]string, but ...string) {
	t.Helper()
	after := Folder(t)
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if b, ok := before[path]; !slices.Contains(but, path) && (!ok || b != after[path]) {
			t.Errorf("%s was made or changed", path)
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok && !slices.Contains(but, path) {
			t.Errorf("%s was removed", path)
		}
	}
}

// Read returns the content of a file.
func Read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Write writes a file.
func Write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// WriteArray writes a .npy file.
func WriteArray(t *testing.T, path string, a *npy.Array) {
	t.Helper()
	var b bytes.Buffer
	if err := npy.Write(&b, a); err != nil {
		t.Fatal(err)
	}
	Write(t, path, b.Bytes())
}

// ReadArray reads a .npy file.
func ReadArray(t *testing.T, path string) *npy.Array {
	t.Helper()
	a, err := npy.Read(bytes.NewReader(Read(t, path)))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return a
}
