package sgplvm

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
)

// A model file is a sealed safetensors file. Its tensors, all F64 in C order:
//
//	mu, S                    n_ξ×d_ξ     q(X)
//	Z                        m_ξ×d_ξ     latent inducing inputs
//	latent.variance          1           RBF part of the latent kernel: σ²; absent without one
//	latent.lengthscale       d_ξ         its ℓ
//	latent.linear            d_ξ         v; absent without a linear part
//	latent.bias              1           b; absent without a bias
//	latent.time.variance     1           v of the time part; absent without one, like the next
//	Z.examples               m_ξ         examples whose times the inducing points have, whole numbers
//	residual.variance        1           structured residual; absent without one
//	residual.lengthscale     1 or d_0
//	noise.covariance         n_s×n_s     Σ; absent where it was not learned freely
//	noise.floor              1           absent where it is 0
//	noise.taper              d_0         absent without one
//	residuals                n_ξ×n_s·d_y of the training examples; absent where not kept
//	calibration              n_s×d_y     factors of variances at a time; absent without, like the next
//	calibration.mean         d_y         the variance to which they belong
//	calibration.power        1           the power of others
//	calibration.unrest       n_ξ         how large the squares of the examples were
//	calibration.reach        1           over which times they count
//	dynamics.times           n_ξ         of a dynamical prior; absent without one, like the next
//	dynamics.sequences       n_ξ         labels, whole numbers; absent where there is one sequence
//	dynamics.mubar, dynamics.lambda  n_ξ×d_ξ   μ̄ and Λ, which make mu and S
//	beta, jitter             1
//	spatial.F.X              n_F×d_F     points of spatial factor F = 0, 1, …
//	spatial.F.Xu             m_F×d_F     its inducing points; absent where tied
//	spatial.F.variance       1
//	spatial.F.lengthscale    1 or d_F; 0 for a white kernel
//	scaler.mean, scaler.scale  d_y
//	alpha                    m_ξ×m_0×…×d_y   K_uu⁻¹Ū
//
// and its metadata: format, seed, spatial.F.kernel, residual.kernel, dynamics.kernel and
// latent.time.kernel (as ParseTimeKernel reads them) and attribute.NAME for the caller's own entries. No training data are kept but, where asked,
// their residuals.
const modelFormat = "kronfield sgplvm 1"

// FileError reports a model file that cannot be used.
type FileError struct{ Err error }

func (e *FileError) Error() string { return "not a usable model file: " + e.Err.Error() }

func (e *FileError) Unwrap() error { return e.Err }

