package main

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/part"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// sampleSettings are the flags of sample.
type sampleSettings struct {
	f              *cli.Flags
	fields         engine.FieldFlags
	times          *engine.TimeFlags
	count, example *int
	seed           *uint64
	noise          *bool
}

func newSampleSettings(e *cli.Environment) *sampleSettings {
	f := cli.NewFlags(e, "sample", `sgplvm sample -model MODEL -out FIELDS.npy [flags]

Draws whole pictures from a model: with latent variables from their prior, with
-example from the posterior of a training example, or films: pictures at some times that
belong together. A model of a film with motion draws films, at the training times if no
others are given; its array is films×times×…. On the training grid, in another resolution, or
at any points.`)
	f.Input("inputs", engine.InputsUsage+": an emulator draws -count outputs of each")
	f.Output("out", "the `file` for the pictures: "+engine.OutputUsage)
	f.Output("latent", "the `file` for their latent points, .npy or .csv")
	s := &sampleSettings{
		f:       f,
		fields:  engine.NewFieldFlags(f, "draw"),
		times:   engine.NewTimeFlags(f, "the `file` with the times of a film's pictures, .npy").Even("`frames` to a unit of time"),
		count:   f.Whole("count", 16, 1, cli.MaxFields, "`number` of pictures, or of films"),
		seed:    f.Seed("seed", 0, "the `number` that decides everything random"),
		example: f.Whole("example", -1, -1, math.MaxInt32, "`number` of the training example, from 0, whose latent variables are drawn, by default none: the prior is"),
		noise:   f.Toggle("noise", "add the noise that data have"),
	}
	f.Parts()
	f.Need("model", "out")
	f.Everyday("model", "out", "count", "grid", "sheet", "from", "to", "fps", "inputs", "seed")
	f.Examples(
		"sgplvm sample -model faces.model -count 16 -out drawn.npy -sheet drawn.png",
		"sgplvm sample -model film.model -from 0 -to 0.5 -fps 10 -count 2 -out films",
	)
	return s
}

func sample(ctx context.Context, e *cli.Environment, args []string) error {
	s := newSampleSettings(e)
	if err := s.f.Read(args); err != nil {
		return err
	}
	if s.f.Given("inputs") && e.Work != nil {
		return s.f.Usagef("-part with -inputs, expected one of the two: an emulator has no parts")
	}
	if s.f.Given("inputs") {
		return sampleEmulated(ctx, e, s.f, *s.count, *s.seed)
	}
	spaced := s.times.Spaced() || s.f.Given("fps")
	if s.times.InFile() && spaced || (s.times.InFile() || spaced) && s.f.Given("example") {
		return s.f.Usagef("more than one of -times, -example and -from, -to or -fps, expected at most one")
	}
	opened, err := s.fields.Open("latent")
	if err != nil {
		return err
	}
	m := opened.Model
	if *s.example >= m.Examples() {
		return s.f.Usagef("-example %d, expected at most %d, the last of the model's", *s.example, m.Examples()-1)
	}
	switch {
	case s.times.InFile() || spaced:
		times, sequence, err := s.times.Film(m)
		if err != nil {
			return err
		}
		return s.drawFilms(ctx, e, opened, sequence, times)
	case engine.Moves(m) && *s.example < 0:
		times, sequence, err := s.times.Trained(m)
		if err != nil {
			return err
		}
		return s.drawFilms(ctx, e, opened, sequence, times)
	}
	if err := s.f.Refuse("without -times", "sequence"); err != nil {
		return err
	}
	return s.drawPictures(ctx, e, opened)
}

// options say what is drawn.
func (s *sampleSettings) options() sgplvm.SampleOptions {
	return sgplvm.SampleOptions{Count: *s.count, Seed: *s.seed, Noise: *s.noise}
}

