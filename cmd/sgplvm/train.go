package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func train(ctx context.Context, e *environment, args []string) error {
	f := newFlags(e, "train", `sgplvm train -data F -out MODEL [flags]

Learns a model from complete pictures and writes it to a file. F is a .npy array
of shape n×p, n×height×width or n×height×width×channels, or a folder of PNG
pictures.`)
	data := f.String("data", "", "the training pictures: a .npy `file` or a folder of PNG frames")
	grid := f.String("grid", "", "`WIDTHxHEIGHT` of a picture, as 20x28; needed where the array has a picture a row")
	channels := f.Int("channels", 0, "channels of a pixel, side by side in a row (0: one, or what the array's shape says)")
	factors := f.String("factors", "auto", "spatial `structure`: joint (one two-dimensional factor), product (one per axis) or auto (joint up to 2048 points)")
	latent := f.Int("latent", 0, "latent dimensions (0: 30, or one less than the pictures)")
	inducing := f.Int("inducing", 0, "latent inducing points, at most as many as pictures (0: up to 100)")
	spatial := f.String("spatial", "matern32", "spatial `kernel`: matern12, matern32, matern52, rbf or white")
	isotropic := f.Bool("isotropic", false, "one spatial length scale for all axes of a factor")
	iters := f.Int("iters", 400, "steps of training in all")
	warmup := f.Int("warmup", -1, "steps of them with noise and spatial kernel held (-1: a quarter)")
	noise := f.Float64("noise", 0.05, "initial noise variance as a fraction of the data's")
	seed := f.Uint64("seed", 0, "seed of everything random")
	out := f.String("out", "", "the model `file` to write")
	if err := f.parse(args); err != nil {
		return err
	}
	if err := f.require("data", "out"); err != nil {
		return err
	}
	want, err := layoutFlags(f, *grid, *channels)
	if err != nil {
		return err
	}
	kind := sgplvm.KernelKind(*spatial)
	if !slices.Contains(sgplvm.KernelKinds, kind) {
		return usagef("train: -spatial %q, expected one of %v", *spatial, sgplvm.KernelKinds)
	}
	if !slices.Contains([]string{"auto", "joint", "product"}, *factors) {
		return usagef("train: -factors %q, expected auto, joint or product", *factors)
	}
	if !(*noise > 0 && *noise < 1) {
		return usagef("train: -noise %v, expected a number between 0 and 1", *noise)
	}
	if err := errors.Join(f.atLeast("latent", *latent, 0), f.atLeast("inducing", *inducing, 0),
		f.atLeast("iters", *iters, 1), f.atLeast("warmup", *warmup, -1)); err != nil {
		return err
	}
	if err := writable(*out); err != nil {
		return err
	}

	frames, err := dataset.Load(*data, want)
	if err != nil {
		return err
	}
	if err := dataset.CheckComplete(frames); err != nil {
		return fmt.Errorf("%w (train needs complete pictures)", err)
	}
	space, err := dataset.Space(frames.Width, frames.Height, *factors)
	if err != nil {
		return usagef("train: -factors: %v", err)
	}
	for i := range space {
		space[i].Kernel.Kind = kind
		if *isotropic && kind != sgplvm.White {
			space[i].Kernel.LengthScale = []float64{2}
		}
	}
	if *inducing > frames.Count {
		return usagef("train: -inducing %d, expected at most %d, the number of pictures in %s", *inducing, frames.Count, *data)
	}
	m, err := sgplvm.New(frames.Data(), sgplvm.Config{
		Space: space, LatentDims: *latent, Inducing: *inducing, Noise: *noise, Seed: *seed,
		Attributes: pictureAttributes(frames.Layout),
	})
	if err != nil {
		return fmt.Errorf("%s: %w", *data, err)
	}
	o := sgplvm.FitOptions{Iterations: *iters}
	switch *warmup {
	case -1:
	case 0:
		o.Warmup = -1
	default:
		o.Warmup = *warmup
	}
	r, fitErr := fitWithProgress(ctx, e, m, o)
	if fitErr != nil && !errors.Is(fitErr, context.Canceled) {
		return fitErr
	}
	if fitErr != nil && r.Iterations == 0 {
		return fitErr // nothing was learnt: leave an older model alone
	}
	if err := saveModel(*out, m); err != nil {
		return err
	}
	if fitErr != nil {
		fmt.Fprintf(e.stderr, "sgplvm: wrote %s as it was after %d steps\n", *out, r.Iterations)
	}
	return fitErr
}

// fitWithProgress trains a model and reports how it went.
func fitWithProgress(ctx context.Context, e *environment, m *sgplvm.Model, o sgplvm.FitOptions) (sgplvm.FitResult, error) {
	p := newProgress(e)
	o.Progress = p.training
	begin := time.Now()
	r, err := m.Fit(ctx, o)
	p.clear()
	if err != nil && !errors.Is(err, context.Canceled) {
		return r, err
	}
	fmt.Fprintf(e.stdout, "trained on %d pictures in %s: %d steps (%s), bound %.6g, noise %s, signal-to-noise ratio %.1f\n",
		m.Examples(), time.Since(begin).Round(100*time.Millisecond), r.Iterations, r.Status, r.Bound, numbers(m.Noise()), m.SignalToNoise())
	for _, w := range r.Warnings {
		fmt.Fprintf(e.stderr, "sgplvm: warning: %s\n", w)
	}
	return r, err
}

func numbers(v []float64) string {
	var s []string
	for _, x := range v {
		s = append(s, fmt.Sprintf("%.4g", x))
	}
	return strings.Join(s, ", ")
}

func saveModel(path string, m *sgplvm.Model) error {
	return dataset.WriteFileAtomic(path, func(w io.Writer) error { return m.Save(w) })
}

// writable refuses a result's path that cannot be written, before hours are
// spent on the result.
func writable(path string) error {
	dir := filepath.Dir(path)
	if s, err := os.Stat(dir); err != nil || !s.IsDir() {
		return fmt.Errorf("%s: there is no folder %s to write to", path, dir)
	}
	if s, err := os.Stat(path); err == nil && s.IsDir() {
		return fmt.Errorf("%s: is a folder, expected the name of a file to write", path)
	}
	return nil
}

// layoutFlags reads -grid and -channels.
func layoutFlags(f *flags, grid string, channels int) (dataset.Layout, error) {
	want := dataset.Layout{Channels: channels}
	if channels < 0 || channels > dataset.MaxChannels {
		return want, usagef("%s: -channels %d, expected 1 to %d", f.Name(), channels, dataset.MaxChannels)
	}
	if grid != "" {
		w, h, err := dataset.ParseGrid(grid)
		if err != nil {
			return want, usagef("%s: -grid: %v", f.Name(), err)
		}
		want.Width, want.Height = w, h
	}
	return want, nil
}

// attributeGrid is where a model keeps the size of its pictures.
const attributeGrid = "grid"

func pictureAttributes(l dataset.Layout) map[string]string {
	return map[string]string{attributeGrid: dataset.FormatGrid(l.Width, l.Height)}
}
