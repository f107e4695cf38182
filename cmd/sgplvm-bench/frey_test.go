package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"image/png"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/experiment"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// The data of a small experiment: 26 faces of 5×4 pixels, of which 12 are
// learned from and the last 12 of the split filled in.
const (
	splitCount, splitTraining, splitTests = 26, 12, 12
	smallExperiment                       = "frey -data all.npy -grid 5x4 -split split.npy -observed masks.npy -n 12"
)

// freyTitles are the methods of the first experiment in its table.
var freyTitles = []string{"SGPLVM", "Bayesian GP-LVM", "nearest picture", "probabilistic PCA", "Gaussian", "local Gaussian", "GP on each picture alone"}

// splitFolder makes a new working folder with all.npy (a picture a row),
// split.npy and masks.npy, and returns their contents.
func splitFolder(t *testing.T) (faces []float64, split []int64, masks []uint8) {
	t.Helper()
	t.Chdir(t.TempDir())
	faces = picture.Faces(splitCount, testWidth, testHeight, 3).Float64s()
	for i := range splitCount {
		split = append(split, int64((7*i+3)%splitCount))
	}
	for i := range splitTests * testPoints {
		masks = append(masks, uint8(i*i/7%2))
	}
	writeArray(t, "all.npy", npy.New(faces, splitCount, testPoints))
	writeArray(t, "split.npy", npy.New(split, splitCount))
	writeArray(t, "masks.npy", npy.New(masks, splitTests, testPoints))
	return faces, split, masks
}

// readTable returns the rows of a CSV file by the name of the method.
func readTable(t *testing.T, path string) map[string]map[string]string {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(read(t, path))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]map[string]string{}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for k, heading := range lines[0] {
			row[heading] = line[k]
		}
		rows[line[0]] = row
	}
	return rows
}

// nearestRMSE returns the mean RMSE of what the training picture nearest on the
// observed values has at the others, over every step-th test picture.
func nearestRMSE(faces []float64, split []int64, masks []uint8, step int) float64 {
	var sum, count float64
	for k := 0; k < splitTests; k += step {
		mask := masks[k*testPoints : (k+1)*testPoints]
		of := func(number int64) []float64 { return faces[number*testPoints : (number+1)*testPoints] }
		truth := of(split[splitCount-splitTests+k])
		distance := func(number int64, observed uint8) (mean float64) {
			var n float64
			for j, v := range of(number) {
				if mask[j] == observed {
					mean += (v - truth[j]) * (v - truth[j])
					n++
				}
			}
			return mean / n
		}
		best := split[0]
		for _, number := range split[:splitTraining] {
			if distance(number, 1) < distance(best, 1) {
				best = number
			}
		}
		sum += math.Sqrt(distance(best, 0))
		count++
	}
	return sum / count
}

// All methods learn from the first pictures of the split and fill in the last ones, each
// under its own mask; the results are on stdout and in files, and do not depend on the
// number of processors.
func TestFrey(t *testing.T) {
	faces, split, masks := splitFolder(t)
	defer func(b int) { experiment.Batch = b }(experiment.Batch)
	experiment.Batch = 5
	var first map[string]map[string]string
	for _, procs := range []int{1, 4} {
		old := runtime.GOMAXPROCS(procs)
		stdout := mustRun(t, strings.Fields(smallExperiment+" -out results")...)
		runtime.GOMAXPROCS(old)
		rows := readTable(t, "results/table.csv")
		for _, title := range freyTitles {
			row, ok := rows[title]
			if !ok || row["published"] != "false" || row["pictures"] != fmt.Sprint(splitTests) || !strings.Contains(stdout, "\n"+title+" ") {
				t.Errorf("%s: row %v in\n%s", title, row, stdout)
			}
			if row["learning"] == "" || row["filling in"] == "" {
				t.Errorf("%s: no times", title)
			}
			delete(row, "learning")
			delete(row, "filling in")
		}
		if len(rows) != len(freyTitles) {
			t.Errorf("%d rows", len(rows))
		}
		if first == nil {
			first = rows
		}
		if diff := cmp.Diff(first, rows); diff != "" {
			t.Errorf("%d processors: %s", procs, diff)
		}
		if !strings.Contains(stdout, "all.npy: 12 pictures of 5x4 learned from, 12 filled in\n") {
			t.Errorf("no title in\n%s", stdout)
		}
	}
	got, err := strconv.ParseFloat(first["nearest picture"]["rmse"], 64)
	if want := nearestRMSE(faces, split, masks, 1); err != nil || math.Abs(got-want) > 1e-9*want {
		t.Errorf("RMSE of the nearest picture %v, expected %v", got, want)
	}
	page := string(read(t, "results/table.html"))
	for _, text := range []string{"<th>SGPLVM</th>", "<caption>all.npy: 12 pictures", "GP on each picture alone: variance factor", "data:image/png;base64,iVBOR"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page has no %q", text)
		}
	}
	if strings.Contains(page, "Published") {
		t.Error("the page speaks of published numbers")
	}
	if _, err := png.Decode(bytes.NewReader(read(t, "results/strip.png"))); err != nil {
		t.Error(err)
	}
}

