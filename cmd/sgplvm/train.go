package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
)

func train(ctx context.Context, e *environment, args []string) error {
	f := newFlags(e, "train", `sgplvm train -data F -out MODEL [flags]

Learns a model from complete pictures and writes it to a file. F is a .npy array
of shape n×p, n×height×width or n×height×width×channels, an animated GIF, or a folder of
PNG or JPEG pictures; with -points, of shape n×points or n×points×channels.`)
	data := f.String("data", "", "the training pictures: a .npy `file`, a GIF or a folder of PNG or JPEG frames")
	grid := f.grid("grid", "", "`WIDTHxHEIGHT` of a picture, as 20x28; needed where the array has a picture a row")
	points := f.String("points", "", "the `file` with coordinates, .npy, points×dimensions, where values were not seen on a picture's grid but at scattered points")
	channels := f.whole("channels", 0, 0, dataset.MaxChannels, "`number` of channels of a pixel, side by side in a row (0: one, or what the array's shape says)")
	factors := f.choice("factors", "auto", "spatial `structure`: joint (one two-dimensional factor), product (one per axis) or auto (joint up to 2048 points)",
		"joint", "product", "auto")
	latent := f.whole("latent", 0, 0, maxLatent, "`number` of latent dimensions (0: 30, or one less than the pictures)")
	latentKernel := add(f, "latent-kernel", sgplvm.LatentRBF, "latent `kernel`: rbf, linear, bias, with -prior dynamic time, or a sum of them, as rbf+linear+bias", sgplvm.ParseLatentParts)
	prior := f.choice("prior", "independent", "`prior` of the latent variables: independent from picture to picture, or dynamic, Gaussian processes in time", "independent", "dynamic")
	times := f.String("times", "", "the `file` with the times of the pictures, .npy (default: a GIF's own, or 0, 1, 2, …); with -prior dynamic")
	sequences := f.String("sequences", "", "the `file` with a label for every picture, .npy, whole numbers: those with different labels have nothing to do with one another in time (default: one sequence); with -prior dynamic")
	timeKernel := add(f, "time-kernel", sgplvm.TimeKernel{Kind: sgplvm.Matern32}, "`kernel` of a dynamic prior: matern12, matern32, matern52, rbf, periodic, or sums and products, with or without weights, periods and length scales, as 0.7*rbf(5)*periodic(12,1)+0.3*matern12; or auto: of some with and without a time part and noise floors the one under which leaving out one picture after the other goes best", parseKernelOrAuto)
	period := add(f, "period", 0., "the `period` of what repeats itself, in units of the times, for the choice of -time-kernel auto", parsePeriod)
	partKernel := add(f, "latent-time-kernel", sgplvm.TimeKernel{}, "`kernel` of the time part of -latent-kernel, or auto: of more than a million numbers matern12 or matern12+matern32, whichever predicts pictures better from the others when they are shrunk, of fewer the sum; default that of -time-kernel, with -motion auto", parseKernelOrAuto)
	inducing := f.whole("inducing", 0, 0, math.MaxInt32, "`number` of latent inducing points, at most as many as pictures (0: up to 100)")
	spatial := f.choice("spatial", string(sgplvm.Matern32), "spatial `kernel`: matern12, matern32, matern52, rbf or white", kernelNames()...)
	moving := f.toggle("motion", "estimate how the contents of the pictures move, learn the pictures with their motion taken out, and let render carry what it predicts; of pictures that do not move nothing is changed; with -prior dynamic")
	uncalibrated := f.toggle("uncalibrated", "leave the variances of predictions at a time as they are, rather than compare them with what leaving out one picture after the other leaves unexplained at every point; with -prior dynamic")
	isotropic := f.toggle("isotropic", "one spatial length scale for all axes of a factor")
	iters := f.whole("iters", 400, 1, maxIters, "`steps` of training in all")
	warmup := f.whole("warmup", -1, -1, maxIters, "`steps` of them with noise and spatial kernel held (-1: three quarters)")
	schedule := f.choice("schedule", string(sgplvm.Schedules[0]), "`order` of the steps after the warm-up: alternating (space is free in a few of them) or joint (in all)", scheduleNames()...)
	truncate := f.part("truncate", "`nats` a value by which spatial components may be left out where that saves time (0: none)")
	residual := f.choice("residual", "none", "`kernel` of what a picture has beside its latent variables: none, matern12, matern32, matern52 or rbf; with joint factors only", residualNames()...)
	floor := f.part("noise-floor", "`fraction` of the data's variance that the white noise does not fall below")
	rounds := f.whole("residual-rounds", 0, 0, maxRestarts, "`number` of times that the covariance of the residual is learned freely after training; predictions at other points have the residual's kernel instead")
	local := f.toggle("residual-local", "keep what training leaves unexplained of every picture: a picture that is filled in then has the noise of those like it; with -residual-rounds")
	taper := add(f, "residual-taper", 0., "`distance`, in mean spacings of the points, over which those rounds believe what pictures say of two points together (0: by the number of pictures; negative: any)", finite)
	coarse := f.whole("coarse", 0, 0, math.MaxInt32, "`number` of points, of more of which a model with -residual takes a random choice for all training but these rounds (0: all points)")
	restarts := f.whole("restarts", 1, 1, maxRestarts, "`number` of starts, from which the best goes on after a tenth of the steps")
	noise := f.share("noise", 0.01, "initial noise variance as a `fraction` of the data's")
	seed := f.seed("seed", 0, "the `number` that decides everything random")
	out := f.String("out", "", "the model `file` to write")
	if err := f.parse(args); err != nil {
		return err
	}
	if err := f.require("data", "out"); err != nil {
		return err
	}
	if err := f.onePlace(*points, *grid); err != nil {
		return err
	}
	if *prior == "independent" {
		if err := f.without("-prior dynamic", "times", "sequences", "time-kernel", "period", "uncalibrated", "motion"); err != nil {
			return err
		}
		if *latentKernel&sgplvm.LatentTime != 0 {
			return usagef("train: -latent-kernel %v without -prior dynamic, which knows the times", *latentKernel)
		}
	}
	if *latentKernel&sgplvm.LatentTime == 0 {
		if err := f.without("-latent-kernel with time", "latent-time-kernel"); err != nil {
			return err
		}
	}
	if timeKernel.Kind != automatic {
		if err := f.without("-time-kernel auto", "period"); err != nil {
			return err
		}
	} else {
		for _, name := range []string{"latent-kernel", "latent-time-kernel", "noise", "noise-floor", "residual"} {
			if f.given(name) {
				return usagef("train: -%s with -time-kernel auto, which chooses it, expected one of the two", name)
			}
		}
	}
	if partKernel.Kind == automatic {
		switch {
		case *points != "":
			return usagef("train: -latent-time-kernel auto with -points, expected pictures")
		case *residual != "none":
			return usagef("train: -latent-time-kernel auto with -residual, expected one of the two")
		}
	}
	if *points != "" {
		switch {
		case *factors != "auto":
			return usagef("train: -factors %s with -points, expected no -factors: scattered points are one factor", *factors)
		case *isotropic:
			return usagef("train: -isotropic with -points, expected one of the two")
		}
	}
	if err := f.apart([]string{"data", "points", "times", "sequences"}, []string{"out"}); err != nil {
		return err
	}
	if err := writable(*out); err != nil {
		return err
	}

	frames, space, err := trainingFrames(*data, *points, layout(*grid, *channels), *factors)
	if err != nil {
		return err
	}
	defer frames.Close()
	if err := frames.CheckComplete(); err != nil {
		return fmt.Errorf("%w (train needs complete pictures)", err)
	}
	kind := sgplvm.KernelKind(*spatial)
	for i := range space {
		space[i].Kernel.Kind = kind
		if *isotropic && kind != sgplvm.White {
			space[i].Kernel.LengthScale = []float64{2}
		}
	}
	if *inducing > frames.Count {
		return usagef("train: -inducing %d, expected at most %d, the number of pictures in %s", *inducing, frames.Count, *data)
	}
	var rest sgplvm.Kernel
	if *residual != "none" {
		if len(space) != 1 {
			return usagef("train: -residual %s with %d spatial factors, expected one: -factors joint (an exact scheme for products is not available)", *residual, len(space))
		}
		rest.Kind = sgplvm.KernelKind(*residual)
	}
	if *rounds > 0 && *residual == "none" {
		return usagef("train: -residual-rounds %d without a residual, expected -residual with one of its kernels", *rounds)
	}
	if *coarse > 0 && *residual == "none" {
		return usagef("train: -coarse %d without a residual, expected -residual with one of its kernels", *coarse)
	}
	if *local && *rounds == 0 {
		return usagef("train: -residual-local without -residual-rounds, expected 1 round or more")
	}
	if *floor >= *noise {
		return usagef("train: -noise-floor %v, expected less than the initial noise, %v", *floor, *noise)
	}
	var moves sgplvm.Dynamics
	if *prior == "dynamic" {
		if moves, err = dynamics(&frames.Form, *times, *sequences, *timeKernel); err != nil {
			return err
		}
	}
	source, moved := frames.Data(), (*film.Film)(nil)
	if *moving {
		if *points != "" {
			return usagef("train: -motion with -points, expected pictures")
		}
		var still sgplvm.Source
		if moved, still, err = newFilm(ctx, e, frames, moves, frames.Layout); err != nil {
			return aboutData(*data, err)
		}
		source = sgplvm.Data{Source: still}
		if partKernel.Kind == "" && rest.Kind == "" && (*latentKernel&sgplvm.LatentTime != 0 || timeKernel.Kind == automatic) {
			partKernel.Kind = automatic
		}
	}
	cfg := sgplvm.Config{
		Space: space, LatentDims: *latent, LatentKernel: *latentKernel, Inducing: *inducing, Noise: *noise, Seed: *seed,
		Dynamics: moves, LatentTime: *partKernel, Residual: rest, NoiseFloor: *floor,
		Attributes: attributes(&frames.Form),
	}
	o := sgplvm.FitOptions{Iterations: *iters, Schedule: sgplvm.Schedule(*schedule), Restarts: *restarts, Truncate: *truncate,
		CoarsePoints: *coarse, Calibrate: moves.Times != nil && rest.Kind == "" && !*uncalibrated, ResidualRounds: *rounds, ResidualTaper: *taper, LocalResiduals: *local}
	switch *warmup {
	case -1:
	case 0:
		o.Warmup = -1
	default:
		o.Warmup = *warmup
	}
	if cfg, err = chooseTime(ctx, e, source, frames.Layout, cfg, o, *period); err != nil {
		return aboutData(*data, err)
	}
	m, err := sgplvm.New(source, cfg)
	if err != nil {
		return aboutData(*data, err)
	}
	if moved != nil {
		if err := moved.Keep(m); err != nil {
			return err
		}
	}
	r, fitErr := fit(ctx, e, m, o)
	if fitErr != nil && (r.Iterations == 0 || !errors.Is(fitErr, context.Canceled)) {
		return aboutData(*data, fitErr) // nothing was learnt: leave an older model alone
	}
	if moved != nil && fitErr == nil && o.Calibrate {
		fitErr = calibrateFilm(ctx, e, moved, m, frames)
	}
	if err := saveModel(*out, m); err != nil {
		return err
	}
	report(e, m, r)
	if fitErr != nil {
		fmt.Fprintf(e.stderr, "sgplvm: wrote %s as it was after step %d\n", printable(*out), r.Iterations)
	}
	return fitErr
}

