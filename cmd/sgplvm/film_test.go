package main

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// filmWidth and filmHeight are the size of drift's pictures.
const filmWidth, filmHeight = 24, 16

// drift draws pictures at times: structure that swings to and fro.
func drift(times ...float64) (v []float64) {
	for _, time := range times {
		for i := range filmWidth * filmHeight {
			u, w := float64(i%filmWidth)-5*math.Sin(time/2), float64(i/filmWidth)-2*math.Cos(time/3)
			v = append(v, 120+60*math.Tanh(2*(math.Sin(u/2.5)*math.Cos(w/3)+math.Sin(u/4+w/2))))
		}
	}
	return v
}

// An animated GIF is a film, unless it has one frame.
func TestAnimationIsFilm(t *testing.T) {
	workFolder(t)
	succeed(t, "render", "-model", "model", "-fps", "10", "-examples", "all", "-out", "film.gif")
	succeed(t, "render", "-model", "model", "-examples", "3", "-out", "one.gif")
	still := steps(t, 3, `"motion": "off"`)
	mustRun(t, "train", "-data", "film.gif", "-config", still, "-out", "result")
	if out := mustRun(t, "info", "-model", "result"); !strings.Contains(out, "\nlatent prior           dynamic, one sequence at times from 0 to 0.8, kernel ") {
		t.Errorf("info prints %s", out)
	}
	writeArray(t, "times.npy", npy.New([]float64{1, 2, 3, 4, 5, 6, 7, 8, 10}, testTraining))
	mustRun(t, "train", "-data", "film.gif", "-times", "times.npy", "-period", "4", "-config", still, "-out", "result")
	if out := mustRun(t, "info", "-model", "result"); !strings.Contains(out, "\nlatent prior           dynamic, one sequence at times from 1 to 10, kernel ") {
		t.Errorf("info prints %s", out)
	}
	o := sgplvmRun("train", "-data", "one.gif", "-config", still, "-out", "result")
	if o.code != 0 || !strings.HasPrefix(o.stderr, "sgplvm: warning: a single example: ") || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("%+v", o)
	}
	if out := mustRun(t, "info", "-model", "result"); !strings.Contains(out, "\nlatent prior           independent\n") {
		t.Errorf("info prints %s", out)
	}
}

// All commands know what to do with a film: its file keeps the motion, pictures at its times and between them are drawn and filled in, what was seen of them stays, and
// frames of a film belong together.
func TestFilm(t *testing.T) {
	if testing.Short() {
		t.Skip("estimates motion")
	}
	workFolder(t)
	const n, frames = 10, 6
	times, between := make([]float64, n), []float64{4.5, 7.25}
	for i := range times {
		times[i] = float64(i)
	}
	damaged := drift(between...)
	for i := range damaged {
		if i%filmWidth >= filmWidth/3 && i%filmWidth < filmWidth*2/3 || i%5 == 0 {
			damaged[i] = math.NaN()
		}
	}
	writeArray(t, "film.npy", npy.New(drift(times...), n, filmHeight, filmWidth))
	writeArray(t, "times.npy", npy.New(times, n))
	writeArray(t, "between.npy", npy.New(between, len(between)))
	writeArray(t, "damaged.npy", npy.New(damaged, len(between), filmHeight, filmWidth))
	run := func(args string) string { t.Helper(); return succeed(t, strings.Fields(args)...) }
	run("train -data film.npy -film -times times.npy -out moving -config " + steps(t, 10, `"latentKernel": "rbf+time"`, `"latentDims": 3`))
	if out := run("info -model moving"); !regexp.MustCompile(`(?m)^motion +\d+ shots?(, mixed with interpolation \S+, nearest frame \S+ and dense flow \S+)?(, variance inflation over \S+)?$`).MatchString(out) || strings.Contains(out, "attribute") {
		t.Errorf("info prints %q", out)
	}
	run("render -model moving -times between.npy -grid 48x32 -out out.npy -variance variance.npy")
	shaped(t, "out.npy", 2, 32, 48)
	run("impute -model moving -data damaged.npy -times between.npy -out filled.npy -variance v.npy -sheet sheet.png")
	for i, v := range shaped(t, "filled.npy", 2, filmHeight, filmWidth) {
		if damaged[i] == damaged[i] && v != damaged[i] || v != v {
			t.Fatalf("value %d is %v, was %v", i, v, damaged[i])
		}
	}
	run("predict -model moving -out p.npy -grid 48x32")
	shaped(t, "p.npy", n, 32, 48)
	run("sample -model moving -from 20 -to 20.5 -fps 10 -count 3 -seed 4 -out films.npy -latent paths.npy -sheet films.png")
	shaped(t, "paths.npy", 3, frames, 3)
	films := shaped(t, "films.npy", 3, frames, filmHeight, filmWidth)
	const size = filmHeight * filmWidth
	apart := func(a, b int) (square float64) {
		for i := range size {
			square += (films[a*size+i] - films[b*size+i]) * (films[a*size+i] - films[b*size+i])
		}
		return math.Sqrt(square / size)
	}
	if steps, others := apart(2, 3), apart(2, frames+2); !(steps < 0.7*others) {
		t.Errorf("frames that follow one another are %v apart, those of different films %v", steps, others)
	}
	const needed = ": a model of a film with motion without -times, expected the times of the pictures: contents are elsewhere at every time"
	for line, args := range map[string]string{
		"impute" + needed:                   "impute -data damaged.npy",
		"predict" + needed:                  "predict -data damaged.npy",
		"predict: -sequence without -times": "predict -sequence 3",
		"sample: more than one of -times, -example and -from, -to or -fps, expected at most one": "sample -example 3 -from 2",
		"sample: -sequence 9, expected one that the model was trained on":                        "sample -sequence 9",
	} {
		mustFail(t, 2, line, strings.Fields(args+" -model moving -out x.npy")...)
	}
}
