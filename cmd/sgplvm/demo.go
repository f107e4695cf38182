package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

func demo(ctx context.Context, e *environment, args []string) (err error) {
	f := newFlags(e, "demo", `sgplvm demo [flags]

Draws frames of a moving face, trains on most of them, hides half the pixels of
the others, fills these in, prints the errors and writes pictures.`)
	out := f.String("out", "sgplvm-demo", "the `folder` to write to")
	grid := f.grid("grid", "32x40", "`WIDTHxHEIGHT` of a frame")
	count := f.whole("frames", 96, 8, 100000, "`number` of frames drawn; every fourth is held out")
	iters := f.whole("iters", 200, 1, maxIters, "`steps` of training")
	seed := f.seed("seed", 1, "the `number` that decides the frames' noise, the hidden pixels and training")
	if err := f.parse(args); err != nil {
		return err
	}
	if err := f.require("out"); err != nil {
		return err
	}
	l := layout(*grid, 1)
	if int64(*count)*int64(l.Points()) > dataset.MaxPoints {
		return usagef("demo: -frames %d of -grid %s, expected at most %d pixels in all", *count, *grid, dataset.MaxPoints)
	}
	undo, err := makeFolder(*out)
	if err != nil {
		return err
	}
	defer undo(&err)
	begin := time.Now()

	frames := drawFaces(*count, l.Width, l.Height, *seed)
	training, held := split(frames)
	fmt.Fprintf(e.stdout, "drew %d frames of %s pixels: %d to learn from, %d to fill in\n",
		*count, *grid, training.Shape[0], held.Shape[0])
	known, err := dataset.FromArray("drawn frames", training, l)
	if err != nil {
		return err
	}
	truth, err := dataset.FromArray("held-out frames", held, l)
	if err != nil {
		return err
	}
	seen, err := dataset.FromArray("half-seen frames", hide(held, *seed), l)
	if err != nil {
		return err
	}

	space, err := dataset.Space(l.Width, l.Height, "product")
	if err != nil {
		return err
	}
	m, err := sgplvm.New(known.Data(), sgplvm.Config{Space: space, LatentDims: min(12, known.Count-1), Seed: *seed, Attributes: attributes(&known.Form)})
	if err != nil {
		return err
	}
	r, err := fit(ctx, e, m, sgplvm.FitOptions{Iterations: *iters})
	if err != nil {
		return err
	}
	report(e, m, r)
	filled, err := fill(ctx, e, m, &observations{Frames: seen}, sgplvm.InferOptions{})
	if err != nil {
		return err
	}
	summary, err := summarize(seen, filled, truth)
	if err != nil {
		return err
	}
	if err := (evaluate.Table{Rows: []evaluate.Row{{Name: "hidden pixels", Summary: summary}}}).WriteText(e.stdout); err != nil {
		return err
	}

	for _, file := range []struct {
		name string
		save func(path string) error
	}{
		{"strip.png", func(path string) error { return saveSheet(path, seen, filled, truth, min(held.Shape[0], 8)) }},
		{"model.safetensors", func(path string) error { return saveModel(path, m) }},
		{"train.npy", func(path string) error { return saveArray(path, training.Shape, training.Float64s()) }},
		{"seen.npy", func(path string) error { return saveArray(path, held.Shape, seenValues(seen)) }},
		{"filled.npy", func(path string) error { return saveArray(path, held.Shape, filled.mean) }},
		{"truth.npy", func(path string) error { return saveArray(path, held.Shape, held.Float64s()) }},
	} {
		if err := file.save(filepath.Join(*out, file.name)); err != nil {
			return err
		}
	}
	fmt.Fprintf(e.stdout, "wrote %s: strip.png shows seen, filled and truth; the arrays and the model are beside it\ntook %s\n",
		*out, time.Since(begin).Round(100*time.Millisecond))
	return nil
}

// makeFolder makes a folder unless it is there. undo takes it back if it is empty and there
// was an error.
func makeFolder(path string) (undo func(err *error), err error) {
	err = os.Mkdir(path, 0o777)
	if errors.Is(err, fs.ErrExist) {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return func(*error) {}, nil
		}
	}
	if err != nil {
		return nil, &dataset.Error{Path: path, Err: err, Want: "a folder, or the name of a new one in a folder that exists"}
	}
	return func(err *error) {
		if *err != nil {
			os.Remove(path)
		}
	}, nil
}

// split divides frames into those to learn from and every fourth, held out.
func split(frames *npy.Array) (training, held *npy.Array) {
	values := frames.Float64s()
	size := len(values) / frames.Shape[0]
	var a, b []float64
	for i := range frames.Shape[0] {
		frame := values[i*size : (i+1)*size]
		if i%4 == 2 {
			b = append(b, frame...)
		} else {
			a = append(a, frame...)
		}
	}
	shaped := func(v []float64) *npy.Array {
		return npy.New(v, append([]int{len(v) / size}, frames.Shape[1:]...)...)
	}
	return shaped(a), shaped(b)
}

// hide returns the frames with half the pixels missing: scattered ones in the
// even frames, the left or right half of the odd ones.
func hide(frames *npy.Array, seed uint64) *npy.Array {
	rng := rand.New(rand.NewPCG(seed, 0x41de))
	values := append([]float64{}, frames.Float64s()...)
	n, height, width := frames.Shape[0], frames.Shape[1], frames.Shape[2]
	for i := range n {
		frame := values[i*height*width : (i+1)*height*width]
		order := rng.Perm(len(frame))
		left := i%4 == 1
		for k, at := range order {
			switch c := at % width; {
			case i%2 == 0 && k < len(order)/2,
				i%2 == 1 && left == (c < width/2):
				frame[at] = math.NaN()
			}
		}
	}
	return npy.New(values, frames.Shape...)
}

func seenValues(f *dataset.Frames) []float64 {
	var v []float64
	for i := range f.Count {
		v = append(v, f.Values(i)...)
	}
	return v
}
