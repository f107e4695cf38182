package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/clitest"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/experiment"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

const (
	clipCount, clipWidth, clipHeight = 12, 6, 4
	smallVideo                       = "video -frames low.npy -truth hd.npy -train train.npy"
)

// videoTitles are the methods of the second experiment in its table.
var videoTitles = []string{"dynamical SGPLVM", "structured GP in time and space", "GP in time for each pixel", "linear interpolation in time", "mean of the same phase"}

// clipFolder makes a new working folder with a clip of three channels as hd.npy, at half
// the size as low.npy, and train.npy, and returns the half-size frames.
func clipFolder(t *testing.T) (low []float64) {
	t.Helper()
	t.Chdir(t.TempDir())
	const w, h = 2 * clipWidth, 2 * clipHeight
	hd := make([]float64, clipCount*h*w*3)
	low = make([]float64, len(hd)/4)
	for i := range clipCount {
		for r := range h {
			for c := range w {
				for k := range 3 {
					v := 100 + 40*math.Sin(0.5*float64(i)+0.4*float64(r)+float64(k)) + 20*math.Cos(0.3*float64(c)) + float64((7*i+3*r*r+5*c*k)%11)
					hd[((i*h+r)*w+c)*3+k] = v
					low[((i*clipHeight+r/2)*clipWidth+c/2)*3+k] += v / 4
				}
			}
		}
	}
	writeArray(t, "hd.npy", npy.New(hd, clipCount, h, w, 3))
	writeArray(t, "low.npy", npy.New(low, clipCount, clipHeight, clipWidth, 3))
	writeArray(t, "train.npy", npy.New([]int64{9, 0, 2, 3, 5, 7, 11}, 7))
	return low
}

