package bound_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// countdown is a context that is cancelled when it was asked for the n-th time.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// calls are what an evaluator does with a context, and what comes of it.
var calls = map[string]func(ctx context.Context, e *bound.Evaluator, p *bound.Params) ([]float64, error){
	"Evaluate": func(ctx context.Context, e *bound.Evaluator, p *bound.Params) ([]float64, error) {
		grad := p.Clone()
		v, err := e.Evaluate(ctx, p, grad, bound.GroupAll)
		return append(flat(grad), v), err
	},
	"Bound": func(ctx context.Context, e *bound.Evaluator, p *bound.Params) ([]float64, error) {
		v, err := e.Bound(ctx, p)
		return []float64{v}, err
	},
	"Alpha": func(ctx context.Context, e *bound.Evaluator, p *bound.Params) ([]float64, error) {
		alpha, err := e.Alpha(ctx, p)
		return alpha.Data, err
	},
	"BeginLeavingOut": func(ctx context.Context, e *bound.Evaluator, p *bound.Params) ([]float64, error) {
		defer e.EndLeavingOut()
		if err := e.BeginLeavingOut(ctx, p); err != nil {
			return nil, err
		}
		psi1 := mat.New(2, p.Z.Rows)
		psi1.Fill(0.5)
		shift, spread := e.LeaveOut(psi1, []int{1, 2})
		return append(shift, spread...), nil
	},
	"LearnNoise": func(ctx context.Context, e *bound.Evaluator, p *bound.Params) ([]float64, error) {
		learned := p.Clone()
		err := e.LearnNoise(ctx, learned, 2, mat.Matrix{})
		if err != nil && learned.Noise.Learned() {
			return nil, errors.New("an error, and noise is learned")
		}
		return learned.Noise.Covariance.Data, err
	},
}

// Wherever a context is cancelled, the call ends with its error, changes no parameters and leaves an
// evaluator with which later evaluations, there and where it was before, have the bits of a fresh one.
func TestCancelled(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	free, structured := threeFactors(), structuredNoise()
	free.Space[2].Inducing = 2
	defer func(n int) { data.SlabNumbers = n }(data.SlabNumbers)
	data.SlabNumbers = 30 // more than one slab
	for name, call := range calls {
		for _, shape := range []shape{free, dynamical(), structured} {
			if name == "LearnNoise" && shape.Residual == "" || name == "BeginLeavingOut" && shape.Time == "" {
				continue
			}
			fresh, elsewhere := subjectOf(t, shape), subjectOf(t, shape)
			want, err := call(t.Context(), fresh.evaluator, fresh.Params)
			if err != nil {
				t.Fatal(err)
			}
			value, gradient := fresh.bound(t), flat(fresh.gradient(t, bound.GroupAll))
			for f := range elsewhere.Params.Space {
				for q := range elsewhere.Params.Space[f].Kernel.LengthScale {
					elsewhere.Params.Space[f].Kernel.LengthScale[q] *= 1.5
				}
			}
			other := elsewhere.bound(t)
			for _, before := range []string{"nothing", "the same", "another point"} {
				after := 0
				for ; ; after++ {
					what := fmt.Sprintf("%s, %v, evaluated before: %s, cancelled after %d", name, shape, before, after)
					s := subjectOf(t, shape)
					switch before {
					case "the same":
						s.bound(t)
					case "another point":
						elsewhere.evaluator = s.evaluator
						elsewhere.bound(t)
					}
					ctx := &countdown{Context: t.Context()}
					ctx.left.Store(int64(after))
					parameters := flat(s.Params)
					got, err := call(ctx, s.evaluator, s.Params)
					if err == nil {
						compare.SameBits(t, what, got, want)
						break
					}
					if !errors.Is(err, context.Canceled) {
						t.Fatalf("%s: error %v", what, err)
					}
					compare.SameBits(t, what+": parameters", flat(s.Params), parameters)
					if before == "another point" {
						compare.SameBits(t, what+": bound there", []float64{elsewhere.bound(t)}, []float64{other})
					}
					compare.SameBits(t, what+": bound", []float64{s.bound(t)}, []float64{value})
					compare.SameBits(t, what+": gradient", flat(s.gradient(t, bound.GroupAll)), gradient)
				}
				// Without anything held every factor and every slab asks.
				if least := len(shape.Space) + 2; before != "the same" && after < least {
					t.Errorf("%s, %v: asked %d times, expected %d or more", name, shape, after, least)
				}
			}
		}
	}
}

// failing is a source that fails in call number failAt, counted from 1.
type failing struct {
	field.Source
	mu            sync.Mutex
	calls, failAt int
}

var errSource = errors.New("the disk is gone")

func (s *failing) ReadExamples(dst []float64, from, to int) error {
	s.mu.Lock()
	s.calls++
	fail := s.calls == s.failAt
	s.mu.Unlock()
	if fail {
		return errSource
	}
	return s.Source.ReadExamples(dst, from, to)
}

// Whichever read of an evaluation fails, the caller is told, nothing more is read, and when the source has
// recovered the evaluator has the bits of one that never failed.
func TestReadErrors(t *testing.T) {
	defer func(n int) { data.SlabNumbers = n }(data.SlabNumbers)
	data.SlabNumbers = 30
	shape := threeFactors()
	shape.Space[2].Inducing = 2
	fresh := subjectOf(t, shape)
	want := flat(fresh.gradient(t, bound.GroupAll))
	for failAt := 1; ; failAt++ {
		s := subjectOf(t, shape)
		scaled := *s.evaluator.Data()
		source := &failing{Source: scaled.Source, failAt: failAt}
		scaled.Source = source
		s.evaluator = bound.NewEvaluator(&scaled, s.Space, s.Jitter)
		_, err := s.evaluator.Evaluate(t.Context(), s.Params, s.Params.Clone(), bound.GroupAll)
		if err == nil {
			if failAt < 5 {
				t.Errorf("%d reads", failAt-1)
			}
			break
		}
		var read *field.ReadError
		if !errors.As(err, &read) || !errors.Is(err, errSource) || read.From < 0 || read.To > s.Examples() || read.From >= read.To {
			t.Errorf("read %d fails: error %v", failAt, err)
		}
		if source.calls > failAt {
			t.Errorf("read %d failed, and %d more were tried", failAt, source.calls-failAt)
		}
		compare.SameBits(t, fmt.Sprintf("gradient after read %d failed", failAt), flat(s.gradient(t, bound.GroupAll)), want)
	}
}
