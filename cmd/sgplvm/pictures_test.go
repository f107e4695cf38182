package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// glass writes pictures of one channel, with transparent pixels for NaN, and returns the names of their files.
func glass(t *testing.T, folder string, v []float64, names ...string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for k, name := range names {
		p := image.NewNRGBA(image.Rect(0, 0, testWidth, testHeight))
		for i, x := range v[k*testPoints : (k+1)*testPoints] {
			c := color.NRGBA{A: 100}
			if x == x {
				c = color.NRGBA{uint8(x), uint8(x), uint8(x), 200}
			}
			p.SetNRGBA(i%testWidth, i/testWidth, c)
		}
		write(t, filepath.Join(folder, name), encodePNG(t, p))
	}
}

// loaded reads pictures as one value a pixel.
func loaded(t *testing.T, path string) (v []float64, names []string) {
	t.Helper()
	f, err := dataset.Load(path, dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Count {
		for k, x := range f.Values(i) {
			if k%f.Channels == 0 {
				v = append(v, x)
			}
		}
	}
	return v, f.Files
}

// Pictures with transparent pixels, a folder of masks or one mask are filled in as pictures, with the levels and the names of their
// source, and the uncertainty as pictures.
func TestPictures(t *testing.T) {
	workFolder(t)
	steps(t, 30)
	var names []string
	for i := range testTraining {
		names = append(names, "t"+string(rune('0'+i))+".png")
	}
	glass(t, "training", trainingFaces(), names...)
	mustRun(t, strings.Fields("train -data training -config steps30.json -out coloured")...)
	seen := holes(newFaces())
	glass(t, "damaged", seen, "one.png", "three.png", "two.png")
	o := sgplvmRun(strings.Fields("impute -model coloured -data damaged -out filled -variance uncertain")...)
	if o.code != 0 || o.stderr[:strings.IndexByte(o.stderr, ',')] != "sgplvm: uncertain: black is certain" {
		t.Fatal(o)
	}
	filled, got := loaded(t, "filled")
	if strings.Join(got, " ") != "one.png three.png two.png" {
		t.Errorf("files %q", got)
	}
	mustRun(t, strings.Fields("impute -model coloured -data damaged -out filled.npy")...)
	array := shaped(t, "filled.npy", testNew, testHeight, testWidth, 3)
	deviations, _ := loaded(t, "uncertain")
	holes := 0
	for i, x := range seen {
		if want := math.Round(min(255, max(0, array[3*i]))); filled[i] != want || x == x && filled[i] != x {
			t.Fatalf("pixel %d is %v, expected %v, seen %v", i, filled[i], want, x)
		}
		if x != x {
			holes++
		}
		if (x == x) != (deviations[i] == 0) {
			t.Errorf("pixel %d: %v with a deviation of level %v", i, x, deviations[i])
		}
	}
	if holes == 0 {
		t.Fatal("no holes")
	}
	// Training with holes, and one picture.
	mask := image.NewGray(image.Rect(0, 0, testWidth, testHeight))
	for i := range mask.Pix {
		mask.Pix[i] = uint8(255 * (i % 2))
	}
	write(t, "mask.png", encodePNG(t, mask))
	succeed(t, strings.Fields("train -data training -observed mask.png -config steps30.json -out holey")...)
	if string(tensorsOf(t, "holey")) == string(tensorsOf(t, "coloured")) {
		t.Error("train does not see the mask")
	}
	o = sgplvmRun(strings.Fields("impute -model coloured -data damaged/two.png -out two.png")...)
	if o.code != 0 || o.stderr != "" {
		t.Fatal(o.stderr)
	}
	if two, _ := loaded(t, "two.png"); two[7] != filled[2*testPoints+7] {
		t.Error("one picture is filled in otherwise")
	}
	succeed(t, strings.Fields("fill -data damaged -observed mask.png -config steps30.json -out completed -variance unsure")...)
	completed, got := loaded(t, "completed")
	if len(completed) != testNew*testPoints || strings.Join(got, " ") != "one.png three.png two.png" {
		t.Errorf("%d values of %q", len(completed), got)
	}
	mustRun(t, strings.Fields("predict -model coloured -out mean.csv")...)
	if text := string(read(t, "mean.csv")); !strings.HasPrefix(text, "example,row,column,channel,value\n0,0,0,0,") || strings.Count(text, "\n") != 1+3*testTraining*testPoints {
		t.Errorf("%.60q", text)
	}
	// A hole that all pictures have, or the only one, is filled in: pixels exist, whether alpha or a mask hides them.
	same := trainingFaces()
	for i := range same {
		if i%testPoints == 7 {
			same[i] = math.NaN()
		}
	}
	glass(t, "hole", same, names...)
	writeArray(t, "nohole.npy", npy.New(trainingFaces(), testTraining, testHeight, testWidth))
	hide := slices.Repeat([]uint8{1}, testPoints)
	hide[7] = 0
	writeArray(t, "hide.npy", npy.New(hide, testHeight, testWidth))
	for _, args := range []string{"-data hole -out nohole", "-data hole/t0.png -out single.png", "-data nohole.npy -observed hide.npy -out nohole2.npy"} {
		succeed(t, append(strings.Fields("fill -config steps30.json"), strings.Fields(args)...)...)
		v, _ := loaded(t, args[strings.LastIndex(args, " ")+1:])
		for i, x := range v {
			if x != x {
				t.Errorf("%s: pixel %d is not filled in", args, i)
			}
		}
	}
	// A point that nobody has is transparent.
	gone := trainingFaces()
	for i := range gone {
		if i%testPoints == 6 || i%7 == 1 {
			gone[i] = math.NaN()
		}
	}
	writeArray(t, "gone.npy", npy.New(gone, testTraining, testHeight, testWidth))
	succeed(t, strings.Fields("fill -data gone.npy -config steps30.json -out gone")...)
	p, err := png.Decode(bytes.NewReader(read(t, "gone/frame0003.png")))
	if err != nil {
		t.Fatal(err)
	}
	for i := range testPoints {
		if _, _, _, a := p.At(i%testWidth, i/testWidth).RGBA(); (a == 0) != (i == 6) {
			t.Errorf("pixel %d has the opacity %d", i, a)
		}
	}
}

// Endings that no command writes are refused, with what helps.
func TestEndings(t *testing.T) {
	workFolder(t)
	const pictures = ", or one of a folder for pictures"
	for args, line := range map[string]string{
		"render -model model -out x.mp4":                 `render: -out "x.mp4" is a video, expected a folder of pictures, from which ffmpeg makes it: -out frames, then ffmpeg -framerate 25 -i frames/frame%04d.png x.mp4`,
		"render -model model -out x.tif":                 `render: -out "x.tif", expected a name that ends in .npy, .csv, .png, .gif` + pictures,
		"render -model model -out x.png":                 `render: -out "x.png" for 9 pictures, expected the name of a folder`,
		"impute -model model -data seen.npy -out o.jpg":  `impute: -out "o.jpg", expected a name that ends in .npy, .csv, .png` + pictures,
		"impute -model model -data seen.npy -out o.gif":  `impute: -out "o.gif", expected a name that ends in .npy, .csv, .png` + pictures,
		"predict -model model -out o.safetensors":        `predict: -out "o.safetensors", expected a name that ends in .npy, .csv, .png` + pictures,
		"predict -model model -out o.npy -variance v.gz": `predict: -variance "v.gz", expected a name that ends in .npy, .csv, .png` + pictures,
		"sample -model model -out o.npy -sheet s.jpg":    `sample: -sheet "s.jpg", expected a name that ends in .png`,
		"sample -model model -out o.npy -latent l.png":   `sample: -latent "l.png" of values that are no pictures, expected a name that ends in .npy or .csv`,
	} {
		mustFail(t, 2, line, strings.Fields(args)...)
	}
	// A model does not look like anything else.
	const own = ", expected a name for a model, which has an ending of its own or none: "
	mustFail(t, 2, `train: -out "train.png"`+own+"train.model", "train", "-data", "train.npy", "-out", "train.png")
	mustFail(t, 2, `fill: -save "m.NPY"`+own+"m.model", "fill", "-data", "train.npy", "-out", "o.npy", "-save", "m.NPY")
	mustFail(t, 2, `compile: -out "m.json"`+own+"m.model", "compile", "-model", "model", "-out", "m.json")
	write(t, "clip.mp4", []byte("\x00\x00\x00\x20ftypisom and so on"))
	for _, args := range []string{"train -data clip.mp4 -out result", "fill -data clip.mp4 -out o.npy", "impute -model model -data clip.mp4 -out o.npy"} {
		mustFail(t, 1, "clip.mp4: found a video (MP4 or QuickTime), expected its frames as a folder of pictures: mkdir frames && ffmpeg -i clip.mp4 frames/%05d.png", strings.Fields(args)...)
	}
	// One frame is a picture.
	succeed(t, strings.Fields("render -model model -examples 3 -out x.png")...)
	if v, _ := loaded(t, "x.png"); len(v) != testPoints {
		t.Errorf("%d pixels", len(v))
	}
	// A result does not replace a picture of a folder of data; beside these it may lie.
	if err := os.Mkdir("photos", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename("x.png", "photos/x.png"); err != nil {
		t.Fatal(err)
	}
	mustFail(t, 2, `impute: -out "photos/x.png" is a picture of -data, expected another file`, "impute", "-model", "model", "-data", "photos", "-out", "photos/x.png")
	mustFail(t, 2, `impute: -sheet "./photos/x.png" is a picture of -data, expected another file`, "impute", "-model", "model", "-data", "photos", "-out", "o.npy", "-sheet", "./photos/x.png")
	succeed(t, strings.Fields("impute -model model -data photos -out photos/o.npy")...)
}