// Save writes the model to w: everything that inference and prediction need, no
// training data, sealed with a checksum. The bytes depend on the model alone.
func (m *Model) Save(w io.Writer) error {
	m.mu.Lock()
	err := m.ensureAlpha()
	m.mu.Unlock()
	if err != nil {
		return err
	}
	p := m.params
	f := &safetensors.File{Metadata: map[string]string{
		"format": modelFormat,
		"seed":   strconv.FormatUint(m.seed, 10),
	}}
	put := func(name string, data []float64, shape ...int) {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: name, Shape: shape, Data: data})
	}
	matrix := func(name string, a mat.Matrix) { put(name, a.Clone().Data, a.Rows, a.Cols) }
	matrix("mu", p.Mu)
	matrix("S", p.S)
	matrix("Z", p.Z)
	if p.Latent.LengthScale != nil {
		put("latent.variance", []float64{p.Latent.Variance}, 1)
		put("latent.lengthscale", p.Latent.LengthScale, len(p.Latent.LengthScale))
	}
	if p.Latent.Linear != nil {
		put("latent.linear", p.Latent.Linear, len(p.Latent.Linear))
	}
	if p.Latent.Bias != 0 {
		put("latent.bias", []float64{p.Latent.Bias}, 1)
	}
	if p.Latent.Time.Variance != 0 {
		f.Metadata["latent.time.kernel"] = p.Latent.Time.Kernel.String()
		put("latent.time.variance", []float64{p.Latent.Time.Variance}, 1)
		put("Z.examples", wholeNumbers(p.ZExamples), len(p.ZExamples))
	}
	if p.structured() {
		f.Metadata["residual.kernel"] = string(p.Residual.Kind)
		put("residual.variance", []float64{p.Residual.Variance}, 1)
		put("residual.lengthscale", p.Residual.LengthScale, len(p.Residual.LengthScale))
	}
	if p.Covariance.Rows > 0 {
		matrix("noise.covariance", p.Covariance)
	}
	if p.Taper != nil {
		put("noise.taper", p.Taper, len(p.Taper))
	}
	if m.calibration != nil {
		matrix("calibration", m.calibration.factor)
		put("calibration.mean", m.calibration.mean, m.channels)
		put("calibration.power", []float64{m.calibration.power}, 1)
		put("calibration.unrest", m.calibration.unrest.ratio, len(m.calibration.unrest.ratio))
		put("calibration.reach", []float64{m.calibration.unrest.reach}, 1)
	}
	if m.residuals.Rows > 0 {
		matrix("residuals", m.residuals)
	}
	if p.NoiseFloor > 0 {
		put("noise.floor", []float64{p.NoiseFloor}, 1)
	}
	if p.dynamic() {
		f.Metadata["dynamics.kernel"] = p.Dynamics.Kernel.String()
		put("dynamics.times", p.Dynamics.Times, len(p.Dynamics.Times))
		if p.Dynamics.Sequences != nil {
			put("dynamics.sequences", wholeNumbers(p.Dynamics.Sequences), len(p.Dynamics.Sequences))
		}
		matrix("dynamics.mubar", p.MuBar)
		matrix("dynamics.lambda", p.Lambda)
	}
	put("beta", []float64{p.Beta}, 1)
	put("jitter", []float64{m.jitter}, 1)
	for i, k := range p.Spatial {
		name := fmt.Sprintf("spatial.%d.", i)
		f.Metadata[name+"kernel"] = string(k.Kind)
		matrix(name+"X", m.space[i])
		if p.Xu[i].Rows > 0 {
			matrix(name+"Xu", p.Xu[i])
		}
		put(name+"variance", []float64{k.Variance}, 1)
		put(name+"lengthscale", append([]float64{}, k.LengthScale...), len(k.LengthScale))
	}
	put("scaler.mean", m.scaler.Mean, m.channels)
	put("scaler.scale", m.scaler.Scale, m.channels)
	put("alpha", m.alpha.Data, m.alpha.Dims...)
	for name, v := range m.attributes {
		f.Metadata["attribute."+name] = v
	}
	for _, name := range slices.Sorted(maps.Keys(m.attached)) {
		f.Tensors = append(f.Tensors, safetensors.Tensor{Name: attachedPrefix + name, Shape: []int{len(m.attached[name])}, Data: m.attached[name]})
	}
	return safetensors.Write(w, f)
}

// attachedPrefix is how the names of tensors begin that hold what was attached.
const attachedPrefix = "attached."

// Load reads a model that Save wrote. It predicts with the bits of the one that
// was saved, on the same instruction set. Errors: *FileError.
func Load(r io.Reader) (*Model, error) {
	f, err := safetensors.ReadSealed(r)
	if err != nil {
		return nil, &FileError{err}
	}
	m, err := fromFile(f)
	if err != nil {
		return nil, &FileError{err}
	}
	return m, nil
}

