package predict

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Predict returns mean and variance of the data at the points of a grid (nil:
// the training grid) for a latent posterior. They are the exact first two
// moments for uncertain latent variables (docs/math.md, "Prediction"), the variances
// calibrated where the model is, for a latent posterior at a time that was not Seen.
// Errors: *field.ConfigError.
func (q *Posterior) Predict(l field.Latent, g field.Grid) (field.Prediction, error) {
	var p field.Prediction
	err := q.PredictTo(&p, l, g)
	return p, err
}

// PredictTo is Predict in the storage of an earlier result of as many values. After an error p is as it was.
func (q *Posterior) PredictTo(p *field.Prediction, l field.Latent, g field.Grid) error {
	if err := q.checkArguments(l, g); err != nil {
		return err
	}
	r := q.rooms.Get().(*room)
	defer q.rooms.Put(r)
	q.uncalibratedTo(p, g, q.momentsIn(r, l))
	if inflation, ok := q.inflation(l); ok {
		q.calibrate(p.Variance, g, inflation)
	}
	return nil
}

// calibrate calibrates variances at the points of a grid (nil: the training grid).
func (q *Posterior) calibrate(variance mat.Matrix, g field.Grid, inflation float64) {
	q.calibration.Apply(variance, q.factorsAt(g), 0, inflation)
}

// factorsAt returns the factors of calibration at the points of a grid (nil: the training grid).
func (q *Posterior) factorsAt(g field.Grid) mat.Matrix {
	if g == nil || g.Equal(q.grid) {
		return q.calibration.Factor
	}
	if last := q.lastFactors.Load(); last != nil && last.grid.Equal(g) {
		return last.factor
	}
	factor := mat.New(g.Len(), q.channels())
	eachCut(g, 2*q.grid.Len(), func(part field.Grid, first, _, _ int) { put(factor, q.calibration.At(q.grid, part), first) })
	q.lastFactors.Store(&factorsOn{copiedGrid(g), factor})
	return factor
}

// inflation returns that of a latent posterior's time, and whether its variances are calibrated at
// all.
func (q *Posterior) inflation(l field.Latent) (inflation float64, calibrated bool) {
	if q.calibration == nil || l.At == nil || l.Seen {
		return 1, false
	}
	return q.inflationAt(*l.At, -1), true
}

// A rescaling is what calibration makes of the joint distribution of the data at a grid's points: every
// deviation from the mean is multiplied by the root of calibrated over uncalibrated variance, so that the
// variances become those of Predict and correlations stay.
type rescaling struct {
	mean mat.Matrix // of the data, in the user's units, n_s*×d_y
	root mat.Matrix // n_s*×d_y
}

// rescaling returns that of a latent posterior on a grid (nil: the training grid); nil where its
// variances are not calibrated.
func (q *Posterior) rescaling(g field.Grid, l field.Latent) *rescaling {
	inflation, ok := q.inflation(l)
	if !ok {
		return nil
	}
	var p field.Prediction
	q.uncalibratedTo(&p, g, q.momentsOf(l))
	r := &rescaling{p.Mean, p.Variance.Clone()}
	q.calibrate(r.root, g, inflation)
	for i, v := range p.Variance.Data {
		r.root.Data[i] = math.Sqrt(r.root.Data[i] / v)
	}
	return r
}

// uncalibratedTo sets p to mean and variance of the data on a grid (nil: the training grid), in the
// user's units, in its storage where that is as large.
func (q *Posterior) uncalibratedTo(p *field.Prediction, g field.Grid, t moments) {
	n := q.grid.Len()
	if g != nil {
		n = g.Len()
	}
	mean, variance := Sized(p.Mean, n, q.channels()), Sized(p.Variance, n, q.channels())
	q.eachPart(g, func(on *projection, first int) {
		*p = q.uncalibrated(on, t)
		put(mean, p.Mean, first)
		put(variance, p.Variance, first)
	})
	p.Mean, p.Variance = mean, variance
}

// uncalibrated returns mean and variance of the data in the user's units.
func (q *Posterior) uncalibrated(on *projection, t moments) field.Prediction {
	p := q.marginal(on, t)
	q.toUserUnits(p)
	return p
}

// toUserUnits scales a prediction of the model's f to the user's data, white noise included.
func (q *Posterior) toUserUnits(p field.Prediction) {
	for c, s := range q.scaler.Scale {
		for i := range p.Mean.Rows {
			p.Mean.Set(i, c, q.scaler.Mean[c]+s*p.Mean.At(i, c))
			p.Variance.Set(i, c, s*s*(p.Variance.At(i, c)+1/q.params.Noise.Beta))
		}
	}
}

// spreadRows is how many points' variances are computed together, in storage that
// caches hold. Tests lower it.
var spreadRows = 1024

// marginal returns mean and variance of the data at every point, without the white
// noise, in the model's units:
// Atkinson and Zabaras (2018), predictive moments, with the last term that an
// uncertain latent variable adds exactly.
func (q *Posterior) marginal(on *projection, t moments) field.Prediction {
	n, r := on.grid.Len(), t.room
	work.Resize(&r.variance, n, len(on.p))
	p := field.Prediction{Mean: q.mean(on, t), Variance: r.variance, Conditioning: "none", Noise: q.noiseName(on)}
	explained, m := q.explained(on, t), marginalPool.Take()
	for c := range on.p {
		*m = marginals{q: q, on: on, t: t, to: p.Variance, channel: c, explained: explained.Row(q.version[c]), blocks: (n + spreadRows - 1) / spreadRows}
		mat.Run(m.blocks, m)
	}
	*m = marginals{}
	marginalPool.Give(m)
	return p
}

// marginals are the variances of a channel, block by block.
type marginals struct {
	q         *Posterior
	on        *projection
	t         moments
	to        mat.Matrix // n_s*×d_y
	channel   int
	explained []float64 // of the channel's version
	blocks    int
}

var marginalPool mat.Pool[marginals]

// Do sets those of a block.
func (m *marginals) Do(b int) {
	pc, prior := m.on.p[m.channel], m.t.psi0*m.q.params.SpatialVariance()
	from, to := work.Block(b, m.blocks, pc.Rows)
	rows := pc.Slice(from, to, 0, pc.Cols)
	buffer := mat.Borrow(rows.Rows * rows.Cols)
	spread := mat.NewDense(rows.Rows, rows.Cols, *buffer)
	mat.Mul(spread, 1, rows, m.t.spread, 0)
	for i := from; i < to; i++ {
		m.to.Set(i, m.channel, max(0, prior+m.q.structuredVariance(m.on, i)-m.explained[i]+asm.Dot(spread.Row(i-from), rows.Row(i-from))))
	}
	mat.GiveBack(buffer)
}

// mean returns P_c·ψ1 for every channel, n_s*×d_y.
func (q *Posterior) mean(on *projection, t moments) mat.Matrix {
	mean := &t.room.mean
	work.Resize(mean, on.grid.Len(), len(on.p))
	for c, p := range on.p {
		mat.Mul(mean.Slice(0, mean.Rows, c, c+1), 1, p, t.psi1, 0)
	}
	return *mean
}

// explained returns (Φ∘Φ)·h, what the inducing points take off the prior
// variance, at every point, a row for each version of the mask.
func (q *Posterior) explained(on *projection, t moments) mat.Matrix {
	all := &t.room.explained
	work.Resize(all, t.h.Rows, on.grid.Len())
	for v := range all.Rows {
		on.features().squared.Mul(mat.Vector(all.Row(v)), mat.Vector(t.h.Row(v)), &t.room.product)
	}
	return *all
}

// noiseName returns Prediction.Noise.
func (q *Posterior) noiseName(on *projection) string {
	switch {
	case !q.params.Noise.Structured():
		return "white"
	case on.training != nil:
		return "learned"
	}
	return "parametric"
}

// structuredVariance is the variance of the noise's structured part at a grid point.
func (q *Posterior) structuredVariance(on *projection, i int) float64 {
	switch {
	case !q.params.Noise.Structured():
		return 0
	case on.training == nil:
		return q.params.Noise.Residual.Variance
	}
	s := on.structured()
	return s.At(i, i)
}
