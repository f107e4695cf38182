package predict

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Compile returns everything that Impute with these options and Predict need at the points of one grid (nil: the training grid),
// multiplied out, for examples of unknown time (docs/math.md, "Compiled models"). starts is how many training
// posteriors begin the search for q(x). Tables of rotated contents bear rounding to fewer digits.
// Errors: *data.ConfigError; what cannot be compiled, by name.
func (q *Posterior) Compile(g data.Grid, o InferOptions, starts int, rotated bool) (*points.Contents, error) {
	if g != nil {
		if err := q.checkGrid(g); err != nil {
			return nil, err
		}
	}
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	switch {
	case q.incomplete != nil:
		return nil, errors.New("a model that learned from data with holes cannot be compiled, expected one of whole examples")
	case o.Conditioning == ConditionMoments:
		return nil, fmt.Errorf("conditioning %q cannot be compiled, expected that of the default or %q", string(o.Conditioning), string(ConditionNone))
	case len(q.grid) > mostFactors:
		return nil, fmt.Errorf("a model of %d spatial factors cannot be compiled, expected at most %d", len(q.grid), mostFactors)
	}
	on := q.projection(g)
	c := &points.Contents{Points: on.grid.Len(), Channels: q.channels(), Latents: q.params.X.Mu.Cols, Inducing: q.params.Z.Rows,
		Mean: q.scaler.Mean, Scale: q.scaler.Scale, Z: q.params.Z.Clone().Data, Coord: q.factors[0].Coord.Clone().Data, Latent: q.factors[0].Lambda,
		Beta: q.params.Noise.Beta, Precision: q.params.Noise.Precision(), Rotated: rotated}
	if err := compileKernel(c, q.params.Latent); err != nil {
		return nil, err
	}
	kept := q.kept != nil && on.training != nil
	q.compileStarts(c, starts, kept)
	q.compilePoints(c, on)
	q.compileTables(c, on)
	if p := q.params.X.Paths; p != nil {
		c.Time = compileTime(p, q.params.X.Mu)
	}
	if kept {
		q.compileExamples(c, on)
	}
	c.Options = points.Options{Candidates: o.Candidates, Iterations: o.Iterations, Starts: starts, NoiseStrength: o.NoiseStrength, Degrees: o.degrees(q.kept != nil),
		LocalBandwidth: o.bandwidth(), LocalStrength: o.strength(), FirstOrder: o.FirstOrder, LatentOnly: o.Conditioning == ConditionNone,
		Exact: conditioning.exact, Group: conditioning.group, Neighbours: conditioning.neighbours, Work: conditioning.work}
	for _, b := range o.Blends {
		c.Options.Blends = append(c.Options.Blends, points.Blend{Gap: b.Gap, Seen: b.Seen, Share: b.Share, Neighbours: b.Neighbours, Shrinkage: b.Shrinkage,
			Taper: b.Taper, WideTaper: b.WideTaper, Reach: b.Reach, Damping: b.Damping, Inflation: b.Inflation, Parts: b.Parts})
	}
	return c, nil
}

// mostFactors is how many spatial factors a compiled model has at most.
const mostFactors = 8

// compileKernel takes apart the latent kernel. Of a part of time, of which examples of unknown time have the variance alone, that remains.
func compileKernel(c *points.Contents, k psi.Kernel) error {
	for _, part := range k.Parts {
		switch p := part.(type) {
		case *psi.RBF:
			c.RBF = append([]float64{p.Variance}, p.LengthScale...)
		case *psi.Linear:
			c.Linear = p.Variance
		case *psi.Bias:
			c.Bias = []float64{p.Variance}
		case *psi.Time:
			c.Prior += p.Variance
		default:
			return fmt.Errorf("the part %s of the latent kernel cannot be compiled", part.Name())
		}
	}
	if len(c.RBF)+len(c.Linear)+len(c.Bias) == 0 {
		return errors.New("a latent kernel of time alone cannot be compiled")
	}
	return nil
}

// fewExamples is up to how many training examples all of them are starting points.
const fewExamples = 64

// compileStarts takes over training posteriors: all of them where their values say which are near or where they are few,
// else those that cover the others best.
func (q *Posterior) compileStarts(c *points.Contents, starts int, kept bool) {
	n := q.params.X.Mu.Rows
	var chosen []int
	if kept || n <= max(starts, fewExamples) {
		for i := range n {
			chosen = append(chosen, i)
		}
	} else {
		chosen = covering(q.params.X.Mu, starts)
	}
	c.Examples = len(chosen)
	for _, i := range chosen {
		mu, s := exampleOf(q.params, i)
		c.Mu, c.S = append(c.Mu, mu.Row(0)...), append(c.S, s.Row(0)...)
	}
}

// covering returns some rows of x: the one nearest to the mean, then again and again the one farthest from all that were chosen.
func covering(x mat.Matrix, count int) []int {
	centre, distances := make([]float64, x.Cols), make([]float64, x.Rows)
	for i := range x.Rows {
		for d, v := range x.Row(i) {
			centre[d] += v / float64(x.Rows)
		}
	}
	first := 0
	for i := range x.Rows {
		distances[i] = math.Inf(1)
		if work.SquaredDistance(x.Row(i), centre) < work.SquaredDistance(x.Row(first), centre) {
			first = i
		}
	}
	chosen := []int{first}
	for len(chosen) < count {
		next := 0
		for i := range x.Rows {
			distances[i] = min(distances[i], work.SquaredDistance(x.Row(i), x.Row(chosen[len(chosen)-1])))
			if distances[i] > distances[next] {
				next = i
			}
		}
		chosen = append(chosen, next)
	}
	return chosen
}

