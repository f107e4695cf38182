package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// manyKills is the variable with the number of kills of each command, and of faults; .ci/kills sets it. Without it tests take a sample.
const manyKills = "KRONFIELD_KILLS"

// howMany returns that number, or that of the sample.
func howMany(t *testing.T, sample int) int {
	t.Helper()
	if text := os.Getenv(manyKills); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("%s=%s, expected a whole number", manyKills, text)
		}
		return n
	}
	if testing.Short() {
		return 1
	}
	return sample
}

// A job is a command that writes results, and the flags with which it goes on after it was ended.
type job struct {
	args    string
	results []string
	resume  bool
}

// jobs are commands of each kind; the files that they read are made.
func jobs(t *testing.T) []job {
	t.Helper()
	workFolder(t)
	steps(t, 40)
	write(t, "quick.json", []byte(`{"effort": "quick", "latentDims": 2, "training": {"iterations": 6}}`))
	writeArray(t, "times.npy", npy.New([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8}, testTraining))
	writeArray(t, "patchy.npy", npy.New(patchy(), testTraining, testHeight, testWidth))
	return []job{
		{"train -config steps40.json -data train.npy -out result.model", []string{"result.model"}, true},
		{"train -config quick.json -data train.npy -times times.npy -out result.model", []string{"result.model"}, true},
		{"fill -config quick.json -data patchy.npy -out result.npy -variance variance.npy -save result.model", []string{"result.npy", "variance.npy", "result.model"}, true},
		{"render -model model -grid 240x200 -out result.npy -variance variance.npy", []string{"result.npy", "variance.npy"}, false},
		{"render -model model -grid 240x200 -out result.npy -part 1/2", []string{"result.npy.part1of2"}, false},
		{"shard -model model -data train.npy -out result.sums", []string{"result.sums"}, false},
		{"render -model model -grid 240x200 -out result.gif", []string{"result.gif"}, false},
		{"render -model model -grid 240x200 -out frames", []string{"frames"}, false},
	}
}

// started returns the process of a job, which keeps what it does after every step.
func started(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := program(t, args...)
	c.Env = append(c.Env, asProgram+"="+oftenKept)
	return c
}

// trial is a job whose results are known: what they are when it is through, and how long that takes.
type trial struct {
	job
	whole map[string]string // the folder afterwards
	took  time.Duration
}

// run runs a job to its end in a folder without its results.
func (j job) run(t *testing.T) trial {
	t.Helper()
	for _, r := range j.results {
		os.RemoveAll(r)
	}
	begin := time.Now()
	if code, stderr := exitCode(t, started(t, strings.Fields(j.args)...)); code != 0 {
		t.Fatalf("%s: code %d, %s", j.args, code, stderr)
	}
	return trial{j, folder(t), time.Since(begin)}
}

// prepare puts older results in place, or none.
func (r trial) prepare(t *testing.T, old bool) {
	t.Helper()
	for _, path := range r.results {
		os.RemoveAll(path)
		if old && path != "frames" {
			write(t, path, []byte("an older result"))
		}
	}
}

// check fails unless every result is absent, old or new, and nothing else is there but, after a kill, hidden temporary files and a checkpoint. It
// reports whether all are new.
func (r trial) check(t *testing.T, old, killed bool) (all bool) {
	t.Helper()
	now := folder(t)
	all = true
	for path, content := range now {
		hidden := strings.HasPrefix(filepath.Base(path), ".kronfield-") || strings.HasPrefix(path, ".kronfield-")
		isResult := slices.Contains(r.results, path)
		switch {
		case content == r.whole[path]:
		case old && isResult && content == "an older result":
			all = false
		case killed && (hidden || strings.HasSuffix(path, ".checkpoint")):
		default:
			t.Errorf("%s: %s is neither old nor new: %.100q", r.args, path, content)
		}
	}
	for path := range r.whole {
		if _, there := now[path]; !there {
			all = false
			if old && slices.Contains(r.results, path) && path != "frames" {
				t.Errorf("%s: %s has gone", r.args, path)
			}
		}
	}
	return all
}

