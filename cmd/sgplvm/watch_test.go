package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/clitest"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// At a terminal one line tells how far the work is and disappears at the end.
func TestProgress(t *testing.T) {
	workFolder(t)
	steps(t, 8)
	const (
		training = `(warm-up|latent|joint) \d+/8  bound -?\d+\.\d\d  gradient [0-9.e+-]+  noise \d\.\d{4}(  \d+s( of (the warm-up|these steps))? left at most)?`
		filling  = `pictures filled: \d/3  \d+s left`
		testing  = `observed values hidden for a test  \d+s`
		judging  = `pictures judged: \d/3  \d+s left`
		films    = `pictures rendered: \d/9  \d+s left`
	)
	for _, c := range []struct{ args, lines string }{
		{"train -config steps8.json -data train.npy -out result", training},
		{"impute -model model -data seen.npy -out result.npy", filling + "|" + testing},
		{"render -model model -out film.npy", films},
		{"demo -grid 5x4 -frames 12 -iters 8 -out shown", training + "|" + filling + "|" + judging},
	} {
		var stderr bytes.Buffer
		if code, _ := terminalRun(context.Background(), &stderr, strings.Fields(c.args)...); code != 0 {
			t.Errorf("%s: code %d", c.args, code)
		}
		lines := strings.Split(stderr.String(), "\r")
		if len(lines) < 4 || lines[0] != "" || lines[len(lines)-1] != "" || strings.TrimSpace(lines[len(lines)-2]) != "" || strings.Contains(stderr.String(), "\n") {
			t.Errorf("%s: %q", c.args, lines)
		}
		for _, line := range lines {
			if line = strings.TrimRight(line, " "); line != "" && !regexp.MustCompile("^("+c.lines+")$").MatchString(line) {
				t.Errorf("%s: %q", c.args, line)
			}
		}
	}
}

// Interrupted before there is a result, a command leaves everything as it was.
func TestInterrupted(t *testing.T) {
	workFolder(t)
	for _, name := range []string{"old", "old.npy"} {
		write(t, name, []byte("an older result"))
	}
	steps(t, 100)
	for _, c := range []struct{ word, args string }{
		{"", "train -config steps100.json -data train.npy -out old"},
		{"", "impute -model model -data seen.npy -out old.npy -variance new.npy -sheet new.png"},
		{"", "demo -grid 5x4 -frames 8 -iters 2 -out new"},
		{"filled", "impute -model model -data many.npy -out old.npy -variance new.npy -sheet new.png"},
		{"", "predict -model model -out old.npy -variance new.npy -sheet new.png"},
		{"", "sample -model model -out old.npy -latent new.npy -sheet new.png"},
		{"", "render -model model -out new -variance old.npy"},
		{"rendered", "render -model model -out new.gif -variance old.npy"},
		{"rendered", "render -model model -out new.npy -variance old.npy"},
		{"inferred", "predict -model model -data many.npy -out old.npy -variance new.npy -sheet new.png"},
		{"predicted", "predict -model model -data many.npy -out old.npy -variance new.npy -sheet new.png"},
		{"warm-up", "demo -grid 5x4 -frames 8 -iters 1000 -out new"},
		{"filled", "demo -grid 5x4 -frames 200 -iters 2 -out new"},
	} {
		many := holes(newFaces())
		for range 5 {
			many = append(many, many...)
		}
		writeArray(t, "many.npy", npy.New(many, 32*testNew, testHeight, testWidth))
		before := folder(t)
		ctx, cancel := context.WithCancel(context.Background())
		w := &clitest.Canceller{Word: c.word, Cancel: cancel}
		if c.word == "" {
			cancel()
		}
		code, _ := terminalRun(ctx, w, strings.Fields(c.args)...)
		if lines := strings.Split(w.Text.String(), "\r"); code != 130 || lines[len(lines)-1] != "sgplvm: interrupted\n" {
			t.Errorf("%s: code %d, stderr %q", c.args, code, w.Text.String())
		}
		sameFolder(t, before)
		cancel()
	}
}

