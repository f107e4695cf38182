package main

import (
	"bytes"
	"image"
	"image/png"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
)

// Files that cannot be used: the program says which, where, and what was
// expected, and leaves no trace.
func TestBadData(t *testing.T) {
	workFolder(t)
	steps(t, 3)
	with := func(v []float64, at int, x float64) []float64 {
		v = slices.Clone(v)
		v[at] = x
		return v
	}
	array := func(path string, v []float64, shape ...int) { writeArray(t, path, npy.New(v, shape...)) }
	inf, nan := math.Inf(1), math.NaN()
	array("inf.npy", with(trainingFaces(), 3*testPoints+19, -inf), 9, 4, 5)
	array("rows.npy", trainingFaces(), 9, 20)
	array("wide.npy", trainingFaces(), 9, 5, 4)
	array("line.npy", trainingFaces(), 180)
	array("none.npy", nil, 0, 4, 5)
	array("seeninf.npy", with(holes(newFaces()), 22, inf), 3, 4, 5)
	array("fewer.npy", newFaces()[:2*testPoints], 2, 4, 5)
	array("beyond.npy", with(holes(newFaces()), 41, 1.7e308), 3, 4, 5)
	array("mask2.npy", slices.Repeat([]float64{1}, 40), 2, 4, 5)
	array("mask54.npy", slices.Repeat([]float64{1}, 20), 5, 4)
	array("maskhalf.npy", with(make([]float64, 60), 47, 0.5), 3, 4, 5)
	good := read(t, "train.npy")
	write(t, "void.npy", nil)
	write(t, "short.npy", good[:len(good)-1])
	write(t, "huge.npy", bytes.Replace(good, []byte("(9, 4, 5), "), []byte("(99999999999,4,5),"), 1))
	huge := "huge.npy: data: found 1447 bytes, expected 15999999999840 (the file is truncated)"
	if strconv.IntSize == 32 {
		huge = `huge.npy: byte 61: found "99999999999,4,5),}      ", expected an axis of at most 2147483647`
	}
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, "cut", read(t, "model")[:1000])
	flipped := slices.Clone(read(t, "model"))
	flipped[len(flipped)-100] ^= 4
	write(t, "flipped", flipped)
	write(t, "foreign", foreignModel(t, read(t, "model"), func(f *safetensors.File) { f.Metadata["format"] = "another program 3" }))
	write(t, "badgrid", foreignModel(t, read(t, "model"), func(f *safetensors.File) { f.Metadata["attribute.grid"] = "large" }))
	write(t, "othergrid", foreignModel(t, read(t, "model"), func(f *safetensors.File) { f.Metadata["attribute.grid"] = "7x3" }))
	write(t, "nogrid", foreignModel(t, read(t, "model"), func(f *safetensors.File) { delete(f.Metadata, "attribute.grid") }))
	write(t, "wild", foreignModel(t, read(t, "model"), func(f *safetensors.File) { f.Lookup("alpha").Data.([]float64)[0] = 1e308 }))
	array("blind.npy", slices.Repeat([]float64{nan}, 20), 1, 4, 5)
	array("seven.npy", make([]float64, 3*21), 3, 3, 7)
	array("newrows.npy", newFaces(), 3, 20)

	const (
		damaged = ": not a usable model file: safetensors: "
		train   = "train -out result -config steps3.json -data "
		impute  = "impute -out result.npy -variance variance.npy -sheet sheet.png -model "
		gone    = "no such file or directory"
		frames  = "a .npy, .npz, .nc or .csv file, a GIF, a PNG or JPEG picture or a folder of them"
		shapes  = "expected n×columns (a table; pictures with a grid), n×height×width or n×height×width×channels"
		masks   = "expected 3×4×5×1, 3×20, 3×4×5, 4×5×1, 20, 4×5 for the data of shape 3×4×5 in seen.npy"
		infSeen = "frame 1, row 0, column 2, channel 0: found +Inf (1 infinite value in all), expected a finite number, or NaN for a missing one"
	)
	for _, c := range []struct{ args, line string }{
		{train + "absent.npy", "absent.npy: " + gone},
		{train + "folder", "folder: found no frame, expected files whose names end in .png, .jpg or .jpeg"},
		{train + "void.npy", "void.npy: magic: found 0 bytes, expected " + frames},
		{train + "short.npy", "short.npy: data: found 1439 bytes, expected 1440 (the file is truncated)"},
		{train + "huge.npy", huge},
		{train + "inf.npy", "inf.npy: frame 3, row 3, column 4, channel 0: found -Inf (1 infinite value in all), expected a finite number, or NaN for a missing one"},
		{train + "rows.npy -grid 5x5", "rows.npy: shape 9×20: found rows of 20 values, expected 25 for a grid of 5x5 and 1 channel (25 points do not divide the row)"},
		{train + "line.npy", "line.npy: shape 180: found 1 axis, " + shapes},
		{train + "none.npy", "none.npy: shape 0×4×5: found no frame, expected at least one"},
		{train + "train.npy -hide absent.npy", "absent.npy: " + gone},
		{train + "train.npy -hide mask54.npy", "mask54.npy: shape 5×4: found 20 values, expected 5×4×5×1, 5×20, 5×4×5, 4×5×1, 20, 4×5 for pictures like those in train.npy"},
		{train + "model", `~model: magic: found "\S+\\x00\\x00\\x00\\x00", expected ` + frames},

		{"info -model absent", "absent: " + gone + ", expected a model file"},
		{"info -model folder", "folder: found a folder, expected a model file"},
		{"info -model cut", "~cut" + damaged + `header: found 992 bytes, expected \d+ \(the file is truncated\)`},
		{"info -model flipped", "~flipped" + damaged + `checksum: found [0-9a-f]{64}, expected [0-9a-f]{64} \(the file is damaged\)`},
		{"info -model foreign", `foreign: not a usable model file: format "another program 3", expected "kronfield sgplvm 1"`},
		{"info -model train.npy", "train.npy: found an array of NumPy, expected a model file, as sgplvm train writes it"},

		{impute + "badgrid -data seen.npy", `badgrid: attribute grid: grid "large": expected WIDTHxHEIGHT such as 20x28, sides of 1 to 16384`},
		{impute + "othergrid -data seven.npy", "seven.npy: pictures of 21 points, expected 20, the model's"},
		{impute + "nogrid -data newrows.npy", "newrows.npy: shape 3×20: found rows of 20 values and no grid, expected a table of 1 column, or pictures and a grid, WIDTHxHEIGHT"},
		{impute + "model -data absent.npy", "absent.npy: " + gone},
		{impute + "model -data seven.npy", "seven.npy: shape 3×3×7: found pictures of 7x3 (width x height), expected a grid of 5x4"},
		{impute + "model -data seeninf.npy", "seeninf.npy: " + infSeen},
		{impute + "model -data beyond.npy", "beyond.npy: example 2, point 1, channel 0: value 1.7e+308, expected a value within 1e+100 standard deviations of the channel's mean"},
		{impute + "wild -data seen.npy", "seen.npy: picture 0: lbfgs: objective at x0 is NaN, want a finite number"},
		{impute + "wild -data blind.npy", `~blind\.npy: picture 0: point \d+, channel 0: predicted (NaN|[+-]Inf), expected a finite number`},
		{impute + "model -data seen.npy -observed absent.npy", "absent.npy: " + gone},
		{impute + "model -data seen.npy -observed mask2.npy", "mask2.npy: shape 2×4×5: found 40 values, " + masks},
		{impute + "model -data seen.npy -observed maskhalf.npy", "maskhalf.npy: element (2, 1, 2): found 0.5, expected 1 (observed) or 0 (not observed)"},
		{impute + "model -data seen.npy -truth fewer.npy", "fewer.npy: 2 pictures, expected 3 as in seen.npy"},
		{impute + "nogrid -data seen.npy -truth seven.npy", "seven.npy: shape 3×3×7: found pictures of 7x3 (width x height), expected a grid of 5x4"},
	} {
		mustFail(t, 1, c.line, strings.Split(c.args, " ")...)
	}
}

