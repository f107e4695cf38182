package predict

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Compile returns everything that Impute with these options and Predict need at the points of one grid (nil: the training grid),
// multiplied out, for examples of unknown time (docs/math.md, "Compiled models"). starts is how many training
// posteriors begin the search for q(x). Tables of rotated contents bear rounding to fewer digits.
// Errors: *field.ConfigError; what cannot be compiled, by name.
func (q *Posterior) Compile(g field.Grid, o field.InferOptions, starts int, rotated bool) (*points.Contents, error) {
	if g != nil {
		if err := q.checkGrid(g); err != nil {
			return nil, err
		}
	}
	err := CheckOptions(o)
	if err != nil {
		return nil, err
	}
	switch {
	case q.incomplete != nil:
		return nil, errors.New("a model that learned from data with holes cannot be compiled, expected one of whole examples")
	case o.Conditioning == field.ConditionMoments:
		return nil, fmt.Errorf("conditioning %q cannot be compiled, expected that of the default or %q", string(o.Conditioning), string(field.ConditionNone))
	case len(q.grid) > points.MaxFactors:
		return nil, fmt.Errorf("a model of %d spatial factors cannot be compiled, expected at most %d", len(q.grid), points.MaxFactors)
	}
	on := q.projection(g)
	c := q.contents(on, points.NewTable, 0)
	c.Rotated = rotated
	if err := compileKernel(c, q.params.Latent, q.params.Inducing().At); err != nil {
		return nil, err
	}
	if rotated {
		q.rotate(c, on)
	}
	kept := q.keeps() && on.training != nil
	var chosen []int
	if n := q.params.X.Mu.Rows; !kept && n > max(starts, fewExamples) {
		chosen = evenly(starts, n)
	}
	q.compileStarts(c, chosen)
	if p := q.params.X.Paths; p != nil {
		compileTime(c, p, q.params.X.Mu)
	}
	if kept {
		q.compileExamples(c, on, points.NewTable)
	}
	if c.Whitened {
		c.Structure = points.Table{} // it is made of the features
	}
	c.Options = q.pointOptions(o, starts)
	c.Options.PartNeighbours, c.Options.MaxExamples = 0, 0
	return c, nil
}

// contents returns what any model at some points has but examples, of tables that table makes. Features of K and Σ together whose variance is no more than a part least of the noise are left out.
func (q *Posterior) contents(on *projection, table func(mat.Matrix) points.Table, least float64) *points.Contents {
	c := &points.Contents{Points: on.grid.Len(), Channels: q.channels(), Latents: q.params.X.Mu.Cols, Inducing: q.params.Z.Rows,
		Mean: q.scaler.Mean, Scale: q.scaler.Scale, Z: q.params.Z.Clone().Data, Coord: q.factors[0].Coord.Clone().Data, Latent: q.factors[0].Lambda,
		Beta: q.params.Noise.Beta, Precision: q.params.Noise.Precision()}
	q.compilePoints(c, on)
	p := mat.New(c.Channels*c.Points, c.Inducing)
	for ch, pc := range on.p {
		mat.Copy(p.Slice(ch*c.Points, (ch+1)*c.Points, 0, p.Cols), pc)
	}
	c.P = table(p)
	var lambda [][]float64
	for _, s := range q.factors[1:] {
		lambda = append(lambda, s.Lambda)
	}
	c.Lambda = kronprod.Vectors(lambda...)
	if c.Whitened = on.structured != nil && work.Equal(on.grid[0], q.inducing[0]); c.Whitened {
		b, lambda := q.whitenedFeatures(on, least)
		c.Lambda, c.Factors = lambda, []points.Factor{{B: table(b)}}
	} else {
		for f, phi := range on.features().phi.Factors {
			c.Factors = append(c.Factors, q.compileFactor(f, on.grid[f], phi, on.kss[f], table))
		}
	}
	if on.structured != nil {
		c.Structure = points.NewLowerTable(on.structured())
	}
	return c
}

// compileKernel takes apart the latent kernel, with inducing points at some instants.
func compileKernel(c *points.Contents, k psi.Kernel, inducing []data.Instant) error {
	for _, part := range k.Parts {
		switch p := part.(type) {
		case *psi.RBF:
			c.RBF = append([]float64{p.Variance}, p.LengthScale...)
		case *psi.Linear:
			c.Linear = p.Variance
		case *psi.Bias:
			c.Bias = []float64{p.Variance}
		case *psi.Time:
			c.Time.Variance, c.Time.Part = p.Variance, p.Kernel.String()
			for _, at := range inducing {
				c.Time.Inducing, c.Time.Labels = append(c.Time.Inducing, at.Time), append(c.Time.Labels, float64(at.Sequence))
			}
		default:
			return fmt.Errorf("the part %s of the latent kernel cannot be compiled", part.Name())
		}
	}
	return nil
}

// fewExamples is up to how many training examples all of them are starting points: of more, some evenly chosen ones, unless their values say which are near.
const fewExamples = 64

