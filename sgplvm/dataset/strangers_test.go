package dataset_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
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

// timedMaps is maps with a variable of times, and its values.
func timedMaps(units, calendar string, times ...float64) (netcdf.Header, netcdf.Arrays) {
	h := maps(netcdf.Float)
	v := netcdf.Variable{Name: "time", Type: netcdf.Double, Dimensions: []int{0}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("units", units)}}
	if calendar != "" {
		v.Attributes = append(v.Attributes, netcdf.NewAttribute("calendar", calendar))
	}
	h.Variables = append(h.Variables, v)
	return h, netcdf.Arrays{make([]float32, 12), times}
}

// Times of known units have dates, by the names that writers give to units, zones and calendars; of others the numbers are left, with a note.
func TestTimesOfStrangers(t *testing.T) {
	for _, c := range []struct {
		units, calendar string
		dates           string // of the times 0, 1 and 2
		note            string
	}{
		{"months since 1960-01-01", "360", "1960-01-01 1960-02-01 1960-03-01", ""},
		{"days since 1960-02-29", "360 day", "1960-02-29 1960-02-30 1960-03-01", ""},
		{"days since 2000-02-28", "no_leap", "2000-02-28 2000-03-01 2000-03-02", ""},
		{"days since 2001-02-28", "366", "2001-02-28 2001-02-29 2001-03-01", ""},
		{"Days Since 2000-02-28", "Gregorian", "2000-02-28 2000-02-29 2000-03-01", ""},
		{"hours since 2000-01-01 22:00:00 GMT", "", "2000-01-01 22:00:00 2000-01-01 23:00:00 2000-01-02", ""},
		{"hours since 2000-01-01 00:00:00 +0100", "", "1999-12-31 23:00:00 2000-01-01 2000-01-01 01:00:00", ""},
		{"hours since 2000-01-01 00:00:00 UTC-5", "", "2000-01-01 05:00:00 2000-01-01 06:00:00 2000-01-01 07:00:00", ""},
		{"hours since 2000-01-01T00:00:00+05:30", "", "1999-12-31 18:30:00 1999-12-31 19:30:00 1999-12-31 20:30:00", ""},
		{"days since 0-1-1", "noleap", "0000-01-01 0000-01-02 0000-01-03", ""},
		{"moons since 1990-01-01", "", "", `time: units "moons since 1990-01-01", expected such as "days since 1990-01-01": the times are the numbers as they stand`},
		{"days since 2000-01-01", "none", "", `time: calendar "none", expected standard, gregorian, proleptic_gregorian, julian, noleap, 365_day, all_leap, 366_day or 360_day: the times are the numbers as they stand`},
		{"days since 0000-00-00 00:00:00", "", "", `time: date "0000-00-00 00:00:00", expected such as 1990-01-01 or 1990-01-01 12:30:00: the times are the numbers as they stand`},
		{"month as %Y%m.%f", "", "", `time: units "month as %Y%m.%f", expected such as "day as %Y%m%d.%f": the times are the numbers as they stand`},
		{"hour as %H", "", "", `time: units "hour as %H", expected such as "day as %Y%m%d.%f": the times are the numbers as they stand`},
	} {
		h, v := timedMaps(c.units, c.calendar, 0, 1, 2)
		s := loadSet(t, saveNC(t, h, v), dataset.SetOptions{})
		var dates []string
		for _, x := range s.Times {
			if s.Units != nil {
				dates = append(dates, s.Units.Date(x))
			}
		}
		if got := strings.Join(dates, " "); got != c.dates || strings.Join(s.Notes, "; ") != c.note || !slices.Equal(s.Times, []float64{0, 1, 2}) {
			t.Errorf("%s, %s: times %v, dates %q, want %q, notes %q", c.units, c.calendar, s.Times, got, c.dates, s.Notes)
		}
	}
	h, v := timedMaps("nanoseconds since 2000-01-01", "proleptic_gregorian", 0, 86400e9, 90000e9)
	if s := loadSet(t, saveNC(t, h, v), dataset.SetOptions{}); s.Units == nil || s.Units.Date(s.Times[2]) != "2000-01-02 01:00:00" {
		t.Errorf("nanoseconds: %v", s.Units)
	}
}

