package dataset_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		{text: "", err: "found no row, expected rows of numbers, separated by commas"},
		{text: "a,b\n", err: "found no row, expected rows of numbers, separated by commas"},
		{text: "1,2\n3\n", err: "line 2: found 1 value, expected 2 as in the first line"},
		{text: "a,b\n1,2,3\n", err: "line 2: found 3 values, expected 2 as in the first line"},
		{text: "a,1\n1,2\n", err: `line 1, column 1 (character 1): found "a", expected a finite number, or nothing or NaN for a missing one; if the column has dates or names, this leaves it out: cut -d, -f2- table.csv > NEW.csv`},
		{text: "1,2\n3,four\n", err: `line 2, column 2 (character 3): found "four", expected a finite number, or nothing or NaN for a missing one; if the column has dates or names, this leaves it out: cut -d, -f1-1 table.csv > NEW.csv`},
		{text: "1,2\n3,inf\n", err: `line 2, column 2 (character 3): found "inf", expected a finite number, or nothing or NaN for a missing one; if the column has dates or names, this leaves it out: cut -d, -f1-1 table.csv > NEW.csv`},
		{text: "1;2\n3;4\n", err: `line 1: found values separated by semicolons, expected a file .csv of values separated by commas, which this makes: tr ';' ',' < table.csv > NEW.csv`},
		{text: "a;b\n1,5;2\n", err: `line 1: found values separated by semicolons, with decimal commas, expected a file .csv of values separated by commas, which this makes: tr ',;' '.,' < table.csv > NEW.csv`},
		{text: "1,5;2,5\n3;4\n", err: `line 1, column 2 (character 3): found "5;2", expected a finite number, or nothing or NaN for a missing one; a file .csv of values separated by commas, which this makes: tr ',;' '.,' < table.csv > NEW.csv`},
		{text: "a\tb\n1\t\n3\t4\n", err: `line 1: found values separated by tabs, expected a file .csv of values separated by commas, which this makes: tr '\t' ',' < table.csv > NEW.csv`},
		{text: "1 2\n3 4\n", err: `line 1: found values separated by blanks, expected a file .csv of values separated by commas, which this makes: sed 's/^ *//; s/  */,/g' < table.csv > NEW.csv`},
		{text: "day,a,b\n2020-01-01,1,2\n", err: `line 2, column 1 (character 1): found "2020-01-01", expected a finite number, or nothing or NaN for a missing one; if the column has dates or names, this leaves it out: cut -d, -f2- table.csv > NEW.csv; and this makes times of its dates, for -times: cut -d, -f1 table.csv > TIMES.csv`},
		{text: "a,day,b\n1,2020-01-01,2\n", err: `line 2, column 2 (character 3): found "2020-01-01", expected a finite number, or nothing or NaN for a missing one; if the column has dates or names, this leaves it out: cut -d, -f1-1,3- table.csv > NEW.csv; and this makes times of its dates, for -times: cut -d, -f2 table.csv > TIMES.csv`},
		{text: "a,b\n1_000,2\n", err: `line 2, column 1 (character 1): found "1_000", expected a finite number, or nothing or NaN for a missing one; if the column has dates or names, this leaves it out: cut -d, -f2- table.csv > NEW.csv`},
		{text: "a,b\n1,0x10\n", err: `line 2, column 2 (character 3): found "0x10", expected a finite number, or nothing or NaN for a missing one; if the column has dates or names, this leaves it out: cut -d, -f1-1 table.csv > NEW.csv`},
		{text: "a,b\n1,0x1p4\n", err: `line 2, column 2 (character 3): found "0x1p4", expected a finite number, or nothing or NaN for a missing one; if the column has dates or names, this leaves it out: cut -d, -f1-1 table.csv > NEW.csv`},
		{text: "1\n\n3\n", err: "line 2: found nothing, expected a row of numbers"},
		{text: "1,\"2\n", err: `line 2, character 0: found extraneous or missing \" in quoted-field, expected numbers, separated by commas`},
	} {
		path := saveText(t, "table.csv", c.text)
		f, err := dataset.Load(path, dataset.Layout{})
		if c.err != "" {
			if strings.Contains(c.err, "quoted-field") {
				c.err = "line 1*separated by commas"
			}
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
		o, err := dataset.Open(path, dataset.Layout{})
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
	if same, err := dataset.LoadTable(path, 6); err != nil || same.Count != 2 {
		t.Errorf("%v", err)
	}
	_, err = dataset.LoadTable(path, 5)
	checkError(t, err, filepath.Dir(path), "table.csv: shape 2×6: found 6 columns, expected a table of 5 columns")
	pictures := saveArray(t, "pictures.npy", npy.New(ramp[uint8](12), 2, 3, 2))
	_, err = dataset.LoadTable(pictures, 5)
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
