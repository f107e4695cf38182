package main

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// filmWidth and filmHeight are the size of drift's pictures.
const filmWidth, filmHeight = 48, 32

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

// With its motion taken out a film is predicted far better, at times and in pixels that training
// did not have; the file keeps the motion, and all commands know what to do with it.
func TestFilm(t *testing.T) {
	if testing.Short() {
		t.Skip("two trainings and seven estimates of motion")
	}
	workFolder(t)
	const width, height, n = filmWidth, filmHeight, 16
	var values, times, fine []float64
	for i := range n {
		times = append(times, float64(i))
		values = append(values, drift(float64(i), width, height, 1)...)
	}
	between := []float64{4.5, 8.5, 11.25}
	for _, time := range between {
		fine = append(fine, drift(time, width, height, 2)...)
	}
	writeArray(t, "film.npy", npy.New(values, n, height, width))
	writeArray(t, "times.npy", npy.New(times, n))
	writeArray(t, "between.npy", npy.New(between, len(between)))
	config := steps(t, 40, `"latentKernel": "rbf+time"`, `"latentDims": 3`, `"latentTime": "0.5*matern12+0.5*matern32"`)
	succeed(t, "train", "-data", "film.npy", "-times", "times.npy", "-config", config, "-out", "still")
	succeed(t, "train", "-data", "film.npy", "-film", "-times", "times.npy", "-config", config, "-out", "moving")
	errorOf := func(model string) (rmse, within float64) {
		succeed(t, "render", "-model", model, "-times", "between.npy", "-grid", fmt.Sprintf("%dx%d", 2*width, 2*height), "-out", "out.npy", "-variance", "variance.npy")
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
	if out := mustRun(t, "info", "-model", "moving"); !regexp.MustCompile(`(?m)^motion +\d+ shots?(, mixed with interpolation \S+, nearest frame \S+ and dense flow \S+)?(, variance inflation over \S+)?$`).MatchString(out) || strings.Contains(out, "attribute") {
		t.Errorf("info prints %q", out)
	}
	filmFilled(t, "moving", "still")
	filmDrawn(t, "moving")
}

// filmFilled hides parts of frames between those of training: a model of a film with motion fills them in better than
// one without, and than the frame that it predicts as a whole.
func filmFilled(t *testing.T, moving, still string) {
	t.Helper()
	between := []float64{4.5, 8.5, 11.25}
	var truth, damaged []float64
	for _, time := range between {
		truth = append(truth, drift(time, filmWidth, filmHeight, 1)...)
	}
	for i, v := range truth {
		if i%filmWidth >= filmWidth/3 && i%filmWidth < filmWidth*2/3 || i%5 == 0 {
			v = math.NaN()
		}
		damaged = append(damaged, v)
	}
	writeArray(t, "truth.npy", npy.New(truth, len(between), filmHeight, filmWidth))
	writeArray(t, "damaged.npy", npy.New(damaged, len(between), filmHeight, filmWidth))
	errorOf := func(out string) (rmse float64) {
		mean, hidden := shaped(t, out, len(between), filmHeight, filmWidth), 0.
		for i, v := range damaged {
			switch {
			case math.IsNaN(v):
				rmse += (mean[i] - truth[i]) * (mean[i] - truth[i])
				hidden++
			case mean[i] != v && out != "whole.npy":
				t.Errorf("%s: seen value %d is %v, was %v", out, i, mean[i], v)
			}
		}
		return math.Sqrt(rmse / hidden)
	}
	for _, m := range []string{moving, still} {
		succeed(t, "impute", "-model", m, "-data", "damaged.npy", "-times", "between.npy", "-truth", "truth.npy", "-out", m+".npy", "-variance", "v.npy", "-sheet", "sheet.png")
	}
	succeed(t, "predict", "-model", moving, "-times", "between.npy", "-out", "whole.npy", "-variance", "v.npy")
	filled, without, whole := errorOf(moving+".npy"), errorOf(still+".npy"), errorOf("whole.npy")
	if !(filled < 0.95*whole && filled < 0.6*without) {
		t.Errorf("error %v, %v without motion, %v without what was seen", filled, without, whole)
	}
	succeed(t, "predict", "-model", moving, "-out", "p.npy", "-grid", "96x64")
	shaped(t, "p.npy", 16, 64, 96)
	const needed = ": a model of a film with motion without -times, expected the times of the pictures: contents are elsewhere at every time"
	mustFail(t, 2, "impute"+needed, "impute", "-model", moving, "-data", "damaged.npy", "-out", "p.npy")
	mustFail(t, 2, "predict"+needed, "predict", "-model", moving, "-data", "damaged.npy", "-out", "p.npy")
	mustFail(t, 2, "predict: -sequence without -times", "predict", "-model", moving, "-sequence", "3", "-out", "p.npy")
}

// filmDrawn draws films: the frames of one belong together.
func filmDrawn(t *testing.T, moving string) {
	t.Helper()
	succeed(t, "sample", "-model", moving, "-from", "20", "-to", "20.5", "-fps", "10", "-count", "3", "-seed", "4", "-out", "films.npy", "-latent", "paths.npy", "-sheet", "films.png")
	const frames = 6
	films := shaped(t, "films.npy", 3, frames, filmHeight, filmWidth)
	size := filmHeight * filmWidth
	frame := func(film, i int) []float64 { return films[(film*frames+i)*size:][:size] }
	apart := func(a, b []float64) (square float64) {
		for i, v := range a {
			square += (v - b[i]) * (v - b[i]) / float64(len(a))
		}
		return math.Sqrt(square)
	}
	if steps, others := apart(frame(0, 2), frame(0, 3)), apart(frame(0, 2), frame(1, 2)); !(steps < 0.7*others) {
		t.Errorf("frames that follow one another are %v apart, those of different films %v", steps, others)
	}
	shaped(t, "paths.npy", 3, frames, 3)
	succeed(t, "sample", "-model", moving, "-count", "2", "-grid", "96x64", "-noise", "-out", "p.npy")
	shaped(t, "p.npy", 2, 16, 64, 96)
	succeed(t, "sample", "-model", moving, "-count", "2", "-example", "3", "-out", "p.npy")
	shaped(t, "p.npy", 2, filmHeight, filmWidth)
	mustFail(t, 2, "sample: more than one of -times, -example and -from, -to or -fps, expected at most one", "sample", "-model", moving, "-example", "3", "-from", "2", "-out", "p.npy")
	mustFail(t, 2, "sample: -sequence 9, expected one that the model was trained on", "sample", "-model", moving, "-sequence", "9", "-out", "p.npy")
}