// Interrupted in the middle, train leaves an older model alone and a checkpoint, from which it goes on to the same model; no other run
// takes or replaces that.
func TestTrainingInterrupted(t *testing.T) {
	workFolder(t)
	steps(t, 60)
	mustRun(t, "train", "-config", "steps60.json", "-data", "train.npy", "-out", "whole")
	write(t, "result", []byte("an older result"))
	args := []string{"train", "-config", "steps60.json", "-data", "train.npy", "-out", "result"}
	before := folder(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &clitest.Canceller{Word: "warm-up", Cancel: cancel}
	code, stdout := terminalRun(ctx, w, args...)
	const want = "sgplvm: result.checkpoint keeps what was done: the same command with -resume goes on; result is as it was\nsgplvm: interrupted\n"
	if lines := strings.Split(w.Text.String(), "\r"); code != 130 || stdout != "" || lines[len(lines)-1] != want {
		t.Errorf("code %d, stderr %q, stdout %q", code, lines, stdout)
	}
	sameFolder(t, before, "result.checkpoint")
	mustFail(t, 2, "train: result.checkpoint has what an earlier run did before it was stopped, expected -resume to go on with that, or that the file is removed", args...)
	mustFail(t, 1, "result.checkpoint: checkpoint: of a run with other Seed; without the file a run begins anew", append(args, "-resume", "-seed", "3")...)
	mustRun(t, append(args, "-resume")...)
	if !bytes.Equal(read(t, "result"), read(t, "whole")) {
		t.Error("another model than that of a run without an interrupt")
	}
	sameFolder(t, before, "result")
	o := sgplvmRun(append(args, "-resume")...)
	if o.code != 0 || o.stderr != "sgplvm: result.checkpoint is not there: begins anew\n" {
		t.Errorf("nothing to resume: %+v", o)
	}
}

// The training pictures are read whenever training needs them: where the file is cut
// short meanwhile, train says so and leaves everything as it was, but for a checkpoint.
func TestTrainingFileCut(t *testing.T) {
	workFolder(t)
	write(t, "cut.npy", read(t, "train.npy"))
	write(t, "c.json", []byte(`{"effort": "none", "training": {"iterations": 8, "joint": true}}`))
	write(t, "result", []byte("an older result"))
	before := folder(t)
	w := &clitest.Canceller{Word: "warm-up", Cancel: func() {
		if err := os.Truncate("cut.npy", 1000); err != nil {
			t.Error(err)
		}
	}}
	code, stdout := terminalRun(context.Background(), w, "train", "-config", "c.json", "-data", "cut.npy", "-out", "result")
	const want = "sgplvm: result.checkpoint keeps what was done: the same command with -resume goes on; result is as it was\n" +
		"sgplvm: cut.npy: data: found 872 bytes, expected 1440 (the file is truncated)\n"
	if lines := strings.Split(w.Text.String(), "\r"); code != 1 || stdout != "" || lines[len(lines)-1] != want {
		t.Errorf("code %d, stdout %q, stderr %q, expected %q", code, stdout, w.Text.String(), want)
	}
	sameFolder(t, before, "cut.npy", "result.checkpoint")
}

// The demo writes what it says, the same every time; the files are those that
// train and impute make.
func TestDemo(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"demo", "-grid", "12x14", "-frames", "24", "-iters", "40", "-seed", "5", "-out"}
	out := mustRun(t, append(args, "first")...)
	for _, want := range []string{
		`^drew 24 frames of 12x14 pixels: 18 to learn from, 6 to fill in\n`,
		`\ntrained on 18 pictures in \S+: 40 steps `,
		`\n +hidden pixels\npictures +6\nvalues +504\nRMSE `,
		`\nwrote first: open report\.html in a browser; strip\.png shows seen, filled, deviation and truth; the arrays and the model are beside it\ntook \S+\n$`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("want %s\n%s", want, out)
		}
	}
	console := regexp.MustCompile(`\nRMSE +(\S+) `).FindStringSubmatch(out)
	shown := regexp.MustCompile(`root mean square error, mean over pictures</td><td[^>]*>([^<]+)<`).FindSubmatch(read(t, "first/report.html"))
	if console == nil || shown == nil || strings.TrimRight(console[1], "0") != strings.TrimRight(string(shown[1]), "0") {
		t.Errorf("the error is %q in the console, %q on the page", console, shown)
	}
	names := []string{"report.html", "strip.png", "model.safetensors", "train.npy", "seen.npy", "filled.npy", "truth.npy"}
	if files := folder(t); len(files) != 2+len(names) {
		t.Errorf("%d files and folders, want %d", len(files), 2+len(names))
	}
	if err := os.Mkdir("second", 0o777); err != nil { // a folder that is there is used
		t.Fatal(err)
	}
	mustRun(t, append(args, "second")...)
	mustRun(t, "train", "-data", "first/train.npy", "-config", steps(t, 40, `"latentDims": 12`), "-seed", "5", "-out", "model")
	mustRun(t, "impute", "-model", "model", "-data", "first/seen.npy", "-out", "filled.npy")
	pairs := map[string]string{"first/model.safetensors": "model", "first/filled.npy": "filled.npy"}
	for _, n := range names {
		pairs["first/"+n] = "second/" + n
	}
	for a, b := range pairs {
		if !bytes.Equal(read(t, a), read(t, b)) {
			t.Errorf("%s and %s differ", a, b)
		}
	}

	// Filled pixels are nearer to the truth than the training frames' mean, which
	// a filler of holes would use that knows nothing of the picture.
	train, seen := readArray(t, "first/train.npy").Float64s(), readArray(t, "first/seen.npy").Float64s()
	filled, truth := readArray(t, "filled.npy").Float64s(), readArray(t, "first/truth.npy").Float64s()
	const pixels = 12 * 14
	var model, mean float64
	hidden := 0
	for i, s := range seen {
		if s == s {
			continue
		}
		hidden++
		var m float64
		for k := i % pixels; k < len(train); k += pixels {
			m += train[k] / 18
		}
		model += (filled[i] - truth[i]) * (filled[i] - truth[i])
		mean += (m - truth[i]) * (m - truth[i])
	}
	if hidden != len(seen)/2 {
		t.Errorf("%d of %d pixels hidden, want half", hidden, len(seen))
	}
	if !(model < mean/3) {
		t.Errorf("squared error %g, of the mean frame %g", model, mean)
	}
}

