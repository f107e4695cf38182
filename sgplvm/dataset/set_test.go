package dataset_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/netcdf"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

var nan = math.NaN()

// equal compares numbers, NaN with NaN.
func equal(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

func loadSet(t *testing.T, name string, o dataset.SetOptions) *dataset.Set {
	t.Helper()
	s, err := dataset.LoadSet(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// saveNC writes a NetCDF file to a new folder.
func saveNC(t *testing.T, h netcdf.Header, values netcdf.Arrays) string {
	t.Helper()
	if h.Version == 0 {
		h.Version = netcdf.Classic
	}
	var w bytes.Buffer
	if err := netcdf.Write(&w, &h, values); err != nil {
		t.Fatal(err)
	}
	return saveText(t, "data.nc", w.String())
}

// maps is a header of maps of 2×2 points at three times, and a variable v of the given type and attributes.
func maps(typ netcdf.Type, attributes ...netcdf.Attribute) netcdf.Header {
	return netcdf.Header{Dimensions: []netcdf.Dimension{{Name: "time", Length: 3}, {Name: "lat", Length: 2}, {Name: "lon", Length: 2}},
		Variables: []netcdf.Variable{{Name: "v", Type: typ, Dimensions: []int{0, 1, 2}, Attributes: attributes}}}
}

// fillWith fills a set with the numbers 1000 + k, variance k, of value k of the model's.
func fillWith(t *testing.T, s *dataset.Set, most int) *dataset.Filled {
	t.Helper()
	d, points := s.Data(most)
	n, p, c := d.Source.Dims()
	if p != len(points) || p != d.Grid.Len() {
		t.Fatalf("%d points of the source, %d numbers, a grid of %d", p, len(points), d.Grid.Len())
	}
	mean, variance := make([]float64, n*p*c), make([]float64, n*p*c)
	for k := range mean {
		mean[k], variance[k] = 1000+float64(k), float64(k)
	}
	r, err := s.Fill(points, mean, variance, false)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// write writes results to a file of a new folder.
func write(t *testing.T, name string, put func(w io.Writer, path string) error) string {
	t.Helper()
	var w bytes.Buffer
	if err := put(&w, name); err != nil {
		t.Fatal(err)
	}
	return saveText(t, name, w.String())
}

// The golden file has packed numbers, missing values of four kinds, land, a level of its own, latitudes downwards, and records of several variables.
func TestNetCDFSet(t *testing.T) {
	for _, v := range []int{1, 2, 5} {
		s := loadSet(t, fmt.Sprintf("testdata/sst-%d.nc", v), dataset.SetOptions{})
		if s.Count != 3 || s.Height != 3 || s.Width != 4 || s.Channels != 1 || s.Variable != "sst" || !slices.Equal(s.Shape, []int{3, 1, 3, 4}) || s.Type != npy.Float64 {
			t.Fatalf("form %+v", s.Form)
		}
		unpack := func(x float64) float64 { return float64(0.01*x) + 20 }
		want := []float64{-1000, -900, nan, nan, 0, 100, nan, nan, 1000, 1100, 1200, nan,
			-1010, nan, nan, nan, 10, 110, 210, nan, 1010, 1110, 1210, 1310,
			-1020, -920, nan, nan, 20, nan, 220, nan, nan, 1120, 1220, 1320}
		for i := range want {
			want[i] = unpack(want[i])
		}
		if !equal(s.Values, want) {
			t.Errorf("values\n%v\nwant\n%v", s.Values, want)
		}
		if !slices.Equal(s.Grid[0].Data, []float64{60, 50, 40}) || !slices.Equal(s.Grid[1].Data, []float64{0, 2.5, 5, 7.5}) {
			t.Errorf("grid %v", s.Grid)
		}
		if !slices.Equal(s.Times, []float64{15.5, 45, 74.5}) || s.Units.Date(s.Times[1]) != "1854-03-01" {
			t.Errorf("times %v, the second is %s", s.Times, s.Units.Date(s.Times[1]))
		}
		land := []bool{true, true, false, false, true, true, true, false, true, true, true, true}
		if !slices.Equal(s.Exists, land) {
			t.Errorf("exists %v", s.Exists)
		}
		if missing, of := s.Missing(); missing != 6-1 || of != 27 {
			t.Errorf("%d of %d missing", missing, of)
		}
		notes := []string{
			"sst: 2 values are outside the valid range -2200 to 2500, taken as missing",
			"3 points of 12 have no value in any example: outside the model (a mask of the points that exist says otherwise)",
		}
		if !slices.Equal(s.Notes, notes) {
			t.Errorf("notes %q", s.Notes)
		}
	}
}

// The result is the file and two variables.
func TestNetCDFResult(t *testing.T) {
	s := loadSet(t, "testdata/sst-2.nc:sst", dataset.SetOptions{})
	if err := s.CheckOutput("filled.nc"); err != nil {
		t.Fatal(err)
	}
	r := fillWith(t, s, 100)
	path := write(t, "filled.nc", func(w io.Writer, path string) error { return s.Write(w, path, r) })
	before, err := netcdf.Open("testdata/sst-2.nc")
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	after, err := netcdf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	n := len(before.Variables)
	if !slices.Equal(before.Dimensions, after.Dimensions) || !slices.Equal(before.Attributes, after.Attributes) || len(after.Variables) != n+2 {
		t.Fatalf("header %+v", after.Header)
	}
	for v, x := range before.Variables {
		y := after.Variables[v]
		a, errA := before.Values(v)
		b, errB := after.Values(v)
		if x.Name != y.Name || !slices.Equal(x.Attributes, y.Attributes) || errA != nil || errB != nil || netcdf.NewAttribute("", a) != netcdf.NewAttribute("", b) {
			t.Errorf("%s has changed: %v, %v (%v, %v)", x.Name, a, b, errA, errB)
		}
	}
	filled := after.Variables[n]
	fill := netcdf.Double.Fill()
	if filled.Name != "sst_filled" || filled.Type != netcdf.Double || !slices.Equal(filled.Dimensions, before.Variables[before.Find("sst")].Dimensions) || !slices.Equal(filled.Attributes, []netcdf.Attribute{
		netcdf.NewAttribute("_FillValue", []float64{fill}),
		netcdf.NewAttribute("long_name", "Meerestemperatur über Grund, missing values filled in"),
		netcdf.NewAttribute("standard_name", "sea_surface_temperature"),
		netcdf.NewAttribute("units", "degree_Celsius"),
		netcdf.NewAttribute("cell_methods", "time: mean"),
		netcdf.NewAttribute("ancillary_variables", "sst_standard_error"),
	}) {
		t.Errorf("filled %+v", filled)
	}
	spread := after.Variables[n+1]
	if spread.Name != "sst_standard_error" || !slices.Equal(spread.Attributes, []netcdf.Attribute{
		netcdf.NewAttribute("_FillValue", []float64{fill}),
		netcdf.NewAttribute("long_name", "standard error of Meerestemperatur über Grund, 0 where observed"),
		netcdf.NewAttribute("standard_name", "sea_surface_temperature standard_error"),
		netcdf.NewAttribute("units", "degree_Celsius"),
	}) {
		t.Errorf("standard error %+v", spread)
	}
	mean, errA := after.Values(n)
	deviation, errB := after.Values(n + 1)
	k := 0 // of the values at the 9 points that exist
	for i, v := range s.Values {
		m, d := mean.([]float64)[i], deviation.([]float64)[i]
		switch {
		case !s.Exists[i%12]:
			if m != fill || d != fill {
				t.Errorf("value %d on land: %v ± %v", i, m, d)
			}
			continue
		case math.IsNaN(v):
			if m != 1000+float64(k) || d != math.Sqrt(float64(k)) {
				t.Errorf("value %d filled in as %v ± %v, want %d", i, m, d, 1000+k)
			}
		case m != v || d != 0:
			t.Errorf("observed value %d is %v ± %v, was %v", i, m, d, v)
		}
		k++
	}
	if errA != nil || errB != nil || k != 27 {
		t.Errorf("%d values, %v, %v", k, errA, errB)
	}
	// The result is data again: the original must be named, and the names of its result are taken.
	_, err = dataset.LoadSet(path, dataset.SetOptions{})
	checkError(t, err, filepath.Dir(path), "filled.nc: found 2 variables that fit, expected the name of one behind the file's, as filled.nc:sst: sst(time 3, lev 1, lat 3, lon 4), sst_filled(time 3, lev 1, lat 3, lon 4)")
	again := loadSet(t, path+":sst_filled", dataset.SetOptions{})
	if missing, of := again.Missing(); missing != 0 || of != 27 || !slices.Equal(again.Exists, s.Exists) {
		t.Errorf("filled: %d of %d missing", missing, of)
	}
	if _, err := exec.LookPath("ncdump"); err != nil {
		t.Skip("no ncdump here: the result is not compared with what the reference library reads")
	}
	out, err := exec.Command("ncdump", "-p", "9,17", "-v", "sst_filled", path).Output()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("  %v, %v, _, _,", s.Values[0], s.Values[1])) {
		t.Errorf("ncdump: %v\n%s", err, out)
	}
}

// Land in a file of floats keeps the bits that it has, and the fill values of the file stay those of the result.
func TestNetCDFFloats(t *testing.T) {
	nans := math.Float32frombits(0x7fc12345)
	h := maps(netcdf.Float, netcdf.NewAttribute("missing_value", []float64{1e20}))
	path := saveNC(t, h, netcdf.Arrays{[]float32{1.1, 1e20, nans, 4, 5.5, 1e20, 1e20, 8, nans, 1e20, nans, 12}})
	s := loadSet(t, path, dataset.SetOptions{})
	if s.Type != npy.Float32 || !slices.Equal(s.Exists, []bool{true, false, false, true}) {
		t.Fatalf("%v, exists %v", s.Type, s.Exists)
	}
	r := fillWith(t, s, 100)
	f, err := netcdf.Open(write(t, "out.nc", func(w io.Writer, path string) error { return s.Write(w, path, r) }))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := f.Values(1)
	want := []float32{1.1, 1e20, nans, 4, 5.5, 1e20, 1e20, 8, 1004, 1e20, nans, 12}
	if err != nil || netcdf.NewAttribute("", got) != netcdf.NewAttribute("", want) {
		t.Errorf("values %v, want %v (%v)", got, want, err)
	}
	if a, _ := f.Variables[1].Attribute("_FillValue"); a != netcdf.NewAttribute("_FillValue", []float32{1e20}) {
		t.Errorf("fill value %v", a.Values())
	}
	if a, _ := f.Variables[1].Attribute("missing_value"); a != h.Variables[0].Attributes[0] {
		t.Errorf("missing value %v", a.Values())
	}
}

// What stands for missing, and what numbers stand for.
func TestConventions(t *testing.T) {
	a := netcdf.NewAttribute
	short := []int16{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -3}
	for _, c := range []struct {
		name       string
		typ        netcdf.Type
		attributes []netcdf.Attribute
		values     any
		first      float64 // unpacked
		missing    []int
		note       string
	}{
		{name: "plain", typ: netcdf.Short, values: short, first: 1},
		{name: "scale of a float", typ: netcdf.Short, attributes: []netcdf.Attribute{a("scale_factor", []float32{0.1})}, values: short, first: float64(float32(0.1))},
		{name: "offset", typ: netcdf.Short, attributes: []netcdf.Attribute{a("add_offset", []float64{273.15})}, values: short, first: 274.15},
		{name: "several missing values", typ: netcdf.Short, attributes: []netcdf.Attribute{a("missing_value", []int16{-3, 12})}, values: short, first: 1, missing: []int{11}},
		{name: "a missing value of another type", typ: netcdf.Float, attributes: []netcdf.Attribute{a("missing_value", []float64{0.1})},
			values: []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0.1}, first: 1, missing: []int{11}},
		{name: "a missing value as text", typ: netcdf.Short, attributes: []netcdf.Attribute{a("missing_value", "-3")}, values: short, first: 1, missing: []int{11}},
		{name: "least", typ: netcdf.Short, attributes: []netcdf.Attribute{a("valid_min", []int16{2})}, values: short, first: nan, missing: []int{0, 11}, note: "v: 2 values are outside the valid range 2 to +Inf, taken as missing"},
		{name: "most", typ: netcdf.Short, attributes: []netcdf.Attribute{a("valid_max", []int16{10})}, values: short, first: 1, missing: []int{10}, note: "v: 1 value is outside the valid range -Inf to 10, taken as missing"},
		{name: "a range of values", typ: netcdf.Short, attributes: []netcdf.Attribute{a("scale_factor", []float64{10}), a("valid_range", []float64{0, 105})}, values: short, first: 10, missing: []int{10, 11}, note: "v: 2 values are outside the valid range 0 to 105, taken as missing"},
		{name: "declared, so that no other is", typ: netcdf.Short, attributes: []netcdf.Attribute{a("_FillValue", []int16{-32767})}, values: []int16{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -32767}, first: 1, missing: []int{11}},
		{name: "another declared", typ: netcdf.Short, attributes: []netcdf.Attribute{a("_FillValue", []int16{12})}, values: []int16{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -32767}, first: 1},
		{name: "never written", typ: netcdf.Int, values: []int32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -2147483647}, first: 1, missing: []int{11}, note: "v: 1 value is -2147483647, the number that stands where nothing was written, taken as missing"},
		{name: "bytes have no standard fill value", typ: netcdf.Byte, values: []int8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -127}, first: 1},
		{name: "unsigned", typ: netcdf.Byte, attributes: []netcdf.Attribute{a("_Unsigned", "true"), a("_FillValue", []int8{-1})}, values: []int8{-56, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -1}, first: 200, missing: []int{11}},
		{name: "unsigned by its range", typ: netcdf.Byte, attributes: []netcdf.Attribute{a("valid_range", []int16{0, 250}), a("_FillValue", []int8{-1})}, values: []int8{-56, 2, 3, 4, 5, 6, 7, 8, 9, 10, -3, -1}, first: 200, missing: []int{10, 11}, note: "v: numbers are taken as unsigned, for the valid range 0 to 250; v: 1 value is outside the valid range 0 to 250, taken as missing"},
		{name: "unsigned by a range of bytes", typ: netcdf.Byte, attributes: []netcdf.Attribute{a("valid_min", []int8{1}), a("valid_max", []int8{-2})}, values: []int8{-56, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, -1}, first: 200, missing: []int{10, 11}, note: "v: numbers are taken as unsigned, for the valid range 1 to 254; v: 2 values are outside the valid range 1 to 254, taken as missing"},
		{name: "a fill value among data", typ: netcdf.Short, attributes: []netcdf.Attribute{a("_FillValue", []int16{3})}, values: short, first: 1, missing: []int{2}, note: "v: the fill value 3 lies among the other numbers, -3 to 11: 1 value may be data"},
		{name: "scale 0", typ: netcdf.Short, attributes: []netcdf.Attribute{a("scale_factor", []float64{0})}, values: short, first: 1, note: "v: scale_factor is 0, which makes no sense and is ignored"},
		{name: "scale in words", typ: netcdf.Short, attributes: []netcdf.Attribute{a("scale_factor", "tenth")}, values: short, first: 1, note: `v: scale_factor is "tenth", which makes no sense and is ignored`},
		{name: "two scales", typ: netcdf.Short, attributes: []netcdf.Attribute{a("scale_factor", []float64{1, 2})}, values: short, first: 1, note: "v: scale_factor is 2 numbers, which makes no sense and is ignored"},
		{name: "half a range", typ: netcdf.Short, attributes: []netcdf.Attribute{a("valid_range", []int16{1})}, values: short, first: 1, note: "v: valid_range is 1 number, which makes no sense and is ignored"},
		{name: "a range upside down", typ: netcdf.Short, attributes: []netcdf.Attribute{a("valid_range", []int16{5, 1})}, values: short, first: 1, note: "v: valid range is 5 to 1, which makes no sense and is ignored"},
		{name: "a range in words", typ: netcdf.Short, attributes: []netcdf.Attribute{a("valid_range", "0, 1.5")}, values: short, first: 1, note: `v: valid_range is "0, 1.5", which makes no sense and is ignored`},
		{name: "a missing value in words", typ: netcdf.Float, attributes: []netcdf.Attribute{a("missing_value", "N/A")}, values: []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, first: 1, note: `v: missing_value is "N/A", which makes no sense and is ignored`},
		{name: "an offset that is no number", typ: netcdf.Short, attributes: []netcdf.Attribute{a("add_offset", []float64{nan})}, values: short, first: 1, note: "v: add_offset is NaN, which makes no sense and is ignored"},
		{name: "no missing value", typ: netcdf.Short, attributes: []netcdf.Attribute{a("missing_value", []int16{})}, values: short, first: 1, note: "v: missing_value is 0 numbers, which makes no sense and is ignored"},
		{name: "two names for one fill value", typ: netcdf.Short, attributes: []netcdf.Attribute{a("_FillValue", []int16{3}), a("missing_value", []float64{3})}, values: short, first: 1, missing: []int{2}, note: "v: the fill value 3 lies among the other numbers, -3 to 11: 1 value may be data"},
		{name: "limits of another type", typ: netcdf.Float, attributes: []netcdf.Attribute{a("valid_min", []float64{0.3}), a("valid_max", []float64{1.1})}, values: []float32{0.3, 1.1, 0.3, 1.1, 0.3, 1.1, 1, 1, 1, 1, 1.2, 0.2}, first: float64(float32(0.3)), missing: []int{10, 11}, note: "v: 2 values are outside the valid range 0.3 to 1.1, taken as missing"},
		{name: "limits coarser than the numbers", typ: netcdf.Double, attributes: []netcdf.Attribute{a("valid_range", []float32{0.1, 0.7})}, values: []float64{0.1, 0.7, 0.1, 0.7, 0.1, 0.7, 0.5, 0.5, 0.5, 0.5, 0.8, 0}, first: 0.1, missing: []int{10, 11}, note: "v: 2 values are outside the valid range 0.1 to 0.7, taken as missing"},
		{name: "limits of packed numbers in another type", typ: netcdf.Short, attributes: []netcdf.Attribute{a("scale_factor", []float32{0.1}), a("valid_max", []float64{0.7})}, values: short, first: float64(float32(0.1)), missing: []int{7, 8, 9, 10}, note: "v: 4 values are outside the valid range -Inf to 0.7, taken as missing"},
	} {
		path := saveNC(t, maps(c.typ, c.attributes...), netcdf.Arrays{c.values})
		s, err := dataset.LoadSet(path, dataset.SetOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var missing []int
		for i, v := range s.Values {
			if math.IsNaN(v) {
				missing = append(missing, i)
			}
		}
		note := strings.Join(s.Notes, "; ")
		if !equal(s.Values[:1], []float64{c.first}) || !slices.Equal(missing, c.missing) || note != c.note {
			t.Errorf("%s: %v missing, first value %v, want %v and %v\n\t%s\n\t%s", c.name, missing, s.Values[0], c.missing, c.first, note, c.note)
		}
	}
}

// Stations have coordinates that the variable names, and may come before the times: the result has the order of the file.
func TestStations(t *testing.T) {
	s := loadSet(t, "testdata/stations.nc", dataset.SetOptions{})
	if !s.Scattered || s.Count != 2 || s.Width != 3 || !slices.Equal(s.Grid[0].Data, []float64{50.5, 6, 48.25, -4.5, 51.75, -8.5}) {
		t.Fatalf("form %+v, grid %v", s.Form, s.Grid)
	}
	if !equal(s.Values, []float64{1.5, nan, 4.25, nan, 3, 5}) {
		t.Errorf("values %v", s.Values)
	}
	if got := s.Units.Date(s.Times[1]); got != "2001-03-01 06:00:00" {
		t.Errorf("the second time is %s", got)
	}
	if want := "t: dimensions (station 3, hour 2) are taken with the examples first; results have the order of the file"; !slices.Equal(s.Notes, []string{want}) {
		t.Errorf("notes %q", s.Notes)
	}
	r := fillWith(t, s, 100)
	f, err := netcdf.Open(write(t, "out.nc", func(w io.Writer, path string) error { return s.Write(w, path, r) }))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if v, err := f.Values(f.Find("t_filled")); err != nil || !slices.Equal(v.([]float32), []float32{1.5, 1003, 1001, 3, 4.25, 5}) {
		t.Errorf("filled in %v, %v", v, err)
	}
	a := loadArrayOf(t, write(t, "out.npy", func(w io.Writer, path string) error { return s.Write(w, path, r) }))
	if !slices.Equal(a.Shape, []int{3, 2}) || !slices.Equal(a.Float64s(), []float64{1.5, 1003, 1001, 3, 4.25, 5}) {
		t.Errorf("array %v of shape %v", a.Float64s(), a.Shape)
	}
}

func loadArrayOf(t *testing.T, path string) *npy.Array {
	t.Helper()
	a, err := dataset.LoadArray(path, "an array")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What no variable of a file is, and what fits too well.
func TestChooseVariable(t *testing.T) {
	dims := []netcdf.Dimension{{Name: "time", Length: 2}, {Name: "lat", Length: 2}, {Name: "lon", Length: 2}, {Name: "lev", Length: 3}}
	of := func(name string, dims ...int) netcdf.Variable {
		return netcdf.Variable{Name: name, Type: netcdf.Double, Dimensions: dims}
	}
	values := func(h netcdf.Header) (all netcdf.Arrays) {
		for v := range h.Variables {
			x := make([]float64, h.Len(v))
			for i := range x {
				x[i] = float64(i*i%7) / 2
			}
			all = append(all, x)
		}
		return all
	}
	text := netcdf.Variable{Name: "text", Type: netcdf.Char, Dimensions: []int{0, 1, 2}}
	timed := func(units string, calendar ...netcdf.Attribute) netcdf.Variable {
		v := of("time", 0)
		v.Attributes = append([]netcdf.Attribute{netcdf.NewAttribute("units", units)}, calendar...)
		return v
	}
	for _, c := range []struct {
		name      string
		variables []netcdf.Variable
		shape     []int
		err       string
	}{
		{"", []netcdf.Variable{of("sst", 0, 1, 2), of("mask", 1, 2), of("lat", 1)}, []int{2, 2, 2}, ""},
		{"", []netcdf.Variable{of("topography", 1, 2)}, []int{2, 2}, ""},
		{":ice", []netcdf.Variable{of("sst", 0, 1, 2), of("ice", 0, 1, 2)}, []int{2, 2, 2}, ""},
		{":ice", []netcdf.Variable{of("sst", 0, 1, 2)}, nil, `found no variable "ice", expected one of sst(time 2, lat 2, lon 2)`},
		{"", []netcdf.Variable{of("sst", 0, 1, 2), of("ice", 0, 1, 2)}, nil, "found 2 variables that fit, expected the name of one behind the file's, as data.nc:sst: sst(time 2, lat 2, lon 2), ice(time 2, lat 2, lon 2)"},
		{"", []netcdf.Variable{of("level", 3), of("deep", 0, 3, 1, 2)}, nil, "found no variable that fits, only level(lev 3), deep(time 2, lev 3, lat 2, lon 2), expected numbers of dimensions such as (time, lat, lon) or (time, station), others of length 1; -select lev=0 chooses one place along lev, of 0, 1, 2"},
		{":deep", []netcdf.Variable{of("deep", 0, 3, 1, 2)}, nil, "deep(time 2, lev 3, lat 2, lon 2): found 3 dimensions in space, expected numbers of dimensions such as (time, lat, lon) or (time, station), others of length 1; -select lev=0 chooses one place along lev, of 0, 1, 2"},
		{"", nil, nil, "found no variable that fits, only none, expected numbers of dimensions such as (time, lat, lon) or (time, station), others of length 1"},
		{":time", []netcdf.Variable{of("time", 0)}, nil, "time(time 2): found no dimension in space, expected numbers of dimensions such as (time, lat, lon) or (time, station), others of length 1"},
		{":text", []netcdf.Variable{text}, nil, "text(time 2, lat 2, lon 2): found text, expected numbers of dimensions such as (time, lat, lon) or (time, station), others of length 1"},
	} {
		h := netcdf.Header{Dimensions: dims, Variables: c.variables}
		all := values(h)
		for v, x := range c.variables {
			if x.Type == netcdf.Char {
				all[v] = strings.Repeat("x", 8)
			}
		}
		path := saveNC(t, h, all)
		s, err := dataset.LoadSet(path+c.name, dataset.SetOptions{})
		if c.err != "" {
			checkError(t, err, filepath.Dir(path), "data.nc: "+c.err)
		} else if err != nil || !slices.Equal(s.Shape, c.shape) {
			t.Errorf("%+v: %v", c.variables, err)
		}
	}
	h := netcdf.Header{Dimensions: dims, Variables: []netcdf.Variable{of("sst", 0, 1, 2), timed("days since 1990-01-01")}}
	all := values(h)
	all[1] = []float64{3, 3}
	path := saveNC(t, h, all)
	_, err := dataset.LoadSet(path, dataset.SetOptions{})
	checkError(t, err, filepath.Dir(path), "data.nc: time, value 1: found 3, as value 0, expected each once")
	all[1] = []float64{3, math.Inf(1)}
	path = saveNC(t, h, all)
	_, err = dataset.LoadSet(path, dataset.SetOptions{})
	checkError(t, err, filepath.Dir(path), "data.nc: time, value 1: found +Inf, expected a finite number")
	all[1] = []float64{3, 4}
	all[0].([]float64)[5] = math.Inf(-1)
	path = saveNC(t, h, all)
	_, err = dataset.LoadSet(path, dataset.SetOptions{})
	checkError(t, err, filepath.Dir(path), "data.nc: frame 1, row 0, column 1, channel 0: found -Inf, expected a finite number, or NaN for a missing one")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	path = saveText(t, "cut.nc", string(whole[:len(whole)-30]))
	_, err = dataset.LoadSet(path, dataset.SetOptions{})
	checkError(t, err, filepath.Dir(path), "cut.nc: variable 0 (sst): found*(the file is truncated)")
	_, err = dataset.LoadSet("testdata/gone.nc:sst", dataset.SetOptions{})
	checkError(t, err, "testdata", "gone.nc: no such file or directory")
	_, err = dataset.LoadSet(path+"/", dataset.SetOptions{})
	if err == nil {
		t.Error("a folder that is none")
	}
}

// Dimensions in any order are taken with the examples first, rows before columns as they stand, and written back in the file's order; numbers that
// were unsigned are no longer packed.
func TestOrders(t *testing.T) {
	h := maps(netcdf.Byte, netcdf.NewAttribute("_Unsigned", "true"), netcdf.NewAttribute("_FillValue", []int8{-1}))
	h.Dimensions[1].Length = 4 // lat
	h.Variables[0].Dimensions = []int{1, 2, 0}
	numbers := make([]int8, 4*2*3)
	for i := range numbers {
		numbers[i] = int8(-2 - i)
	}
	numbers[7] = -1
	s := loadSet(t, saveNC(t, h, netcdf.Arrays{numbers}), dataset.SetOptions{})
	if s.Count != 3 || s.Height != 4 || s.Width != 2 || s.Exists != nil {
		t.Fatalf("form %+v", s.Form)
	}
	for example := range 3 {
		for point := range 8 {
			k := point*3 + example
			want := 254 - float64(k)
			if got := s.Values[example*8+point]; k != 7 && got != want || k == 7 && !math.IsNaN(got) {
				t.Errorf("example %d, point %d: %v, want %v", example, point, got, want)
			}
		}
	}
	r := fillWith(t, s, 0)
	f, err := netcdf.Open(write(t, "out.nc", func(w io.Writer, path string) error { return s.Write(w, path, r) }))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := f.Values(1)
	if err != nil {
		t.Fatal(err)
	}
	for k, got := range v.([]float32) {
		if want := 254 - float32(k); k != 7 && got != want || k == 7 && got != 1000+8+2 {
			t.Errorf("value %d in the file is %v, want %v", k, got, want)
		}
	}
	if _, ok := f.Variables[1].Attribute("_Unsigned"); ok {
		t.Error("the result is said to be unsigned")
	}
}
