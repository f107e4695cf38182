package engine_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/filetest"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

var update = flag.Bool("update", false, "write testdata anew")

// models are files of each kind of model.
const models = "../../../sgplvm/testdata/models"

// film is a model of ten frames.
const film = "testdata/film.model"

func load(t *testing.T, path string) *sgplvm.Model {
	t.Helper()
	m, err := engine.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// quiet is an environment in which nothing is shown.
func quiet(t *testing.T) *cli.Environment {
	return &cli.Environment{Stdout: t.Output(), Stderr: t.Output()}
}

// What is told of each kind of model. With -update the file is written anew.
func TestDescribe(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(models, "*.model"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d models, error %v", len(paths), err)
	}
	var text strings.Builder
	for _, path := range append(paths, film) {
		text.WriteString("== " + filepath.Base(path) + "\n" + engine.Describe(load(t, path)))
	}
	golden := filepath.Join("testdata", "describe.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A model of a film says so.
func TestMoves(t *testing.T) {
	if !engine.Moves(load(t, film)) || engine.Moves(load(t, filepath.Join(models, "dynamic.model"))) {
		t.Error("the film's model does not move, or another one does")
	}
}

func TestLoad(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "model")
	_, err := engine.Load(path)
	filetest.Error(t, err, folder, "model: *, expected a model file")
	_, err = engine.Load(folder)
	filetest.Error(t, err, filepath.Dir(folder), filepath.Base(folder)+": found a folder, expected a model file")
	if err := os.WriteFile(path, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err = engine.Load(path); !errors.As(err, new(*sgplvm.FileError)) || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("error %v", err)
	}
	m := load(t, filepath.Join(models, "sequences.model"))
	if err := engine.Save(path, m); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(engine.Describe(m), engine.Describe(load(t, path))); diff != "" {
		t.Errorf("saved and loaded: %s", diff)
	}
}

// The times of each sequence have a first and a last one.
func TestTimeSpan(t *testing.T) {
	m := load(t, filepath.Join(models, "sequences.model"))
	sequences := map[int]int{}
	for _, at := range m.Times() {
		sequences[at.Sequence]++
		first, last, ok := engine.TimeSpan(m, at.Sequence)
		if !ok || at.Time < first || at.Time > last {
			t.Errorf("%+v is not from %v to %v, %t", at, first, last, ok)
		}
	}
	if _, _, ok := engine.TimeSpan(m, 1e6); ok || len(sequences) < 2 || !engine.Timed(m) {
		t.Errorf("%d sequences", len(sequences))
	}
	if m := load(t, filepath.Join(models, "white.model")); engine.Timed(m) {
		t.Error("a model without times has some")
	}
}
