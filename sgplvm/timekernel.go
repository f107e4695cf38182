package sgplvm

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
)

// Kinds of a TimeKernel beside Matern12, Matern32, Matern52 and RBF.
const (
	Periodic KernelKind = "periodic" // exp(−2·sin²(πΔ/p)/ℓ²)
	Sum      KernelKind = "sum"      // Σ w_i·k_i, Σ w_i = 1
	Product  KernelKind = "product"  // Π k_i
)

// TimeKernel is a stationary covariance function of time with unit variance: one of the
// kernels, or a sum or product of TimeKernels. The periodic kernel is that of MacKay,
// "Introduction to Gaussian processes" (1998), section 5.2.
type TimeKernel struct {
	Kind        KernelKind
	LengthScale float64      // ℓ, in units of time; a number without unit for Periodic. 0: from the data
	Period      float64      // p of Periodic, in units of time. 0: from the data
	Terms       []TimeKernel // of a sum or product, two or more
	Weights     []float64    // of a sum's terms, positive, Σ w_i = 1. nil: equal ones
}

// Matérn and RBF kernels in time.
var simpleTimeKinds = []KernelKind{Matern12, Matern32, Matern52, RBF}

// Limits on kernels from files and flags.
const (
	maxTimeDepth = 16 // parentheses within one another
	maxTimeTerms = 64 // kernels in all
)

func (k TimeKernel) clone() TimeKernel {
	k.Weights = slices.Clone(k.Weights)
	k.Terms = slices.Clone(k.Terms)
	for i, term := range k.Terms {
		k.Terms[i] = term.clone()
	}
	return k
}

// zero sets every parameter to 0, to collect a gradient.
func (k *TimeKernel) zero() {
	k.LengthScale, k.Period = 0, 0
	clear(k.Weights)
	for i := range k.Terms {
		k.Terms[i].zero()
	}
}

// visit calls f for the kernel's parameters, as Params.visit does: length scales, periods
// and, for the weights of a sum, their ratios to the last one, so that they keep adding
// up to 1.
func (k *TimeKernel) visit(other *TimeKernel, f func(value, slope []float64, positive bool)) {
	switch k.Kind {
	case Sum:
		k.visitWeights(other, f)
	case Product:
	default:
		scalar(&k.LengthScale, &other.LengthScale, f)
		if k.Kind == Periodic {
			scalar(&k.Period, &other.Period, f)
		}
	}
	for i := range k.Terms {
		k.Terms[i].visit(&other.Terms[i], f)
	}
}

// visitWeights visits r_i = w_i/w_last. From w_i = r_i/Σr, where r_last is 1,
//
//	∂L/∂r_i = w_last·(∂L/∂w_i − Σ_j w_j·∂L/∂w_j)
func (k *TimeKernel) visitWeights(other *TimeKernel, f func(value, slope []float64, positive bool)) {
	last := len(k.Weights) - 1
	mean := asm.Dot(k.Weights, other.Weights)
	ratios, slopes := make([]float64, last), make([]float64, last)
	for i := range last {
		ratios[i] = k.Weights[i] / k.Weights[last]
		slopes[i] = k.Weights[last] * (other.Weights[i] - mean)
	}
	before := slices.Clone(ratios)
	f(ratios, slopes, true)
	if slices.Equal(ratios, before) {
		return
	}
	total := 1 + sum(ratios)
	for i, r := range ratios {
		k.Weights[i] = max(r/total, leastPositive)
	}
	k.Weights[last] = max(1/total, leastPositive)
}

