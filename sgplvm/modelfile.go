package sgplvm

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
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
//	residual.lengthscale     1 or d_0    absent where the kernel is a sum, a product or periodic
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
//	spatial.F.lengthscale    1 or d_F; 0 for a white kernel; absent where it is a sum, a product or periodic
//	scaler.mean, scaler.scale  d_y
//	alpha                    m_ξ×m_0×…×d_y   K_uu⁻¹Ū
//	holes.table              v×m_ξ×b     w of each version of the training data's mask; absent where these were complete, like the next
//	holes.version            d_y         that of each channel, whole numbers
//	holes.latent             m_ξ×m_ξ     T_0
//	holes.spatial.F          m_F×b_F     T_F; b is the product of all b_F
//	eigen.latent             m_ξ×m_ξ     T_0 of complete data; where it is absent, as the next, loading solves it
//	eigen.latent.values      m_ξ         Λ_0
//	eigen.spatial.F          m_F×m_F     T_F; V_F where tied, 0×0 where that is the identity
//	eigen.spatial.F.values   m_F         Λ_F; s_F where tied
//	partly                   U8, the file of a second model for examples seen in part; absent without one
//	attached.motion, .originals, .detail, .inflation, .errors, .mixture, .chroma  U8, the film, where the examples are the frames of one
//	attached.NAME            U8, what was attached besides
//
// and its metadata: format, seed, spatial.F.kernel, residual.kernel, dynamics.kernel and
// latent.time.kernel (as kernel.Parse reads them), config, selection and training (JSON of a Config, a Selection and
// PhaseReports) and attribute.NAME for the caller's own entries. Of the
// training data residuals and a film's frames are kept, where predictions need them.
const modelFormat = "kronfield sgplvm 1"

// emulatorFormat is that of an Emulator's file.
const emulatorFormat = "kronfield emulator 1"

// How the names of the caller's own tensors and metadata entries begin.
const (
	attachedPrefix  = "attached."
	attributePrefix = "attribute."
)

// Save writes the model to w: everything that inference and prediction need, sealed with a checksum. The bytes depend on the model alone. Of the training data
// it has what predictions are made of: a film's frames and, with local noise, the residuals of all examples (Summary
// tells how many bytes; Config.Lean forbids both).
func (m *Model) Save(w io.Writer) error {
	q := m.posterior
	p, scaler, alpha := q.Params(), q.Scaler(), q.Alpha()
	f := tensorWriter{&safetensors.File{Metadata: map[string]string{
		"format": modelFormat,
		"seed":   strconv.FormatUint(m.seed, 10),
	}}}
	if err := f.choice(m); err != nil {
		return err
	}
	f.matrix("mu", p.X.Mu)
	f.matrix("S", p.X.S)
	f.matrix("Z", p.Z)
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
		f.matrix(name+"X", q.Grid()[i])
		if !p.Space[i].Tied() {
			f.matrix(name+"Xu", p.Space[i].Xu)
		}
		f.kernel(name, p.Space[i].Kernel)
	}
	f.Numbers("scaler.mean", scaler.Mean)
	f.Numbers("scaler.scale", scaler.Scale)
	f.put("alpha", alpha.Data, alpha.Dims...)
	f.incomplete(q.Options().Incomplete)
	f.spectra(q.Options().Spectra)
	for name, v := range m.attributes {
		f.Text(attributePrefix+name, v)
	}
	if err := f.partly(m); err != nil {
		return err
	}
	attached := maps.Clone(m.attached)
	if m.film != nil {
		parts, err := m.film.Encode()
		if err != nil {
			return err
		}
		if attached == nil {
			attached = parts
		}
		maps.Copy(attached, parts)
	}
	for _, name := range slices.Sorted(maps.Keys(attached)) {
		f.file.Tensors = append(f.file.Tensors, safetensors.Tensor{Name: attachedPrefix + name, Shape: []int{len(attached[name])}, Data: attached[name]})
	}
	return safetensors.Write(w, f.file)
}

// choice writes what the model was trained with, how that was chosen and how the bound rose.
func (w tensorWriter) choice(m *Model) error {
	for _, entry := range []struct {
		name  string
		known bool
		value any
	}{
		{"config", m.config != nil, m.config},
		{"selection", m.selection != nil, m.selection},
		{"training", len(m.phases) > 0, m.phases},
	} {
		if !entry.known {
			continue
		}
		text, err := json.Marshal(entry.value)
		if err != nil {
			return err
		}
		w.Text(entry.name, string(text))
	}
	return nil
}

// kernel writes a kernel in space under names that begin with the given one.
func (w tensorWriter) kernel(name string, k kernel.Kernel) {
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
func (w tensorWriter) noise(n *bound.Noise, o predict.Options) {
	if n.Structured() {
		w.kernel("residual.", n.Residual)
	}
	if n.Learned() {
		w.matrix("noise.covariance", n.Covariance)
	}
	if n.Taper != nil {
		w.Numbers("noise.taper", n.Taper)
	}
	if c := o.Calibration; c != nil {
		w.matrix("calibration", c.Factor)
		w.Numbers("calibration.mean", c.Mean)
		w.Numbers("calibration.power", []float64{c.Power})
		w.Numbers("calibration.unrest", c.Inflation.Ratios)
		w.Numbers("calibration.reach", []float64{c.Inflation.Reach})
	}
	if o.Residuals.Rows > 0 {
		w.matrix("residuals", o.Residuals)
	}
	if f := o.Filled; f != nil {
		w.matrix("filled.variance", f.Variance)
		w.matrix("filled.alike", f.Alike)
	}
	if n.Floor > 0 {
		w.Numbers("noise.floor", []float64{n.Floor})
	}
}

// paths writes the dynamical prior.
func (w tensorWriter) paths(p *bound.Params) {
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
	w.matrix("dynamics.mubar", paths.MuBar)
	w.matrix("dynamics.lambda", paths.Lambda)
}