// compilePoints takes over the points' coordinates and what they are measured in.
func (q *Posterior) compilePoints(c *points.Contents, on *projection) {
	dims := on.grid.Dims()
	index := make([]int, len(dims))
	for i := range c.Points {
		data.Split(index, i, dims)
		for f, x := range on.grid {
			c.Coordinates = append(c.Coordinates, x.Row(index[f])...)
		}
	}
	for f, x := range on.grid {
		spacing := work.Spacing(x)
		c.Spacings = append(c.Spacings, spacing...)
		if on.training != nil {
			spacing = work.Spacing(q.grid[f])
		}
		c.TrainingSpacings = append(c.TrainingSpacings, spacing...)
		scale := q.params.Space[f].Kernel.LengthScale
		for d := range x.Cols {
			length := 1.0
			if len(scale) > 0 {
				length = scale[min(d, len(scale)-1)]
			}
			c.Lengths = append(c.Lengths, length)
		}
	}
}

// compileTables multiplies out predictions, features and the covariance of the noise.
func (q *Posterior) compileTables(c *points.Contents, on *projection) {
	latent := q.factors[0]
	m := latent.Size()
	p := mat.New(c.Channels*c.Points, m)
	inverse := mat.New(m, m) // T_0⁻ᵀ = (K_0 + jitter)·T_0
	if c.Rotated {
		k := mat.New(m, m)
		q.psi.Matrix(k)
		jitter := q.jitter * mat.Trace(k) / float64(m)
		for i := range m {
			k.Row(i)[i] += jitter
		}
		mat.Mul(inverse, 1, k, latent.Coord, 0)
	}
	for ch, pc := range on.p {
		rows := p.Slice(ch*c.Points, (ch+1)*c.Points, 0, m)
		if c.Rotated {
			mat.Mul(rows, 1, pc, inverse, 0)
		} else {
			mat.Copy(rows, pc)
		}
	}
	c.P = points.NewTable(p)
	var lambda [][]float64
	for _, s := range q.factors[1:] {
		lambda = append(lambda, s.Lambda)
	}
	c.Lambda = kronprod.Vectors(lambda...)
	if on.structured != nil && work.Equal(on.grid[0], q.inducing[0]) {
		c.Whitened, c.Factors = true, []points.Factor{{B: points.NewTable(q.whitenedFeatures(on))}}
		return
	}
	for f, phi := range on.features().phi.Factors {
		c.Factors = append(c.Factors, q.compileFactor(f, phi, on.kss[f]()))
	}
	if on.structured != nil {
		c.Structure = points.NewLowerTable(on.structured())
	}
}

// whitenedFeatures returns those of K and of Σ together at the training points, Σ·Ū·(1 + s)^½.
func (q *Posterior) whitenedFeatures(on *projection) mat.Matrix {
	s := q.factors[1]
	b, scale := mat.New(s.Size(), s.Size()), make([]float64, s.Size())
	for j, v := range s.Lambda {
		scale[j] = math.Sqrt(1 + v)
	}
	mat.Mul(b, 1, q.noise(on), s.Coord, 0)
	mat.ScaleCols(b, b, scale)
	return b
}

// negligible is a part of the largest eigenvalue, or of a kernel's variance, that rounding decides.
const negligible = 1e-13

// compileFactor returns spatial factor f, with features Φ (n×m_f) and kernel matrix k at the points.
func (q *Posterior) compileFactor(f int, phi, k mat.Matrix) points.Factor {
	s := q.factors[f+1]
	b := phi.Clone()
	if s.Tied {
		largest := 0.0
		for _, v := range s.Lambda {
			largest = max(largest, v)
		}
		scale := make([]float64, len(s.Lambda))
		for j, v := range s.Lambda {
			if v > negligible*largest {
				scale[j] = 1 / math.Sqrt(v)
			}
		}
		mat.ScaleCols(b, b, scale)
	}
	c := points.Factor{B: points.NewTable(b)}
	gap := k.Clone()
	mat.Syrk(gap, -1, b, 1)
	for i := range gap.Rows {
		for _, v := range gap.Row(i)[:i+1] {
			if math.Abs(v) > 1e-10*q.params.Space[f].Kernel.Variance {
				c.K = points.NewLowerTable(k)
				return c
			}
		}
	}
	return c
}

// compileExamples takes over training residuals and the lengths of the taper of their covariances.
func (q *Posterior) compileExamples(c *points.Contents, on *projection) {
	kept := q.kept()
	r := mat.New(c.Examples, c.Points*c.Channels)
	take := func(from mat.Matrix) points.Table {
		for j, at := range on.training {
			mat.Copy(r.Slice(0, c.Examples, j*c.Channels, (j+1)*c.Channels), from.Slice(at*c.Channels, (at+1)*c.Channels, 0, c.Examples).T())
		}
		return points.NewTable(r)
	}
	c.Residuals = take(kept.r)
	if kept.variance.Rows > 0 {
		c.Filled, c.Alike = take(kept.variance), points.NewLowerTable((*room)(nil).atPoints(on.training, kept.alike))
	}
	c.Tapers = q.params.Noise.Taper
}
