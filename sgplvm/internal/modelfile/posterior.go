package modelfile

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/sums"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// posterior writes what predictions need.
func (w Writer) posterior(q *predict.Posterior) {
	f, p, scaler, alpha := w, q.Params(), q.Scaler(), q.Alpha()
	f.Matrix("mu", p.X.Mu)
	f.Matrix("S", p.X.S)
	f.Matrix("Z", p.Z)
	p.Latent.Save(f)
	if p.ZExamples != nil {
		f.labels("Z.examples", p.ZExamples)
	}
	f.noise(&p.Noise, q.Options())
	f.paths(p)
	f.Numbers("beta", []float64{p.Noise.Beta})
	f.Numbers("jitter", []float64{q.Jitter()})
	for i := range p.Space {
		name := fmt.Sprintf("spatial.%d.", i)
		f.Matrix(name+"X", q.Grid()[i])
		if !p.Space[i].Tied() {
			f.Matrix(name+"Xu", p.Space[i].Xu)
		}
		f.kernel(name, p.Space[i].Kernel)
	}
	f.Numbers("scaler.mean", scaler.Mean)
	f.Numbers("scaler.scale", scaler.Scale)
	f.put("alpha", alpha.Data, alpha.Dims...)
	f.incomplete(q.Options().Incomplete)
	f.spectra(q.Options().Spectra)
	if totals := q.Options().Totals; totals != nil {
		f.Numbers("totals", totals)
	}
}

// posterior reads what predictions need, and returns what makes a posterior of it.
func (t *Reader) posterior() (build func() (*predict.Posterior, error), err error) {
	p := &bound.Params{Z: t.Matrix("Z"), Latent: psi.Load(t)}
	p.X.Mu, p.X.S = t.Matrix("mu"), t.Matrix("S")
	p.Noise = t.noise()
	o := t.options()
	if o.Incomplete = t.incomplete(); o.Incomplete == nil {
		o.Spectra = t.spectra()
		if t.Has("totals") {
			o.Totals = t.read("totals", sums.Len)
		}
	}
	t.paths(p)
	jitter := t.Number("jitter")
	scaler := data.Scaler{Mean: t.Numbers("scaler.mean"), Scale: t.Numbers("scaler.scale")}
	grid := t.space(p)
	if t.Err != nil {
		return nil, t.Err
	}
	if err := validate(p, grid, scaler, jitter); err != nil {
		return nil, err
	}
	dims := []int{p.Z.Rows}
	for i := range p.Space {
		inducing := p.Space[i].Xu.Rows
		if p.Space[i].Tied() {
			inducing = grid[i].Rows
		}
		dims = append(dims, inducing)
	}
	dims = append(dims, len(scaler.Mean))
	alpha := kronprod.Tensor{Dims: dims, Data: t.read("alpha", dims...)}
	if t.Err != nil {
		return nil, t.Err
	}
	return func() (*predict.Posterior, error) { return predict.New(p, grid, scaler, alpha, jitter, o) }, nil
}

// kernel writes a kernel in space under names that begin with the given one.
func (w Writer) kernel(name string, k kernel.Kernel) {
	if len(k.Terms) > 0 || k.Kind == kernel.Periodic {
		w.Text(name+"kernel", k.String())
		w.Numbers(name+"variance", []float64{k.Variance})
		return
	}
	w.Text(name+"kernel", string(k.Kind))
	w.Numbers(name+"variance", []float64{k.Variance})
	w.Numbers(name+"lengthscale", append([]float64{}, k.LengthScale...))
}

// noise writes the structured part of the noise, and what predictions know besides.
func (w Writer) noise(n *bound.Noise, o predict.Options) {
	if n.Structured() {
		w.kernel("residual.", n.Residual)
	}
	if n.Learned() {
		w.Matrix("noise.covariance", n.Covariance)
	}
	if n.Taper != nil {
		w.Numbers("noise.taper", n.Taper)
	}
	if c := o.Calibration; c != nil {
		w.Matrix("calibration", c.Factor)
		w.Numbers("calibration.mean", c.Mean)
		w.Numbers("calibration.power", []float64{c.Power})
		w.Numbers("calibration.unrest", c.Inflation.Ratios)
		w.Numbers("calibration.reach", []float64{c.Inflation.Reach})
	}
	if o.Residuals.Rows > 0 {
		w.Matrix("residuals", o.Residuals)
	}
	if f := o.Filled; f != nil {
		w.Matrix("filled.variance", f.Variance)
		w.Matrix("filled.alike", f.Alike)
	}
	if n.Floor > 0 {
		w.Numbers("noise.floor", []float64{n.Floor})
	}
}

