package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"math"
	"os"
	"runtime"
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
	array("prime.npy", trainingFaces()[:9*19], 9, 19)
	array("wide.npy", trainingFaces(), 9, 5, 4)
	array("colour.npy", slices.Repeat(trainingFaces(), 3), 9, 4, 5, 3)
	array("line.npy", trainingFaces(), 180)
	array("number.npy", []float64{1})
	array("five.npy", trainingFaces(), 9, 2, 2, 5, 1)
	array("none.npy", nil, 0, 4, 5)
	array("empty.npy", nil, 9, 0, 5)
	array("seeninf.npy", with(holes(newFaces()), 22, inf), 3, 4, 5)
	array("fewer.npy", newFaces()[:2*testPoints], 2, 4, 5)
	array("beyond.npy", with(holes(newFaces()), 41, 1.7e308), 3, 4, 5)
	array("mask2.npy", slices.Repeat([]float64{1}, 40), 2, 4, 5)
	array("mask54.npy", slices.Repeat([]float64{1}, 20), 5, 4)
	array("maskhalf.npy", with(make([]float64, 60), 47, 0.5), 3, 4, 5)
	array("masknan.npy", with(make([]float64, 20), 3, nan), 4, 5)
	good := read(t, "train.npy")
	write(t, "void.npy", nil)
	write(t, "short.npy", good[:len(good)-1])
	write(t, "long.npy", append(slices.Clone(good), 0))
	write(t, "text.npy", []byte("1,2,3\n4,5,6\n"))
	write(t, "huge.npy", bytes.Replace(good, []byte("(9, 4, 5), "), []byte("(99999999999,4,5),"), 1))
	huge := "huge.npy: data: found 1447 bytes, expected 15999999999840 (the file is truncated)"
	if strconv.IntSize == 32 {
		huge = `huge.npy: byte 61: found "99999999999,4,5),}      ", expected an axis of at most 2147483647`
	}
	write(t, "complex.npy", bytes.Replace(good, []byte("<f8"), []byte("<c8"), 1))
	for _, dir := range []string{"folder", "pngs", "sizes", "broken", "glass"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "pngs/readme.txt", []byte("no picture\n"))
	for i, size := range []image.Point{{5, 4}, {4, 5}} {
		write(t, fmt.Sprintf("sizes/%d.png", i), encodePNG(t, image.NewGray(image.Rectangle{Max: size})))
	}
	write(t, "broken/0.png", encodePNG(t, image.NewGray(image.Rect(0, 0, 5, 4)))[:50])
	glass := image.NewNRGBA(image.Rect(0, 0, 5, 4))
	for i := range glass.Pix {
		glass.Pix[i] = 255
	}
	glass.Set(3, 1, color.NRGBA{A: 128})
	write(t, "glass/0.png", encodePNG(t, glass))
	write(t, "cut", read(t, "model")[:1000])
	write(t, "void", nil)
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
		{train + "pngs", "pngs: found no frame, expected files whose names end in .png, .jpg or .jpeg"},
		{train + "sizes", "sizes/1.png: found 4x5 pixels, expected 5x4 as in 0.png"},
		{train + "broken", "broken/0.png: png: invalid format: unexpected EOF, expected a PNG picture"},
		{train + "void.npy", "void.npy: magic: found 0 bytes, expected " + frames},
		{train + "text.npy", `text.npy: magic: found "1,2,3\n", expected ` + frames},
		{train + "short.npy", "short.npy: data: found 1439 bytes, expected 1440 (the file is truncated)"},
		{train + "long.npy", "long.npy: data: found more bytes, expected the end of the file after 1440"},
		{train + "huge.npy", huge},
		{train + "complex.npy", `complex.npy: descr: found "<c8", expected a byte order (< > | =) and one of b1 u1 i1 u2 i2 u4 i4 u8 i8 f2 f4 f8`},
		{train + "inf.npy", "inf.npy: frame 3, row 3, column 4, channel 0: found -Inf (1 infinite value in all), expected a finite number, or NaN for a missing one"},
		{train + "rows.npy -grid 5x5", "rows.npy: shape 9×20: found rows of 20 values, expected 25 for a grid of 5x5 and 1 channel (25 points do not divide the row)"},
		{train + "rows.npy -grid 5x2", "rows.npy: shape 9×20: found rows of 20 values, expected 10 for a grid of 5x2 and 1 channel (2 channels would fit)"},
		{train + "rows.npy -grid 5x4 -channels 3", "rows.npy: shape 9×20: found rows of 20 values, expected 60 for a grid of 5x4 and 3 channels (1 channel would fit)"},
		{train + "prime.npy -grid 5x4", "prime.npy: shape 9×19: found rows of 19 values, expected 20 for a grid of 5x4 and 1 channel (20 points do not divide the row)"},
		{train + "wide.npy -grid 5x4", "wide.npy: shape 9×5×4: found pictures of 4x5 (width x height), expected a grid of 5x4"},
		{train + "colour.npy -channels 1", "colour.npy: shape 9×4×5×3: found 3 channels, expected 1"},
		{train + "line.npy", "line.npy: shape 180: found 1 axis, " + shapes},
		{train + "number.npy", "number.npy: shape (): found 0 axes, " + shapes},
		{train + "five.npy", "five.npy: shape 9×2×2×5×1: found 5 axes, " + shapes},
		{train + "none.npy", "none.npy: shape 0×4×5: found no frame, expected at least one"},
		{train + "empty.npy", "empty.npy: shape 9×0×5: found pictures of 5x0 (width x height), expected sides of 1 to 16384 and at most 67108864 pixels"},
		{train + "times.npy -hide absent.npy", "times.npy: " + gone},
		{train + "train.npy -hide absent.npy", "absent.npy: " + gone},
		{train + "train.npy -hide mask2.npy", "mask2.npy: found nothing but ones, expected 0 where something is missing"},
		{train + "train.npy -hide mask54.npy", "mask54.npy: shape 5×4: found 20 values, expected 5×4×5×1, 5×20, 5×4×5, 4×5×1, 20, 4×5 for pictures like those in train.npy"},
		{train + "train.npy -hide maskhalf.npy", "maskhalf.npy: element (2, 1, 2): found 0.5, expected 1 (observed) or 0 (not observed)"},
		{train + "model", `~model: magic: found "\S+\\x00\\x00\\x00\\x00", expected ` + frames},

		{"info -model absent", "absent: " + gone + ", expected a model file"},
		{"info -model folder", "folder: found a folder, expected a model file"},
		{"info -model void", "void" + damaged + "header length: found 0 bytes, expected 8 (the file is truncated)"},
		{"info -model cut", "~cut" + damaged + `header: found 992 bytes, expected \d+ \(the file is truncated\)`},
		{"info -model flipped", "~flipped" + damaged + `checksum: found [0-9a-f]{64}, expected [0-9a-f]{64} \(the file is damaged\)`},
		{"info -model foreign", `foreign: not a usable model file: format "another program 3", expected "kronfield sgplvm 1"`},
		{"info -model train.npy", "train.npy: found an array of NumPy, expected a model file, as sgplvm train writes it"},

		{impute + "absent -data seen.npy", "absent: " + gone + ", expected a model file"},
		{impute + "folder -data seen.npy", "folder: found a folder, expected a model file"},
		{impute + "cut -data seen.npy", "~cut" + damaged + `header: found 992 bytes, expected \d+ \(the file is truncated\)`},
		{impute + "flipped -data seen.npy", "~flipped" + damaged + `checksum: found [0-9a-f]{64}, expected [0-9a-f]{64} \(the file is damaged\)`},
		{impute + "badgrid -data seen.npy", `badgrid: attribute grid: grid "large": expected WIDTHxHEIGHT such as 20x28, sides of 1 to 16384`},
		{impute + "othergrid -data seven.npy", "seven.npy: pictures of 21 points, expected 20, the model's"},
		{impute + "nogrid -data newrows.npy", "newrows.npy: shape 3×20: found rows of 20 values and no grid, expected a table of 1 column, or pictures and a grid, WIDTHxHEIGHT"},
		{impute + "nogrid -data newrows.npy -grid 5x5", "newrows.npy: shape 3×20: found rows of 20 values, expected 25 for a grid of 5x5 and 1 channel (25 points do not divide the row)"},
		{impute + "nogrid -data seven.npy", "seven.npy: pictures of 21 points, expected 20, the model's"},
		{impute + "model -data absent.npy", "absent.npy: " + gone},
		{impute + "model -data wide.npy", "wide.npy: shape 9×5×4: found pictures of 4x5 (width x height), expected a grid of 5x4"},
		{impute + "model -data seven.npy", "seven.npy: shape 3×3×7: found pictures of 7x3 (width x height), expected a grid of 5x4"},
		{impute + "model -data prime.npy", "prime.npy: shape 9×19: found rows of 19 values, expected 20 for a grid of 5x4 and 1 channel (20 points do not divide the row)"},
		{impute + "model -data colour.npy", "colour.npy: shape 9×4×5×3: found 3 channels, expected 1"},
		{impute + "model -data seeninf.npy", "seeninf.npy: " + infSeen},
		{impute + "model -data pngs", "pngs: found no frame, expected files whose names end in .png, .jpg or .jpeg"},
		{impute + "model -data short.npy", "short.npy: data: found 1439 bytes, expected 1440 (the file is truncated)"},
		{impute + "model -data beyond.npy", "beyond.npy: example 2, point 1, channel 0: value 1.7e+308, expected a value within 1e+100 standard deviations of the channel's mean"},
		{impute + "wild -data seen.npy", "seen.npy: picture 0: lbfgs: objective at x0 is NaN, want a finite number"},
		{impute + "wild -data blind.npy", `~blind\.npy: picture 0: point \d+, channel 0: predicted (NaN|[+-]Inf), expected a finite number`},
		{impute + "model -data seen.npy -observed absent.npy", "absent.npy: " + gone},
		{impute + "model -data seen.npy -observed folder", "folder: found no frame, expected files whose names end in .png, .jpg or .jpeg"},
		{impute + "model -data seen.npy -observed text.npy", `text.npy: magic: found "1,2,3\n", expected a mask: a .npy file of zeros and ones, or black and white pictures`},
		{impute + "model -data seen.npy -observed mask2.npy", "mask2.npy: shape 2×4×5: found 40 values, " + masks},
		{impute + "model -data seen.npy -observed mask54.npy", "mask54.npy: shape 5×4: found 20 values, " + masks},
		{impute + "model -data seen.npy -observed maskhalf.npy", "maskhalf.npy: element (2, 1, 2): found 0.5, expected 1 (observed) or 0 (not observed)"},
		{impute + "model -data seen.npy -observed masknan.npy", "masknan.npy: element (0, 3): found NaN, expected 1 (observed) or 0 (not observed)"},
		{impute + "model -data seen.npy -truth absent.npy", "absent.npy: " + gone},
		{impute + "model -data seen.npy -truth fewer.npy", "fewer.npy: 2 pictures, expected 3 as in seen.npy"},
		{impute + "nogrid -data seen.npy -truth seven.npy", "seven.npy: shape 3×3×7: found pictures of 7x3 (width x height), expected a grid of 5x4"},
		{impute + "model -data seen.npy -truth seeninf.npy", "seeninf.npy: " + infSeen},
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