// dynamics reads the times and sequences of a dynamical prior, where they are given.
func dynamics(f *dataset.Form, times, sequences string, kernel sgplvm.TimeKernel) (d sgplvm.Dynamics, err error) {
	d = sgplvm.Dynamics{Times: f.Times, Kernel: kernel}
	switch {
	case times != "":
		if d.Times, err = dataset.LoadTimes(times, f.Count); err != nil {
			return d, err
		}
	case d.Times == nil:
		d.Times = dataset.EvenTimes(f.Count, 1)
	}
	if sequences != "" {
		d.Sequences, err = dataset.LoadSequences(sequences, f.Count)
	}
	return d, err
}

// trainingFrames opens the training data with the space in which they were seen.
func trainingFrames(data, points string, want dataset.Layout, factors string) (*dataset.Training, []sgplvm.SpatialFactor, error) {
	if points != "" {
		grid, err := dataset.LoadPoints(points)
		if err != nil {
			return nil, nil, err
		}
		frames, err := dataset.OpenAt(data, grid.Len(), want.Channels)
		return frames, []sgplvm.SpatialFactor{{X: grid[0]}}, err
	}
	frames, err := dataset.Open(data, want)
	if err != nil {
		return nil, nil, err
	}
	space, err := dataset.Space(frames.Width, frames.Height, factors)
	if err != nil {
		frames.Close()
		return nil, nil, usagef("train: -factors: %v", err)
	}
	return frames, space, nil
}