func fromFile(f *safetensors.File) (*Model, error) {
	if got := f.Metadata["format"]; got != modelFormat {
		return nil, fmt.Errorf("format %q, expected %q", got, modelFormat)
	}
	seed, err := strconv.ParseUint(f.Metadata["seed"], 10, 64)
	if err != nil || strconv.FormatUint(seed, 10) != f.Metadata["seed"] {
		return nil, fmt.Errorf("seed %q, expected a whole number", f.Metadata["seed"])
	}
	t := tensorReader{file: f, unread: map[string]bool{}}
	for _, tensor := range f.Tensors {
		t.unread[tensor.Name] = true
	}
	known := map[string]bool{"format": true, "seed": true} // metadata
	p := &Params{Beta: t.scalar("beta"), Mu: t.matrix("mu"), S: t.matrix("S"), Z: t.matrix("Z"), Latent: t.latentKernel()}
	m := &Model{params: p, seed: seed, jitter: t.scalar("jitter"), attributes: map[string]string{},
		scaler: Scaler{Mean: t.vector("scaler.mean"), Scale: t.vector("scaler.scale")}}
	m.channels = len(m.scaler.Mean)
	if t.unread["residual.variance"] {
		known["residual.kernel"] = true
		p.Residual = Kernel{Kind: KernelKind(f.Metadata["residual.kernel"]), Variance: t.scalar("residual.variance"), LengthScale: t.vector("residual.lengthscale")}
		if t.unread["noise.covariance"] {
			p.Covariance = t.matrix("noise.covariance")
		}
		if t.unread["noise.taper"] {
			p.Taper = t.vector("noise.taper")
		}
	}
	if t.unread["residuals"] {
		m.residuals = t.matrix("residuals")
	}
	var calibrated calibration
	if t.unread["calibration"] {
		calibrated = calibration{factor: t.matrix("calibration"), mean: t.vector("calibration.mean"), power: t.scalar("calibration.power"),
			unrest: unrest{t.vector("calibration.unrest"), t.scalar("calibration.reach")}}
	}
	if t.unread["noise.floor"] {
		p.NoiseFloor = t.scalar("noise.floor")
	}
	if t.unread["dynamics.times"] {
		known["dynamics.kernel"] = true
		p.Dynamics, p.MuBar, p.Lambda = t.dynamics(), t.matrix("dynamics.mubar"), t.matrix("dynamics.lambda")
	}
	if t.unread["latent.time.variance"] {
		known["latent.time.kernel"] = true
		p.Latent.Time = TimePart{t.scalar("latent.time.variance"), t.timeKernel("latent.time.kernel")}
		p.ZExamples = t.labels("Z.examples")
	}
	alphaDims := []int{p.Z.Rows}
	for i := 0; t.unread[fmt.Sprintf("spatial.%d.X", i)]; i++ {
		name := fmt.Sprintf("spatial.%d.", i)
		x, xu := t.matrix(name+"X"), mat.Matrix{}
		inducing := x.Rows
		if t.unread[name+"Xu"] {
			xu = t.matrix(name + "Xu")
			inducing = xu.Rows
		}
		m.space = append(m.space, x)
		known[name+"kernel"] = true
		p.Spatial = append(p.Spatial, Kernel{Kind: KernelKind(f.Metadata[name+"kernel"]),
			Variance: t.scalar(name + "variance"), LengthScale: t.vector(name + "lengthscale")})
		p.Xu = append(p.Xu, xu)
		alphaDims = append(alphaDims, inducing)
	}
	if t.err != nil {
		return nil, t.err
	}
	if calibrated.factor.Data != nil {
		m.calibration = calibrationOf(m.space, calibrated.factor, p.Mu.Rows)
		m.calibration.mean, m.calibration.power, m.calibration.unrest = calibrated.mean, calibrated.power, calibrated.unrest
	}
	if err := m.validate(); err != nil {
		return nil, err
	}
	alphaDims = append(alphaDims, m.channels)
	m.alpha = &kronprod.Tensor{Dims: alphaDims, Data: t.read("alpha", alphaDims...)}
	if t.err != nil {
		return nil, t.err
	}
	for _, name := range slices.Sorted(maps.Keys(t.unread)) {
		if key, ok := strings.CutPrefix(name, attachedPrefix); ok {
			content, err := safetensors.Values[uint8](f, name, -1)
			if err != nil {
				return nil, err
			}
			m.Attach(key, content)
			continue
		}
		return nil, fmt.Errorf("tensor %q, expected none of that name", name)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Metadata)) {
		if key, ok := strings.CutPrefix(name, "attribute."); ok {
			m.attributes[key] = f.Metadata[name]
		} else if !known[name] {
			return nil, fmt.Errorf("metadata entry %q, expected none of that name", name)
		}
	}
	return m, nil
}

// validate checks what a file's own checksum cannot: that its parts belong
// together.
func (m *Model) validate() error {
	if len(m.space) == 0 {
		return fmt.Errorf("no tensor spatial.0.X, expected at least one spatial factor")
	}
	points := 1
	for i, x := range m.space {
		u := m.params.Xu[i]
		switch {
		case x.Rows < 1 || x.Cols < 1:
			return fmt.Errorf("spatial.%d.X is %d×%d, expected at least one point of one dimension", i, x.Rows, x.Cols)
		case x.Rows > math.MaxInt/points:
			return fmt.Errorf("spatial.%d.X has %d points, with those of the factors before it more than can be counted", i, x.Rows)
		case u.Data != nil && u.Rows < 1: // there is a tensor, of nothing
			return fmt.Errorf("spatial.%d.Xu is %d×%d, expected at least one point, or no such tensor", i, u.Rows, u.Cols)
		case u.Rows > 0 && m.params.Spatial[i].Kind == White:
			return fmt.Errorf("spatial.%d.Xu has %d points, expected no such tensor beside a white kernel", i, u.Rows)
		}
		points *= x.Rows
	}
	if m.channels < 1 || len(m.scaler.Scale) != m.channels {
		return fmt.Errorf("scaler of %d means and %d scales, expected as many and at least one", m.channels, len(m.scaler.Scale))
	}
	for c, s := range m.scaler.Scale {
		if !(s > 0) || math.IsInf(1/s, 0) {
			return fmt.Errorf("scale %v of channel %d, expected a positive number with an inverse", s, c)
		}
	}
	if !(m.jitter >= 0 && m.jitter <= 0.1) {
		return fmt.Errorf("jitter %v, expected 0 to 0.1", m.jitter)
	}
	if err := m.params.validate(m.space); err != nil {
		return err
	}
	if err := m.validateCalibration(); err != nil {
		return err
	}
	return m.validateResiduals()
}

