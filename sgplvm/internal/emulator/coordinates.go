package emulator

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Deviations of the weak priors that keep parameters finite about which the runs say nothing: of log ℓ, and of the logits of shares.
const scalePrior, sharePrior = 3, 3

// coordinates are what an optimiser sees of a kernel: log ℓ, one or d of them, the logit of w, and for Product the logits of s.
type coordinates struct {
	form   Form
	dims   int
	single bool      // one length scale for all inputs
	linear []float64 // weights of the linear part

	centre    []float64 // prior means
	deviation []float64 // and deviations
}

// newCoordinates returns coordinates with weak priors.
func newCoordinates(form Form, x mat.Matrix, u []float64, single bool) *coordinates {
	c := &coordinates{form: form, dims: x.Cols, single: single, linear: u}
	start := mat.NormFro(x) * math.Sqrt(2/float64(x.Rows)) // the usual distance of two runs
	if start == 0 {
		start = 1
	}
	start = math.Log(start)
	if form == Product {
		start -= 0.5 * math.Log(float64(c.dims))
	}
	for range c.scales() {
		c.centre, c.deviation = append(c.centre, start), append(c.deviation, scalePrior)
	}
	c.centre, c.deviation = append(c.centre, 0), append(c.deviation, sharePrior)
	for range c.parts() {
		c.centre, c.deviation = append(c.centre, 0), append(c.deviation, sharePrior)
	}
	return c
}

func (c *coordinates) scales() int {
	if c.single {
		return 1
	}
	return c.dims
}

func (c *coordinates) parts() int {
	if c.form == Product {
		return c.dims
	}
	return 0
}

// around returns coordinates whose prior of log ℓ is of deviation tau around those of k.
func (c *coordinates) around(k *Kernel, tau float64) *coordinates {
	n := *c
	n.single = false
	n.centre, n.deviation = n.vector(k), nil
	for i := range n.centre {
		if i < n.dims {
			n.deviation = append(n.deviation, tau)
		} else {
			n.deviation = append(n.deviation, sharePrior)
		}
	}
	return &n
}

// kernel returns the kernel of a vector.
func (c *coordinates) kernel(v []float64) *Kernel {
	k := &Kernel{Form: c.form, Linear: c.linear, Scales: make([]float64, c.dims)}
	for q := range k.Scales {
		k.Scales[q] = math.Exp(v[q%c.scales()])
	}
	v = v[c.scales():]
	k.Share = sigmoid(v[0])
	for _, s := range v[1 : 1+c.parts()] {
		k.Parts = append(k.Parts, sigmoid(s))
	}
	return k
}

// vector is the reverse of kernel.
func (c *coordinates) vector(k *Kernel) []float64 {
	var v []float64
	for _, l := range k.Scales[:c.scales()] {
		v = append(v, math.Log(l))
	}
	v = append(v, logit(k.Share))
	for _, s := range k.Parts {
		v = append(v, logit(s))
	}
	return v
}

// startSteps is from how many length scales a fit may begin: the usual distance of two runs, and halves of it.
const startSteps = 6

// start returns where a fit begins: at the length scale of the largest evidence among some. From the usual distance alone an optimiser ends at a kernel that
// takes outputs that wave for noise.
func (c *coordinates) start(e *evidence) []float64 {
	best, most := append([]float64{}, c.centre...), math.Inf(-1)
	v, gradient := append([]float64{}, c.centre...), make([]float64, len(c.centre))
	for range startSteps {
		if value, err := e.value(c.kernel(v)); err == nil {
			if value -= c.prior(gradient, v); value > most {
				most = value
				copy(best, v)
			}
		}
		for q := range c.scales() {
			v[q] -= math.Ln2
		}
	}
	return best
}

// chain adds the negative gradient g of a kernel to dst.
func (c *coordinates) chain(dst []float64, k *Kernel, g *gradient) {
	for q, s := range g.scales {
		dst[q%c.scales()] -= s
	}
	dst = dst[c.scales():]
	dst[0] -= g.share * k.Share * (1 - k.Share)
	for q, s := range k.Parts {
		dst[1+q] -= g.parts[q] * s * (1 - s)
	}
}

// prior sets dst to the gradient of the priors' −log density, which it returns.
func (c *coordinates) prior(dst, v []float64) float64 {
	sum := 0.
	for i, m := range c.centre {
		u := (v[i] - m) / c.deviation[i]
		dst[i] = u / c.deviation[i]
		sum += 0.5 * u * u
	}
	return sum
}

// The logit is kept within ±14.
func logit(p float64) float64   { return max(-14, min(14, math.Log(p/(1-p)))) }
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
