package dynamics

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/internal/record"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

func TestValidate(t *testing.T) {
	p := few(t, "matern32(2)", false, 1)
	if err := p.Validate(7, 2); err != nil {
		t.Fatal(err)
	}
	for want, spoil := range map[string]func(p *Params){
		"no times, expected one for each example":         func(p *Params) { p.Prior.Times = nil },
		"0 times, expected 7, one for each example":       func(p *Params) { p.Prior.Times = []float64{} },
		"3 labels of sequences, expected 7":               func(p *Params) { p.Prior.Sequences = make([]int, 3) },
		"example 2 is of sequence -2147483648":            func(p *Params) { p.Prior.Sequences[2] = math.MinInt32 },
		"time 1 is NaN":                                   func(p *Params) { p.Prior.Times[1] = math.NaN() },
		"time 0 is -Inf":                                  func(p *Params) { p.Prior.Times[0] = math.Inf(-1) },
		"length scale -1 of":                              func(p *Params) { p.Prior.Kernel.LengthScale[0] = -1 },
		"white":                                           func(p *Params) { p.Prior.Kernel = kernel.Kernel{Kind: kernel.White} },
		"coefficients μ̄ are 6×2 and precisions Λ 7×2":    func(p *Params) { p.MuBar = mat.New(6, 2) },
		"precisions Λ 7×1, expected 7×2":                  func(p *Params) { p.Lambda = mat.New(7, 1) },
		"coefficient +Inf of example 2, dimension 1":      func(p *Params) { p.MuBar.Set(2, 1, math.Inf(1)) },
		"precision 0 of example 3, dimension 0":           func(p *Params) { p.Lambda.Set(3, 0, 0) },
		"precision NaN of example 6, dimension 1, expect": func(p *Params) { p.Lambda.Set(6, 1, math.NaN()) },
	} {
		q := p.Clone()
		spoil(q)
		if err := q.Validate(7, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, expected %q", err, want)
		}
	}
}

// Parameters go through an encoder as they are, and copies share nothing.
func TestParamsAreData(t *testing.T) {
	for i, text := range allKernels {
		p := few(t, text, false, uint64(i))
		var b bytes.Buffer
		if err := record.Write(&b, p); err != nil {
			t.Fatal(err)
		}
		var decoded Params
		if err := record.Read(&b, &decoded); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(p, &decoded); d != "" {
			t.Errorf("decoded (-want +got):\n%s", d)
		}
		c := p.Clone()
		c.Visit(c, nil, func(value, _ []float64, _ bool) {
			for i := range value {
				value[i] *= 1.5
			}
		})
		c.Prior.Times[0]++
		if c.Prior.Sequences != nil {
			c.Prior.Sequences[0]++
		}
		if d := cmp.Diff(&decoded, p); d != "" {
			t.Errorf("%s: changed with its copy (-want +got):\n%s", text, d)
		}
	}
}

// The optimiser's variables are Rᵀ·μ̄, and back; looking changes nothing.
func TestVisitPreconditioned(t *testing.T) {
	withEachForm(func(states bool) {
		for i, text := range allKernels {
			name := fmt.Sprintf("%s, states %v", text, states)
			p := few(t, text, false, uint64(i))
			c, err := NewPreconditioner(p.Prior)
			if err != nil {
				t.Fatal(err)
			}
			before := p.Clone()
			p.Visit(p, c, func([]float64, []float64, bool) {})
			if d := cmp.Diff(before, p); d != "" {
				t.Errorf("%s: looking changes (-want +got):\n%s", name, d)
			}
			var set, got []float64
			p.Visit(p, c, func(value, _ []float64, _ bool) {
				for i := range value {
					value[i] += 0.5
				}
				set = append(set, value...)
			})
			p.Visit(p, c, func(value, _ []float64, _ bool) { got = append(got, value...) })
			compare.Near(t, name, got, set, 1e-12)
			if p.MuBar.At(0, 0) == before.MuBar.At(0, 0) || p.Lambda.At(0, 0) == before.Lambda.At(0, 0) || p.Prior.Kernel.Equal(before.Prior.Kernel) {
				t.Errorf("%s: not all has changed", name)
			}
		}
	})
}

// A kernel whose values are no numbers is an error of the preconditioner.
func TestPreconditionerError(t *testing.T) {
	k := parsed(t, "matern32(1)")
	k.LengthScale[0] = math.NaN()
	_, err := NewPreconditioner(Prior{Times: []float64{0, 1e300}, Kernel: k})
	if want := "sgplvm: dynamical prior, sequence 0: kernel matrix of 2 times plus 0.1·I"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, expected %q", err, want)
	}
}

// However far a trial step goes, a length scale stays below a thousand times the span of the times; one that was given stays as it is.
func TestLengthsAreLimited(t *testing.T) {
	p := &Params{Prior: Prior{Times: []float64{3, 1, 5}, Kernel: kernel.Kernel{Kind: kernel.Matern32, LengthScale: []float64{1e9}}}, MuBar: mat.New(3, 1), Lambda: mat.New(3, 1)}
	visit := func(times float64) {
		p.Visit(p.Clone(), nil, func(value, _ []float64, positive bool) {
			for i := range value {
				value[i] *= times
			}
		})
	}
	if visit(1); p.Prior.Kernel.LengthScale[0] != 1e9 {
		t.Errorf("a given length scale is %v", p.Prior.Kernel.LengthScale)
	}
	if visit(1e50); p.Prior.Kernel.LengthScale[0] != 4*maxSpans {
		t.Errorf("a length scale of %v", p.Prior.Kernel.LengthScale)
	}
}
