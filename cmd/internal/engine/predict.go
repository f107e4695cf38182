package engine

import (
	"context"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/part"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Latents are latent posteriors, found one by one: name says where their examples are from, noun what one is called. Of a part of the work Of takes the numbers of its own.
type Latents struct {
	Name, Noun string
	Count      int
	Of         func(i int) (sgplvm.Latent, error)
}

// Between returns the posteriors from ≤ i < to, several of which are found at once.
func (l Latents) Between(ctx context.Context, e *cli.Environment, from, to int) ([]sgplvm.Latent, error) {
	some := make([]sgplvm.Latent, to-from)
	err := e.Each(ctx, l.Noun, "inferred", l.Name, from, to, func(i int) (err error) {
		some[i-from], err = l.Of(i)
		return err
	})
	return some, err
}

// All returns the posteriors.
func (l Latents) All(ctx context.Context, e *cli.Environment) (all []sgplvm.Latent, err error) {
	return all, part.Run(e.Work, l.Count, func(from, to int, put func(next int, some []sgplvm.Latent) error) error {
		some, err := l.Between(ctx, e, from, to)
		if err != nil {
			return err
		}
		return put(to, some)
	}, func(_ int, some []sgplvm.Latent) error {
		all = append(all, some...)
		return nil
	})
}

// LatentFlags are the flags of a command whose latent posteriors are those of the training examples, at times, or of examples of which
// something is seen.
type LatentFlags struct {
	f              *cli.Flags
	data, observed *string
	times          *TimeFlags
}

// NewLatentFlags defines -data, -observed, -data-points, and -times with its description.
func NewLatentFlags(f *cli.Flags, aboutTimes string) *LatentFlags {
	f.Input("data-points", "the `file` with the coordinates of the values of -data (.npy, .npz, .nc, .csv), points×dimensions, where these are not the training points")
	NewReadFlags(f)
	return &LatentFlags{f, f.Input("data", "partly seen examples, as impute takes them: "+DataUsage), f.Input("observed", MaskUsage), NewTimeFlags(f, aboutTimes)}
}

// Check refuses flags that do not fit together.
func (s *LatentFlags) Check() error {
	if *s.data == "" {
		return s.f.Refuse("without -data, expected both", "observed", "data-points")
	}
	return nil
}

// Latents returns the posteriors that are asked for; path is the model's file.
func (s *LatentFlags) Latents(ctx context.Context, path string, m *sgplvm.Model) (l Latents, err error) {
	switch {
	case *s.data != "":
		seen, err := LoadObserved(s.f, path, m, *s.data, *s.observed, "", "data-points")
		if err != nil {
			return l, err
		}
		if seen.Priors, err = s.times.Priors(m, &seen.Form); err != nil {
			return l, err
		}
		return Latents{*s.data, Noun(m), seen.Whole(), func(i int) (sgplvm.Latent, error) {
			return m.Infer(ctx, seen.Observed(i-seen.First), sgplvm.InferOptions{})
		}}, nil
	case s.times.InFile():
		at, err := s.times.Priors(m, new(dataset.Form))
		return Latents{path, Noun(m), len(at), func(i int) (sgplvm.Latent, error) { return at[i], nil }}, err
	}
	err = s.f.Refuse("without -times", "sequence")
	return Latents{path, Noun(m), m.Examples(), func(i int) (sgplvm.Latent, error) { return m.TrainingLatent(i), nil }}, err
}