// validate reports whether the kernel is complete.
func (k TimeKernel) validate() error {
	if (k.Kind == Sum || k.Kind == Product) != (len(k.Terms) > 0) || len(k.Terms) == 1 {
		return fmt.Errorf("time kernel: %d terms of %s, expected two or more of a sum or product and none elsewhere", len(k.Terms), k.Kind)
	}
	for _, term := range k.Terms {
		if err := term.validate(); err != nil {
			return err
		}
	}
	switch k.Kind {
	case Product:
		return nil
	case Sum:
		if len(k.Weights) != len(k.Terms) {
			return fmt.Errorf("time kernel: %d weights for %d terms of a sum", len(k.Weights), len(k.Terms))
		}
		return validWeights(k.Weights)
	case Periodic:
		if !(k.Period > 0) || math.IsInf(k.Period, 0) {
			return fmt.Errorf("time kernel: period %v, expected a positive number", k.Period)
		}
	default:
		if !slices.Contains(simpleTimeKinds, k.Kind) {
			return fmt.Errorf("unknown time kernel %q, expected one of %v, %s, %s, %s", k.Kind, simpleTimeKinds, Periodic, Sum, Product)
		}
	}
	if !(k.LengthScale > 0) || math.IsInf(k.LengthScale, 0) {
		return fmt.Errorf("time kernel: length scale %v of %s, expected a positive number", k.LengthScale, k.Kind)
	}
	return nil
}

// validWeights reports whether weights are positive and add up to 1.
func validWeights(w []float64) error {
	for _, v := range w {
		if !(v > 0) {
			return fmt.Errorf("time kernel: weight %v, expected a positive number", v)
		}
	}
	if total := sum(w); !(math.Abs(total-1) <= 1e-9) {
		return fmt.Errorf("time kernel: weights add up to %v, expected 1", total)
	}
	return nil
}

// squares sets r2 to the squared scaled distances of differences in time: (Δ/ℓ)², or
// (2·sin(πΔ/p)/ℓ)², of which RBF is the periodic kernel.
func (k TimeKernel) squares(r2, delta []float64) {
	for i, d := range delta {
		if k.Kind == Periodic {
			d = 2 * math.Sin(math.Pi*d/k.Period)
		}
		d /= k.LengthScale
		r2[i] = min(d*d, farthest)
	}
}

// stationary returns the kernel of the distance of squares.
func (k TimeKernel) stationary() Kernel {
	if k.Kind == Periodic {
		return Kernel{Kind: RBF, Variance: 1}
	}
	return Kernel{Kind: k.Kind, Variance: 1}
}

// values sets dst[i] = k(delta[i]) for differences in time.
func (k TimeKernel) values(dst, delta []float64) {
	if k.Kind != Sum && k.Kind != Product {
		k.squares(dst, delta)
		k.stationary().values(dst)
		return
	}
	buffer := mat.Borrow(len(delta))
	k.Terms[0].values(dst, delta)
	if k.Kind == Sum {
		asm.Scale(dst, k.Weights[0], dst)
	}
	for i, term := range k.Terms[1:] {
		term.values(*buffer, delta)
		if k.Kind == Sum {
			asm.Axpy(k.Weights[i+1], *buffer, dst)
		} else {
			asm.MulTo(dst, dst, *buffer)
		}
	}
	mat.GiveBack(buffer)
}

// addGradient adds Σ_i g[i]·∂k(delta[i])/∂θ to grad for each parameter θ.
func (k TimeKernel) addGradient(grad *TimeKernel, g, delta []float64) {
	n := len(delta)
	buffer := mat.Borrow(2 * n)
	a, b := (*buffer)[:n], (*buffer)[n:]
	switch k.Kind {
	case Sum:
		for i, term := range k.Terms {
			term.values(a, delta)
			grad.Weights[i] += asm.Dot(g, a)
			asm.Scale(a, k.Weights[i], g)
			term.addGradient(&grad.Terms[i], a, delta)
		}
	case Product:
		for i, term := range k.Terms {
			copy(a, g)
			for j, other := range k.Terms {
				if j != i {
					other.values(b, delta)
					asm.MulTo(a, a, b)
				}
			}
			term.addGradient(&grad.Terms[i], a, delta)
		}
	default:
		k.squares(a, delta)
		copy(b, a)
		k.stationary().slopes(b)
		asm.MulTo(b, b, g) // −g·k′(r)/r
		grad.LengthScale += asm.Dot(a, b) / k.LengthScale
		if k.Kind == Periodic { // ∂r²/∂p = −(2/ℓ)²·sin(2πΔ/p)·πΔ/p²
			var s float64
			for i, d := range delta {
				angle := math.Pi * d / k.Period
				s += b[i] * math.Sin(2*angle) * angle
			}
			grad.Period += 2 * s / (k.Period * k.LengthScale * k.LengthScale)
		}
	}
	mat.GiveBack(buffer)
}