// foreignModel changes what a model file holds and seals it again.
func foreignModel(t *testing.T, model []byte, change func(f *safetensors.File)) []byte {
	t.Helper()
	f, err := safetensors.Read(bytes.NewReader(model))
	if err != nil {
		t.Fatal(err)
	}
	f.Metadata = maps.Clone(f.Metadata)
	change(f)
	var b bytes.Buffer
	if err := safetensors.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encodePNG(t *testing.T, picture image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A result that cannot be written is refused at once, whichever flag names it, before anything is read.
func TestUnwritableResults(t *testing.T) {
	workFolder(t)
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	const (
		gone, file = "absent/result.png: cannot create a file in its folder: no such file or directory", "folder: found a folder, expected a file that can be written"
		folder     = ", expected a folder, or the name of a new one in a folder that exists"
	)
	for _, c := range []struct{ args, line string }{
		{"train -data absent -out folder", file},
		{"train -data train.npy -out absent/result.png.model", strings.Replace(gone, ".png", ".png.model", 1)},
		{"impute -model absent -data absent -out result.npy -sheet absent/result.png", gone},
		{"impute -model absent -data absent -out absent/result.png", gone},
		{"impute -model absent -data absent -out result.npy -variance absent/result.png", gone},
		{"impute -model absent -data absent -out absent/frames", "absent/frames: no such file or directory" + folder},
		{"impute -model absent -data absent -out model", "model: found a file" + folder},
		{"demo -out train.npy", "train.npy: found a file" + folder},
		{"demo -out train.npy/demo", "train.npy/demo: not a directory" + folder},
	} {
		mustFail(t, 1, c.line, strings.Fields(c.args)...)
	}
}