// tensorReader reads tensors of finite numbers and keeps the first error.
type tensorReader struct {
	file   *safetensors.File
	unread map[string]bool
	err    error
}

func (t *tensorReader) read(name string, shape ...int) []float64 {
	delete(t.unread, name)
	v, err := safetensors.Values[float64](t.file, name, shape...)
	if err == nil {
		err = finite(name, v)
	}
	if err != nil {
		t.fail(err)
		return nil
	}
	return v
}

func (t *tensorReader) scalar(name string) float64 {
	v := t.read(name, 1)
	if v == nil {
		return math.NaN()
	}
	return v[0]
}

func (t *tensorReader) vector(name string) []float64 { return slices.Clip(t.read(name, -1)) }

// latentKernel reads the parts whose tensors are there.
func (t *tensorReader) latentKernel() LatentKernel {
	var k LatentKernel
	if t.unread["latent.variance"] || t.unread["latent.lengthscale"] {
		k.Variance = t.scalar("latent.variance")
		k.LengthScale = append([]float64{}, t.vector("latent.lengthscale")...)
	}
	if t.unread["latent.linear"] {
		k.Linear = append([]float64{}, t.vector("latent.linear")...)
	}
	if t.unread["latent.bias"] {
		k.Bias = t.scalar("latent.bias")
		if k.Bias == 0 && t.err == nil {
			t.err = fmt.Errorf("latent bias 0, expected a positive number, or no such tensor")
		}
	}
	return k
}

// dynamics reads a dynamical prior.
func (t *tensorReader) dynamics() Dynamics {
	d := Dynamics{Times: append([]float64{}, t.vector("dynamics.times")...)}
	if t.unread["dynamics.sequences"] {
		d.Sequences = t.labels("dynamics.sequences")
	}
	d.Kernel = t.timeKernel("dynamics.kernel")
	return d
}

// timeKernel reads a kernel from a metadata entry.
func (t *tensorReader) timeKernel(entry string) TimeKernel {
	k, err := ParseTimeKernel(t.file.Metadata[entry])
	if err != nil {
		t.fail(fmt.Errorf("metadata entry %s: %w", entry, err))
	}
	return k
}

// labels reads whole numbers.
func (t *tensorReader) labels(name string) []int {
	labels := []int{}
	for i, v := range t.vector(name) {
		if v != math.Trunc(v) || math.Abs(v) > maxLabel {
			t.fail(fmt.Errorf("tensor %s: element %d is %v, expected a whole number between ±%d", name, i, v, maxLabel))
			break
		}
		labels = append(labels, int(v))
	}
	return labels
}

// wholeNumbers writes labels as a tensor holds them.
func wholeNumbers(labels []int) []float64 {
	v := make([]float64, len(labels))
	for i, label := range labels {
		v[i] = float64(label)
	}
	return v
}

// fail keeps the first error.
func (t *tensorReader) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

func (t *tensorReader) matrix(name string) mat.Matrix {
	v := t.read(name, -1, -1)
	if t.err != nil {
		return mat.Matrix{}
	}
	shape := t.file.Lookup(name).Shape
	if shape[0] == 0 || shape[1] == 0 {
		return mat.New(shape[0], shape[1])
	}
	return mat.NewDense(shape[0], shape[1], v)
}

func finite(name string, v []float64) error {
	for i, x := range v {
		if x-x != 0 {
			return fmt.Errorf("tensor %s: element %d is %v, expected a finite number", name, i, x)
		}
	}
	return nil
}
