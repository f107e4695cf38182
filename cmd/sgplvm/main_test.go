package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/clitest"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// asProgram makes the test binary behave as the program itself.
const asProgram = "SGPLVM_TEST_AS_PROGRAM"

// oftenKept is its value where checkpoints are written after every step.
const oftenKept = "kept"

func TestMain(m *testing.M) {
	if as := os.Getenv(asProgram); as != "" {
		if as == oftenKept {
			engine.CheckpointEvery = 1
		}
		main()
	}
	os.Exit(m.Run())
}

// program returns the command that runs the program in a process of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	tier.Skip(t, tier.Race|tier.Emulated)
	if runtime.GOOS == "wasip1" || runtime.GOOS == "js" {
		t.Skip("no processes on " + runtime.GOOS)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// outcome is what a run leaves behind.
type outcome struct {
	code           int
	stdout, stderr string
}

// tested is the program in this process.
var tested = clitest.Program{Name: "sgplvm", Commands: func() []cli.Command { return commands }}

// sgplvmRun runs the program, not at a terminal.
func sgplvmRun(args ...string) outcome {
	code, stdout, stderr := tested.Run(args...)
	return outcome{code, stdout, stderr}
}

var (
	mustRun, mustFail, terminalRun = tested.Must, tested.Fail, tested.AtTerminal
	folder, sameFolder             = clitest.Folder, clitest.SameFolder
	read, write                    = clitest.Read, clitest.Write
	readArray, writeArray          = clitest.ReadArray, clitest.WriteArray
)

// succeed runs the program, which may have something to note.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	o := sgplvmRun(args...)
	if o.code != 0 {
		t.Fatalf("sgplvm %s: exit code %d, %s", strings.Join(args, " "), o.code, o.stderr)
	}
	return o.stdout
}

func writeText(t *testing.T, path, text string) { t.Helper(); write(t, path, []byte(text)) }

// sameBits fails unless two lists hold the same bits.
func sameBits(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		if math.Float64bits(got[i]) != math.Float64bits(w) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], w)
			return
		}
	}
}

// The pictures of most tests: 9 to learn from and 3 to fill in, 5 pixels wide
// and 4 high, whole levels, so that every type of number holds them.
const (
	testWidth, testHeight = 5, 4
	testPoints            = testWidth * testHeight
	testTraining, testNew = 9, 3
)

var testFaces = sync.OnceValue(func() []float64 {
	v := picture.Faces(testTraining+testNew, testWidth, testHeight, 7).Float64s()
	for i := range v {
		v[i] = math.Round(v[i])
	}
	return v
})

// trainingFaces returns testTraining×testPoints numbers.
func trainingFaces() []float64 {
	return slices.Clone(testFaces()[:testTraining*testPoints])
}

// newFaces returns testNew×testPoints numbers.
func newFaces() []float64 {
	return slices.Clone(testFaces()[testTraining*testPoints:])
}

// holes returns copies of frames with every third value NaN, another third in
// every frame.
func holes(frames []float64) []float64 {
	v := slices.Clone(frames)
	for i := range v {
		if (i+i/testPoints)%3 == 0 {
			v[i] = math.NaN()
		}
	}
	return v
}

// testModel is a trained model file of the training faces.
var testModel = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "sgplvm")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var b bytes.Buffer
	if err := npy.Write(&b, npy.New(trainingFaces(), testTraining, testHeight, testWidth)); err != nil {
		return nil, err
	}
	data, model := filepath.Join(dir, "data.npy"), filepath.Join(dir, "model")
	if err := os.WriteFile(data, b.Bytes(), 0o666); err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "config.json")
	if err := os.WriteFile(config, []byte(`{"effort": "none", "factors": "joint", "training": {"iterations": 12}}`), 0o666); err != nil {
		return nil, err
	}
	if o := sgplvmRun("train", "-data", data, "-out", model, "-config", config); o.code != 0 {
		return nil, errors.New(o.stderr)
	}
	return os.ReadFile(model)
})

// workFolder makes a new working folder with train.npy, truth.npy and seen.npy
// (frames×height×width), mask.npy and model.
func workFolder(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	writeArray(t, "train.npy", npy.New(trainingFaces(), testTraining, testHeight, testWidth))
	writeArray(t, "truth.npy", npy.New(newFaces(), testNew, testHeight, testWidth))
	seen := holes(newFaces())
	writeArray(t, "seen.npy", npy.New(seen, testNew, testHeight, testWidth))
	writeArray(t, "mask.npy", npy.New(maskOf(seen), testNew, testHeight, testWidth))
	model, err := testModel()
	if err != nil {
		t.Fatal(err)
	}
	write(t, "model", model)
}

