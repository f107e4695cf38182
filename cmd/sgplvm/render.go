package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// renderSettings are the flags of render.
type renderSettings struct {
	f            *cli.Flags
	examples     *span
	times        *engine.TimeFlags
	black, white *float64
}

func newRenderSettings(e *cli.Environment) *renderSettings {
	f := cli.NewFlags(e, "render", `sgplvm render -model MODEL -out DIR|FILM.gif|FILM.npy [flags]

Renders predicted pictures as a film: the training examples or, with a model that
knows their times, any times, in the training or any other resolution. Pixels of another
resolution show the area of the training pictures: with twice as many along each axis a
training pixel is the mean of four. The film is a folder of PNG frames, an animated GIF,
or an array.`)
	f.Output("variance", "the `file` for the variances, noise included: "+engine.VarianceUsage)
	f.Input("model", "the model `file`")
	f.Grid("grid", "", "`WIDTHxHEIGHT` of the pictures, by default that of the training pictures")
	f.Output("out", "the `folder` for frame0000.png, frame0001.png, …, or the file for a film, .gif, .npy or .csv")
	s := &renderSettings{
		f:        f,
		examples: cli.Add(f, "examples", span{0, -1}, "the training `examples`, by their numbers from 0: all, one as 7, or a range as 10-19", parseSpan),
		times: engine.NewTimeFlags(f, "the `file` with the times to render (.npy, .npz, .nc, .csv), in the unit of the training times").
			Even("`frames` a second of a GIF, and to a unit of time where neither -times nor -examples are given"),
		black: f.Finite("black", 0, "`value` that is black in PNG and GIF frames, by default as in the training pictures"),
		white: f.Finite("white", 255, "`value` that is white in PNG and GIF frames, by default as in the training pictures"),
	}
	f.Parts()
	f.Need("model", "out")
	f.Everyday("model", "out", "grid", "examples", "from", "to", "fps")
	f.Examples(
		"sgplvm render -model faces.model -grid 40x56 -out finer.gif",
		"sgplvm render -model film.model -from 0 -to 0.5 -fps 10 -out frames",
		"sgplvm render -model faces.model -examples 3 -out fourth.png",
	)
	return s
}

func render(ctx context.Context, e *cli.Environment, args []string) error {
	s := newRenderSettings(e)
	if err := s.f.Read(args); err != nil {
		return err
	}
	out, variance, err := s.open()
	if err != nil {
		return err
	}
	path := s.f.Text("model")
	m, err := engine.Load(path)
	if err != nil {
		return err
	}
	g, err := engine.PixelGrid("render", path, m, s.f.Text("grid"))
	if err != nil {
		return err
	}
	latents, err := s.latents(m)
	if err != nil {
		return err
	}
	opened := &engine.Fields{Model: m, Grid: g, Out: out, Other: variance}
	if err := opened.Holding(len(latents)); err != nil {
		return err
	}
	if err := s.setLevels(out); err != nil {
		return err
	}
	out.Rate = *s.times.Rate
	return opened.Write(ctx, e, "rendered", len(latents), engine.Some(latents))
}

// open refuses flags that do not fit together, and opens the results.
func (s *renderSettings) open() (out, variance *engine.Output, err error) {
	f := s.f
	if f.Given("times") && f.Given("examples") || s.times.Spaced() && (f.Given("times") || f.Given("examples")) {
		return nil, nil, f.Usagef("more than one of -times, -examples and -from or -to, expected at most one")
	}
	if out, err = engine.NewOutput(f, "out", ".gif"); err == nil {
		variance, err = engine.NewOutput(f, "variance")
	}
	return out, variance, err
}

// setLevels sets the values that are black and white: those of the flags, or else of the model.
func (s *renderSettings) setLevels(out *engine.Output) error {
	l := out.Levels()
	if s.f.Given("black") {
		l.Low = *s.black
	}
	if s.f.Given("white") {
		l.High = *s.white
	}
	if !(l.High > l.Low) {
		return s.f.Usagef("-white %v with -black %v, expected more", l.High, l.Low)
	}
	if s.f.Given("black") || s.f.Given("white") {
		l.Bits = 8
		out.SetLevels(l)
	}
	return nil
}

// latents returns the latent posteriors of what is to be rendered.
func (s *renderSettings) latents(m *sgplvm.Model) ([]sgplvm.Latent, error) {
	f, timed := s.f, engine.Timed(m)
	spaced := s.times.Spaced() || f.Given("fps") && !f.Given("examples") && timed
	switch {
	case !spaced && !s.times.InFile():
		return s.examples.latents(m)
	case !timed:
		return nil, f.Usagef("times with a model that was trained without any, expected -examples or nothing")
	}
	times, sequence, err := s.times.Film(m)
	if err != nil {
		return nil, err
	}
	return m.LatentAt(sequence, times)
}

// A span is a range of numbers; to is −1 for all.
type span struct{ from, to int }

func (s span) String() string {
	if s.to < 0 {
		return "all"
	}
	return fmt.Sprintf("%d-%d", s.from, s.to)
}

func parseSpan(s string) (span, error) {
	if s == "all" {
		return span{0, -1}, nil
	}
	from, to, two := strings.Cut(s, "-")
	if !two {
		to = from
	}
	var p span
	var errFrom, errTo error
	p.from, errFrom = strconv.Atoi(from)
	p.to, errTo = strconv.Atoi(to)
	if errFrom != nil || errTo != nil || p.from < 0 || p.to < p.from || p.to > math.MaxInt32 || strconv.Itoa(p.from) != from || strconv.Itoa(p.to) != to {
		return p, errors.New("expected all, a whole number, or two as 10-19, the larger one last")
	}
	return p, nil
}

// latents returns the latent posteriors of the training examples.
func (s span) latents(m *sgplvm.Model) ([]sgplvm.Latent, error) {
	n := m.Examples()
	if s.to >= n {
		return nil, cli.Usagef("render: -examples %s, expected numbers up to %d, the last of the model's", s, n-1)
	}
	if s.to < 0 {
		s.to = n - 1
	}
	var l []sgplvm.Latent
	for i := s.from; i <= s.to; i++ {
		l = append(l, m.TrainingLatent(i))
	}
	return l, nil
}