// A quick look fills in every tenth picture and says so.
func TestFreyQuick(t *testing.T) {
	faces, split, masks := splitFolder(t)
	stdout := mustRun(t, strings.Fields(smallExperiment+" -quick -paper -methods nearest,sgplvm -out quick")...)
	if title := "12 pictures of 5x4 learned from, 2 filled in; the paper's settings; a quick look: few steps, every 10th picture\n"; !strings.Contains(stdout, title) {
		t.Errorf("%s\nexpected %s", stdout, title)
	}
	rows := readTable(t, "quick/table.csv")
	got, err := strconv.ParseFloat(rows["nearest picture"]["rmse"], 64)
	if want := nearestRMSE(faces, split, masks, 10); err != nil || math.Abs(got-want) > 1e-9*want || len(rows) != 2 {
		t.Errorf("RMSE of the nearest picture %v, expected %v, %d rows", got, want, len(rows))
	}
}

// What cannot be used is refused before anything is learned or written.
func TestFreyRefuses(t *testing.T) {
	faces, split, masks := splitFolder(t)
	order := func(path string, at int, v int64) {
		s := slices.Clone(split)
		s[at] = v
		writeArray(t, path, npy.New(s, splitCount))
	}
	order("beyond.npy", 4, 26)
	order("below.npy", 25, -1)
	order("twice.npy", 9, split[2])
	writeArray(t, "short.npy", npy.New(split[:25], 25))
	writeArray(t, "square.npy", npy.New(split, 2, 13))
	writeArray(t, "float.npy", npy.New(make([]float64, splitCount), splitCount))
	mask := func(path string, change func(m []uint8), shape ...int) {
		m := slices.Clone(masks)
		change(m)
		writeArray(t, path, npy.New(m, shape...))
	}
	fill := func(from, to int, v uint8) func(m []uint8) {
		return func(m []uint8) {
			for i := from; i < to; i++ {
				m[i] = v
			}
		}
	}
	mask("nothing.npy", fill(3*testPoints, 4*testPoints, 0), splitTests, testPoints)
	mask("everything.npy", fill(0, len(masks), 1), splitTests, testPoints)
	mask("grey.npy", fill(45, 46, 9), splitTests, testPoints)
	mask("narrow.npy", fill(0, 0, 0), 16, 15)
	writeArray(t, "picture.npy", npy.New(masks[:testPoints], testHeight, testWidth))
	writeArray(t, "nomask.npy", npy.New([]uint8{}, 0, testPoints))
	nan := slices.Clone(faces)
	nan[5*testPoints+7] = math.NaN()
	writeArray(t, "nan.npy", npy.New(nan, splitCount, testPoints))
	write(t, "text.npy", []byte("no array\n"))
	if err := os.MkdirAll("taken/table.csv", 0o777); err != nil {
		t.Fatal(err)
	}
	const want = "expected 26 whole numbers, each from 0 to 25 once"
	const sizes = "expected 12×4×5×1, 12×20, 12×4×5 for pictures of 5x4 and 1 channel"
	const words = "sgplvm, bgplvm, nearest, ppca, gaussian, local-gaussian, gp"
	explains := " (sgplvm-bench frey -h explains the flags)"
	for _, c := range []struct {
		code       int
		args, line string
	}{
		{2, "", "no command, expected one of frey, video, holes, runs; sgplvm-bench -h explains them"},
		{2, "faces", `unknown command "faces", expected one of frey, video, holes, runs`},
		{2, "frey", "frey: -data is missing, expected all pictures, complete: a .npy, .npz, .nc or .csv file, a GIF, a PNG or JPEG picture or a folder of them"},
		{2, "frey -data all.npy", "frey: -split is missing, expected the file with the order of the pictures, .npy: whole numbers, each from 0 once"},
		{2, "frey -data all.npy -split split.npy", "frey: -observed is missing, expected the file of masks, .npy: one for each picture to fill in"},
		{2, "frey -data taken -split split.npy -observed masks.npy -out ./taken", `frey: -out "./taken" is the file of -data, expected another one`},
		{2, "frey -n 2", `frey: invalid value "2" for flag -n: expected a whole number from 3 to 2147483647` + explains},
		{2, "frey -n x", `frey: invalid value "x" for flag -n: expected a whole number from 3 to 2147483647` + explains},
		{2, "frey -seed -1", `frey: invalid value "-1" for flag -seed: expected a whole number from 0 to 18446744073709551615` + explains},
		{2, "frey -methods sgplvm,best", `frey: invalid value "sgplvm,best" for flag -methods: expected all, or different ones of ` + words + ", separated by commas" + explains},
		{2, "frey -methods gp,gp", `frey: invalid value "gp,gp" for flag -methods: expected all, or different ones of ` + words + ", separated by commas" + explains},
		{2, "frey -quick=often", `frey: invalid boolean value "often" for -quick: expected true or false` + explains},
		{2, smallExperiment + " -n 15", "frey: -n 15 and 12 masks in masks.npy, expected at most 26 together, the number of pictures in all.npy"},
		{1, "frey -data all.npy -split split.npy -observed masks.npy", "all.npy: shape 26×20: found rows of 20 values and no grid, expected a grid, WIDTHxHEIGHT, to divide them"},
		{1, smallExperiment + " -data nan.npy", "nan.npy: frame 5, row 1, column 2, channel 0: found NaN (1 missing or infinite value in all), expected a finite number in every place (sgplvm-bench hides values itself, where the masks say so)"},
		{1, smallExperiment + " -data none.npy", "~none.npy: .+"},
		{1, smallExperiment + " -data text.npy", "~text.npy: .+ expected a .npy, .npz, .nc or .csv file, a GIF, a PNG or JPEG picture or a folder of them"},
		{1, smallExperiment + " -split beyond.npy", "beyond.npy: element 4: found 26, " + want},
		{1, smallExperiment + " -split below.npy", "below.npy: element 25: found -1, " + want},
		{1, smallExperiment + " -split twice.npy", fmt.Sprintf("twice.npy: element 9: found %d, as in element 2, %s", split[2], want)},
		{1, smallExperiment + " -split short.npy", "short.npy: shape 25: found 25 values, " + want},
		{1, smallExperiment + " -split square.npy", "square.npy: shape 2×13: found 26 values, " + want},
		{1, smallExperiment + " -split float.npy", "float.npy: found elements of type float64, expected integers"},
		{1, smallExperiment + " -split text.npy", "text.npy: magic: found \"no arr\", expected a .npy file of 26 whole numbers, each from 0 to 25 once"},
		{1, smallExperiment + " -observed nothing.npy", "nothing.npy: mask 3: found nothing observed, expected at least one value"},
		{1, smallExperiment + " -observed everything.npy", "everything.npy: found everything observed, expected some values to fill in"},
		{1, smallExperiment + " -observed grey.npy", "grey.npy: element (2, 5): found 9, expected 1 (observed) or 0 (not observed)"},
		{1, smallExperiment + " -observed narrow.npy", "narrow.npy: shape 16×15: found 240 values, " + strings.ReplaceAll(sizes, "12", "16")},
		{1, smallExperiment + " -observed picture.npy", "picture.npy: shape 4×5: found 20 values, " + strings.ReplaceAll(sizes, "12", "4")},
		{1, smallExperiment + " -observed nomask.npy", "nomask.npy: shape 0×20: found 0 values, " + strings.ReplaceAll(sizes, "12", "1")},
		{1, smallExperiment + " -out none/results", "~none/results: .+, expected a folder, or the name of a new one in a folder that exists"},
		{1, smallExperiment + " -out taken", "~taken.table.csv: found a folder, expected a file that can be written"},
	} {
		mustFail(t, c.code, c.line, strings.Fields(c.args)...)
	}
}

// At a terminal every step shows how far it is, in a line that disappears; what a search has found out stays.
func TestFreyProgress(t *testing.T) {
	splitFolder(t)
	var stderr bytes.Buffer
	if code, _ := terminalRun(context.Background(), &stderr, strings.Fields(smallExperiment+" -quick -methods sgplvm,nearest -out shown")...); code != 0 {
		t.Errorf("code %d", code)
	}
	text := stderr.String()
	for _, step := range []string{"\rwarm-up ", "filled: 1/2", "\rcross-validation of nearest picture  0s", "filled: 2/2"} {
		if !strings.Contains(text, step) {
			t.Errorf("no %q in %q", step, text)
		}
	}
	told := 0 // lines that stay: what a search has found out
	for line := range strings.Lines(text) {
		line = line[strings.LastIndex(line, "\r")+1:]
		if strings.HasSuffix(line, "\n") && !regexp.MustCompile(`^sgplvm-bench: (.+, .+: \S+ nats a value, error \S+|search and training will take some \S+)\n$`).MatchString(line) {
			t.Errorf("%q", line)
		}
		told += strings.Count(line, "\n")
	}
	if !strings.HasSuffix(text, "\r") || told == 0 {
		t.Errorf("%d lines told: %q", told, text)
	}
}
