package psi

import (
	"errors"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/text"
)

// Kernel is the covariance function of the latent variables, the sum of its parts: at
// least one, in the order of the table, each at most once. It is plain data, which
// package record can store.
type Kernel struct{ Parts []Part }

// Clone returns a copy that shares nothing with k.
func (k Kernel) Clone() Kernel {
	parts := make([]Part, len(k.Parts))
	for i, p := range k.Parts {
		parts[i] = p.clone()
	}
	return Kernel{parts}
}

// Zero sets every parameter to 0, to collect a gradient; the parts stay.
func (k Kernel) Zero() {
	for _, p := range k.Parts {
		p.zero()
	}
}

// Visit calls f for the parameters of every part in a fixed order, with those of other, a
// kernel of the same parts.
func (k Kernel) Visit(other Kernel, f Visitor) {
	for i, p := range k.Parts {
		p.visit(other.Parts[i], f)
	}
}

// Names returns which parts the kernel has.
func (k Kernel) Names() Names {
	var names Names
	for _, p := range k.Parts {
		names = append(names, p.Name())
	}
	return names
}

// Part returns the part of that name, or nil.
func (k Kernel) Part(name string) Part {
	for _, p := range k.Parts {
		if p.Name() == name {
			return p
		}
	}
	return nil
}

// Timed reports whether a part depends on the times of examples and inducing points.
func (k Kernel) Timed() bool {
	return slices.ContainsFunc(k.Parts, func(p Part) bool { _, is := p.(timed); return is })
}

// Validate reports whether the kernel can be used on d latent dimensions; times says
// whether examples and inducing points have times.
func (k Kernel) Validate(d int, times bool) error {
	if len(k.Parts) == 0 {
		return text.Errorf("kernel has no part, expected one of %s", listed(tableNames(), "or"))
	}
	if err := k.Names().validate(); err != nil {
		return err
	}
	for _, p := range k.Parts {
		if err := p.validate(d); err != nil {
			return err
		}
	}
	if k.Timed() && !times {
		return errors.New("kernel has a time part, but the examples have no times")
	}
	return nil
}

// Variance returns E k(x, x) under x ~ N(0, I) of the part of that name; 0 where there is
// none.
func (k Kernel) Variance(name string) float64 {
	p := k.Part(name)
	if p == nil {
		return 0
	}
	return variance(0, p)
}

// FlatVariance is Variance of all parts but a nonlinear one, together: the prior variance
// that does not vary with what the examples show. It is checked against FlattestPrior.
func (k Kernel) FlatVariance() float64 {
	var flat []Part
	for _, p := range k.Parts {
		if _, is := p.(nonlinear); !is {
			flat = append(flat, p)
		}
	}
	return variance(0, flat...)
}

// FlattestPrior bounds the prior variance that FlatVariance, times the spatial kernels',
// gives f, in units of the data's. Beyond it such parts say nothing any more: the bound
// falls like a logarithm, while rounding in ψ0 − tr K⁻¹Ψ2, of relative size ε/jitter, grows
// in proportion and in the end decides.
const FlattestPrior = 1e4

// NonlinearVariance is Variance of the nonlinear part; 0 without one. It is checked against LargestPrior.
func (k Kernel) NonlinearVariance() float64 {
	for _, p := range k.Parts {
		if _, is := p.(nonlinear); is {
			return variance(0, p)
		}
	}
	return 0
}

// LargestPrior bounds the prior variance that NonlinearVariance, times the spatial kernels', gives f, in units of the
// data's. Beyond it the jitter, 10⁻⁶ of it, is larger than the data.
const LargestPrior = 1e6

// variance adds E k(x, x) under x ~ N(0, I) of parts to sum.
func variance(sum float64, parts ...Part) float64 {
	for _, p := range parts {
		if c, _ := p.diagonal(); c != nil {
			sum += *c
		}
	}
	for _, p := range parts {
		_, v := p.diagonal()
		for _, w := range v {
			sum += w
		}
	}
	return sum
}

// Describe names the parts with their variances, for people.
func (k Kernel) Describe() string {
	var s []string
	for _, p := range k.Parts {
		s = append(s, p.describe())
	}
	return strings.Join(s, " + ")
}

// A Relevance says how fast f changes along each latent dimension by one part.
type Relevance struct {
	Title  string    // what to call it
	Slopes []float64 // d: inverse length scales, or standard deviations of slopes
	Share  float64   // of the kernel's variance that the part has
}

// Relevances returns those of all parts that have one.
func (k Kernel) Relevances() []Relevance {
	var all []Relevance
	for _, p := range k.Parts {
		if title, slopes := p.relevance(); title != "" {
			all = append(all, Relevance{title, slopes, variance(0, p) / variance(0, k.Parts...)})
		}
	}
	return all
}

// Save writes the parameters of all parts.
func (k Kernel) Save(w Writer) {
	for _, p := range k.Parts {
		p.save(w)
	}
}

// Load reads the parts that are there. Errors are r's; Validate has more.
func Load(r Reader) Kernel {
	var k Kernel
	for _, row := range table {
		if p := row.empty(); p.load(r) {
			k.Parts = append(k.Parts, p)
		}
	}
	return k
}

// Start returns a kernel of the given parts from which training starts; no parts stand for
// an RBF part.
func Start(names Names, s Setting) (Kernel, error) {
	if len(names) == 0 {
		names = Names{"rbf"}
	}
	var k Kernel
	for _, row := range table {
		if !names.Has(row.name) {
			continue
		}
		p := row.empty()
		if err := p.start(s); err != nil {
			return Kernel{}, err
		}
		k.Parts = append(k.Parts, p)
	}
	return k, nil
}