// compileStarts takes over training posteriors, those chosen; nil: all.
func (q *Posterior) compileStarts(c *points.Contents, chosen []int) {
	x := &q.params.X
	if c.Examples, c.Mu, c.S = x.Mu.Rows, x.Mu.Clone().Data, x.S.Clone().Data; chosen != nil {
		c.Examples, c.Mu, c.S = len(chosen), work.Gather(x.Mu, chosen).Data, work.Gather(x.S, chosen).Data
	}
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

// rotate has predictions be P·T_0⁻ᵀ, with T_0⁻ᵀ = (K_0 + jitter)·T_0.
func (q *Posterior) rotate(c *points.Contents, on *projection) {
	m := c.Inducing
	p, inverse, k := mat.New(c.Channels*c.Points, m), mat.New(m, m), mat.New(m, m)
	q.psi.Matrix(k)
	jitter := q.jitter * mat.Trace(k) / float64(m)
	for i := range m {
		k.Row(i)[i] += jitter
	}
	mat.Mul(inverse, 1, k, q.factors[0].Coord, 0)
	for ch, pc := range on.p {
		mat.Mul(p.Slice(ch*c.Points, (ch+1)*c.Points, 0, m), 1, pc, inverse, 0)
	}
	c.P = points.NewTable(p)
}

// whitenedFeatures returns those of K and of Σ together at the training points, Σ·Ū·(1 + s)^½, with eigenvalues s above least, or half of the largest, and these.
func (q *Posterior) whitenedFeatures(on *projection, least float64) (b mat.Matrix, lambda []float64) {
	s := q.factors[1]
	least = min(least, slices.Max(s.Lambda)/2)
	var columns []int
	var scale []float64
	for j, v := range s.Lambda {
		if v > least || least == 0 {
			columns, lambda, scale = append(columns, j), append(lambda, v), append(scale, math.Sqrt(1+v))
		}
	}
	coord := s.Coord
	if len(columns) < coord.Cols {
		coord = work.Gather(coord.T().Clone(), columns).T()
	}
	b = mat.New(s.Size(), len(columns))
	mat.Mul(b, 1, q.noise(on), coord, 0)
	mat.ScaleCols(b, b, scale)
	return b, lambda
}

// negligible is a part of the largest eigenvalue, or of a kernel's variance, that rounding decides.
const negligible = 1e-13

// compileFactor returns spatial factor f at points x, with features Φ (n×m_f). Those of a tied factor at its own points have all of the kernel matrix.
func (q *Posterior) compileFactor(f int, x, phi mat.Matrix, kernel func() mat.Matrix, table func(mat.Matrix) points.Table) points.Factor {
	s := q.factors[f+1]
	b := q.knownElsewhere(f, phi, negligible)
	c := points.Factor{B: table(b)}
	if s.Tied && work.Equal(x, q.inducing[f]) {
		return c
	}
	k := kernel()
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
func (q *Posterior) compileExamples(c *points.Contents, on *projection, table func(mat.Matrix) points.Table) {
	take := func(from mat.Matrix) points.Table {
		r := mat.New(c.Examples, c.Points*c.Channels)
		for j, at := range on.training {
			mat.Copy(r.Slice(0, c.Examples, j*c.Channels, (j+1)*c.Channels), from.Slice(0, c.Examples, at*c.Channels, (at+1)*c.Channels))
		}
		return table(r)
	}
	c.Residuals = take(q.residuals)
	if f := q.filled; f != nil {
		alike := mat.New(c.Points, c.Points)
		work.Submatrix(alike, f.Alike, on.training, on.training)
		c.Filled, c.Alike = take(f.Variance), points.NewLowerTable(alike)
	}
	c.Tapers = q.params.Noise.Taper
}

// conditionLimits say when and how missing values are conditioned on the
// observed ones directly.
type conditionLimits struct {
	exact      int     // observed points up to which all of them are used at once
	group      int     // missing points predicted together beyond that
	neighbours int     // observed points nearest to such a group that are used
	work       float64 // multiplications beyond which conditioning by groups is left out
}

// Tests change it.
var conditioning = conditionLimits{exact: 2048, group: 256, neighbours: 512, work: 2e13}

// How many observed points near a part of what is missing tell what similar examples say of it, and of how many of these, the heaviest, covariances are made. Tests set them; 0: of all.
// Where the white noise is less than one part in localPrecision of the data's variance, points farther away tell too.
var partNeighbours, maxExamples = 192, 256

const localPrecision = 1e4

// pointOptions returns options as package points has them, with defaults.
func (q *Posterior) pointOptions(o field.InferOptions, starts int) points.Options {
	p := points.Options{Candidates: cmp.Or(o.Candidates, 3), Iterations: cmp.Or(o.Iterations, 200), Thorough: o.Candidates > 0 || o.Iterations > 0, Starts: starts, Degrees: degrees(o, q.keeps()),
		LocalBandwidth: bandwidth(o), LocalStrength: strength(o), FirstOrder: o.FirstOrder, LatentOnly: o.Conditioning == field.ConditionNone, Moments: o.Conditioning == field.ConditionMoments,
		Exact: conditioning.exact, Group: conditioning.group, Neighbours: conditioning.neighbours, Work: conditioning.work, Blends: o.Blends,
		MaxExamples: maxExamples}
	if q.params.Noise.Beta <= localPrecision {
		p.PartNeighbours = partNeighbours
	}
	return p
}
