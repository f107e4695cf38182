// Package modelfile writes and reads the files of models.
package modelfile

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
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
//	totals                   4           count, Σ‖y‖², Σψ0 and ΣKL of the examples in the model's units, with which it takes in others; absent where values were missing
//	partly                   U8, the file of a second model for examples seen in part; absent without one
//	attached.motion, .originals, .detail, .inflation, .errors, .mixture, .chroma  U8, the film, where the examples are the frames of one
//	attached.NAME            U8, what was attached besides
//
// and its metadata: format, seed, spatial.F.kernel, residual.kernel, dynamics.kernel and
// latent.time.kernel (as kernel.Parse reads them), config, selection and training (JSON of a Config, a Selection and
// PhaseReports) and attribute.NAME for the caller's own entries. Of the
// training data residuals and a film's frames are kept, where predictions need them.
const Format = "kronfield sgplvm 1"

// How the names of the caller's own tensors and metadata entries begin.
const (
	AttachedPrefix  = "attached."
	AttributePrefix = "attribute."
)

// PartlyTensor is the name of the tensor with the file of the second model.
const PartlyTensor = "partly"

// chosen are the names of metadata entries that the caller reads and writes as JSON.
var chosen = []string{"config", "selection", "training"}

// A File is what a model file holds.
type File struct {
	Posterior  *predict.Posterior
	Seed       uint64
	Chosen     map[string]string // JSON of the entries config, selection and training; an entry that is empty or not there is not written
	Attributes map[string]string
	Partly     []byte            // the file of a second model; nil: there is none
	Attached   map[string][]byte // the caller's own
}

// Write writes a file, sealed with a checksum. The bytes depend on the content alone.
func Write(w io.Writer, m File) error {
	f := Writer{&safetensors.File{Metadata: map[string]string{"format": Format, "seed": strconv.FormatUint(m.Seed, 10)}}}
	for _, name := range chosen {
		if m.Chosen[name] != "" {
			f.Text(name, m.Chosen[name])
		}
	}
	f.posterior(m.Posterior)
	for name, v := range m.Attributes {
		f.Text(AttributePrefix+name, v)
	}
	if m.Partly != nil {
		f.bytes(PartlyTensor, m.Partly)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Attached)) {
		f.bytes(AttachedPrefix+name, m.Attached[name])
	}
	return safetensors.Write(w, f.File)
}

// Parse returns the content of a file. Chosen is as it was written; what it says is the caller's to check. Errors say which tensor or entry is wrong, and what was
// expected.
func Parse(f *safetensors.File) (m File, err error) {
	t := NewReader(f)
	if got := t.Text("format"); got != Format {
		return m, fmt.Errorf("format %s, expected %q", quote.Text(got), Format)
	}
	text := t.Text("seed")
	m.Seed, err = strconv.ParseUint(text, 10, 64)
	if err != nil || strconv.FormatUint(m.Seed, 10) != text {
		return m, fmt.Errorf("seed %s, expected a whole number", quote.Text(text))
	}
	m.Chosen = map[string]string{}
	for _, name := range chosen {
		m.Chosen[name] = t.Text(name)
	}
	if t.Has(PartlyTensor) {
		m.Partly = t.bytes(PartlyTensor)
	}
	posterior, err := t.posterior()
	if err != nil {
		return m, err
	}
	if m.Attributes, m.Attached, err = t.Callers(); err != nil { // what nobody knows is refused first
		return m, err
	}
	m.Posterior, err = posterior()
	return m, err
}

// Callers reads attributes and attachments, and refuses what nobody has read.
func (t *Reader) Callers() (attributes map[string]string, attached map[string][]byte, err error) {
	if t.Err != nil {
		return nil, nil, t.Err
	}
	for _, name := range slices.Sorted(maps.Keys(t.Unread)) {
		key, ok := strings.CutPrefix(name, AttachedPrefix)
		if !ok {
			return nil, nil, fmt.Errorf("tensor %s, expected none of that name", quote.Text(name))
		}
		content, err := safetensors.Values[uint8](t.file, name, -1)
		if err != nil {
			return nil, nil, err
		}
		if attached == nil {
			attached = map[string][]byte{}
		}
		attached[key] = content
	}
	attributes = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(t.entries)) {
		key, ok := strings.CutPrefix(name, AttributePrefix)
		if !ok {
			return nil, nil, fmt.Errorf("metadata entry %s, expected none of that name", quote.Text(name))
		}
		attributes[key] = t.file.Metadata[name]
	}
	return attributes, attached, nil
}