// Dates that are written as numbers are days since the first one.
func TestDatesAsNumbers(t *testing.T) {
	for _, c := range []struct {
		units, calendar string
		numbers         []float64
		times           []float64
		dates           string
	}{
		{"day as %Y%m%d.%f", "", []float64{20001115.5, 20001215.5, 20010115.75}, []float64{0.5, 30.5, 61.75}, "2000-11-15 12:00:00 2000-12-15 12:00:00 2001-01-15 18:00:00"},
		{"day as %Y%m%d.%f", "360_day", []float64{20000230, 20000301, 20010230}, []float64{0, 1, 360}, "2000-02-30 2000-03-01 2001-02-30"},
	} {
		h, v := timedMaps(c.units, c.calendar, c.numbers...)
		s := loadSet(t, saveNC(t, h, v), dataset.SetOptions{})
		var dates []string
		for i, x := range s.Times {
			if math.Abs(x-c.times[i]) > 1e-4 {
				t.Errorf("%s: time %d is %v, want %v", c.units, i, x, c.times[i])
			}
			dates = append(dates, s.Units.Date(math.Round(x*100)/100))
		}
		if strings.Join(dates, " ") != c.dates || s.Notes != nil {
			t.Errorf("%s: %v, want %s, notes %q", c.units, dates, c.dates, s.Notes)
		}
	}
	h, v := timedMaps("day as %Y%m%d.%f", "", 20001115, 20001315, 20001415)
	s := loadSet(t, saveNC(t, h, v), dataset.SetOptions{})
	if len(s.Notes) != 1 || !strings.HasPrefix(s.Notes[0], `time: date "2000-13-15", expected`) || s.Units != nil || s.Times[1] != 20001315 {
		t.Errorf("a month that is none: notes %q, times %v", s.Notes, s.Times)
	}
}

// A record dimension is that of the examples, but not where it is one in space by its coordinates or its name, and times go before it.
func TestRecordDimensionInSpace(t *testing.T) {
	for _, c := range []struct {
		name       string
		attributes []netcdf.Attribute // of its coordinates; nil: it has none
		other      string             // the other dimension
		examples   int
	}{
		{"y", []netcdf.Attribute{netcdf.NewAttribute("standard_name", "projection_y_coordinate")}, "x", 1},
		{"north", []netcdf.Attribute{netcdf.NewAttribute("units", "degrees_north")}, "east", 1},
		{"v", []netcdf.Attribute{netcdf.NewAttribute("axis", "Y")}, "u", 1},
		{"lat", nil, "lon", 1},
		{"cast", nil, "depth", 3},
		{"y", []netcdf.Attribute{netcdf.NewAttribute("units", "days since 2000-01-01")}, "x", 3},
		{"station", nil, "time", 4},
	} {
		h := netcdf.Header{Dimensions: []netcdf.Dimension{{Name: c.name, Length: 3, Record: true}, {Name: c.other, Length: 4}},
			Variables: []netcdf.Variable{{Name: "field", Type: netcdf.Double, Dimensions: []int{0, 1}}}}
		all := netcdf.Arrays{make([]float64, 12)}
		if c.attributes != nil {
			h.Variables = append(h.Variables, netcdf.Variable{Name: c.name, Type: netcdf.Double, Dimensions: []int{0}, Attributes: c.attributes})
			all = append(all, []float64{1, 2, 3})
		}
		if s := loadSet(t, saveNC(t, h, all), dataset.SetOptions{}); s.Count != c.examples || s.Count*s.Points() != 12 {
			t.Errorf("%s beside %s: %d examples of %d points, want %d examples", c.name, c.other, s.Count, s.Points(), c.examples)
		}
	}
}

