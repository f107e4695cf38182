package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// holesTitles are the methods of the experiment with holes in its table.
var holesTitles = []string{"DINEOF", "SoftImpute", "PPCA by EM", "Gaussian by EM", "optimal interpolation", "cubic in each picture", "SGPLVM"}

// readLines returns the rows of a CSV file, cells by heading.
func readLines(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	lines, err := csv.NewReader(bytes.NewReader(read(t, path))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for k, heading := range lines[0] {
			row[heading] = line[k]
		}
		rows = append(rows, row)
	}
	return rows
}

// Every method fills in every kind of holes, better than by nothing, in files and on stdout, the same at any number of processors.
func TestHoles(t *testing.T) {
	if testing.Short() {
		t.Skip("has seven methods fill in two kinds of holes, twice")
	}
	splitFolder(t)
	var first []map[string]string
	for _, procs := range []int{1, 4} {
		old := runtime.GOMAXPROCS(procs)
		stdout := mustRun(t, strings.Fields("holes -data all.npy -grid 5x4 -holes random:0.3,clouds:0.4:2 -quick -out results")...)
		runtime.GOMAXPROCS(old)
		rows := readLines(t, "results/table.csv")
		if len(rows) != 2*len(holesTitles) {
			t.Fatalf("%d rows, expected %d\n%s", len(rows), 2*len(holesTitles), stdout)
		}
		for k, row := range rows {
			title, share, holes, most := holesTitles[k%len(holesTitles)], 0.3, "random:0.3", 0.9
			if strings.HasPrefix(title, "cubic") { // edges of a picture of 20 pixels are most of it
				most = 1.3
			}
			if k >= len(holesTitles) {
				share, holes = 0.4, "clouds:0.4:2"
			}
			values := fmt.Sprint(splitCount * int(math.Round(share*testPoints)))
			if row["name"] != title || row["values"] != values || row["pictures"] != fmt.Sprint(splitCount) || row["holes"] != holes {
				t.Errorf("row %d: %v, expected %s, %s values of %s", k, row, title, values, holes)
			}
			var deviations float64
			if _, err := fmt.Sscan(row["RMSE of all values, in deviations"], &deviations); err != nil || !(deviations > 0 && deviations < most) {
				t.Errorf("row %d: %v deviations, %v", k, deviations, err)
			}
			if !strings.Contains(stdout, title+": filled in ") {
				t.Errorf("%s is missing in\n%s", title, stdout)
			}
			delete(row, "time")
		}
		if first == nil {
			first = rows
		}
		if fmt.Sprint(first) != fmt.Sprint(rows) {
			t.Errorf("other numbers at GOMAXPROCS %d: %v and %v", procs, first, rows)
		}
	}
	for _, path := range []string{"results/table.txt", "results/table.html"} {
		for _, title := range holesTitles {
			if !strings.Contains(string(read(t, path)), title) {
				t.Errorf("%s: no %s", path, title)
			}
		}
	}
}

// Masks of a split's last pictures leave the first ones whole; points that hold the fill value everywhere do not count.
func TestHolesOfASplit(t *testing.T) {
	faces, _, masks := splitFolder(t)
	hidden := 0
	for _, seen := range masks {
		hidden += 1 - int(seen)
	}
	const command = "holes -data all.npy -grid 5x4 -split split.npy -n 12 -observed masks.npy -methods ppca-em -out "
	mustRun(t, strings.Fields(command+"whole")...)
	if row := readLines(t, "whole/table.csv")[0]; row["values"] != fmt.Sprint(hidden) || row["pictures"] != fmt.Sprint(splitTests) {
		t.Errorf("%v, expected %d hidden values of %d pictures", row, hidden, splitTests)
	}
	for k := range splitTests {
		hidden -= 1 - int(masks[k*testPoints+6])
	}
	for i := range splitCount {
		faces[i*testPoints+6] = float64(float32(1e20))
	}
	writeArray(t, "all.npy", npy.New(faces, splitCount, testPoints))
	mustRun(t, strings.Fields(command+"land -fill-value 1e20")...)
	if row := readLines(t, "land/table.csv")[0]; row["values"] != fmt.Sprint(hidden) {
		t.Errorf("%v, expected %d hidden values where points exist", row, hidden)
	}
	mustRun(t, strings.Fields("holes -data all.npy -grid 5x4 -holes random:0.5 -examples 3 -methods cubic -fill-value 1e20 -out some")...)
	if row := readLines(t, "some/table.csv")[0]; row["pictures"] != "3" {
		t.Errorf("%v, expected 3 pictures with holes", row)
	}
}

// Command lines and files that cannot be used are refused in one line, and no folder is left.
func TestHolesRefused(t *testing.T) {
	faces, _, _ := splitFolder(t)
	const explains = " (sgplvm-bench holes -h explains the flags)"
	writeArray(t, "times.npy", npy.New([]float64{1, 2, 3}, 3))
	faces[25] = 1e20
	writeArray(t, "mixed.npy", npy.New(faces, splitCount, testPoints))
	same := make([]float64, len(faces))
	writeArray(t, "same.npy", npy.New(same, splitCount, testPoints))
	whole := make([]uint8, splitTests*testPoints)
	for k := range whole {
		whole[k] = 1
	}
	writeArray(t, "nothing.npy", npy.New(whole, splitTests, testPoints))
	for _, c := range []struct {
		code       int
		args, line string
	}{
		{2, "", "holes: -data is missing, expected all pictures, complete: a .npy, .npz, .nc or .csv file, a GIF, a PNG or JPEG picture or a folder of them"},
		{2, "-data all.npy -grid 5x4", "holes: expected one of -holes and -observed"},
		{2, "-data all.npy -grid 5x4 -holes random:0.3 -split split.npy -observed masks.npy", "holes: expected one of -holes and -observed"},
		{2, "-data all.npy -observed masks.npy", "holes: -observed without -split"},
		{2, "-data all.npy -holes rain:1", `holes: invalid value "rain:1" for flag -holes: expected random:SHARE or clouds:SHARE:SIZE, separated by commas, a share between 0 and 1 and a positive size in points, as random:0.3,clouds:0.6:4` + explains},
		{2, "-data all.npy -grid 5x4 -split split.npy -n 20 -observed masks.npy", "holes: -n 20 and 12 masks, expected at most 26 together, the number of pictures in all.npy"},
		{2, "-data all.npy -grid 5x4 -holes random:0.3 -examples 27", "holes: -examples 27, expected at most 26, the number of pictures"},
		{1, "-data mixed.npy -grid 5x4 -holes random:0.3 -fill-value 1e20", "mixed.npy: picture 1, point 5: found the fill value, expected it in every picture or in none"},
		{1, "-data same.npy -grid 5x4 -holes random:0.3", "same.npy: found values that are all alike, expected something to fill in"},
		{1, "-data same.npy -grid 5x4 -holes random:0.3 -fill-value 0", "same.npy: found 0 everywhere, expected points with other values"},
		{1, "-data all.npy -grid 5x4 -split split.npy -observed nothing.npy", "all.npy: found nothing hidden, expected some values to fill in"},
	} {
		mustFail(t, c.code, c.line, append([]string{"holes", "-out", "refused"}, strings.Fields(c.args)...)...)
	}
}
