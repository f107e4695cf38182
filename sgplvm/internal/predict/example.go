package predict

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// An example is a partly seen example in the model's units, on a projected
// grid.
type example struct {
	on      *projection
	values  mat.Matrix // n_s*×d_y, scaled, NaN where missing
	seen    [][]int    // observed points of each channel, ascending
	version []int      // of the mask of the training data, of each channel
	errors  mat.Matrix // squares of known standard errors, n_s*×d_y, scaled; 0×0: none are known
	prior   prior
	normal  psi.Normal // of prior
	scores  mat.Matrix // of the values when they were judged (inferWithout)
	far     []float64  // of the training examples, where that was asked for (Posterior.far)
	room    *room      // what filling it in works in; nil: what is allocated
	given   *given     // where what was found is asked for again (ImputeUnsure), else nil
}

// given is what was found when an example was filled in: its moments, and for each channel L⁻¹C_OM, or 0×0 where all of it was not needed.
type given struct {
	moments  moments
	known    bool
	whitened []mat.Matrix
}

func newGiven(channels int) *given { return &given{whitened: make([]mat.Matrix, channels)} }

// A prior is what is known of an example's latent variables before its values are.
type prior struct {
	normal *psi.Normal
	at     *data.Instant // its time, nil where it is not known
	seen   bool          // Latent.Seen
}

// setPrior sets the prior to Observed.Prior.
func (e *example) setPrior(l *Latent) {
	if l != nil {
		e.normal = psi.Normal{Mean: l.Mu, Variance: l.S}
		e.prior = prior{normal: &e.normal, at: l.At, seen: l.Seen}
	}
}

// latent returns the prior as the posterior of an example that has seen nothing; its time is that of Observed.Prior.
func (p prior) latent(r *room, d int) Latent {
	l := Latent{Mu: r.vector(d), S: r.vector(d), Start: -1, Noise: 1, At: p.at, Seen: p.seen}
	for q := range d {
		l.Mu[q], l.S[q] = p.normal.At(q)
	}
	return l
}

// farOff bounds the scaled observations and their standard errors, so that squares do not overflow.
const farOff = 1e100

// observe checks an example and scales it. Errors: *data.ConfigError, *data.ValueError.
func (q *Posterior) observe(obs Observed) (*example, error) { return q.observeIn(nil, obs) }

// observeIn is observe of an example to be filled in in a room, or nil.
func (q *Posterior) observeIn(r *room, obs Observed) (*example, error) {
	g := obs.Grid
	if g == nil {
		g = q.grid
	}
	if err := q.checkGrid(g); err != nil {
		return nil, err
	}
	if n := g[0].Rows; n > mostTogether && n > q.grid[0].Rows {
		return nil, &data.ConfigError{Field: "Observed", Err: fmt.Errorf("an example at %d points of one factor, expected at most %d: their covariances are formed", n, mostTogether)}
	}
	v := obs.Values
	if v.Rows != g.Len() || v.Cols != q.channels() {
		return nil, &data.ConfigError{Field: "Observed", Err: fmt.Errorf("values are %d×%d, expected %d points × %d channels", v.Rows, v.Cols, g.Len(), q.channels())}
	}
	for i := range v.Rows {
		for c := range v.Cols {
			if x := v.At(i, c); math.IsInf(x, 0) {
				return nil, &data.ValueError{Point: i, Channel: c, Value: x, Want: "a finite number, or NaN where nothing was observed"}
			}
		}
	}
	if obs.Prior != nil {
		if err := q.checkPrior(*obs.Prior); err != nil {
			return nil, &data.ConfigError{Field: "Prior", Err: err}
		}
	}
	e := lend[example](r, exampleKind)
	*e = example{room: r, values: r.clone(v), seen: r.lists(q.channels()), version: q.version}
	e.setPrior(obs.Prior)
	q.scaler.ApplyTo(e.values)
	if err := e.setErrors(q, obs); err != nil {
		return nil, err
	}
	for c := range e.seen {
		e.seen[c] = r.list(v.Rows)
		for i := range v.Rows {
			switch x := e.values.At(i, c); {
			case math.Abs(x) > farOff:
				return nil, &data.ValueError{Point: i, Channel: c, Value: v.At(i, c), Want: fmt.Sprintf("a value within %g standard deviations of the channel's mean", farOff)}
			case x == x:
				e.seen[c] = append(e.seen[c], i)
			}
		}
	}
	e.on = q.projection(g)
	return e, nil
}