// levels is a file of v(time 2, level 3, y 2, x 2), packed or not, of the numbers 0 to 23.
func levels(t *testing.T, attributes ...netcdf.Attribute) string {
	h := netcdf.Header{Dimensions: []netcdf.Dimension{{Name: "time", Length: 2, Record: true}, {Name: "level", Length: 3}, {Name: "y", Length: 2}, {Name: "x", Length: 2}},
		Variables: []netcdf.Variable{
			{Name: "v", Type: netcdf.Float, Dimensions: []int{0, 1, 2, 3}, Attributes: attributes},
			{Name: "level", Type: netcdf.Float, Dimensions: []int{1}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("units", "hPa")}}}}
	x := make([]float32, 24)
	for i := range x {
		x[i] = float32(i)
	}
	return saveNC(t, h, netcdf.Arrays{x, []float32{1000.1, 850, 500}})
}

// A dimension too many is fixed by the value of its coordinate or by its number, and the result is a variable without it.
func TestSelectLevel(t *testing.T) {
	path := levels(t, netcdf.NewAttribute("missing_value", []float32{5}))
	for text, want := range map[string][]float64{
		"level=1000.1":     {0, 1, 2, 3, 12, 13, 14, 15},
		"level=850":        {4, nan, 6, 7, 16, 17, 18, 19},
		"level=#2":         {8, 9, 10, 11, 20, 21, 22, 23},
		"x=1,level=500":    {9, 11, 21, 23},
		"level=850,time=1": {16, 17, 18, 19},
	} {
		if s := loadSet(t, path, dataset.SetOptions{Select: text}); !equal(s.Values, want) {
			t.Errorf("%s: %v, want %v", text, s.Values, want)
		}
	}
	s := loadSet(t, path, dataset.SetOptions{Select: "level=850"})
	filled := fillWith(t, s, 1<<20)
	out := write(t, "out.nc", func(w io.Writer, path string) error { return s.Write(w, path, filled) })
	f, err := netcdf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v := f.Find("v_filled")
	got, err := f.Values(v)
	if want := []float32{4, 1001, 6, 7, 16, 17, 18, 19}; err != nil || !slices.Equal(got.([]float32), want) || !slices.Equal(f.Shape(v), []int{2, 2, 2}) {
		t.Errorf("filled %v of shape %v, want %v (%v)", got, f.Shape(v), want, err)
	}
	if a, _ := f.Variables[v].Attribute("long_name"); a.Text() != "v at level=850, missing values filled in" {
		t.Errorf("long name %q", a.Text())
	}
	for text, want := range map[string]string{
		"level=851": `data.nc: select "level=851": found no such place, expected one of 1000.1, 850, 500, or #0 to #2`,
		"level=#3":  `data.nc: select "level=#3": found no such place, expected one of 1000.1, 850, 500, or #0 to #2`,
		"depth=1":   `data.nc: select "depth=1": found no dimension "depth", expected DIMENSION=VALUE or DIMENSION=#INDEX of one of time, level, y, x`,
		"":          "data.nc: found no variable that fits, only v(time 2, level 3, y 2, x 2), level(level 3), expected numbers of dimensions such as (time, lat, lon) or (time, station), others of length 1; -select level=1000.1 chooses one place along level, of 1000.1, 850, 500",
	} {
		_, err := dataset.LoadSet(path, dataset.SetOptions{Select: text})
		checkError(t, err, filepath.Dir(path), want)
	}
	table := saveText(t, "t.csv", "1,2\n3,4\n")
	_, err = dataset.LoadSet(table, dataset.SetOptions{Select: "level=850"})
	checkError(t, err, filepath.Dir(table), "t.csv: found no names of dimensions, expected a NetCDF file to select level=850 of")
}

// Where nothing is observed the error says why.
func TestNothingObservedWhy(t *testing.T) {
	path := saveNC(t, maps(netcdf.Short, netcdf.NewAttribute("add_offset", []float64{32768}), netcdf.NewAttribute("valid_range", []int16{100, 1000})), netcdf.Arrays{make([]int16, 12)})
	_, err := dataset.LoadSet(path, dataset.SetOptions{})
	checkError(t, err, filepath.Dir(path), "data.nc: found nothing observed: all 12 values are missing (v: 12 values are outside the valid range 100 to 1000, taken as missing), expected some values")
	path = saveNC(t, maps(netcdf.Short, netcdf.NewAttribute("_FillValue", []int16{0}), netcdf.NewAttribute("missing_value", []float64{0})), netcdf.Arrays{make([]int16, 12)})
	_, err = dataset.LoadSet(path, dataset.SetOptions{})
	checkError(t, err, filepath.Dir(path), "data.nc: found nothing observed: all 12 values are missing (v: 12 values are a fill value, 0), expected some values")
}