// drawPictures draws pictures, each by itself.
func (s *sampleSettings) drawPictures(ctx context.Context, e *cli.Environment, opened *engine.Fields) error {
	m, g := opened.Model, opened.Grid
	if err := opened.HoldingDraws(*s.count, g.Shape(*s.count), []int{*s.count, m.Summary().LatentDims}); err != nil {
		return err
	}
	l := m.PriorLatent()
	if *s.example >= 0 {
		l = m.TrainingLatent(*s.example)
	}
	values, err := g.Room("sample", e.Work.Own(*s.count))
	if err != nil {
		return err
	}
	values = values[:0]
	if err := part.Run(e.Work, *s.count, func(from, to int, put func(next int, values []float64) error) error {
		o := s.options()
		if o.From, o.To = from, to; from == to {
			return nil
		}
		drawn, err := m.Sample(ctx, l, g.Points, o)
		if err != nil {
			return fmt.Errorf("%s: %w", *s.fields.Model, err)
		}
		for i, y := range drawn.Y {
			if err := put(from+i+1, y.Data); err != nil {
				return err
			}
		}
		return nil
	}, func(_ int, y []float64) error {
		values = append(values, y...)
		return nil
	}); err != nil {
		return err
	}
	if err := opened.Out.Save(values); err != nil {
		return err
	}
	if err := opened.Other.Save(l.Sample(*s.count, *s.seed).Data); err != nil {
		return err
	}
	opened.Out.Note(e)
	opened.Other.Note(e)
	return g.DrawFields(*s.fields.Sheet, "sample", values, nil)
}

// drawFilms draws films at some times and writes frame by frame.
func (s *sampleSettings) drawFilms(ctx context.Context, e *cli.Environment, opened *engine.Fields, sequence int, times []float64) error {
	m, g := opened.Model, opened.Grid
	if n := int64(len(times)) * int64(*s.count); n > math.MaxInt/8/int64(g.Size()) {
		return s.f.Usagef("%d films of %d pictures of %d values, expected at most %d values in all", *s.count, len(times), g.Size(), math.MaxInt/8)
	}
	var columns []string
	chosen, onSheet := map[int]bool{}, []float64(nil)
	for k := range min(len(times), engine.SheetFrames) {
		i := k * (len(times) - 1) / max(1, min(len(times), engine.SheetFrames)-1)
		chosen[i], columns = true, append(columns, fmt.Sprintf("%.4g", times[i]))
	}
	if err := opened.HoldingDraws(*s.count*len(times), append([]int{*s.count}, g.Shape(len(times))...), []int{*s.count, len(times), m.Summary().LatentDims}); err != nil {
		return err
	}
	err := opened.Out.Stream(func(put func([]float64) error) error {
		return part.Run(e.Work, *s.count, func(from, to int, put func(next int, f sgplvm.SampledFrame) error) error {
			o := s.options()
			if o.From, o.To = from, to; from == to {
				return nil
			}
			show, stop := e.Counting(engine.Noun(m)+"s drawn", (to-from)*len(times))
			defer stop()
			err := m.SampleFilm(ctx, sequence, times, g.Points, o, func(f sgplvm.SampledFrame) error {
				next := f.Draw
				if f.Frame == len(times)-1 {
					next++
				}
				show((f.Draw-from)*len(times) + f.Frame + 1)
				return put(next, sgplvm.SampledFrame{Draw: f.Draw, Frame: f.Frame, Values: f.Values.Clone()})
			})
			if err != nil {
				err = fmt.Errorf("%s: %w", *s.fields.Model, err)
			}
			return err
		}, func(_ int, f sgplvm.SampledFrame) error {
			if *s.fields.Sheet != "" && chosen[f.Frame] && f.Draw < picture.SheetRows {
				onSheet = append(onSheet, f.Values.Data...)
			}
			return put(f.Values.Data)
		})
	})
	if err != nil {
		return err
	}
	if opened.Other.Given() {
		paths, err := m.LatentPaths(sequence, times, *s.count, *s.seed)
		if err != nil {
			return err
		}
		var x []float64
		for _, p := range paths {
			x = append(x, p.Clone().Data...)
		}
		if err := opened.Other.Save(x); err != nil {
			return err
		}
	}
	opened.Out.Note(e)
	opened.Other.Note(e)
	return g.DrawFilms(*s.fields.Sheet, columns, onSheet)
}