// paths writes the dynamical prior.
func (w Writer) paths(p *bound.Params) {
	paths := p.X.Paths
	if paths == nil {
		return
	}
	w.Text("dynamics.kernel", paths.Prior.Kernel.String())
	for q, k := range paths.Prior.Own {
		w.Text(ownKernel(q), k.String())
	}
	w.Numbers("dynamics.times", paths.Prior.Times)
	if paths.Prior.Sequences != nil {
		w.labels("dynamics.sequences", paths.Prior.Sequences)
	}
	w.Matrix("dynamics.mubar", paths.MuBar)
	w.Matrix("dynamics.lambda", paths.Lambda)
}

// space reads the spatial factors.
func (t *Reader) space(p *bound.Params) field.Grid {
	var grid field.Grid
	for i := 0; t.Has(fmt.Sprintf("spatial.%d.X", i)); i++ {
		name := fmt.Sprintf("spatial.%d.", i)
		grid = append(grid, t.Matrix(name+"X"))
		var s bound.Spatial
		if t.Has(name + "Xu") {
			s.Xu = t.Matrix(name + "Xu")
			if s.Xu.Rows < 1 && t.Err == nil { // there is a tensor, of nothing
				t.Fail(fmt.Errorf("%sXu is %d×%d, expected at least one point, or no such tensor", name, s.Xu.Rows, s.Xu.Cols))
			}
		}
		s.Kernel = t.kernel(name)
		p.Space = append(p.Space, s)
	}
	return grid
}

// kernel reads a kernel in space under names that begin with the given one.
func (t *Reader) kernel(name string) kernel.Kernel {
	k := kernel.Kernel{Kind: kernel.Kind(t.Text(name + "kernel"))}
	if !t.Has(name + "lengthscale") {
		k = t.timeKernel(name + "kernel")
	} else {
		k.LengthScale = t.Numbers(name + "lengthscale")
	}
	k.Variance = t.Number(name + "variance")
	return k
}

// noise reads the noise.
func (t *Reader) noise() bound.Noise {
	n := bound.Noise{Beta: t.Number("beta")}
	if t.Has("residual.variance") {
		n.Residual = t.kernel("residual.")
		if !n.Structured() {
			t.Fail(errors.New("no metadata entry residual.kernel, expected one beside residual.variance"))
		}
		if t.Has("noise.covariance") {
			n.Covariance = t.Matrix("noise.covariance")
		}
		if t.Has("noise.taper") {
			n.Taper = t.Numbers("noise.taper")
		}
	}
	if t.Has("noise.floor") {
		n.Floor = t.Number("noise.floor")
	}
	return n
}

// options reads what predictions know beside the parameters.
func (t *Reader) options() predict.Options {
	var o predict.Options
	if t.Has("residuals") {
		o.Residuals = t.Matrix("residuals")
	}
	if t.Has("filled.variance") {
		o.Filled = &predict.Filled{Variance: t.Matrix("filled.variance"), Alike: t.Matrix("filled.alike")}
	}
	if t.Has("calibration") {
		o.Calibration = &predict.Calibration{Factor: t.Matrix("calibration"), Mean: t.Numbers("calibration.mean"), Power: t.Number("calibration.power"),
			Inflation: predict.Inflation{Ratios: t.Numbers("calibration.unrest"), Reach: t.Number("calibration.reach")}}
	}
	return o
}

// paths reads the dynamical prior, and whose times the inducing points have.
func (t *Reader) paths(p *bound.Params) {
	if t.Has("dynamics.times") {
		prior := dynamics.Prior{Times: append([]float64{}, t.Numbers("dynamics.times")...)}
		if t.Has("dynamics.sequences") {
			prior.Sequences = t.labels("dynamics.sequences")
		}
		prior.Kernel = t.timeKernel("dynamics.kernel")
		p.X.Paths = &dynamics.Params{Prior: prior, MuBar: t.Matrix("dynamics.mubar"), Lambda: t.Matrix("dynamics.lambda")}
		if t.file.Metadata[ownKernel(0)] != "" {
			for q := range p.X.Paths.MuBar.Cols {
				p.X.Paths.Prior.Own = append(p.X.Paths.Prior.Own, t.timeKernel(ownKernel(q)))
			}
		}
	}
	if t.Has("Z.examples") {
		p.ZExamples = t.labels("Z.examples")
	}
}