// Killed at any moment, a command leaves results that are absent, old or new. Trainings and completions then go on to the same bits.
func TestProcessKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no such kills on windows")
	}
	list := jobs(t)
	kills := howMany(t, 1)
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	for _, j := range list {
		r := j.run(t)
		kept, done := 0, 0
		for range kills {
			old := rng.IntN(2) == 0
			r.prepare(t, old)
			c := started(t, strings.Fields(r.args)...)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			delay := time.Duration(rng.Float64() * float64(r.took))
			time.Sleep(delay)
			c.Process.Kill()
			c.Wait()
			if r.check(t, old, true) {
				done++
				r.took = min(r.took, delay) // the machine was busy when it was measured
			}
			if found, _ := filepath.Glob("*.checkpoint"); len(found) > 0 {
				kept++
			}
			if r.resume {
				if code, stderr := exitCode(t, started(t, append(strings.Fields(r.args), "-resume")...)); code != 0 {
					t.Errorf("%s: code %d, %s", r.args, code, stderr)
				}
				if !r.check(t, old, true) {
					t.Errorf("%s: killed and resumed, other results than at once", r.args)
				}
				if found, _ := filepath.Glob("*.checkpoint"); len(found) > 0 {
					t.Errorf("%s: left a checkpoint", r.args)
				}
			}
			removeTemps(t)
			if t.Failed() {
				return
			}
		}
		t.Logf("%s: %d kills within %v, %d left a checkpoint, %d came too late", r.args, kills, r.took.Round(time.Millisecond), kept, done)
	}
}

// removeTemps removes what kills leave behind, which a later run does only some time later.
func removeTemps(t *testing.T) {
	t.Helper()
	found, err := filepath.Glob(".kronfield-*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		os.RemoveAll(f)
	}
}

// lineStopper ends a context at the n-th write that holds a word.
type lineStopper struct {
	word   string
	n      int
	cancel func()
	text   bytes.Buffer
}

func (w *lineStopper) Write(b []byte) (int, error) {
	if strings.Contains(string(b), w.word) {
		if w.n--; w.n == 0 {
			w.cancel()
		}
	}
	return w.text.Write(b)
}

// Interrupted at any step of a training, or of a search, and resumed, a command comes to the bits of one that was not.
func TestProcessInterruptedAnywhere(t *testing.T) {
	for _, j := range jobs(t)[:3] {
		word, most, stride := "/40 ", 39, 8/min(8, howMany(t, 2))
		switch {
		case strings.HasPrefix(j.args, "fill"):
			word, most, stride = "", 400, 50/min(50, howMany(t, 1))
		case !strings.Contains(j.args, "steps40"):
			word, most = "", 400
		}
		r := j.run(t)
		stopped := 0
		for n := 1; n <= most; n += stride {
			r.prepare(t, true)
			ctx, cancel := context.WithCancel(context.Background())
			w := &lineStopper{word: word, n: n, cancel: cancel}
			run := func(args ...string) int {
				return cli.Run(ctx, &cli.Environment{Stdout: &bytes.Buffer{}, Stderr: w, LineEvery: 1}, commands, args)
			}
			code := run(strings.Fields(r.args)...)
			cancel()
			if code == 0 {
				break
			}
			if code != cli.ExitStopped || r.check(t, true, true) {
				t.Errorf("%s, interrupted at line %d: code %d\n%s", r.args, n, code, w.text.String())
			}
			stopped++
			ctx, w = context.Background(), &lineStopper{}
			if code := run(append(strings.Fields(r.args), "-resume")...); code != 0 || !r.check(t, true, false) {
				t.Errorf("%s, interrupted at line %d and resumed: code %d\n%s", r.args, n, code, w.text.String())
			}
			if t.Failed() {
				return
			}
		}
		if stopped < 2 || word != "" && stopped != (39+stride-1)/stride {
			t.Errorf("%s: %d interrupts", r.args, stopped)
		}
		t.Logf("%s: %d interrupts", r.args, stopped)
	}
}