// All methods write a table, a page and a sheet; at the training resolution the error of
// linear interpolation is that of a few lines of arithmetic.
func TestVideo(t *testing.T) {
	low := clipFolder(t)
	stdout := mustRun(t, strings.Fields(smallVideo+" -period 12 -iters 20 -model film.model -out all")...)
	rows := readTable(t, "all/table.csv")
	for _, title := range videoTitles {
		row := rows[title]
		rmse, err := strconv.ParseFloat(row["rmse"], 64)
		if err != nil || !(rmse > 0 && rmse < 2) || row["pictures"] != "5" || row["values"] != strconv.Itoa(5*4*clipWidth*clipHeight*3) {
			t.Errorf("%s: %v %v", title, row, err)
		}
		if !strings.Contains(stdout, title+": learned in ") {
			t.Errorf("no %q in %s", title, stdout)
		}
	}
	for _, name := range experiment.VideoResults {
		if len(read(t, filepath.Join("all", name))) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
	if text := string(read(t, "all/table.txt")); !strings.Contains(stdout, text) || strings.Contains(text, "published") {
		t.Errorf("table.txt is %s", text)
	}

	// The latent variables are drawn, in the page too, and the model can be used elsewhere.
	drawn := string(read(t, "all/latent.svg"))
	if err := xml.Unmarshal([]byte(drawn), new(struct{})); err != nil || strings.Count(drawn, "<polyline") != 6 || strings.Contains(drawn, "NaN") {
		t.Errorf("%v: %s", err, drawn)
	}
	if !strings.Contains(string(read(t, "all/table.html")), drawn) {
		t.Error("table.html does not show the latent variables")
	}
	if m, err := sgplvm.Load(bytes.NewReader(read(t, "film.model"))); err != nil || m.Examples() != 7 {
		t.Errorf("the model: %v", err)
	}

	mustRun(t, strings.Fields("video -frames low.npy -truth low.npy -train train.npy -methods interpolation -out same")...)
	if _, err := os.Stat("same/latent.svg"); err == nil {
		t.Error("latent.svg without the model")
	}
	const size = clipWidth * clipHeight * 3
	training := []int{0, 2, 3, 5, 7, 9, 11}
	var level, scale [3]float64
	for _, i := range training {
		for j, v := range low[i*size : (i+1)*size] {
			level[j%3] += v / float64(7*size/3)
		}
	}
	for _, i := range training {
		for j, v := range low[i*size : (i+1)*size] {
			scale[j%3] += (v - level[j%3]) * (v - level[j%3]) / float64(7*size/3)
		}
	}
	var want float64
	for _, c := range [][3]int{{0, 1, 2}, {3, 4, 5}, {5, 6, 7}, {7, 8, 9}, {9, 10, 11}} {
		var squares float64
		for j := range size {
			d := low[c[1]*size+j] - (low[c[0]*size+j]+low[c[2]*size+j])/2
			squares += d * d / scale[j%3]
		}
		want += math.Sqrt(squares/size) / 5
	}
	got, _ := strconv.ParseFloat(readTable(t, "same/table.csv")["linear interpolation in time"]["rmse"], 64)
	if !(math.Abs(got-want) < 1e-12) {
		t.Errorf("RMSE %v, expected %v", got, want)
	}

	// Twice as many units of time change nothing, and neither does the number of processors.
	writeArray(t, "twice.npy", npy.New([]int32{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}, clipCount))
	before := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(before)
	mustRun(t, strings.Fields("video -frames low.npy -truth low.npy -train train.npy -times twice.npy -methods interpolation -out same2")...)
	one, two := readTable(t, "same/table.csv"), readTable(t, "same2/table.csv")
	for name, row := range one {
		for column, v := range row {
			if column != "learning" && column != "predicting" && two[name][column] != v {
				t.Errorf("%s of %s: %s, then %s", column, name, v, two[name][column])
			}
		}
	}
}

func TestVideoRefuses(t *testing.T) {
	low := clipFolder(t)
	writeArray(t, "beyond.npy", npy.New([]int64{1, 2, 12}, 3))
	writeArray(t, "twice.npy", npy.New([]int64{1, 2, 1}, 3))
	writeArray(t, "few.npy", npy.New([]int64{1, 2}, 2))
	writeArray(t, "square.npy", npy.New([]int64{1, 2, 3, 4}, 2, 2))
	writeArray(t, "short.npy", npy.New(slices.Clone(low[:11]), 11))
	times := make([]float64, clipCount)
	times[4] = math.NaN()
	writeArray(t, "nan.npy", npy.New(times, clipCount))
	times[4] = 0
	writeArray(t, "equal.npy", npy.New(times, clipCount))
	writeArray(t, "less.npy", npy.New(slices.Clone(low[:len(low)/2]), clipCount/2, clipHeight, clipWidth, 3))
	low[7*clipWidth*clipHeight*3+20] = math.Inf(1)
	writeArray(t, "inf.npy", npy.New(low, clipCount, clipHeight, clipWidth, 3))
	if err := os.MkdirAll("taken/table.csv", 0o777); err != nil {
		t.Fatal(err)
	}
	explains := " (sgplvm-bench video -h explains the flags)"
	for _, c := range []struct {
		code       int
		args, line string
	}{
		{2, "video", "video: -frames is missing, expected all frames, of which some are learned from: a .npy, .npz, .nc or .csv file, a GIF, a PNG or JPEG picture or a folder of them"},
		{2, "video -frames low.npy -truth hd.npy", "video: -train is missing, expected the file with the numbers of the frames to learn from, .npy: whole numbers from 0"},
		{2, smallVideo + " -methods best", `video: invalid value "best" for flag -methods: expected all, or different ones of ` + strings.Join(experiment.VideoMethods(), ", ") + ", separated by commas" + explains},
		{2, smallVideo + " -period -3", `video: invalid value "-3" for flag -period: expected a positive number` + explains},
		{2, smallVideo + " -methods climatology", "video: -methods climatology without -period, expected both"},
		{2, smallVideo + " -methods gp -model m", "video: -model without the method sgplvm, expected both"},
		{2, smallVideo + " -model low.npy", `video: -model "low.npy" is the file of -frames, expected another one`},
		{2, smallVideo + " -out ./low.npy", `video: -out "./low.npy" is the file of -frames, expected another one`},
		{1, smallVideo + " -train beyond.npy", "beyond.npy: element 2: found 12, expected different whole numbers from 0 to 11"},
		{1, smallVideo + " -train twice.npy", "twice.npy: element 2: found 1, as in element 0, expected different whole numbers from 0 to 11"},
		{1, smallVideo + " -train few.npy", "few.npy: found 2 of 12 frames, expected at least 3 to learn from and one to predict"},
		{1, smallVideo + " -train square.npy", "square.npy: shape 2×2: found 2 axes, expected one axis: different whole numbers from 0 to 11"},
		{1, smallVideo + " -train nan.npy", "nan.npy: found elements of type float64, expected integers"},
		{1, smallVideo + " -times short.npy", "short.npy: shape 11: found 11 values, expected 12 times, one for each frame"},
		{1, smallVideo + " -times nan.npy", "nan.npy: element 4: found NaN, expected a finite time"},
		{1, smallVideo + " -times equal.npy -methods interpolation", "linear interpolation in time: baseline: time 1, value 0: found 0, expected another one than that of frame 0"},
		{1, smallVideo + " -truth less.npy", "less.npy: found 6 frames, expected 12, as in low.npy"},
		{1, "video -frames hd.npy -truth low.npy -train train.npy", "low.npy: found frames of 6x4, expected at least 12x8, the size of those in hd.npy"},
		{1, smallVideo + " -frames inf.npy", "inf.npy: frame 7, row 1, column 0, channel 2: found +Inf, expected a finite number in every training frame"},
		{1, smallVideo + " -frames none", "~none: .+"},
		{1, smallVideo + " -out taken", "~taken.table.csv: found a folder, expected a file that can be written"},
	} {
		mustFail(t, c.code, c.line, strings.Fields(c.args)...)
	}
}

// Interrupted at any step, the experiment leaves nothing behind.
func TestVideoInterrupted(t *testing.T) {
	clipFolder(t)
	for _, c := range []struct{ word, args string }{
		{"", smallVideo + " -out new"},
		{"warm-up", smallVideo + " -out new"},
		{"predicted", smallVideo + " -iters 2 -out new.npy"},
		{"correlations", smallVideo + " -methods gp -out new"},
		{"left at most", smallVideo + " -methods gp-time -out new"},
		{"predicted", smallVideo + " -methods interpolation -out new.npy"},
	} {
		before := folder(t)
		ctx, cancel := context.WithCancel(context.Background())
		w := &clitest.Canceller{Word: c.word, Cancel: cancel}
		if c.word == "" {
			cancel()
		}
		code, _ := terminalRun(ctx, w, strings.Fields(c.args)...)
		if text := w.Text.String(); code != 130 || !strings.HasSuffix(text, "sgplvm-bench: interrupted\n") {
			t.Errorf("%s at %q: code %d, stderr %q", c.args, c.word, code, text)
		}
		sameFolder(t, before)
		cancel()
	}
	var stderr bytes.Buffer
	if code, _ := terminalRun(context.Background(), &stderr, strings.Fields(smallVideo+" -methods gp-time -out shown")...); code != 0 {
		t.Errorf("code %d", code)
	}
	if text := stderr.String(); !strings.Contains(text, "\rvariances of pixels 1/6  ") || !strings.HasSuffix(text, "\r") || strings.Contains(text, "\n") {
		t.Errorf("%q", text)
	}
}