// The smallest frames there are.
func TestDemoSmall(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, grid := range []string{"1x1", "1x3", "3x1", "2x2"} {
		o := sgplvmRun("demo", "-grid", grid, "-frames", "8", "-iters", "2", "-out", grid)
		if o.code != 0 || !strings.Contains(o.stdout, "\nwrote "+grid+": ") {
			t.Errorf("%s: %+v", grid, o)
		}
	}
}

// exitCode runs a process and returns its exit code and what it wrote to stderr.
func exitCode(t *testing.T, c *exec.Cmd) (int, string) {
	t.Helper()
	var stderr bytes.Buffer
	c.Stderr = &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), stderr.String()
}

// The process itself: exit codes, streams that are gone, a full device.
func TestProcess(t *testing.T) {
	workFolder(t)
	if code, stderr := exitCode(t, program(t, "info", "-model", "model")); code != 0 || stderr != "" {
		t.Errorf("info: code %d, %q", code, stderr)
	}
	if code, stderr := exitCode(t, program(t, "info")); code != 2 || stderr != "sgplvm: info: -model is missing, expected the model file\n" {
		t.Errorf("info: code %d, %q", code, stderr)
	}
	steps(t, 3)
	if code, stderr := exitCode(t, program(t, "train", "-data", "none.npy", "-out", "result")); code != 1 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("train: code %d, %q", code, stderr)
	}

	// A closed pipe ends the program without a word; the model is there.
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	c := program(t, "train", "-data", "train.npy", "-config", "steps3.json", "-out", "result")
	c.Stdout = w
	code, stderr := exitCode(t, c)
	if code == 0 || strings.Contains(stderr, "panic") || strings.Contains(stderr, "goroutine") {
		t.Errorf("closed pipe: code %d, %q", code, stderr)
	}
	w.Close()
	mustRun(t, "info", "-model", "result")

	if runtime.GOOS != "linux" {
		return
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	c = program(t, "info", "-model", "model")
	c.Stdout = full
	if code, stderr := exitCode(t, c); code != 1 || stderr != "sgplvm: standard output: write /dev/stdout: no space left on device\n" {
		t.Errorf("full device: code %d, %q", code, stderr)
	}

	// A file may not grow beyond a limit: the old result stays, no other is left.
	shell, err := exec.LookPath("sh")
	if err != nil || testing.CoverMode() != "" { // coverage has files of its own to write
		return
	}
	write(t, "result", []byte("an older result"))
	write(t, "result.npy", []byte("an older result"))
	for _, args := range []string{
		"train -data train.npy -config steps3.json -out result",
		"impute -model model -data many.npy -out result.npy",
	} {
		many := newFaces()
		for range 3 {
			many = append(many, many...)
		}
		writeArray(t, "many.npy", npy.New(many, 8*testNew, testHeight, testWidth))
		before := folder(t)
		c := program(t, strings.Fields(args)...)
		limited := exec.Command(shell, append([]string{"-c", `ulimit -f 1; exec "$0" "$@"`}, c.Args...)...)
		limited.Env = c.Env
		if code, stderr := exitCode(t, limited); code != 1 || stderr != "sgplvm: "+args[strings.LastIndex(args, " ")+1:]+": cannot write: file too large; the old file is as it was\n" {
			t.Errorf("%s: code %d, %q", args, code, stderr)
		}
		sameFolder(t, before)
	}
}