// What looks like a fill value is judged by its own column, where it counts as missing unless outliers are kept, all others are the same, or these are few. So is whether one lies
// among data.
func TestSuspectsByColumn(t *testing.T) {
	var b strings.Builder
	b.WriteString("temp,pressure,offset,full\n")
	for i := range 20 {
		temp := fmt.Sprint(15 + i%5)
		if i%5 == 0 {
			temp = "-9999"
		}
		fmt.Fprintf(&b, "%s,%d,%d,%d\n", temp, 101300+i, -20000+2000*i, 100-i%2)
	}
	path := saveText(t, "t.csv", b.String())
	s := loadSet(t, path, dataset.SetOptions{})
	full := "10 values are 99, of 20 in column full, and no fill value is declared: if that means missing, -fill-value 99 says so"
	missing, _ := s.Missing()
	if want := []string{"4 values are -9999, of 20 in column temp: taken as missing (-keep-outliers keeps them)", full}; missing != 4 || !slices.Equal(s.Notes, want) {
		t.Errorf("%d are missing, notes %q, want %q", missing, s.Notes, want)
	}
	few := loadSet(t, saveText(t, "few.csv", "a,b\n1,1\n2,3\n999,2\n999,5\n"), dataset.SetOptions{})
	if missing, _ := few.Missing(); missing != 0 || len(few.Notes) != 1 {
		t.Errorf("of few %d are missing, notes %q", missing, few.Notes)
	}
	s = loadSet(t, path, dataset.SetOptions{KeepOutliers: true})
	missing, _ = s.Missing()
	if want := "4 values are -9999, of 20 in column temp, and no fill value is declared: if that means missing, -fill-value -9999 says so"; missing != 0 || !slices.Equal(s.Notes, []string{want, full}) {
		t.Errorf("%d are missing, notes %q, want %q", missing, s.Notes, want)
	}
	fill := -9999.
	s = loadSet(t, path, dataset.SetOptions{FillValue: &fill})
	if missing, _ := s.Missing(); missing != 4 || !slices.Equal(s.Notes, []string{full}) {
		t.Errorf("%d are missing, notes %q", missing, s.Notes)
	}
	fill = 101305
	_, err := dataset.LoadSet(path, dataset.SetOptions{FillValue: &fill})
	checkError(t, err, filepath.Dir(path), "t.csv: column pressure: found the fill value 101305 among the other values, 101300 to 101319 (1 value equal to it), expected one that is no data, or a mask")
}