// setErrors sets the squares of known standard errors. Errors: *data.ConfigError, *data.ValueError.
func (e *example) setErrors(q *Posterior, obs Observed) error {
	s := obs.Errors
	if s.Rows == 0 && s.Cols == 0 {
		return nil
	}
	if s.Rows != e.values.Rows || s.Cols != e.values.Cols {
		return &data.ConfigError{Field: "Observed", Err: fmt.Errorf("standard errors are %d×%d, expected %d points × %d channels", s.Rows, s.Cols, e.values.Rows, e.values.Cols)}
	}
	e.errors = e.room.matrix(s.Rows, s.Cols)
	for i := range s.Rows {
		for c := range s.Cols {
			if x := obs.Values.At(i, c); x != x {
				continue
			}
			v := s.At(i, c) / q.scaler.Scale[c]
			if !(v >= 0 && v <= farOff) {
				return &data.ValueError{Point: i, Channel: c, Value: s.At(i, c), Want: fmt.Sprintf("a standard error, from 0 to %g standard deviations of the channel, of a value that was observed", farOff)}
			}
			e.errors.Set(i, c, v*v)
		}
	}
	return nil
}

// checkPrior compares a prior with the model; its variances must have inverses.
func (q *Posterior) checkPrior(l Latent) error {
	if err := q.checkLatent(l); err != nil {
		return err
	}
	for i, v := range l.S {
		if !(1/v > 0 && 1/v < math.Inf(1)) {
			return fmt.Errorf("dimension %d: variance %v, expected a positive number with an inverse", i, v)
		}
	}
	return nil
}

// observed reports whether anything of the example was.
func (e *example) observed() bool {
	return slices.ContainsFunc(e.seen, func(seen []int) bool { return len(seen) > 0 })
}

// alike returns the channels from c on that miss the same points as c, with the same errors and the same version of
// the training data's mask, nil if an earlier channel does.
func (e *example) alike(c int) []int {
	for earlier := range c {
		if e.same(earlier, c) {
			return nil
		}
	}
	channels := append(e.room.list(len(e.seen)), c)
	for later := c + 1; later < len(e.seen); later++ {
		if e.same(later, c) {
			channels = append(channels, later)
		}
	}
	return channels
}

func (e *example) same(a, b int) bool {
	if e.version[a] != e.version[b] || !slices.Equal(e.seen[a], e.seen[b]) {
		return false
	}
	return e.errors.Rows == 0 || !slices.ContainsFunc(e.seen[a], func(i int) bool { return e.errors.At(i, a) != e.errors.At(i, b) })
}

// square returns the squared standard error of an observed value.
func (e *example) square(point, channel int) float64 {
	if e.errors.Rows == 0 {
		return 0
	}
	return e.errors.At(point, channel)
}

// series returns the scaled values of channel c at some points, a column.
func (e *example) series(c int, points []int) mat.Matrix {
	v := e.room.matrix(len(points), 1)
	for k, i := range points {
		v.Data[k] = e.values.At(i, c)
	}
	return v
}

// complement returns the numbers below n that are not in the ascending list.
func complement(list []int, n int) []int {
	return addComplement(make([]int, 0, n-len(list)), list, n)
}

// addComplement appends them to rest.
func addComplement(rest, list []int, n int) []int {
	for i := range n {
		if len(list) > 0 && list[0] == i {
			list = list[1:]
			continue
		}
		rest = append(rest, i)
	}
	return rest
}
