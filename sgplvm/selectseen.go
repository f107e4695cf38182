package sgplvm

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// One example in so many is held out for the selection of a model that fills in.
const heldOutInTime = 4

// selectSeen selects for examples that are seen in part: examples are held out, and the candidates learn
// from the others and fill in what the masks hide.
func selectSeen(ctx context.Context, d Data, cfg Config, o TimeSelection, large bool) (Config, error) {
	if o.Part {
		cfg.LatentTime = mixedTime
	}
	if !o.Kernels {
		return cfg, nil
	}
	n, points, channels := d.Source.Dims()
	var learned, heldOut []int
	for i := range n {
		if i%heldOutInTime == heldOutInTime/2 {
			heldOut = append(heldOut, i)
		} else {
			learned = append(learned, i)
		}
	}
	if large || len(heldOut) < 2 {
		return plainTime.apply(cfg), nil
	}
	for k, mask := range o.Seen {
		if len(mask) != points*channels {
			return cfg, &ConfigError{Field: "TimeSelection", Err: fmt.Errorf("mask %d has %d values, expected %d", k, len(mask), points*channels)}
		}
	}
	part := cfg
	part.Inducing = min(len(learned), part.Inducing)
	part.LatentDims = min(part.LatentDims, len(learned)-1)
	candidates := append([]Config{plainTime.apply(part)}, timeCandidates(part, o.Period)...)
	tried := 0
	best, err := bestOf(ctx, candidates, func(c Config) ([]float64, error) {
		tried++
		step, stop := watcherOf(o.Watch).Training(fmt.Sprintf("model selection, kernels of time, %d of %d: ", tried, len(candidates)))
		defer stop()
		c.Training.Progress = step
		m, _, err := Fit(ctx, d.subset(learned), c)
		if err != nil {
			return nil, err
		}
		return hiddenDensities(ctx, m, d, heldOut, o.Seen)
	})
	best.Inducing, best.LatentDims, best.Training.Progress = cfg.Inducing, cfg.LatentDims, cfg.Training.Progress
	return best, err
}

// subset returns some of the examples.
func (d Data) subset(examples []int) Data {
	s := Data{Source: data.Subset{Examples: d.Source, Numbers: examples}, Grid: d.Grid}
	for _, i := range examples {
		s.Times = append(s.Times, d.Times[i])
		if d.Sequences != nil {
			s.Sequences = append(s.Sequences, d.Sequences[i])
		}
	}
	return s
}

// hiddenDensities returns the mean negative log density of what the masks, one after the other, hide of
// examples that the model has not seen, given the rest and their times.
func hiddenDensities(ctx context.Context, m *Model, d Data, examples []int, seen [][]bool) ([]float64, error) {
	scores, failures := make([]float64, len(examples)), make([]error, len(examples))
	_, points, channels := d.Source.Dims()
	at := data.Instants(d.Times, d.Sequences)
	mat.Parallel(len(examples), func(k int) {
		i := examples[k]
		truth := make([]float64, points*channels)
		values := mat.New(points, channels)
		if failures[k] = d.Source.ReadExamples(truth, i, i+1); failures[k] != nil {
			return
		}
		for j, v := range truth {
			values.Data[j] = v
			if !seen[k%len(seen)][j] {
				values.Data[j] = math.NaN()
			}
		}
		priors, err := m.LatentAt(at[i].Sequence, []float64{at[i].Time})
		if err == nil {
			var p Prediction
			p, _, err = m.Impute(ctx, Observed{Values: values, Prior: &priors[0]}, InferOptions{})
			if err == nil {
				scores[k] = hiddenDensity(truth, values.Data, p)
			}
		}
		failures[k] = err
	})
	for _, err := range failures {
		if err != nil {
			return scores, err
		}
	}
	return scores, nil
}
