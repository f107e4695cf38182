package dataset_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// saveNPY writes an array to a new folder.
func saveNPY(t *testing.T, name string, a *npy.Array) string {
	t.Helper()
	var w bytes.Buffer
	if err := npy.Write(&w, a); err != nil {
		t.Fatal(err)
	}
	return saveText(t, name, w.String())
}

// ones returns how many values are true.
func ones(b []bool) (n int) {
	for _, v := range b {
		if v {
			n++
		}
	}
	return n
}

// maps.npz was written by numpy.savez_compressed: an array and its mask, as numpy.ma has them, beside another array.
func TestNPZ(t *testing.T) {
	s := loadSet(t, "testdata/maps.npz", dataset.SetOptions{})
	if s.Variable != "t" || s.Count != 2 || s.Height != 2 || s.Width != 3 || s.Type != npy.Float32 {
		t.Fatalf("%+v", s.Form)
	}
	if !equal(s.Values, []float64{nan, nan, 2, 3, 4, 5, nan, 7, 8, 9, 10, nan}) || !slices.Equal(s.Exists, []bool{false, true, true, true, true, true}) {
		t.Errorf("values %v, exists %v", s.Values, s.Exists)
	}
	if err := s.CheckOutput("out.npz"); err != nil {
		t.Fatal(err)
	}
	r := fillWith(t, s, 100)
	path := write(t, "out.npz", func(w io.Writer, path string) error { return s.Write(w, path, r) })
	before, err := zip.OpenReader("testdata/maps.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	after, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	content := func(f *zip.File) string {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for i, f := range before.File {
		if g := after.File[i]; f.Name != g.Name || content(f) != content(g) {
			t.Errorf("member %s has changed", f.Name)
		}
	}
	for name, want := range map[string][]float64{"t_filled": {0, 1000, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1009},
		"t_standard_error": {nan, 0, 0, 0, 0, 0, nan, 0, 0, 0, 0, 3}} {
		if a := loadArrayOf(t, path+":"+name); a.Type != npy.Float32 || !slices.Equal(a.Shape, []int{2, 2, 3}) || !equal(a.Float64s(), want) {
			t.Errorf("%s: %v, want %v", name, a.Float64s(), want)
		}
	}
	checkError(t, loadSet(t, path+":t", dataset.SetOptions{}).CheckOutput(path), filepath.Dir(path), `out.npz: found an array "t_filled", expected none of this name, which the result has`)
	_, err = dataset.LoadSet("testdata/two.npz", dataset.SetOptions{})
	checkError(t, err, "testdata", "two.npz: found 2 arrays that fit, expected the name of one behind the file's, as two.npz:a: a, b")
	_, err = dataset.LoadSet("testdata/two.npz:c", dataset.SetOptions{})
	checkError(t, err, "testdata", `two.npz: found no array "c", expected one of a, b`)
	_, err = dataset.LoadSet("testdata/maps.npz:label", dataset.SetOptions{})
	checkError(t, err, "testdata", "maps.npz:label: shape 3: found 1 axis, expected n×columns (a table; pictures with a grid), n×height×width or n×height×width×channels")
}

