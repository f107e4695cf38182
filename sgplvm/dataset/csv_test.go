package dataset_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// saveText writes a file to a new folder and returns its path.
func saveText(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// Tables are read whatever separates their cells; what cannot be read is refused with its place and what helps.
func TestLoadCSV(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		text    string
		columns int
		names   []string
		values  []float64
		err     string
	}{
		{text: "1,2\n3,4\n", columns: 2, values: []float64{1, 2, 3, 4}},
		{text: "\uFEFFage,height\r\n 1 ,2e3\r\n,nan\r\nNA,-4", columns: 2, names: []string{"age", "height"}, values: []float64{1, 2000, nan, nan, nan, -4}},
		{text: "\"a, b\",\"two\nlines\"\n1,2\n", columns: 2, names: []string{"a, b", "two\nlines"}, values: []float64{1, 2}},
		{text: "a,,c\n1,2,3\n", columns: 3, names: []string{"a", "", "c"}, values: []float64{1, 2, 3}},
		{text: "7\n", columns: 1, values: []float64{7}},
		{text: ",\n1,2", columns: 2, values: []float64{nan, nan, 1, 2}},
		{text: "1;2\n3;4\n", columns: 2, values: []float64{1, 2, 3, 4}},
		{text: "a;b\n1,5;2\n", columns: 2, names: []string{"a", "b"}, values: []float64{1.5, 2}},
		{text: "1,5;2,5\n3;4\n", columns: 2, values: []float64{1.5, 2.5, 3, 4}},
		{text: "a\tb\n1\t\n3\t4\n", columns: 2, names: []string{"a", "b"}, values: []float64{1, nan, 3, 4}},
		{text: "1 2\n3 4\n", columns: 2, values: []float64{1, 2, 3, 4}},
		{text: "day,a,b\n2020-01-01,1,2\n", columns: 2, names: []string{"a", "b"}, values: []float64{1, 2}},
		{text: "a,day,b\n1,2020-01-01,2\n", columns: 2, names: []string{"a", "b"}, values: []float64{1, 2}},
		{text: "1\n\n3\n", columns: 1, values: []float64{1, nan, 3}},
		{text: "a\n2,5\n1,5\n", columns: 1, names: []string{"a"}, values: []float64{2.5, 1.5}},
		{text: "a,b\n1_000,2\n", columns: 1, names: []string{"b"}, values: []float64{2}},
		{text: "", err: "found no row, expected rows of numbers, separated by commas, semicolons, tabs or blanks"},
		{text: "a,b\n", err: "found no row, expected rows of numbers below the names of the columns"},
		{text: "1,2\n3\n", err: "line 2: found 1 value, expected 2 as in other lines (sed 2d leaves the line out)"},
		{text: "a,b\n1,2\n1,2,3\n", err: "line 3: found 3 values, expected 2 as in other lines (sed 3d leaves the line out)"},
		{text: "1,2\n3,4\n5,four\n", err: `line 3, column 2: found "four", expected a number, as in most of the column; sed 3d leaves the line out, -fill-value four takes such words as missing, -labels 2 leaves the column as it is`},
		{text: "a,b\n1,2\n3,4\n5,inf\n", err: `line 4, column "b": found "inf", expected a number, as in most of the column; sed 4d leaves the line out, -fill-value inf takes such words as missing, -labels b leaves the column as it is`},
		{text: "a\nx\ny\n", err: `line 1, column 1: found "a", expected a number: no column has numbers`},
		{text: "1\t1,500\n2\t2,500\n", err: `found numbers such as "2,500", of thousands or with a decimal comma, expected one of the two (tr -d , takes the commas out, tr , . makes them points)`},
		{text: "1,\"2\n", err: `line 1: found a quote that is never closed, expected quotes in pairs (two of them, "", stand for one within quotes)`},
	} {
		path := saveText(t, "table.csv", c.text)
		f, err := dataset.Load(path, dataset.Layout{})
		if c.err != "" {
			checkError(t, err, filepath.Dir(path), "table.csv: "+c.err)
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var values []float64
		for i := range f.Count {
			values = append(values, f.Values(i)...)
		}
		same := slices.EqualFunc(values, c.values, func(a, b float64) bool { return a == b || a != a && b != b })
		if !f.Table || f.Channels != c.columns || f.Points() != 1 || !slices.Equal(f.Columns, c.names) || !same {
			t.Errorf("%q: %+v with %v", c.text, f.Form, values)
		}
		o, err := dataset.OpenWith(path, dataset.SetOptions{})
		if err != nil || !o.Table || !slices.Equal(o.Columns, c.names) {
			t.Errorf("%q: opened: %v", c.text, err)
		}
	}
}

// Rows of a table are pictures where a grid is given, and their missing values have places by name.
func TestTables(t *testing.T) {
	path := saveText(t, "table.csv", "a,b,c,d,e,f\n1,2,3,4,5,6\n7,8,9,10,11,\n")
	f, err := dataset.Load(path, dataset.Layout{Width: 3, Height: 2})
	if err != nil || f.Table || f.Columns != nil || f.Channels != 1 || f.Points() != 6 {
		t.Errorf("%+v, %v", f, err)
	}
	table, err := dataset.Load(path, dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	checkError(t, dataset.CheckComplete(table), filepath.Dir(path),
		`table.csv: row 1, column 5 ("f"): found NaN (1 missing or infinite value in all), expected a finite number in every place`)
	checkError(t, dataset.CheckPictures(table), filepath.Dir(path), "table.csv: shape 2×6: found rows of 6 values and no grid, expected a grid, WIDTHxHEIGHT, to divide them")
	if err := dataset.CheckPictures(f); err != nil {
		t.Error(err)
	}
	if same, err := dataset.LoadTable(path, 6, dataset.SetOptions{}); err != nil || same.Count != 2 {
		t.Errorf("%v", err)
	}
	_, err = dataset.LoadTable(path, 5, dataset.SetOptions{})
	checkError(t, err, filepath.Dir(path), "table.csv: shape 2×6: found 6 columns, expected a table of 5 columns")
	pictures := saveArray(t, "pictures.npy", npy.New(ramp[uint8](12), 2, 3, 2))
	_, err = dataset.LoadTable(pictures, 5, dataset.SetOptions{})
	checkError(t, err, filepath.Dir(pictures), "pictures.npy: shape 2×3×2: found pictures of 2x3, expected a table of 5 columns")
	one := saveArray(t, "mask.npy", npy.New([]uint8{1, 1, 1, 1, 0, 1}, 6))
	mask, err := dataset.LoadMask(one, &table.Form)
	if err != nil {
		t.Fatal(err)
	}
	if n := table.WithMask(mask).Missing(1); n != 2 {
		t.Errorf("%d values missing", n)
	}
}