// A NetCDF-4 file is read by way of nccopy, which is called once for reading and writing, where that is installed, whatever the file's name is; else the error has the
// line that makes a classic one.
func TestNetCDF4(t *testing.T) {
	classic, err := os.ReadFile(levels(t))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	four := filepath.Join(folder, "any.h5")
	if err := os.WriteFile(four, []byte("\x89HDF\r\n\x1a\n and more"), 0o666); err != nil {
		t.Fatal(err)
	}
	script := `python3 -c "import sys, xarray; d = xarray.open_dataset(sys.argv[1]); d.drop_vars([n for n in d.variables if d[n].dtype.kind in 'OSUV']).to_netcdf('NEW.nc', format='NETCDF3_64BIT')" any.h5`
	t.Setenv("PATH", "")
	_, err = dataset.LoadSet(four, dataset.SetOptions{})
	checkError(t, err, folder, "any.h5: found a NetCDF-4 (HDF5) file, expected a classic one, which this makes: nccopy -k cdf5 any.h5 NEW.nc (of the package netcdf-bin); or, of a file with strings or groups: "+script)
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("no shell")
	}
	bin := filepath.Join(folder, "bin")
	stub := func(text string) {
		os.Mkdir(bin, 0o777)
		if err := os.WriteFile(filepath.Join(bin, "nccopy"), []byte("#!/bin/sh\n"+text), 0o777); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+":/bin:/usr/bin")
	}
	temp := filepath.Join(folder, "temp")
	os.Mkdir(temp, 0o777)
	t.Setenv("TMPDIR", temp)
	if err := os.WriteFile(filepath.Join(folder, "classic"), classic, 0o666); err != nil {
		t.Fatal(err)
	}
	// The first form fails, as of a file with two dimensions without limit.
	calls := filepath.Join(folder, "calls")
	stub("echo $1 >>" + calls + "\ntest \"$1\" = -u || exit 1\ncp " + filepath.Join(folder, "classic") + " \"$5\"\n")
	s := loadSet(t, four+":v", dataset.SetOptions{Select: "level=500"})
	if want := []float64{8, 9, 10, 11, 20, 21, 22, 23}; !equal(s.Values, want) || len(s.Notes) != 1 || !strings.HasSuffix(s.Notes[0], "any.h5: a NetCDF-4 (HDF5) file, read by way of nccopy -u -k cdf5") {
		t.Errorf("values %v, notes %q", s.Values, s.Notes)
	}
	if err := s.CheckOutput("out.nc"); err != nil {
		t.Error(err)
	}
	out := write(t, "out.nc", func(w io.Writer, path string) error { return s.Write(w, path, fillWith(t, s, 1<<20)) })
	if f, err := netcdf.Open(out); err != nil || f.Find("v_filled") < 0 || f.Find("v") < 0 {
		t.Errorf("the result: %v", err)
	}
	if called, err := os.ReadFile(calls); string(called) != "-k\n-u\n" {
		t.Errorf("nccopy was called with %q, %v", called, err)
	}
	stub("echo NetCDF: No group found.\necho Location >&2\nexit 1\n")
	_, err = dataset.LoadSet(four, dataset.SetOptions{})
	checkError(t, err, folder, "any.h5: found a NetCDF-4 (HDF5) file that nccopy does not convert (NetCDF: No group found.), expected a classic one; of a file with strings, or with groups (open_dataset(…, group='NAME')), this makes it: "+script)
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("%d temporary files are left", len(left))
	}
}