// Archives that numpy does not make.
func TestNPZRefused(t *testing.T) {
	array := func(a *npy.Array) string {
		var w bytes.Buffer
		if err := npy.Write(&w, a); err != nil {
			t.Fatal(err)
		}
		return w.String()
	}
	map22 := array(npy.New([]float64{1, 2, 3, 4}, 1, 2, 2))
	for _, c := range []struct {
		members []string // names and contents
		err     string
	}{
		{nil, "found no array that fits, only none, expected an array of examples"},
		{[]string{"a.txt", "text"}, "found no array that fits, only none, expected an array of examples"},
		{[]string{"a.npy", map22[:100]}, "member a.npy: header: found 90 bytes, expected 118 (the file is truncated)"},
		{[]string{"a.npy", map22 + "x"}, "member a.npy: data: found more bytes, expected the end of the file after 32"},
		{[]string{"a.npy", map22, "a.npy", map22}, `found two members "a.npy", expected each name once`},
		{[]string{"a.npy", map22, "a_mask.npy", array(npy.New([]uint8{1}, 1))}, "member a_mask.npy: found the shape 1, expected 1×2×2, that of a"},
		{[]string{"data.npy", map22, "mask.npy", array(npy.New([]uint8{0, 1, 2, 0}, 1, 2, 2))}, "member mask.npy, element (0, 1, 0): found 2, expected 1 (masked) or 0"},
	} {
		var w bytes.Buffer
		z := zip.NewWriter(&w)
		for i := 0; i < len(c.members); i += 2 {
			m, err := z.Create(c.members[i])
			if err == nil {
				_, err = io.WriteString(m, c.members[i+1])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		z.Close()
		path := saveText(t, "a.npz", w.String())
		_, err := dataset.LoadSet(path, dataset.SetOptions{})
		checkError(t, err, filepath.Dir(path), "a.npz: "+c.err)
	}
	whole, err := os.ReadFile("testdata/two.npz")
	if err != nil {
		t.Fatal(err)
	}
	path := saveText(t, "cut.npz", string(whole[:500]))
	_, err = dataset.LoadSet(path, dataset.SetOptions{})
	checkError(t, err, filepath.Dir(path), "cut.npz: found zip: not a valid zip file, expected a .npz file, whole")
	damaged := bytes.Clone(whole)
	damaged[200] ^= 1
	path = saveText(t, "sum.npz", string(damaged))
	_, err = dataset.LoadSet(path+":a", dataset.SetOptions{})
	checkError(t, err, filepath.Dir(path), "sum.npz: member a.npy: found *expected a whole .npy file")
}

// A directory that claims too much, in numbers of members and of bytes.
func TestNPZClaims(t *testing.T) {
	var w bytes.Buffer
	z := zip.NewWriter(&w)
	for i := range 5000 {
		if _, err := z.Create(fmt.Sprintf("%d.npy", i)); err != nil {
			t.Fatal(err)
		}
	}
	z.Close()
	path := saveText(t, "many.npz", w.String())
	_, err := dataset.LoadSet(path, dataset.SetOptions{})
	checkError(t, err, filepath.Dir(path), "many.npz: found 5000 members, expected at most 4096")
	whole, err := os.ReadFile("testdata/maps.npz")
	if err != nil {
		t.Fatal(err)
	}
	copy(whole[bytes.Index(whole, []byte("PK\x01\x02"))+24:], "\xff\xff\xff\x3f")
	path = saveText(t, "bomb.npz", string(whole))
	_, err = dataset.LoadSet(path+":t", dataset.SetOptions{})
	checkError(t, err, filepath.Dir(path), "bomb.npz: member t.npy: found 1073741823 bytes from*compressed ones, expected at most 1032 times as many")
}

// A long table: points in a plane become a grid where most of it is there; land has no rows.
func TestLongTable(t *testing.T) {
	text := "time,lat,lon,value,bin\n" // the last column is a third coordinate
	if s := loadSet(t, saveText(t, "a.csv", text+"1,2,3,4,5\n1,2,3,,6\n2,2,3,1,5\n"), dataset.SetOptions{}); !s.Scattered || s.Grid[0].Cols != 3 {
		t.Errorf("form %+v", s.Form)
	}
	text = "lat,time,lon,value,standard_error\n" +
		"60,1990-01-31,0,1.5,0.1\n" +
		"60,1990-01-31,5,,\n" +
		"50,1990-01-31,5,2.5,0.25\n" +
		"40,1990-01-31,0,-3,1\n" +
		"40,1990-01-31,5,NaN,7\n" +
		"60,1990-02-28,5,6,0.5\n" +
		"40,1990-02-28,5,1e-3,0\n"
	path := saveText(t, "long.csv", text)
	s := loadSet(t, path, dataset.SetOptions{})
	if s.Scattered || s.Count != 2 || s.Height != 3 || s.Width != 2 || !slices.Equal(s.Grid[0].Data, []float64{60, 50, 40}) || !slices.Equal(s.Grid[1].Data, []float64{0, 5}) {
		t.Fatalf("form %+v, grid %v", s.Form, s.Grid)
	}
	if !equal(s.Values, []float64{1.5, nan, nan, 2.5, -3, nan, nan, 6, nan, nan, nan, 1e-3}) {
		t.Errorf("values %v", s.Values)
	}
	if !equal(s.Errors, []float64{0.1, nan, nan, 0.25, 1, nan, nan, 0.5, nan, nan, nan, 0}) {
		t.Errorf("errors %v", s.Errors)
	}
	if !slices.Equal(s.Times, []float64{7335, 7363}) || s.Units.Date(7363) != "1990-02-28" || ones(s.Exists) != 5 || s.Exists[2] {
		t.Errorf("times %v, exists %v", s.Times, s.Exists)
	}
	r := fillWith(t, s, 100)
	out := write(t, "out.csv", func(w io.Writer, path string) error { return s.Write(w, path, r) })
	b, err := os.ReadFile(out)
	want := text[:strings.Index(text, "60,1990-01-31,5")] +
		"60,1990-01-31,5,1001.0,\n" +
		"50,1990-01-31,5,2.5,0.25\n" +
		"40,1990-01-31,0,-3,1\n" +
		"40,1990-01-31,5,1004.0,7\n" +
		"60,1990-02-28,0,1005.0,\n" +
		"60,1990-02-28,5,6,0.5\n" +
		"50,1990-02-28,5,1007.0,\n" +
		"40,1990-02-28,0,1008.0,\n" +
		"40,1990-02-28,5,1e-3,0\n"
	if err != nil || string(b) != want {
		t.Errorf("result\n%s\nwant\n%s", b, want)
	}
	// Points anywhere, with labels of examples; the same points in any order of rows.
	s = loadSet(t, saveText(t, "b.csv", "Example,x,Value\nb, 1,2\na,3,4\nb,3,5\n"), dataset.SetOptions{})
	if !s.Scattered || !equal(s.Values, []float64{2, 5, nan, 4}) || s.Times != nil {
		t.Errorf("form %+v, values %v", s.Form, s.Values)
	}
	r = fillWith(t, s, 100)
	if b, err := os.ReadFile(write(t, "out.csv", func(w io.Writer, path string) error { return s.Write(w, path, r) })); err != nil ||
		string(b) != "Example,x,Value\nb, 1,2\na,3,4\nb,3,5\na,1,1002\n" {
		t.Errorf("result\n%s", b)
	}
	// A first line without all it takes belongs to a wide table.
	for _, header := range []string{"time,value\n", "lat,lon,value\n", "time,lat,lon,v\n"} {
		path := saveText(t, "wide.csv", header+strings.Repeat("1,", strings.Count(header, ","))+"2\n")
		if s := loadSet(t, path, dataset.SetOptions{}); !s.Table {
			t.Errorf("%q is long", header)
		}
	}
}

// A long table that cannot be read is refused with the place and what helps.
func TestLongTableRefused(t *testing.T) {
	for _, c := range []struct{ text, err string }{
		{"time,x,value\n", "found no row, expected rows of numbers below the names of the columns"},
		{"time,x,value\n1,2\n", "line 2: found 2 values, expected 3 as in other lines (sed 2d leaves the line out)"},
		{"time,x,value\n1,,2\n1,3,4\n", `line 2, column "x": found no number, expected a coordinate`},
		{"time,x,value\n1,2,3\n2,2,4\n3,2,b\n", `line 4, column "value": found "b", expected a number, as in most of the column; sed 4d leaves the line out, -fill-value b takes such words as missing, -labels value leaves the column as it is`},
		{"time,x,value\n,2,3\n1,2,3\n", `line 2, column "time": found "", expected a time, as in the other rows (-time-column none takes no column as the time, sed 2d leaves the line out)`},
		{"time,x,value\n1,2,3\n2,2,3\n1990-01-01,2,3\n", `line 4, column "time": found "1990-01-01", expected a number, as in most of the column; sed 4d leaves the line out, -fill-value '1990-01-01' takes such words as missing, -labels time leaves the column as it is`},
		{"example,time,x,value\na,1,2,3\na,2,3,3\n", `line 3, column "time": found "2", expected the time of example "a" in an earlier row, or -time-column none`},
		{"example,time,x,value\na,1,2,3\nb,1,3,3\n", "times of the examples, value 1: found 1, as value 0, expected each once"},
		{"example,x,value\na,2,3\n,3,3\n", `line 3, column "example": found "", expected the example of the value`},
		{"time,x,value\n1,2,3\n1,2,4\n", `lines 2 and 3: found two rows of the same example and point, expected one (sed 3d leaves the second out; -time-column none takes each row for an example)`},
		{"time,x,value\n1,0,3\n1,-0,4\n", `lines 2 and 3: found two rows of the same example and point, expected one (sed 3d leaves the second out; -time-column none takes each row for an example)`},
		{"time,x,value,stderr\n1,2,3,-1\n", `line 2, column "stderr": found -1, expected a standard error of 0 or more`},
		{"time,x,value,stderr\n1,2,3,\n1,3,3,1\n", `line 2, column "stderr": found NaN, expected a standard error of 0 or more`},
	} {
		path := saveText(t, "long.csv", c.text)
		_, err := dataset.LoadSet(path, dataset.SetOptions{})
		checkError(t, err, filepath.Dir(path), "long.csv: "+c.err)
	}
	var far strings.Builder // every example elsewhere
	far.WriteString("example,x,value\n")
	for i := range 5000 {
		fmt.Fprintf(&far, "%d,%d,%d\n", i, i, i%2)
	}
	path := saveText(t, "long.csv", far.String())
	_, err := dataset.LoadSet(path, dataset.SetOptions{})
	checkError(t, err, filepath.Dir(path), "long.csv: found 5000 rows of 5000 examples at 5000 points, expected the same points in all examples, at least a value in 16 of them (-time-column none takes each row for an example)")
}

// A table comes back as it was, filled in; rows that are pictures too.
func TestWideTable(t *testing.T) {
	path := saveText(t, "wide.csv", "a,b,c\n1,,3\nNA,5,6.25\n")
	for _, o := range []dataset.SetOptions{{}, {Layout: dataset.Layout{Width: 3, Height: 1}}} {
		s := loadSet(t, path, o)
		r := fillWith(t, s, 100)
		want := "a,b,c\n1,1001,3\n1003,5,6.25\n"
		if b, err := os.ReadFile(write(t, "out.csv", func(w io.Writer, path string) error { return s.Write(w, path, r) })); err != nil || string(b) != want {
			t.Errorf("%+v: result\n%s", o, b)
		}
		if b, err := os.ReadFile(write(t, "var.csv", func(w io.Writer, path string) error { return s.WriteVariance(w, path, r) })); err != nil || !strings.HasSuffix(string(b), "0,1,0\n3,0,0\n") {
			t.Errorf("%+v: variances\n%s", o, b)
		}
	}
}

// Masks, fill values, errors and times beside the data.
func TestSetOptions(t *testing.T) {
	values := []float32{1, -999, 3, 4, 5, 6, 7, 8, -999, 10, 11, -999} // three maps of 2×2
	data := saveNPY(t, "data.npy", npy.New(values, 3, 2, 2))
	fill := func(v float64) *float64 { return &v }
	mask := func(v ...uint8) string { return saveNPY(t, "mask.npy", npy.New(v, 2, 2)) }
	s := loadSet(t, data, dataset.SetOptions{FillValue: fill(-999), Exists: mask(1, 1, 0, 1)})
	if !equal(s.Values, []float64{1, nan, nan, 4, 5, 6, nan, 8, nan, 10, nan, nan}) || !slices.Equal(s.Exists, []bool{true, true, false, true}) {
		t.Errorf("values %v, exists %v", s.Values, s.Exists)
	}
	if !slices.Equal(s.Notes, []string{"3 values at points that do not exist: left as they are"}) {
		t.Errorf("notes %q", s.Notes)
	}
	r := fillWith(t, s, 100)
	a := loadArrayOf(t, write(t, "out.npy", func(w io.Writer, path string) error { return s.Write(w, path, r) }))
	if a.Type != npy.Float32 || !slices.Equal(a.Float64s(), []float64{1, 1001, 3, 4, 5, 6, 7, 8, 1006, 10, 11, 1008}) {
		t.Errorf("result %v", a.Float64s())
	}
	v := loadArrayOf(t, write(t, "var.npy", func(w io.Writer, path string) error { return s.WriteVariance(w, path, r) }))
	if got := v.Float64s(); !math.IsNaN(got[2]) || math.Abs(got[8]-6) > 1e-5 || got[0] != 0 {
		t.Errorf("variances %v", got)
	}
	// Nobody has seen a point that exists.
	nowhere := saveNPY(t, "data.npy", npy.New([]float64{1, nan, 2, nan, 3, nan, 4, nan}, 2, 2, 2))
	s = loadSet(t, nowhere, dataset.SetOptions{Exists: mask(1, 1, 1, 0)})
	if !slices.Equal(s.Notes, []string{"1 point that exists has no value in any example: filled in from their neighbours"}) || ones(s.Exists) != 3 {
		t.Errorf("notes %q", s.Notes)
	}
	// All pixels of a film exist.
	s = loadSet(t, nowhere, dataset.SetOptions{Film: true})
	if !slices.Equal(s.Notes, []string{"2 points that exist have no value in any example: filled in from their neighbours"}) || s.Exists != nil || !s.Film {
		t.Errorf("film %v: notes %q, exists %v", s.Film, s.Notes, s.Exists)
	}
	// An example without a value is one all the same.
	if s = loadSet(t, saveNPY(t, "data.npy", npy.New([]float64{1, 2, nan, nan}, 2, 1, 2)), dataset.SetOptions{}); s.Exists != nil || s.Count != 2 {
		t.Errorf("exists %v", s.Exists)
	}
	errors := saveNPY(t, "errors.npy", npy.New([]float64{.1, nan, .3, .4, .5, .6, .7, .8, .9, 1, 1.1, 1.2}, 3, 2, 2))
	times := saveNPY(t, "times.npy", npy.New([]float64{3, 1, 2}, 3))
	if s = loadSet(t, data, dataset.SetOptions{FillValue: fill(-999), Errors: errors, Times: times}); !equal(s.Errors, []float64{.1, nan, .3, .4, .5, .6, .7, .8, nan, 1, 1.1, nan}) || !slices.Equal(s.Times, []float64{3, 1, 2}) {
		t.Errorf("errors %v, times %v", s.Errors, s.Times)
	}
	folder := filepath.Dir(data)
	for _, c := range []struct {
		o         dataset.SetOptions
		path, err string
	}{
		{dataset.SetOptions{FillValue: fill(5)}, "", "data.npy: found the fill value 5 among the other values, -999 to 11 (1 value equal to it), expected one that is no data, or a mask"},
		{dataset.SetOptions{Exists: saveNPY(t, "mask.npy", npy.New([]uint8{1, 1, 1}, 3))}, "", "mask.npy: shape 3: found 3 values, expected 2×2, 4 for the points of data.npy"},
		{dataset.SetOptions{Exists: mask(0, 0, 0, 0)}, "", "mask.npy: found no point that exists, expected 1 at those that do"},
		{dataset.SetOptions{Exists: mask(0, 2, 0, 0)}, "", "mask.npy: element (0, 1): found 2, expected 1 (observed) or 0 (not observed)"},
		{dataset.SetOptions{Errors: errors}, "", "data.npy: frame 0, row 0, column 1, channel 0: found the standard error NaN of a value, expected a finite number of 0 or more"},
		{dataset.SetOptions{Errors: nowhere}, "", "data.npy: shape 2×2×2: found standard errors of another form, expected those of the data of shape 3×2×2 in data.npy"},
		{dataset.SetOptions{Times: saveNPY(t, "times.npy", npy.New([]float64{3, 1, 3}, 3))}, "", "times.npy: times, value 2: found 3, as value 0, expected each once"},
		{dataset.SetOptions{Layout: dataset.Layout{Width: 4, Height: 1}}, "", "data.npy: shape 3×2×2: found pictures of 2x2 (width x height), expected a grid of 4x1"},
	} {
		_, err := dataset.LoadSet(data, c.o)
		if err == nil {
			t.Errorf("no error, want %s", c.err)
			continue
		}
		got := err.Error()
		for _, path := range []string{folder, filepath.Dir(c.o.Exists), filepath.Dir(c.o.Errors), filepath.Dir(c.o.Times)} {
			got = strings.ReplaceAll(got, path+string(filepath.Separator), "")
		}
		if got != c.err {
			t.Errorf("error\n\t%s\nwant\n\t%s", got, c.err)
		}
	}
	empty := saveNPY(t, "data.npy", npy.New([]float64{nan, nan}, 2, 1, 1))
	_, err := dataset.LoadSet(empty, dataset.SetOptions{})
	checkError(t, err, filepath.Dir(empty), "data.npy: found nothing observed: all 2 values are missing (they are NaN or empty), expected some values")
	checkError(t, s.CheckOutput("out.xls"), "", `out.xls: found the ending ".xls", expected a name that ends in .npy, .csv, .tsv or .txt, or in .nc or .npz where the data are such a file`)
}

// Values that must mean missing are named with their count.
func TestSuspects(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{1, 2, 3, 4, 5, 6}, ""},
		{[]float64{1, 2, 1e20, 4, 1e20, 6}, "2 values are of size 1e+19 or more, such as 1e+20, of 6, and no fill value is declared: if that means missing, -fill-value 1e+20 says so"},
		{[]float64{1, 2, -9999, 4, -9999, 6}, "2 values are -9999, of 6, and no fill value is declared: if that means missing, -fill-value -9999 says so"},
		{[]float64{1, 2, -999, 4, 5, 6}, ""},
		{[]float64{1000, 2, -999, 4, -999, 6}, ""},
	} {
		s := loadSet(t, saveNPY(t, "a.npy", npy.New(c.values, 3, 1, 2)), dataset.SetOptions{})
		if got := strings.Join(s.Notes, "; "); got != c.want {
			t.Errorf("%v: notes\n\t%s\nwant\n\t%s", c.values, got, c.want)
		}
	}
}

