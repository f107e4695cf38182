package main

import (
	"math"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// trainSettings are the flags of train.
type trainSettings struct {
	f *cli.Flags

	data, grid, points, out *string
	channels                *int

	factors, spatial *string
	isotropic        *bool

	latent, inducing *int
	latentKernel     *string

	prior, times, sequences *string
	timeKernel, partKernel  *cli.TimeKernel
	period                  *float64
	motion, uncalibrated    *bool

	noise, floor   *float64
	residual       *string
	rounds, coarse *int
	local          *bool
	taper          *float64

	iterations, warmup, restarts *int
	schedule                     *string
	truncate                     *float64
	seed                         *uint64
}

func newTrainSettings(e *cli.Environment) *trainSettings {
	f := cli.NewFlags(e, "train", `sgplvm train -data F -out MODEL [flags]

Learns a model from complete pictures and writes it to a file. F is a .npy array
of shape n×p, n×height×width or n×height×width×channels, an animated GIF, or a folder of
PNG or JPEG pictures; with -points, of shape n×points or n×points×channels.`)
	kernels, residuals := spatialKernels()
	return &trainSettings{
		f:        f,
		data:     f.String("data", "", "the training pictures: a .npy `file`, a GIF or a folder of PNG or JPEG frames"),
		grid:     f.Grid("grid", "", "`WIDTHxHEIGHT` of a picture, as 20x28; needed where the array has a picture a row"),
		points:   f.String("points", "", "the `file` with coordinates, .npy, points×dimensions, where values were seen at scattered points and not on a picture's grid"),
		channels: f.Whole("channels", 0, 0, cli.MaxChannels, "`number` of channels of a pixel, side by side in a row (0: one, or what the array's shape says)"),
		out:      f.String("out", "", "the model `file` to write"),

		factors: f.Choice("factors", "auto", "spatial `structure`: joint (one covariance of all pixels), product (one of rows and one of columns) or auto (joint up to 2048 pixels)",
			"joint", "product", "auto"),
		spatial:   f.Choice("spatial", string(kernel.Matern32), "`kernel` over space: "+alternatives(kernels), kernels...),
		isotropic: f.Toggle("isotropic", "one spatial length scale for all axes"),

		latent:       f.Whole("latent", 0, 0, cli.MaxLatent, "`number` of latent dimensions (0: 30, or one less than the pictures)"),
		inducing:     f.Whole("inducing", 0, 0, math.MaxInt32, "`number` of latent inducing points, at most as many as pictures; fewer are faster (0: up to 100)"),
		latentKernel: cli.Add(f, "latent-kernel", "rbf", "`kernel` over the latent variables: a part or a sum of parts, as rbf+linear+bias; the part time needs -prior dynamic", sgplvm.ParseLatentKernel),

		prior:        f.Choice("prior", "independent", "`prior` of the latent variables: independent from picture to picture, or dynamic, Gaussian processes in time", "independent", "dynamic"),
		times:        f.String("times", "", "the `file` with the times of the pictures, .npy (default: a GIF's own, or 0, 1, 2, …); with -prior dynamic"),
		sequences:    f.String("sequences", "", "the `file` with a label for every picture, .npy, whole numbers: each label is a sequence of its own in time; with -prior dynamic"),
		timeKernel:   cli.Add(f, "time-kernel", cli.TimeKernel{Kernel: kernel.Kernel{Kind: kernel.Matern32}}, "`kernel` of the dynamic prior: matern12, matern32, matern52, rbf, periodic, sums and products of them, as 0.7*rbf(5)*periodic(12,1)+0.3*matern12, or auto (model selection)", cli.ParseTimeKernel),
		period:       f.Positive("period", "the `period` of what repeats itself, in units of the times, for -time-kernel auto"),
		partKernel:   cli.Add(f, "latent-time-kernel", cli.TimeKernel{}, "`kernel` of the time part of -latent-kernel, or auto (model selection; default with -motion, else that of -time-kernel)", cli.ParseTimeKernel),
		motion:       f.Toggle("motion", "estimate how the contents of the pictures move and learn the pictures with their motion taken out; predictions put it back; with -prior dynamic"),
		uncalibrated: f.Toggle("uncalibrated", "leave predicted variances as they are instead of calibrating them by leaving out one picture after the other; with -prior dynamic"),

		noise:    f.Share("noise", 0.01, "initial noise variance as a `fraction` of the data's"),
		floor:    f.Part("noise-floor", "`fraction` of the data's variance that the noise does not fall below"),
		residual: f.Choice("residual", "none", "`kernel` of what a picture shows beside its latent variables: "+alternatives(residuals)+"; with joint factors only", residuals...),
		rounds:   f.Whole("residual-rounds", 0, 0, cli.MaxRestarts, "`number` of rounds after training in which the covariance of the residual is learned freely at the training points"),
		local:    f.Toggle("residual-local", "let the noise of a picture to fill in follow that of the training pictures like it; with -residual-rounds"),
		taper:    f.Finite("residual-taper", 0, "`distance`, in mean spacings, over which -residual-rounds trusts correlations (0: by the number of pictures; negative: any)"),
		coarse:   f.Whole("coarse", 0, 0, math.MaxInt32, "`number` of random points on which a model with -residual trains before -residual-rounds, for speed (0: all)"),

		iterations: f.Whole("iters", 400, 1, cli.MaxIterations, "`steps` of training in all"),
		warmup:     f.Whole("warmup", -1, -1, cli.MaxIterations, "`steps` at the beginning in which noise and spatial kernels stay fixed (-1: three quarters)"),
		restarts:   f.Whole("restarts", 1, 1, cli.MaxRestarts, "`number` of starting points, of which the best after a tenth of the steps goes on"),
		schedule:   f.Choice("schedule", "alternating", "`order` of the steps after the warm-up: alternating (spatial kernels change in a few of them) or joint (in all)", "alternating", "joint"),
		truncate:   f.Part("truncate", "`nats` a value that the bound may lose to spatial components left out for speed (0: none)"),
		seed:       f.Seed("seed", 0, "the `number` that decides everything random"),
	}
}

// spatialKernels returns the kernels over space, and those of a residual, of which none comes first.
func spatialKernels() (kernels, residuals []string) {
	residuals = []string{"none"}
	for _, k := range kernel.Kinds() {
		kernels = append(kernels, string(k))
		if k != kernel.White {
			residuals = append(residuals, string(k))
		}
	}
	return kernels, residuals
}

// alternatives writes names as in "joint, product or auto".
func alternatives(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// check refuses flags that do not fit together, and a model file that cannot be written.
func (s *trainSettings) check() error {
	if err := s.f.Require("data", "out"); err != nil {
		return err
	}
	if err := s.f.Exclusive(*s.points, *s.grid); err != nil {
		return err
	}
	for _, check := range []func() error{s.checkTime, s.checkSelection, s.checkPoints, s.checkNoise} {
		if err := check(); err != nil {
			return err
		}
	}
	return s.f.Files([]string{"data", "points", "times", "sequences"}, []string{"out"})
}

// hasTimePart reports whether the latent kernel is to have a part of time.
func (s *trainSettings) hasTimePart() bool {
	return slices.Contains(strings.Split(*s.latentKernel, "+"), "time")
}

// checkTime refuses flags that need to know times.
func (s *trainSettings) checkTime() error {
	f, withTime := s.f, s.hasTimePart()
	if *s.prior == "independent" {
		if err := f.Without("-prior dynamic", "times", "sequences", "time-kernel", "period", "uncalibrated", "motion"); err != nil {
			return err
		}
		if withTime {
			return f.Usagef("-latent-kernel %v without -prior dynamic, which knows the times", *s.latentKernel)
		}
	}
	if !withTime {
		return f.Without("-latent-kernel with time", "latent-time-kernel")
	}
	return nil
}

// checkSelection refuses flags beside the model selection that finds their values.
func (s *trainSettings) checkSelection() error {
	f := s.f
	if !s.timeKernel.Auto {
		if err := f.Without("-time-kernel auto", "period"); err != nil {
			return err
		}
	} else {
		for _, name := range []string{"latent-kernel", "latent-time-kernel", "noise", "noise-floor", "residual"} {
			if f.Given(name) {
				return f.Usagef("-%s with -time-kernel auto, which selects it, expected one of the two", name)
			}
		}
	}
	switch {
	case !s.partKernel.Auto:
		return nil
	case *s.points != "":
		return f.Usagef("-latent-time-kernel auto with -points, expected pictures")
	case *s.residual != "none":
		return f.Usagef("-latent-time-kernel auto with -residual, expected one of the two")
	}
	return nil
}

// checkNoise refuses flags of the noise that do not fit together.
func (s *trainSettings) checkNoise() error {
	f := s.f
	switch {
	case *s.rounds > 0 && *s.residual == "none":
		return f.Usagef("-residual-rounds %d without a residual, expected -residual with one of its kernels", *s.rounds)
	case *s.coarse > 0 && *s.residual == "none":
		return f.Usagef("-coarse %d without a residual, expected -residual with one of its kernels", *s.coarse)
	case *s.local && *s.rounds == 0:
		return f.Usagef("-residual-local without -residual-rounds, expected 1 round or more")
	case *s.floor >= *s.noise:
		return f.Usagef("-noise-floor %v, expected less than the initial noise, %v", *s.floor, *s.noise)
	}
	return nil
}

// checkPoints refuses flags of pictures beside scattered points.
func (s *trainSettings) checkPoints() error {
	f := s.f
	switch {
	case *s.points == "":
	case *s.factors != "auto":
		return f.Usagef("-factors %s with -points, expected no -factors: scattered points are one factor", *s.factors)
	case *s.isotropic:
		return f.Usagef("-isotropic with -points, expected one of the two")
	case *s.motion:
		return f.Usagef("-motion with -points, expected pictures")
	}
	return nil
}