// matrix sets dst[i,j] = k(s_i − t_j), len(s)×len(t).
func (k TimeKernel) matrix(dst mat.Matrix, s, t []float64) {
	blocks := min(rowBlocks, len(s))
	mat.Parallel(blocks, func(b int) {
		buffer := mat.Borrow(len(t))
		from, to := blockRange(b, blocks, len(s))
		for i := from; i < to; i++ {
			differences(*buffer, s[i], t)
			k.values(dst.Row(i), *buffer)
		}
		mat.GiveBack(buffer)
	})
}

// addMatrixGradient chains a symmetric g = ∂L/∂K, of which it reads the lower triangle,
// into the parameters, where K[i,j] = k(t_i − t_j).
func (k TimeKernel) addMatrixGradient(grad *TimeKernel, g mat.Matrix, t []float64) {
	buffer := mat.Borrow(2 * len(t))
	delta, twice := (*buffer)[:len(t)], (*buffer)[len(t):]
	for i := range t {
		differences(delta[:i+1], t[i], t)
		asm.Scale(twice[:i], 2, g.Row(i)[:i])
		twice[i] = g.At(i, i)
		k.addGradient(grad, twice[:i+1], delta[:i+1])
	}
	mat.GiveBack(buffer)
}

// differences sets dst[j] = s − t[j].
func differences(dst []float64, s float64, t []float64) {
	for j := range dst {
		dst[j] = s - t[j]
	}
}