// The reference library's nccopy and this reader agree on a file of xarray's: times of 64 bits, packed numbers, chunks and deflation.
func TestRealNetCDF4(t *testing.T) {
	if _, err := exec.LookPath("nccopy"); err != nil {
		t.Skip("no nccopy")
	}
	s := loadSet(t, "testdata/xarray.nc4", dataset.SetOptions{})
	want := []float64{nan, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	if !equal(s.Values, want) || s.Units.Date(s.Times[2]) != "2020-01-03" {
		t.Errorf("values %v, times %v", s.Values, s.Times)
	}
}

// Files of other formats are refused with what converts them, whatever their names are.
func TestForeignFormats(t *testing.T) {
	for _, c := range []struct{ name, start, want string }{
		{"dem.tif", "II*\x00", "a GeoTIFF or TIFF file, expected a NetCDF file, which this makes: gdal_translate -of netCDF -co FORMAT=NC2 dem.tif NEW.nc (or, of a photograph, magick dem.tif NEW.png)"},
		{"era.nc", "GRIB", "a GRIB file, expected a NetCDF file, which this makes: cdo -f nc2 copy era.nc NEW.nc"},
		{"two words.hdf", "\x0e\x03\x13\x01", "an HDF4 file, expected a NetCDF file, which this makes: h4tonccf 'two words.hdf' NEW.nc"},
		{"table.parquet", "PAR1", `a Parquet file, expected a table of text, which this makes: python3 -c "import sys, pandas; pandas.read_parquet(sys.argv[1]).to_csv('NEW.csv', index=False)" table.parquet`},
		{"sst.nc.gz", "\x1f\x8b\x08", "a file compressed by gzip, expected the file in it, which this makes: gunzip -k sst.nc.gz"},
		{"sheet.xlsx", "PK\x03\x04", `a spreadsheet, expected a table of text, which this makes: python3 -c "import sys, pandas; pandas.read_excel(sys.argv[1]).to_csv('NEW.csv', index=False)" sheet.xlsx`},
		{"a.mat", "MATLAB 5.0 MAT-file, Platform", `a MATLAB file, expected an archive of arrays, which this makes: python3 -c "import sys, numpy, scipy.io; numpy.savez('NEW.npz', **{k: v for k, v in scipy.io.loadmat(sys.argv[1]).items() if k[0] != '_'})" a.mat`},
		{"photo.webp", "RIFF\x00\x00\x00\x00WEBP", "a picture of another format, expected PNG pictures, which this makes: magick photo.webp NEW.png"},
		{"phone", "\x00\x00\x00\x18ftypheic", "a picture of another format, expected PNG pictures, which this makes: magick phone NEW.png"},
		{"scan", "\x00\x00\x00\x0cjP  ", "a picture of another format, expected PNG pictures, which this makes: magick scan NEW.png"},
		{"raw", "P6\n20 16\n255\n", "a picture of another format, expected PNG pictures, which this makes: magick raw NEW.png"},
	} {
		path := saveText(t, c.name, c.start+strings.Repeat(" ", 40))
		_, err := dataset.LoadSet(path, dataset.SetOptions{})
		checkError(t, err, filepath.Dir(path), c.name+": found "+c.want)
		_, err = dataset.OpenWith(path, dataset.SetOptions{})
		checkError(t, err, filepath.Dir(path), c.name+": found "+c.want)
	}
	for _, name := range []string{"sst.zarr", "sst.nc"} {
		store := filepath.Join(t.TempDir(), name)
		os.Mkdir(store, 0o777)
		if err := os.WriteFile(filepath.Join(store, ".zgroup"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := dataset.LoadSet(store, dataset.SetOptions{})
		checkError(t, err, filepath.Dir(store), name+`: found a store of Zarr, expected a NetCDF file, which this makes: python3 -c "import sys, xarray; xarray.open_zarr(sys.argv[1]).to_netcdf('NEW.nc', format='NETCDF3_64BIT')" `+name)
	}
}

// All eight ways in which EXIF says that a JPEG is stored give the picture as it is seen: the standard names the sides where the first stored row and the first
// stored column are.
func TestOrientation(t *testing.T) {
	const width, height = 24, 16
	seen := func(x, y int) uint8 { return uint8(10*(x/8) + 100*(y/8)) } // blocks of 8×8 are kept by JPEG
	sides := [9][2]string{1: {"top", "left"}, 2: {"top", "right"}, 3: {"bottom", "right"}, 4: {"bottom", "left"}, 5: {"left", "top"}, 6: {"right", "top"}, 7: {"right", "bottom"}, 8: {"left", "bottom"}}
	for turned := 1; turned <= 8; turned++ {
		w, h := width, height
		if turned > 4 {
			w, h = height, width
		}
		stored := image.NewGray(image.Rect(0, 0, w, h))
		for row := range h {
			for column := range w {
				var x, y int
				for k, side := range sides[turned] {
					switch i := []int{row, column}[k]; side {
					case "top":
						y = i
					case "bottom":
						y = height - 1 - i
					case "left":
						x = i
					case "right":
						x = width - 1 - i
					}
				}
				stored.SetGray(column, row, color.Gray{seen(x, y)})
			}
		}
		var b bytes.Buffer
		if err := jpeg.Encode(&b, stored, &jpeg.Options{Quality: 100}); err != nil {
			t.Fatal(err)
		}
		for name, tiff := range map[string]string{
			"big":    "MM\x00*\x00\x00\x00\x08\x00\x02\x01\x0f\x00\x02\x00\x00\x00\x01A\x00\x00\x00\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string(rune(turned)) + "\x00\x00",
			"little": "II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00" + string(rune(turned)) + "\x00\x00\x00",
		} {
			segment := "Exif\x00\x00" + tiff
			file := append([]byte("\xff\xd8\xff\xe0\x00\x04xx\xff\xe1\x00"+string(rune(len(segment)+2))+segment), b.Bytes()[2:]...)
			for cut := range len(segment) * (turned / 8) { // damaged data count as none
				orientationOf(t, append(append([]byte("\xff\xd8\xff\xe1\x00"+string(rune(cut+2))), segment[:cut]...), b.Bytes()[2:]...))
			}
			f := orientationOf(t, file)
			if f.Width != width || f.Height != height {
				t.Fatalf("%s, %d: %d×%d pixels", name, turned, f.Width, f.Height)
			}
			for i, v := range f.Values(0) {
				if want := float64(seen(i%width, i/width)); math.Abs(v-want) > 2 {
					t.Fatalf("%s, %d: row %d, column %d: %v, want %v", name, turned, i/width, i%width, v, want)
				}
			}
		}
	}
}

func orientationOf(t *testing.T, file []byte) *dataset.Frames {
	t.Helper()
	f, err := dataset.Load(saveText(t, "a.jpg", string(file)), dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Of an animated PNG the first picture is read, with a note; another chunk does not make one.
func TestAnimatedPNG(t *testing.T) {
	plain := pngFile(2, 1, 8, 0, nil, nil, "\x07\x08")
	chunk := func(name, data string) string {
		sum := crc32.ChecksumIEEE([]byte(name + data))
		return string(binary.BigEndian.AppendUint32(nil, uint32(len(data)))) + name + data + string(binary.BigEndian.AppendUint32(nil, sum))
	}
	const header = 8 + 25
	for _, c := range []struct{ chunk, note string }{
		{chunk("acTL", "\x00\x00\x00\x04\x00\x00\x00\x00"), "a.png is animated, of 4 frames: its first picture alone is read (a folder of all, or a GIF, makes a film: mkdir frames && ffmpeg -i a.png frames/%05d.png)"},
		{chunk("gAMA", "\x00\x00\xb1\x8f"), ""},
		{chunk("acTL", "\x00\x00\x00\x01\x00\x00\x00\x00"), ""},
	} {
		path := saveText(t, "a.png", string(plain[:header])+c.chunk+string(plain[header:]))
		s := loadSet(t, path, dataset.SetOptions{})
		if note := strings.ReplaceAll(strings.Join(s.Notes, "; "), filepath.Dir(path)+string(filepath.Separator), ""); note != c.note || !equal(s.Values, []float64{7, 8}) {
			t.Errorf("%q: note %q, want %q", c.chunk[4:8], note, c.note)
		}
	}
}

// Numbers that are missing in the names of a film's frames are missing in its times; names without numbers of frames say nothing.
func TestMissingFrames(t *testing.T) {
	for _, c := range []struct {
		names string
		times []float64
		note  string
	}{
		{"f000 f001 f002 f003 f006 f007 f008 f011 f012", []float64{0, 1, 2, 3, 6, 7, 8, 11, 12}, "4 to 5, 9 to 10 are missing in the names of the frames: the frames' times are their numbers"},
		{"f1 f2 f3", nil, ""},
		{"f3 f6 f9", nil, ""},
		{"f10 f20 f40 f50", []float64{0, 1, 3, 4}, "30 is missing in the names of the frames: the frames' times are their numbers"},
		{"cam2_8 cam2_9 cam2_11", []float64{0, 1, 3}, "10 is missing in the names of the frames: the frames' times are their numbers"},
		{"a b c", nil, ""},
		{"1a 2b 4c", nil, ""},
		{"2024-01-30 2024-01-31 2024-02-01", nil, ""},
		{"20240130 20240131 20240201", nil, "20240132 to 20240200 are missing in the names of the frames: all are taken as consecutive (-times says otherwise)"},
		{"1 3", nil, ""},
	} {
		files := map[string][]byte{}
		for i, name := range strings.Fields(c.names) {
			files[name+".png"] = pngFile(2, 1, 8, 0, nil, nil, "\x07"+string(rune(i)))
		}
		path := folderOf(t, files)
		s := loadSet(t, path, dataset.SetOptions{Film: true})
		if note := strings.TrimPrefix(strings.Join(s.Notes, "; "), path+": "); note != c.note || !slices.Equal(s.Times, c.times) {
			t.Errorf("%s: times %v, want %v, note %q, want %q", c.names, s.Times, c.times, note, c.note)
		}
		if s := loadSet(t, path, dataset.SetOptions{}); s.Times != nil || s.Notes != nil {
			t.Errorf("%s, not a film: times %v, notes %q", c.names, s.Times, s.Notes)
		}
	}
}

// Times, labels and points are read from files of every form that data have.
func TestListsOfEveryForm(t *testing.T) {
	h, v := timedMaps("day as %Y%m%d.%f", "", 20001231, 20010101, 20010103)
	nc := saveNC(t, h, v)
	array := saveArray(t, "t.npy", npy.New([]float64{0, 1, 3}, 3))
	for name, path := range map[string]string{
		"the times of a NetCDF file": nc,
		"numbers":                    saveText(t, "t.csv", "0\n1\n3\n"),
		"numbers under a name":       saveText(t, "t.csv", "hours\r\n0\r\n1\r\n3\r\n"),
		"a row":                      saveText(t, "t.csv", "0,1,3\n"),
		".npy":                       array,
	} {
		if got, err := dataset.LoadTimes(path, 3); err != nil || !slices.Equal(got, []float64{0, 1, 3}) {
			t.Errorf("%s: times %v (%v)", name, got, err)
		}
	}
	if got, err := dataset.LoadTimes(saveText(t, "t.csv", "date\n1970-01-02\n1970-01-03 12:00\n"), 2); err != nil || !slices.Equal(got, []float64{1, 2.5}) {
		t.Errorf("dates: times %v (%v)", got, err)
	}
	if got, err := dataset.LoadTimes(nc+":time", 3); err != nil || got[0] != 20001231 {
		t.Errorf("a variable: %v (%v)", got, err)
	}
	if got, err := dataset.LoadSequences(saveText(t, "s.csv", "label\n7\n-1\n"), 2); err != nil || !slices.Equal(got, []int{7, -1}) {
		t.Errorf("labels %v (%v)", got, err)
	}
	if g, err := dataset.LoadPoints(saveText(t, "p.csv", "x,y\n1,2\n3,4\n5,6\n")); err != nil || g.Len() != 3 || !slices.Equal(g[0].Data, []float64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("points %v (%v)", g, err)
	}
}

// The variances of a long table stand in its own columns, with its dates and labels.
func TestVarianceOfLongTable(t *testing.T) {
	s := loadSet(t, saveText(t, "long.csv", "member,date,x,value\na,1990-01-31,0,1\na,1990-01-31,1,\nb,1990-02-28,0,3\nb,1990-02-28,1,4\n"), dataset.SetOptions{})
	out := write(t, "v.csv", func(w io.Writer, path string) error { return s.WriteVariance(w, path, fillWith(t, s, 1<<20)) })
	got, err := os.ReadFile(out)
	if want := "member,date,x,value\na,1990-01-31,0,0\na,1990-01-31,1,1\nb,1990-02-28,0,0\nb,1990-02-28,1,0\n"; err != nil || string(got) != want {
		t.Errorf("variances\n%s\nwant\n%s (%v)", got, want, err)
	}
}

// Training takes a fill value and a choice of a level, with the notes on what was read.
func TestOpenWith(t *testing.T) {
	fill := 19.
	frames, err := dataset.OpenWith(levels(t, netcdf.NewAttribute("valid_max", "high")), dataset.SetOptions{Select: "level=850", FillValue: &fill})
	if err != nil {
		t.Fatal(err)
	}
	defer frames.Close()
	got := make([]float64, 4)
	if err := frames.ReadExamples(got, 1, 2); err != nil || !equal(got, []float64{16, 17, 18, nan}) || len(frames.Notes) != 1 {
		t.Errorf("values %v, notes %q (%v)", got, frames.Notes, err)
	}
	array := saveArray(t, "a.npy", npy.New([]float64{1, 5, 2, 5, 3, 5}, 3, 2))
	points := saveText(t, "p.csv", "1\n2\n")
	fill = 5
	frames, err = dataset.OpenWith(array, dataset.SetOptions{Points: points, FillValue: &fill})
	if err != nil {
		t.Fatal(err)
	}
	defer frames.Close()
	if err := frames.ReadExamples(got[:2], 2, 3); err != nil || !equal(got[:2], []float64{3, nan}) || frames.Grid.Len() != 2 || !frames.Scattered {
		t.Errorf("values %v at %v (%v)", got[:2], frames.Grid, err)
	}
}