// Points that do not exist are left out of a joint factor, and stay without values in a product.
func TestSetData(t *testing.T) {
	s := loadSet(t, "testdata/sst-1.nc", dataset.SetOptions{})
	d, points := s.Data(9)
	if !slices.Equal(points, []int{0, 1, 4, 5, 6, 8, 9, 10, 11}) || len(d.Grid) != 1 || !slices.Equal(d.Grid[0].Row(2), []float64{50, 0}) || !slices.Equal(d.Grid[0].Row(8), []float64{40, 7.5}) {
		t.Errorf("points %v, grid %v", points, d.Grid)
	}
	part := make([]float64, 27)
	if err := d.Source.ReadExamples(part, 0, 3); err != nil || !equal(part[9:18], s.Take(s.Values, points)[9:18]) || !equal(part[9:12], []float64{s.Values[12], nan, s.Values[16]}) {
		t.Errorf("values %v, %v", part, err)
	}
	if !slices.Equal(d.Times, s.Times) || d.Film {
		t.Errorf("times %v", d.Times)
	}
	d, points = s.Data(8)
	if n, p, _ := d.Source.Dims(); n != 3 || p != 12 || len(points) != 12 || len(d.Grid) != 2 {
		t.Errorf("%d×%d values at %d points", n, p, len(points))
	}
	all := make([]float64, 36)
	for i := range all {
		all[i] = float64(i)
	}
	r, err := s.Fill(points, all, all, true)
	if err != nil || r.Mean[0] != 0 || r.Mean[13] != 13 || !math.IsNaN(r.Mean[2]) || r.Variance[16] != 16 {
		t.Errorf("smooth: %v, %v", r, err)
	}
	all[13] = nan
	_, err = s.Fill(points, all, all, false)
	checkError(t, err, "testdata", "sst-1.nc: frame 1, row 0, column 1, channel 0: found filled in NaN with variance NaN, expected finite numbers")
	all[13], all[1] = 13, -1 // which was observed
	if _, err = s.Fill(points, all, all, false); err != nil {
		t.Error(err)
	}
}