// A signal to the process stops it as an interrupt does.
func TestProcessSignalled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes on windows")
	}
	workFolder(t)
	steps(t, 1000000)
	for _, s := range cli.StopSignals {
		c := started(t, "train", "-config", "steps1000000.json", "-data", "train.npy", "-out", "result")
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for range 500 {
			if _, err := os.Stat("result.checkpoint"); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if err := c.Process.Signal(s); err != nil {
			t.Error(err)
		}
		c.Wait()
		const want = "sgplvm: result.checkpoint keeps what was done: the same command with -resume goes on; result is as it was\nsgplvm: interrupted\n"
		if code := c.ProcessState.ExitCode(); code != cli.ExitStopped || stderr.String() != want {
			t.Errorf("%v: code %d, %q", s, code, stderr.String())
		}
		if err := os.Remove("result.checkpoint"); err != nil {
			t.Error(err)
		}
	}
}

// Where the system fails to write, rename or synchronise, whichever call that is, results are as they were or new, and one line says
// which. strace, of Debian, makes it fail.
func TestProcessFaults(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is missing: ", err)
	}
	if err := exec.Command("strace", "-o", os.DevNull, "true").Run(); err != nil {
		t.Skip("strace may not trace here: ", err)
	}
	list := append(jobs(t),
		job{"impute -model model -data seen.npy -out result.npy -variance variance.npy -sheet sheet.png", []string{"result.npy", "variance.npy", "sheet.png"}, false},
		job{"predict -model model -out result.npy -variance variance.npy", []string{"result.npy", "variance.npy"}, false},
		job{"sample -model model -count 2 -out result.npy -latent latent.npy", []string{"result.npy", "latent.npy"}, false},
		job{"info -model model -write-config result.json", []string{"result.json"}, false},
	)
	rename := "renameat"
	if runtime.GOARCH == "arm64" || runtime.GOARCH == "riscv64" {
		rename = "renameat2,renameat"
	}
	faults := []struct{ calls, err string }{
		{"fsync", "EIO"}, {rename, "EROFS"}, {"write", "ENOSPC"}, {"write", "EIO"}, {"openat", "EROFS"}, {"close", "EIO"}, {"fsync", "ENOSPC"}, {rename, "EIO"},
	}
	many := howMany(t, 2)
	failed, ran := 0, 0
	rng := rand.New(rand.NewPCG(25, 0))
	for i, j := range list {
		if many <= 2 && i%3 != 0 {
			continue
		}
		r := j.run(t)
		for k := range many {
			f := faults[rng.IntN(len(faults))]
			when := 1 + rng.IntN(4)
			if many > 2 { // all of them, one after the other
				f, when = faults[k%len(faults)], 1+k/len(faults)
			}
			r.prepare(t, k%2 == 0)
			c := started(t, strings.Fields(r.args)...)
			traced := exec.Command("strace", append([]string{"-f", "-qq", "-o", os.DevNull, "--seccomp-bpf", "-e", "trace=" + f.calls,
				"-e", fmt.Sprintf("inject=%s:error=%s:when=%d+", f.calls, f.err, when)}, c.Args...)...)
			traced.Env = c.Env
			code, stderr := exitCode(t, traced)
			ran++
			all := r.check(t, k%2 == 0, f.calls == "openat" || code != 0)
			what := fmt.Sprintf("%s, %s of %s from number %d on: code %d, %q", r.args, f.err, f.calls, when, code, stderr)
			switch {
			case code == 0 && !all:
				t.Errorf("%s, but results are not new", what)
			case code == cli.ExitFailed && strings.Count(stderr, "sgplvm: ") == strings.Count(stderr, "\n") && !strings.Contains(stderr, "internal error"):
				failed++
			case code != 0 && !diedOfGo(code, stderr, f.calls):
				t.Error(what)
			}
			for _, path := range []string{"result.model.checkpoint", "result.npy.checkpoint"} {
				os.Remove(path)
			}
			removeTemps(t)
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d faults, of which %d failed a command", ran, failed)
	if failed == 0 {
		t.Error("no fault failed a command")
	}
}

// diedOfGo tells whether the Go runtime ended a process: it opens files for itself and wakes its threads by writing to a descriptor,
// and dies with code 2 where that fails. Where writes fail it cannot even say so, but lines that were said before stand there.
func diedOfGo(code int, stderr, calls string) bool {
	silent := !strings.Contains(stderr, "explains the flags") && strings.Count(stderr, "sgplvm: ") == strings.Count(stderr, "\n")
	return strings.Contains(stderr, "runtime: ") || strings.Contains(stderr, "fatal error: ") || code == 2 && silent && calls == "write"
}