// steps writes the configuration of a training of so many steps, and further fields of it, without a search; it returns the name.
func steps(t *testing.T, n int, fields ...string) string {
	t.Helper()
	name := fmt.Sprintf("steps%d.json", n)
	write(t, name, []byte(fmt.Sprintf(`{"effort": "none", "training": {"iterations": %d}%s}`, n, strings.Join(append([]string{""}, fields...), ", "))))
	return name
}

// tensorsOf returns a model file without the configuration that it was trained with, and how that was chosen.
func tensorsOf(t *testing.T, path string) []byte {
	t.Helper()
	return foreignModel(t, read(t, path), func(f *safetensors.File) {
		delete(f.Metadata, "config")
		delete(f.Metadata, "selection")
	})
}

// maskOf returns 1 where a value is a number.
func maskOf(v []float64) []uint8 {
	m := make([]uint8, len(v))
	for i, x := range v {
		if x == x {
			m[i] = 1
		}
	}
	return m
}

func loadTestModel(t *testing.T, path string) *sgplvm.Model {
	t.Helper()
	m, err := sgplvm.Load(bytes.NewReader(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Help is asked for in any place, prints to stdout and leaves nothing behind; every flag that it names is one, and has a word on it.
func TestHelp(t *testing.T) {
	t.Chdir(t.TempDir())
	before := folder(t)
	for _, args := range []string{"-h", "-help", "--help", "help", "train --help", "train -seed 5 -help", "impute -data none -h -model none"} {
		if out := mustRun(t, strings.Fields(args)...); !strings.Contains(out, "sgplvm ") {
			t.Errorf("%s: %s", args, out)
		}
	}
	sameFolder(t, before)
	for _, c := range commands {
		for _, flag := range regexp.MustCompile(`(?m)^  -([\w-]+).*\n(.*)`).FindAllStringSubmatch(sgplvmRun(c.Name, "-h").stdout, -1) {
			if o := sgplvmRun(c.Name, "-"+flag[1]); strings.Contains(o.stderr, "not defined") {
				t.Errorf("%s -%s: %s", c.Name, flag[1], o.stderr)
			}
			if len(strings.TrimSpace(flag[2])) < 10 {
				t.Errorf("%s -%s: %q", c.Name, flag[1], flag[2])
			}
		}
	}
}

// A panic inside a command becomes one line and exit code 1.
func TestPanicIsCaught(t *testing.T) {
	old := commands
	defer func() { commands = old }()
	commands = append(slices.Clone(old), cli.Command{Name: "boom", Run: func(context.Context, *cli.Environment, []string) error {
		panic("index out of range\ngoroutine 1")
	}})
	want := outcome{1, "", "sgplvm: internal error, please report it: index out of range\\ngoroutine 1\n"}
	if diff := cmp.Diff(want, sgplvmRun("boom"), cmp.AllowUnexported(outcome{})); diff != "" {
		t.Error(diff)
	}
}

// limited takes some bytes and then fails.
type limited struct{ left int }

var errFull = errors.New("no space left")

func (w *limited) Write(b []byte) (int, error) {
	if len(b) > w.left {
		return 0, errFull
	}
	w.left -= len(b)
	return len(b), nil
}

// A full standard output is an error, and results are written all the same.
func TestStdoutFull(t *testing.T) {
	workFolder(t)
	steps(t, 3)
	for _, args := range []string{
		"-h", "train -h", "info -model model",
		"train -data train.npy -config steps3.json -out result",
		"impute -model model -data seen.npy -truth truth.npy -out result.npy",
		"demo -grid 5x4 -frames 8 -iters 2 -out result",
	} {
		var stderr bytes.Buffer
		code := cli.Run(context.Background(), &cli.Environment{Stdout: &limited{}, Stderr: &stderr, LineEvery: time.Hour}, commands, strings.Fields(args))
		if got := stderr.String(); code != 1 || got != "sgplvm: standard output: no space left\n" {
			t.Errorf("%s: code %d, stderr %q", args, code, got)
		}
		if name := args[strings.LastIndex(args, " ")+1:]; strings.HasPrefix(name, "result") && !strings.HasPrefix(args, "demo") {
			if _, err := os.Stat(name); err != nil {
				t.Errorf("%s: %v", args, err)
			}
		}
		os.Remove("result")
	}
}

// What goes wrong on a stderr that cannot be written is still an exit code.
func TestStderrFull(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string]int{"train": 2, "info -model none": 1} {
		if code := cli.Run(context.Background(), &cli.Environment{Stdout: io.Discard, Stderr: &limited{}}, commands, strings.Fields(args)); code != want {
			t.Errorf("%s: code %d, want %d", args, code, want)
		}
	}
}
