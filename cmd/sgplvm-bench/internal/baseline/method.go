package baseline

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Kind names a method.
type Kind string

// The methods; the package documentation says what they do.
const (
	Nearest       Kind = "nearest"
	PPCA          Kind = "ppca"
	Gaussian      Kind = "gaussian"
	LocalGaussian Kind = "local-gaussian"
	GP            Kind = "gp"
)

// Kinds lists all methods.
var Kinds = []Kind{Nearest, PPCA, Gaussian, LocalGaussian, GP}

// Method is a fitted method. Any number of goroutines may use it at once.
type Method struct {
	parameters []Parameter
	scale      float64 // of all variances
	values     int     // n_s·d_y
	model      conditional
}

// largest is the number of values of a picture up to which matrices of all pairs
// of values are formed: 11 of them, 200 MB each.
const largest = 5000

// Fit fits a method to training pictures. Parameters, and one factor for all
// variances, are those that predict values hidden from training pictures best,
// by their mean log density; see Options. Errors: *SizeError, *ValueError,
// ctx.Err(), or one that says which matrix could not be factored. It panics for
// an unknown kind.
func Fit(ctx context.Context, kind Kind, d Data, o Options) (*Method, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	if err := o.check(d); err != nil {
		return nil, err
	}
	n, p := d.Pictures.Rows, d.Pictures.Cols
	if p > largest && kind != Nearest && kind != PPCA {
		return nil, &SizeError{"values of a picture", p, fmt.Sprintf("at most %d for %s, which needs matrices of all pairs", largest, kind)}
	}
	var axes []axis
	var fit fitter
	switch kind {
	case Nearest:
		axes, fit = nearestAxes(), fitNearest
	case PPCA:
		axes, fit = principalAxes(o.trained(n), p), fitPrincipal
	case Gaussian:
		axes, fit = gaussianAxes(), fitGaussian(inSpacings(d.Points), d.Channels)
	case LocalGaussian:
		points := inSpacings(d.Points)
		global, err := selectParameters(ctx, d, o, gaussianAxes(), fitGaussian(points, d.Channels))
		if err != nil {
			return nil, err
		}
		axes, fit = localAxes(n), fitLocal(points, d.Channels, n, global.parameters)
	case GP:
		fit = fitPictureGP(d.Points, d.Channels)
	default:
		panic(fmt.Sprintf("baseline: Fit: kind %q, expected one of %v", kind, Kinds))
	}
	best, err := selectParameters(ctx, d, o, axes, fit)
	if err != nil {
		return nil, err
	}
	m := &Method{scale: best.scale, values: p}
	for a, x := range axes {
		m.parameters = append(m.parameters, Parameter{x.name, best.parameters[a]})
	}
	m.parameters = append(m.parameters, Parameter{"variance factor", best.scale})
	withParameters, err := fit(d.Pictures)
	if err != nil {
		return nil, err
	}
	m.model, err = withParameters(best.parameters)
	return m, err
}

// Parameters returns what cross-validation has selected.
func (m *Method) Parameters() []Parameter { return m.parameters }

// batch is how many pictures with one pattern are filled in at once.
const batch = 16

// Fill fills in pictures, several at a time; those with one pattern of missing
// values share the work that depends on it. Errors: *ValueError for an infinite
// value, ctx.Err(), or one that says which matrix could not be factored. It panics
// if the pictures are not of the size of those in training.
func (m *Method) Fill(ctx context.Context, pictures mat.Matrix) (Prediction, error) {
	if pictures.Cols != m.values {
		panic(fmt.Sprintf("baseline: Fill: pictures are %d×%d, expected %d columns", pictures.Rows, pictures.Cols, m.values))
	}
	if err := checkNoInf(pictures); err != nil {
		return Prediction{}, err
	}
	p := Prediction{pictures.Clone(), mat.New(pictures.Rows, m.values)}
	groups := byPattern(pictures, batch)
	failures := make([]error, len(groups))
	mat.Parallel(len(groups), func(g int) {
		if ctx.Err() != nil {
			return
		}
		list, pattern := groups[g].pictures, groups[g].pattern
		if len(pattern.missing) == 0 {
			return
		}
		seen := mat.New(len(list), len(pattern.seen))
		for k, i := range list {
			copy(seen.Row(k), gather(p.Mean.Row(i), pattern.seen))
		}
		mean, variance := mat.New(len(list), len(pattern.missing)), mat.New(len(list), len(pattern.missing))
		if err := m.model.fill(mean, variance, seen, pattern); err != nil {
			failures[g] = fmt.Errorf("%w (picture %d)", err, list[0])
			return
		}
		for k, i := range list {
			for l, j := range pattern.missing {
				p.Mean.Set(i, j, mean.At(k, l))
				p.Variance.Set(i, j, m.scale*variance.At(k, l))
			}
		}
	})
	return p, firstError(ctx, failures)
}