// String writes the kernel as ParseTimeKernel reads it, with all digits.
func (k TimeKernel) String() string {
	var s []string
	switch k.Kind {
	case Sum, Product:
		sign := map[KernelKind]string{Sum: "+", Product: "*"}[k.Kind]
		for i, term := range k.Terms {
			text := term.String()
			if term.Kind == Sum || term.Kind == k.Kind {
				text = "(" + text + ")"
			}
			if k.Weights != nil {
				text = formatNumber(k.Weights[i]) + "*" + text
			}
			s = append(s, text)
		}
		return strings.Join(s, sign)
	case Periodic:
		if k.Period != 0 {
			s = append(s, formatNumber(k.Period))
		}
	}
	if k.LengthScale != 0 {
		s = append(s, formatNumber(k.LengthScale))
	}
	if s == nil {
		return string(k.Kind)
	}
	return string(k.Kind) + "(" + strings.Join(s, ",") + ")"
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// ParseTimeKernel reads a kernel such as matern32, rbf(3.5), where 3.5 is the length
// scale, periodic(12) or periodic(12,0.8), with the period first, and sums and
// products of kernels: rbf*periodic(12)+matern12, 0.7*rbf(2)+0.3*matern12*(rbf+periodic).
// Numbers that are left out are found from the data when training starts, weights are equal.
func ParseTimeKernel(s string) (TimeKernel, error) {
	p := timeParser{rest: s}
	k, err := p.sum(0)
	if err == nil && p.rest != "" {
		err = p.expected("+ or *")
	}
	if err != nil {
		return TimeKernel{}, err
	}
	return k, nil
}

// timeParser reads a kernel by recursive descent.
type timeParser struct {
	rest  string
	terms int
}

func (p *timeParser) expected(what string) error {
	found := strconv.Quote(p.rest)
	if p.rest == "" {
		found = "the end"
	}
	return fmt.Errorf("expected %s at %s, in a time kernel such as matern32 or 0.7*rbf(2)+0.3*rbf*periodic(12,1)", what, found)
}

func (p *timeParser) skip(sign string) bool {
	rest, found := strings.CutPrefix(p.rest, sign)
	p.rest = rest
	return found
}

// sum reads product {"+" product}.
func (p *timeParser) sum(depth int) (TimeKernel, error) {
	if depth > maxTimeDepth {
		return TimeKernel{}, fmt.Errorf("parentheses within one another in a time kernel, expected at most %d", maxTimeDepth)
	}
	k := TimeKernel{Kind: Sum}
	for {
		weight, term, err := p.product(depth)
		if err != nil {
			return k, err
		}
		k.Terms = append(k.Terms, term)
		if weight != 0 {
			k.Weights = append(k.Weights, weight)
		}
		if !p.skip("+") {
			break
		}
	}
	switch {
	case len(k.Weights) == 0:
	case len(k.Terms) == 1 || len(k.Weights) != len(k.Terms):
		return k, errors.New("expected weights for all terms of a sum in a time kernel, or for none")
	default:
		if err := validWeights(k.Weights); err != nil {
			return k, err
		}
	}
	if len(k.Terms) == 1 {
		return k.Terms[0], nil
	}
	return k, nil
}

// product reads [number "*"] factor {"*" factor}; the weight is 0 where there is none.
func (p *timeParser) product(depth int) (weight float64, k TimeKernel, err error) {
	if p.rest != "" && strings.Contains("0123456789.", p.rest[:1]) {
		if weight, err = p.number(); err != nil {
			return 0, k, err
		}
		if !p.skip("*") {
			return 0, k, p.expected("*")
		}
	}
	k = TimeKernel{Kind: Product}
	for {
		term, err := p.factor(depth)
		if err != nil {
			return 0, k, err
		}
		k.Terms = append(k.Terms, term)
		if !p.skip("*") {
			break
		}
	}
	if len(k.Terms) == 1 {
		return weight, k.Terms[0], nil
	}
	return weight, k, nil
}

// factor reads name ["(" number {"," number} ")"] or "(" sum ")".
func (p *timeParser) factor(depth int) (k TimeKernel, err error) {
	if p.terms++; p.terms > maxTimeTerms {
		return k, fmt.Errorf("more than %d terms in a time kernel", maxTimeTerms)
	}
	if p.skip("(") {
		if k, err = p.sum(depth + 1); err == nil && !p.skip(")") {
			err = p.expected(")")
		}
		return k, err
	}
	for _, kind := range append(slices.Clone(simpleTimeKinds), Periodic) {
		if p.skip(string(kind)) {
			k.Kind = kind
			break
		}
	}
	if k.Kind == "" {
		return k, p.expected(fmt.Sprintf("one of %v and periodic", simpleTimeKinds))
	}
	if !p.skip("(") {
		return k, nil
	}
	numbers := []*float64{&k.LengthScale}
	if k.Kind == Periodic {
		numbers = []*float64{&k.Period, &k.LengthScale}
	}
	for i, to := range numbers {
		if i > 0 && !p.skip(",") {
			break
		}
		if *to, err = p.number(); err != nil {
			return k, err
		}
	}
	if !p.skip(")") {
		err = p.expected(")")
	}
	return k, err
}

// number reads a positive number.
func (p *timeParser) number() (float64, error) {
	n := 0
	for n < len(p.rest) && (strings.IndexByte("0123456789.eE", p.rest[n]) >= 0 || n > 0 && strings.IndexByte("+-", p.rest[n]) >= 0 && strings.IndexByte("eE", p.rest[n-1]) >= 0) {
		n++
	}
	v, err := strconv.ParseFloat(p.rest[:n], 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, p.expected("a positive number")
	}
	p.rest = p.rest[n:]
	return v, nil
}
