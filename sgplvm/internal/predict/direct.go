package predict

import (
	"math"
	"slices"
	"sync"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
)

// The direct prediction has no latent variables: an example is like the training examples near it, with the mean
// and the covariance of those, drawn to the covariance of all that the model knows (docs/math.md, "A mixture
// with training examples like it"),
//
//	mean ȳ + Σ v_n·d_n,   covariance (1−ρ)·(Σ v_n·d_n·d_nᵀ − …)∘C + ρ·(F∘C′ + Σ)
//
// with the weights v_n of the training examples, which add up to 1, and d_n = y_n − ȳ.

// A directSource is what a model keeps for direct predictions.
type directSource struct {
	mean   []float64                       // ȳ, n_s·d_y, the channels of a point one below the other
	values mat.Matrix                      // y_n − ȳ in columns
	fitted mat.Matrix                      // F, the covariance of E f(x_n) over the training examples, averaged over channels, n_s×n_s
	points mat.Matrix                      // in mean spacings
	lock   sync.Mutex                      // of made
	made   map[directKey]func() mat.Matrix // from these
}

// newDirectSource prepares direct predictions.
func newDirectSource(kept *trainingResiduals, points mat.Matrix, channels int) *directSource {
	size, n := kept.y.Rows, kept.y.Cols
	s := &directSource{made: map[directKey]func() mat.Matrix{}, mean: make([]float64, size), values: kept.y.Clone(), fitted: mat.New(size/channels, size/channels), points: points}
	channel := mat.New(size/channels, n)
	for c := range channels {
		for i := range channel.Rows {
			at := i*channels + c
			fit, values := channel.Row(i), s.values.Row(at)
			var mean, fitMean float64
			for k, r := range kept.r.Row(at) {
				fit[k] = values[k] - r
				mean += values[k] / float64(n)
				fitMean += fit[k] / float64(n)
			}
			for k := range values {
				values[k] -= mean
				fit[k] -= fitMean
			}
			s.mean[at] = mean
		}
		mat.Syrk(s.fitted, 1/float64(n*channels), channel, 1)
	}
	mat.MirrorLower(s.fitted)
	return s
}

// taper returns exp(−‖x − x′‖²/ℓ²) for a distance in mean spacings, n_s×n_s.
func (s *directSource) taper(length float64) mat.Matrix {
	key := directKey{"taper", length}
	if c, found := s.load(key); found {
		return c
	}
	return s.once(key, func() mat.Matrix {
		c := mat.New(s.points.Rows, s.points.Rows)
		gaussian([]float64{length / math.Sqrt2}).Matrix(c, s.points, s.points)
		return c
	})
}

// wide returns F∘C′ + Σ without white noise, given what Σ has of that.
func (s *directSource) wide(length float64, structured mat.Matrix) mat.Matrix {
	key := directKey{"wide", length}
	if c, found := s.load(key); found {
		return c
	}
	return s.once(key, func() mat.Matrix {
		w := s.fitted.Clone()
		if length > 0 {
			c := mat.New(w.Rows, w.Cols)
			gaussian([]float64{length / math.Sqrt2}).Matrix(c, s.points, s.points)
			mat.MulElem(w, w, c)
		}
		mat.Add(w, w, 1, structured)
		return w
	})
}

// A directKey says what a matrix is.
type directKey struct {
	name   string
	length float64
}

// load returns what once has begun to make for a key.
func (s *directSource) load(key directKey) (mat.Matrix, bool) {
	s.lock.Lock()
	f := s.made[key]
	s.lock.Unlock()
	if f == nil {
		return mat.Matrix{}, false
	}
	return f(), true
}

// once returns what make made for a key the first time.
func (s *directSource) once(key directKey, make func() mat.Matrix) mat.Matrix {
	s.lock.Lock()
	f := s.made[key]
	if f == nil {
		f = sync.OnceValue(make)
		s.made[key] = f
	}
	s.lock.Unlock()
	return f()
}

// directMoments returns the moments of the direct prediction near a part: no latent variable contributes.
func (q *Posterior) directMoments(e *example, distances []float64, b *Blend) moments {
	s := q.direct()
	on := e.on.training
	n, channels := len(on), q.channels()
	weights := e.room.vector(len(distances))
	infer.Effective(weights, distances, b.Neighbours)
	rows := e.room.list(len(weights))
	var total float64
	least := infer.LeastShare * slices.Max(weights)
	for k, w := range weights {
		if w > least {
			rows = append(rows, k)
			total += w
		}
	}
	own := lend[ownNoise](e.room, noiseKind)
	*own = ownNoise{on: e.on, room: e.room, mean: e.room.matrix(n, channels), near: e.room.matrix(n, len(rows)*channels), centred: true,
		whole: 1, prior: b.Shrinkage, white: 1 / q.params.Noise.Beta}
	shares := e.room.vector(len(rows))
	for l, k := range rows {
		shares[l] = weights[k] / total * (1 - b.Shrinkage)
	}
	own.sigma, own.taper = e.room.atPoints(on, s.wide(b.WideTaper, q.training().structured())), e.room.atPoints(on, s.taper(b.Taper))
	for j, at := range on {
		for c := range channels {
			from, near := s.values.Row(at*channels+c), own.near.Row(j)[c*len(rows):][:len(rows)]
			var mean float64
			for _, k := range rows {
				mean += weights[k] / total * from[k]
			}
			for l, k := range rows {
				near[l] = math.Sqrt(shares[l]/float64(channels)) * (from[k] - mean)
			}
			own.mean.Set(j, c, s.mean[at*channels+c]+mean)
		}
	}
	own.setUnsure(q.kept(), rows, shares)
	return moments{noise: 1, own: own, room: e.room}
}
