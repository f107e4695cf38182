package main

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/netcdf"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Transparent pixels of an animation are filled in, and the result is an animation of the same times, colours and observed pixels.
func TestFillGIF(t *testing.T) {
	workFolder(t)
	palette := color.Palette{color.Transparent}
	for i := range 60 {
		palette = append(palette, color.RGBA{uint8(4 * i), uint8(255 - 4*i), uint8(2 * i), 255})
	}
	film := &gif.GIF{}
	for k := range 6 {
		p := image.NewPaletted(image.Rect(0, 0, 8, 6), palette)
		for i := range p.Pix {
			p.Pix[i] = uint8(30.5 + 29*math.Sin(float64(i%8)/3+float64(k)/2)*math.Cos(float64(i/8)/4))
		}
		p.Pix[5*k+3] = 0
		film.Image, film.Delay, film.Disposal = append(film.Image, p), append(film.Delay, 7+k), append(film.Disposal, gif.DisposalBackground)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, film); err != nil {
		t.Fatal(err)
	}
	write(t, "holes.gif", b.Bytes())
	succeed(t, "fill", "-data", "holes.gif", "-config", steps(t, 20, `"motion": "off"`), "-out", "filled.gif", "-variance", "sure.gif")
	seen, err := dataset.Load("holes.gif", dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := dataset.Load("filled.gif", dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Times, seen.Times) || got.Layout != seen.Layout || seen.Missing(2) != 3 {
		t.Errorf("times %v, want %v; %d values were missing", got.Times, seen.Times, seen.Missing(2))
	}
	for i := range seen.Count {
		for k, v := range seen.Values(i) {
			if w := got.Values(i)[k]; v == v && w != v || w != w {
				t.Fatalf("frame %d: value %d is %v, was %v", i, k, w, v)
			}
		}
	}
	if v, err := dataset.Load("sure.gif", dataset.Layout{}); err != nil || v.Count != 6 || v.Channels != 1 {
		t.Errorf("deviations: %v", err)
	}
	mustFail(t, 2, `impute: -out "o.gif", expected a name that ends in .npy, .csv, .png, or one of a folder for pictures`, "impute", "-model", "model", "-data", "seen.npy", "-out", "o.gif")
}

// A drawing in one colour is filled in with it: no model can learn from it.
func TestFillConstant(t *testing.T) {
	workFolder(t)
	v := []float64{7, 7, math.NaN(), 7, math.NaN(), math.NaN(), 7, 7}
	writeArray(t, "one.npy", npy.New(v, 2, 2, 2))
	if out := mustRun(t, "fill", "-data", "one.npy", "-film", "-out", "filled.npy"); out != "each channel has one value wherever it was observed, which 3 missing values take\n" {
		t.Errorf("printed %q", out)
	}
	if got := readArray(t, "filled.npy").Float64s(); !slices.Equal(got, []float64{7, 7, 7, 7, 7, 7, 7, 7}) {
		t.Errorf("filled in %v", got)
	}
	v[0] = 8
	writeArray(t, "two.npy", npy.New(v, 2, 2, 2))
	if o := sgplvmRun("fill", "-data", "two.npy", "-film", "-config", steps(t, 2), "-out", "filled.npy"); strings.Contains(o.stdout, "one value") {
		t.Errorf("%+v", o)
	}
}

// train and impute read a level of a variable and a number that means missing as fill does, and say what they have read.
func TestReadFlags(t *testing.T) {
	workFolder(t)
	h := netcdf.Header{Version: netcdf.Classic, Dimensions: []netcdf.Dimension{{Name: "time", Length: 8}, {Name: "level", Length: 2}, {Name: "y", Length: 3}, {Name: "x", Length: 4}},
		Variables: []netcdf.Variable{{Name: "v", Type: netcdf.Double, Dimensions: []int{0, 1, 2, 3}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("valid_min", "low")}}}}
	v := make([]float64, 8*2*3*4)
	for i := range v {
		v[i] = math.Sin(float64(i%24)/5 + float64(i/24)/2)
	}
	for _, k := range []int{3, 30, 75} {
		v[k] = -99
	}
	var b bytes.Buffer
	if err := netcdf.Write(&b, &h, netcdf.Arrays{v}); err != nil {
		t.Fatal(err)
	}
	write(t, "levels.nc", b.Bytes())
	config := steps(t, 5)
	const read = " -data levels.nc -select level=#0 -fill-value -99 -out "
	o := sgplvmRun(strings.Fields("train -config " + config + read + "m")...)
	if o.code != 0 || !strings.Contains(o.stderr, `v: valid_min is "low", which makes no sense and is ignored`) || !strings.Contains(o.stderr, "3 of 96 values are missing") {
		t.Errorf("train: %+v", o)
	}
	for command, out := range map[string]string{"impute -model m": "i.npy", "fill -model m": "f.npy"} {
		o := sgplvmRun(strings.Fields(command + read + out)...)
		if o.code != 0 || !strings.Contains(o.stderr, "makes no sense") {
			t.Fatalf("%s: %+v", command, o)
		}
		got := readArray(t, out).Float64s()
		for k, w := range got {
			if x := v[k/12*24+k%12]; x != -99 && w != x || w != w || math.Abs(w) > 5 {
				t.Errorf("%s: value %d is %v, was %v", command, k, w, x)
			}
		}
	}
	writeArray(t, "frames.npy", npy.New(v[:24], 2, 3, 4))
	mustFail(t, 1, "frames.npy: found no names of dimensions, expected a NetCDF file to select level=1 of", "train", "-data", "frames.npy", "-select", "level=1", "-out", "result")
}
