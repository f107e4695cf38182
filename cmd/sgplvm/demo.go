package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/cmd/internal/report"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/page"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// mostDrawn is how many pixels the demonstration draws at most.
const mostDrawn = 1 << 26

func demo(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "demo", `sgplvm demo [flags]

Draws frames of a moving face, trains on most of them, hides half the pixels of
the others, fills these in, prints the errors and writes a page and pictures.`)
	out := f.String("out", "sgplvm-demo", "the `folder` to write to")
	grid := f.Grid("grid", "32x40", "`WIDTHxHEIGHT` of a frame")
	count := f.Whole("frames", 96, 8, 100000, "`number` of frames drawn; every fourth is to be filled in")
	iterations := f.Whole("iters", 200, 1, cli.MaxIterations, "`steps` of training")
	seed := f.Seed("seed", 1, "the `number` that decides the frames' noise, the hidden pixels and training")
	f.Need("out")
	f.Everyday("out", "grid", "frames")
	f.Examples("sgplvm demo", "sgplvm demo -grid 24x30 -frames 48 -out small")
	if err := f.Read(args); err != nil {
		return err
	}
	l := cli.Layout(*grid, 1)
	if int64(*count)*int64(l.Points()) > mostDrawn {
		return f.Usagef("-frames %d of -grid %s, expected at most %d pixels in all", *count, *grid, mostDrawn)
	}
	begin := time.Now()
	err := files.WriteFolder(*out, func(folder string) error { return makeDemo(ctx, e, folder, *count, l, *iterations, *seed) })
	if err == nil {
		fmt.Fprintf(e.Stdout, "wrote %s: open report.html in a browser; strip.png shows seen, filled, deviation and truth; the arrays and the model are beside it\ntook %s\n",
			*out, time.Since(begin).Round(100*time.Millisecond))
	}
	return err
}

// makeDemo draws frames, trains on most of them, fills in the others and writes all to a folder.
func makeDemo(ctx context.Context, e *cli.Environment, folder string, count int, l dataset.Layout, iterations int, seed uint64) error {
	d, err := draw(count, l, seed)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Stdout, "drew %d frames of %s pixels: %d to learn from, %d to fill in\n", count, dataset.FormatGrid(l.Width, l.Height), d.training.Count, d.truth.Count)
	m, err := d.train(ctx, e, iterations, seed)
	if err != nil {
		return err
	}
	filled, err := engine.Fill(ctx, e, m, &engine.Observations{Frames: d.seen}, sgplvm.InferOptions{})
	if err != nil {
		return err
	}
	rows, err := filled.Rows("hidden pixels", d.seen, d.truth)
	if err != nil {
		return err
	}
	if err := report.Write(e.Stdout, rows); err != nil {
		return err
	}
	if err := d.save(folder, m, filled); err != nil {
		return err
	}
	in := &page.Input{Model: m, Name: "the demo: a drawn face that moves", Data: &page.Data{Name: "half-seen frames", Seen: d.seen, Truth: d.truth}}
	return savePage(ctx, e, filepath.Join(folder, "report.html"), in)
}

// demoFrames are drawn frames: some to learn from, and the others in truth and as seen.
type demoFrames struct{ training, truth, seen *dataset.Frames }

// draw draws frames and divides them: every fourth is to be filled in.
func draw(count int, l dataset.Layout, seed uint64) (d demoFrames, err error) {
	all, err := dataset.FromArray("drawn frames", picture.Faces(count, l.Width, l.Height, seed), l)
	if err != nil {
		return d, err
	}
	var training, rest []int
	for i := range count {
		if i%4 == 2 {
			rest = append(rest, i)
		} else {
			training = append(training, i)
		}
	}
	d.training, d.truth = all.Select(training), all.Select(rest)
	d.seen, err = dataset.FromArray("half-seen frames", npy.New(hide(d.truth, seed), d.truth.Shape...), l)
	return d, err
}

// hide returns the values of frames with half the pixels missing: scattered ones in the even frames, the left
// or right half of the odd ones.
func hide(frames *dataset.Frames, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 0x41de))
	values, width := engine.Matrix(frames).Data, frames.Width
	for i := range frames.Count {
		frame := values[i*frames.Points() : (i+1)*frames.Points()]
		order := rng.Perm(len(frame))
		left := i%4 == 1
		for k, pixel := range order {
			if i%2 == 0 && k < len(order)/2 || i%2 == 1 && left == (pixel%width < width/2) {
				frame[pixel] = math.NaN()
			}
		}
	}
	return values
}

// train trains a model.
func (d demoFrames) train(ctx context.Context, e *cli.Environment, iterations int, seed uint64) (*sgplvm.Model, error) {
	grid, err := dataset.Grid(d.training.Width, d.training.Height, "product")
	if err != nil {
		return nil, err
	}
	cfg := sgplvm.Config{Effort: sgplvm.EffortNone, LatentDims: min(12, d.training.Count-1), Seed: seed}
	if cfg.Attributes, err = engine.Attributes(&d.training.Form, d.training); err != nil {
		return nil, err
	}
	cfg.Training.Iterations = iterations
	m, r, err := engine.Fit(ctx, sgplvm.Run{Watch: e}, sgplvm.Data{Source: d.training, Grid: grid}, cfg)
	if err != nil {
		return nil, err
	}
	engine.Report(e, m, r)
	return m, nil
}

// save writes the frames, the model and a picture of what was filled in to a folder.
func (d demoFrames) save(folder string, m *sgplvm.Model, filled *engine.Result) error {
	path := func(name string) string { return filepath.Join(folder, name) }
	if err := picture.SaveFilled(path("strip.png"), d.seen, filled.Mean, filled.Variance, d.truth, min(d.truth.Count, 8)); err != nil {
		return err
	}
	if err := engine.Save(path("model.safetensors"), m); err != nil {
		return err
	}
	for name, frames := range map[string]*dataset.Frames{"train.npy": d.training, "seen.npy": d.seen, "truth.npy": d.truth} {
		if err := engine.SaveArray(path(name), frames.Shape, engine.Matrix(frames).Data); err != nil {
			return err
		}
	}
	return engine.SaveArray(path("filled.npy"), d.truth.Shape, filled.Mean)
}