// A result that cannot be written is refused at once, and an old file stays.
func TestUnwritableResults(t *testing.T) {
	workFolder(t)
	if err := os.Mkdir("folder", 0o777); err != nil {
		t.Fatal(err)
	}
	type target struct{ path, line string }
	targets := []target{
		{"absent/result", "absent/result: cannot create a file in its folder: no such file or directory"},
		{"truth.npy/result", "truth.npy/result: not a directory, expected a file that can be written"},
		{"folder", "folder: found a folder, expected a file that can be written"},
		{"folder/", "folder/: found the name of a folder, expected a file that can be written"},
		{"other/", "other/: found the name of a folder, expected a file that can be written"},
		{".", ".: found a folder, expected a file that can be written"},
	}
	if runtime.GOOS == "linux" {
		targets = append(targets,
			target{"/dev/full", "/dev/full: found a device, expected a file that can be written"},
			target{strings.Repeat("x", 300), strings.Repeat("x", 300) + ": file name too long, expected a file that can be written"})
		for link, to := range map[string]string{"circle": "circle", "lost": "absent/file", "away": "folder", "circle.npy": "circle.npy", "lost.npy": "absent/file", "circle.png": "circle.png", "lost.png": "absent/file"} {
			if err := os.Symlink(to, link); err != nil {
				t.Fatal(err)
			}
		}
		targets = append(targets,
			target{"circle", "circle: found a circle of symbolic links, expected a file that can be written"},
			target{"lost", "lost: cannot create a file in its folder: no such file or directory"},
			target{"away", "away: found a folder, expected a file that can be written"})
		if os.Getuid() != 0 {
			write(t, "fixed", []byte("old"))
			if err := os.Mkdir("closed", 0o555); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod("fixed", 0o444); err != nil {
				t.Fatal(err)
			}
			targets = append(targets,
				target{"fixed", "fixed: permission denied, expected a file that can be written"},
				target{"closed/result", "closed/result: cannot create a file in its folder: permission denied"})
		}
	}
	for _, c := range targets {
		mustFail(t, 1, c.line, "train", "-data", "train.npy", "-out", c.path)
		if strings.Contains(c.line, " folder, ") || strings.Contains(c.line, "of a folder") || strings.Contains(c.path, "/dev") || len(c.path) > 100 || c.path == "fixed" {
			continue
		}
		for _, ending := range []string{".npy", ".png"} {
			path, line := c.path+ending, strings.ReplaceAll(c.line, c.path+":", c.path+ending+":")
			if ending == ".npy" {
				mustFail(t, 1, line, "impute", "-model", "model", "-data", "seen.npy", "-out", path)
				mustFail(t, 1, line, "impute", "-model", "model", "-data", "seen.npy", "-out", "result.npy", "-variance", path)
			} else { // at once, before anything is read
				mustFail(t, 1, line, "impute", "-model", "absent", "-data", "absent", "-out", "result.npy", "-sheet", path)
			}
		}
	}
	mustFail(t, 1, "folder: found a folder, expected a file that can be written", "train", "-data", "absent", "-out", "folder")

	folder := ", expected a folder, or the name of a new one in a folder that exists"
	mustFail(t, 1, "absent/frames: no such file or directory"+folder, "impute", "-model", "absent", "-data", "absent", "-out", "absent/frames")
	mustFail(t, 1, "model: found a file"+folder, "impute", "-model", "absent", "-data", "absent", "-out", "model")
	folder = ", expected a folder, or the name of a new one in a folder that exists"
	mustFail(t, 1, "train.npy: file exists"+folder, "demo", "-out", "train.npy")
	mustFail(t, 1, "train.npy/demo: not a directory"+folder, "demo", "-out", "train.npy/demo")
	mustFail(t, 1, "absent/demo: no such file or directory"+folder, "demo", "-out", "absent/demo")
}