// aboutData names the data in an error, unless that is one of reading them, which does.
func aboutData(path string, err error) error {
	if read := (*sgplvm.ReadError)(nil); errors.As(err, &read) {
		return read.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// Limits on flags, far beyond use, within which no arithmetic overflows.
const (
	maxLatent   = 1024
	maxIters    = 1000000
	maxRestarts = 1000
	maxFields   = 1000000
)

// residualNames are the kernels of a residual; none comes first.
func residualNames() []string {
	names := []string{"none"}
	for _, k := range sgplvm.KernelKinds {
		if k != sgplvm.White {
			names = append(names, string(k))
		}
	}
	return names
}

func scheduleNames() []string {
	var names []string
	for _, s := range sgplvm.Schedules {
		names = append(names, string(s))
	}
	return names
}

func kernelNames() []string {
	var names []string
	for _, k := range sgplvm.KernelKinds {
		names = append(names, string(k))
	}
	return names
}

// trained is the outcome of training and the time that it took.
type trained struct {
	sgplvm.FitResult
	took time.Duration
}

// fit trains a model and shows how it goes.
func fit(ctx context.Context, e *environment, m *sgplvm.Model, o sgplvm.FitOptions) (trained, error) {
	p := newProgress(e)
	defer p.clear()
	o.Progress = p.training
	begin := time.Now()
	r, err := m.Fit(ctx, o)
	return trained{r, time.Since(begin)}, err
}

// report prints how training went.
func report(e *environment, m *sgplvm.Model, r trained) {
	fmt.Fprintf(e.stdout, "trained on %d pictures in %s: %d steps (%s), bound %.6g, noise %s, signal-to-noise ratio %.4g\n",
		m.Examples(), r.took.Round(100*time.Millisecond), r.Iterations, r.Status, r.Bound, numbers(m.Noise()), m.SignalToNoise())
	if len(r.Starts) > 0 {
		fmt.Fprintf(e.stdout, "bounds of the starts when the best was chosen: %s\n", numbers(r.Starts))
	}
	for i := len(r.Phases) - 1; i >= 0; i-- {
		if p := r.Phases[i]; p.Components > 0 {
			fmt.Fprintf(e.stdout, "truncation left out %d of %d spatial components at last, which lowers the bound by at most %.3g\n", p.LeftOut, p.Components, p.TruncationLoss)
			break
		}
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(e.stderr, "sgplvm: warning: %s\n", w)
	}
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
	probe := errors.New("not written")
	err := dataset.WriteFileAtomic(path, func(io.Writer) error { return probe })
	if errors.Is(err, probe) {
		return nil
	}
	return err
}

// allWritable is writable for those of the paths that are given.
func allWritable(paths ...string) error {
	for _, path := range paths {
		if path != "" {
			if err := writable(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// layout is the size of the pictures as flags ask for it.
func layout(grid string, channels int) dataset.Layout {
	l := dataset.Layout{Channels: channels}
	if grid != "" {
		l.Width, l.Height, _ = dataset.ParseGrid(grid) // checked by the flag
	}
	return l
}

// attributeGrid is where a model keeps the size of its pictures, attributePoints where
// one of scattered points says so.
const (
	attributeGrid   = "grid"
	attributePoints = "points"
)

func attributes(f *dataset.Form) map[string]string {
	if f.Scattered {
		return map[string]string{attributePoints: "scattered"}
	}
	return map[string]string{attributeGrid: dataset.FormatGrid(f.Width, f.Height)}
}

// scattered reports whether a model was trained on values at scattered points.
func scattered(m *sgplvm.Model) bool { return m.Attributes()[attributePoints] == "scattered" }