// All forms of results read as data again, with the same values, points and times, and variances have all but those of several arrays.
func TestAllForms(t *testing.T) {
	for _, name := range []string{"testdata/sst-5.nc", "testdata/stations.nc", "testdata/maps.npz"} {
		s := loadSet(t, name, dataset.SetOptions{})
		r := fillWith(t, s, 100)
		for _, form := range []string{"out.npy", "out" + filepath.Ext(name), "out.csv"} {
			path := write(t, form, func(w io.Writer, path string) error { return s.Write(w, path, r) })
			what := ""
			if filepath.Ext(name) == filepath.Ext(form) {
				what = ":" + s.Variable + "_filled"
			}
			if means, deviations := s.ResultNames(path); means != strings.TrimPrefix(what, ":") || (deviations == "") != (what == "") {
				t.Errorf("%s as %s: told %q and %q, the file has %q", name, form, means, deviations, what)
			}
			a := loadSet(t, path+what, dataset.SetOptions{})
			if form == "out.npy" {
				continue // of the file's shape, whatever that is
			}
			if a.Count != s.Count {
				t.Fatalf("%s as %s: form %+v", name, form, a.Form)
			}
			got, want := a.Values, r.Mean
			if form == "out.csv" && s.Exists != nil && a.Exists == nil { // land is not there
				var points []int
				for i, e := range s.Exists {
					if e {
						points = append(points, i)
					}
				}
				want = s.Take(want, points)
			}
			if form != "out.npz" && !equal(got, want) {
				t.Errorf("%s as %s: values\n%v\nwant\n%v", name, form, got, want)
			}
			if form == "out.csv" || form == "out.nc" {
				if !slices.Equal(a.Times, s.Times) || form == "out.nc" && s.Units != nil && a.Units.Date(a.Times[1]) != s.Units.Date(s.Times[1]) {
					t.Errorf("%s as %s: times %v, want %v", name, form, a.Times, s.Times)
				}
			}
			if what == "" {
				write(t, form, func(w io.Writer, path string) error { return s.WriteVariance(w, path, r) })
			}
		}
	}
}

// A point that a model has exists where the data have no value there, and one that it has not does not; points of a model that the data do not have say nothing.
func TestPointsOfModel(t *testing.T) {
	path := saveArray(t, "points.npy", npy.New([]float64{nan, 1, 2, 3, nan, 4, 5, 6}, 2, 2, 2))
	rows := mat.NewDense(2, 1, []float64{0, 1})
	for _, c := range []struct {
		model sgplvm.Grid
		want  []bool // nil: all
	}{
		{nil, []bool{false, true, true, true}},
		{sgplvm.Grid{rows, rows}, nil},
		{sgplvm.Grid{mat.NewDense(3, 2, []float64{0, 0, 0, 1, 1, 1})}, []bool{true, true, false, true}},
		{sgplvm.Grid{mat.NewDense(3, 2, []float64{0, 0, 0, 1, 7, 7})}, []bool{false, true, true, true}},
	} {
		if s := loadSet(t, path, dataset.SetOptions{Model: c.model}); !slices.Equal(s.Exists, c.want) {
			t.Errorf("model of %v: points %v, expected %v", c.model, s.Exists, c.want)
		}
	}
}