// validate checks what a file's own checksum cannot: that its parts belong
// together.
func validate(p *bound.Params, grid field.Grid, scaler data.Scaler, jitter float64) error {
	if len(grid) == 0 {
		return fmt.Errorf("no tensor spatial.0.X, expected at least one spatial factor")
	}
	points := 1
	for i, x := range grid {
		switch {
		case x.Rows < 1 || x.Cols < 1:
			return fmt.Errorf("spatial.%d.X is %d×%d, expected at least one point of one dimension", i, x.Rows, x.Cols)
		case x.Rows > math.MaxInt/points:
			return fmt.Errorf("spatial.%d.X has %d points, with those of the factors before it more than can be counted", i, x.Rows)
		case !p.Space[i].Tied() && p.Space[i].Kernel.Kind == kernel.White:
			return fmt.Errorf("spatial.%d.Xu has %d points, expected no such tensor beside a white kernel", i, p.Space[i].Xu.Rows)
		}
		points *= x.Rows
	}
	if len(scaler.Mean) < 1 || len(scaler.Scale) != len(scaler.Mean) {
		return fmt.Errorf("scaler of %d means and %d scales, expected as many and at least one", len(scaler.Mean), len(scaler.Scale))
	}
	for c, s := range scaler.Scale {
		if !(s > 0) || math.IsInf(1/s, 0) {
			return fmt.Errorf("scale %v of channel %d, expected a positive number with an inverse", s, c)
		}
	}
	if !(jitter >= 0 && jitter <= 0.1) {
		return fmt.Errorf("jitter %v, expected 0 to 0.1", jitter)
	}
	return p.Validate(grid)
}

// The bases of q(U) in the model's file: with them loading solves no eigenproblem.

// spectrumName is under which name the solution of a factor's eigenproblem is kept, 0 the latent one.
func spectrumName(factor int) string {
	if factor == 0 {
		return "eigen.latent"
	}
	return fmt.Sprintf("eigen.spatial.%d", factor-1)
}

// spectra writes the solutions of the factors' eigenproblems.
func (w Writer) spectra(solved []eig.Spectrum) {
	for f, s := range solved {
		w.Matrix(spectrumName(f), s.Vectors)
		w.Numbers(spectrumName(f)+".values", s.Values)
	}
}

// spectra reads the solutions of the factors' eigenproblems; nil where the file has none.
func (t *Reader) spectra() (solved []eig.Spectrum) {
	for f := 0; t.Has(spectrumName(f)); f++ {
		solved = append(solved, eig.Spectrum{Vectors: t.Matrix(spectrumName(f)), Values: t.Numbers(spectrumName(f) + ".values")})
	}
	return solved
}

// incomplete writes q(U) of a model that learned from data with holes.
func (w Writer) incomplete(u *bound.Incomplete) {
	if u == nil {
		return
	}
	var all []float64
	for _, table := range u.Tables {
		all = append(all, table.Clone().Data...)
	}
	w.put("holes.table", all, len(u.Tables), u.Tables[0].Rows, u.Tables[0].Cols)
	w.labels("holes.version", u.Version)
	w.Matrix("holes.latent", u.Latent)
	for f, t := range u.Space {
		w.Matrix(fmt.Sprintf("holes.spatial.%d", f), t)
	}
}

// incomplete reads q(U) of a model that learned from data with holes; nil where the file has none.
func (t *Reader) incomplete() *bound.Incomplete {
	if !t.Has("holes.table") {
		return nil
	}
	all := t.read("holes.table", -1, -1, -1)
	u := &bound.Incomplete{Version: t.labels("holes.version"), Latent: t.Matrix("holes.latent")}
	for f := 0; t.Has(fmt.Sprintf("holes.spatial.%d", f)); f++ {
		u.Space = append(u.Space, t.Matrix(fmt.Sprintf("holes.spatial.%d", f)))
	}
	if t.Err != nil {
		return nil
	}
	shape := t.file.Lookup("holes.table").Shape
	size := shape[1] * shape[2]
	for v := range shape[0] {
		if size == 0 {
			break // which is refused later
		}
		u.Tables = append(u.Tables, mat.NewDense(shape[1], shape[2], all[v*size:(v+1)*size]))
	}
	return u
}
