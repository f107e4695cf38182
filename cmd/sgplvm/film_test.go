package main

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
)

// drift draws a picture of scale times the usual pixels at a time: structure that swings to and fro,
// and a light that changes where it is.
func drift(time float64, width, height, scale int) []float64 {
	v := make([]float64, width*height*scale*scale)
	shiftX, shiftY := 5*math.Sin(time/2), 2*math.Cos(time/3)
	for i := range v {
		// in the usual pixels
		x := (float64(i%(width*scale))+0.5)/float64(scale) - 0.5
		y := (float64(i/(width*scale))+0.5)/float64(scale) - 0.5
		u, w := x-shiftX, y-shiftY
		v[i] = 120 + 60*math.Tanh(2*(math.Sin(u/2.5)*math.Cos(w/3)+math.Sin(u/4+w/2))) + 10*math.Sin(time/4)*math.Exp(-((u-20)*(u-20)+(w-12)*(w-12))/50)
	}
	return v
}

// An animated GIF is a film, unless it has one frame.
func TestAnimationIsFilm(t *testing.T) {
	workFolder(t)
	mustRun(t, "render", "-model", "model", "-fps", "10", "-examples", "all", "-out", "film.gif")
	mustRun(t, "render", "-model", "model", "-examples", "3", "-out", "one.gif")
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

// With its motion taken out a film is predicted far better, at times and in pixels that training
// did not have; the file keeps the motion, and commands that cannot use it say so.
func TestFilm(t *testing.T) {
	if testing.Short() {
		t.Skip("two trainings and seven estimates of motion")
	}
	workFolder(t)
	const width, height, n = 48, 32, 24
	var values, times, fine []float64
	for i := range n {
		times = append(times, float64(i))
		values = append(values, drift(float64(i), width, height, 1)...)
	}
	between := []float64{4.5, 11.5, 18.25}
	for _, time := range between {
		fine = append(fine, drift(time, width, height, 2)...)
	}
	writeArray(t, "film.npy", npy.New(values, n, height, width))
	writeArray(t, "times.npy", npy.New(times, n))
	writeArray(t, "between.npy", npy.New(between, len(between)))
	config := steps(t, 40, `"latentKernel": "rbf+time"`, `"latentDims": 3`, `"latentTime": "0.5*matern12+0.5*matern32"`)
	mustRun(t, "train", "-data", "film.npy", "-times", "times.npy", "-config", config, "-out", "still")
	mustRun(t, "train", "-data", "film.npy", "-film", "-times", "times.npy", "-config", config, "-out", "moving")
	errorOf := func(model string) (rmse, within float64) {
		mustRun(t, "render", "-model", model, "-times", "between.npy", "-grid", fmt.Sprintf("%dx%d", 2*width, 2*height), "-out", "out.npy", "-variance", "variance.npy")
		mean, variance := shaped(t, "out.npy", len(between), 2*height, 2*width), shaped(t, "variance.npy", len(between), 2*height, 2*width)
		for i, v := range fine {
			d := mean[i] - v
			rmse += d * d / float64(len(fine))
			if d*d <= 2.706*variance[i] {
				within += 1 / float64(len(fine))
			}
		}
		return math.Sqrt(rmse), within
	}
	still, _ := errorOf("still")
	moving, within := errorOf("moving")
	if !(moving < 0.6*still) {
		t.Errorf("error %v with motion, %v without", moving, still)
	}
	if !(within > 0.8) {
		t.Errorf("90 %% intervals hold %v of the values", within)
	}
	if out := mustRun(t, "info", "-model", "moving"); !regexp.MustCompile(`(?m)^motion +motion of \d+×\d+ nodes, strength \S+, in time matern\d\d\(\S+\)(, with inter-frame flow)?, variance inflation over \S+$`).MatchString(out) || strings.Contains(out, "attribute") {
		t.Errorf("info prints %q", out)
	}
	for _, args := range [][]string{{"predict", "-model", "moving", "-out", "p.npy"}, {"sample", "-model", "moving", "-out", "p.npy"}, {"impute", "-model", "moving", "-data", "film.npy", "-out", "p.npy"}} {
		got := sgplvmRun(args...)
		if want := fmt.Sprintf("sgplvm: %s: a model of a film with motion (train -film), expected one without: render knows how to use it\n", args[0]); got.code != 2 || got.stderr != want {
			t.Errorf("%v: code %d, %q, want %q", args, got.code, got.stderr, want)
		}
	}
	m := loadTestModel(t, "moving")
	for _, part := range []string{"motion", "originals", "detail", "unrest"} {
		if _, err := film.Of(m.With(map[string][]byte{part: []byte("{}")})); err == nil || !strings.HasPrefix(err.Error(), "film: attached ") {
			t.Errorf("%s {}: error %v", part, err)
		}
	}
}
