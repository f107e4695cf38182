package kernel

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/text"
)

// Limits on kernels from files and flags.
const (
	maxDepth = 16 // parentheses within one another
	maxTerms = 64 // kernels in all
)

// String writes the kernel as Parse reads it, with all digits. The variance is not written.
func (k Kernel) String() string {
	var s []string
	switch k.Kind {
	case Sum, Product:
		sign := "*"
		if k.Kind == Sum {
			sign = "+"
		}
		for i, term := range k.Terms {
			text := term.String()
			if term.Kind == Sum || term.Kind == k.Kind {
				text = "(" + text + ")"
			}
			if k.Kind == Sum && i < len(k.Weights) {
				text = formatNumber(k.Weights[i]) + "*" + text
			}
			s = append(s, text)
		}
		return strings.Join(s, sign)
	case Periodic:
		if k.Period != 0 || !k.missesScale() {
			s = append(s, formatNumber(k.Period))
		}
	}
	if !k.missesScale() {
		for _, l := range k.LengthScale {
			s = append(s, formatNumber(l))
		}
	}
	if s == nil {
		return string(k.Kind)
	}
	return string(k.Kind) + "(" + strings.Join(s, ",") + ")"
}

// MarshalText writes the kernel as String does.
func (k Kernel) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what Parse does.
func (k *Kernel) UnmarshalText(text []byte) error {
	read, err := Parse(string(text))
	if err == nil {
		*k = read
	}
	return err
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Parse reads a kernel such as matern32, rbf(3.5), where 3.5 is the length scale, or
// rbf(3.5,2) with one for each dimension, periodic(12) or periodic(12,0.8), with the period
// first, and sums and products of kernels: rbf*periodic(12)+matern12,
// 0.7*rbf(2)+0.3*matern12*(rbf+periodic). Numbers are positive; those that are left out are
// found from the data when training starts, and weights are equal. The names are those of
// the kinds that are one function of the distance, and periodic. The variance is not part of the text.
func Parse(s string) (Kernel, error) {
	p := parser{rest: s}
	k, err := p.sum(0)
	if err == nil && p.rest != "" {
		err = p.expected("+ or *")
	}
	if err != nil {
		return Kernel{}, err
	}
	return k, nil
}

// parser reads a kernel by recursive descent.
type parser struct {
	rest  string
	terms int
}

func (p *parser) expected(what string) error {
	found := "the end"
	if p.rest != "" {
		found = quoted(p.rest)
	}
	return text.Errorf("expected %s at %s, in a kernel such as matern32 or 0.7*rbf(2)+0.3*rbf*periodic(12,1)", what, found)
}

func (p *parser) skip(sign string) bool {
	rest, found := strings.CutPrefix(p.rest, sign)
	p.rest = rest
	return found
}

// sum reads product {"+" product}.
func (p *parser) sum(depth int) (Kernel, error) {
	if depth > maxDepth {
		return Kernel{}, text.Errorf("parentheses within one another in a kernel, expected at most %d", maxDepth)
	}
	k := Kernel{Kind: Sum}
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
		return k, errors.New("expected weights for all terms of a sum in a kernel, or for none")
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
func (p *parser) product(depth int) (weight float64, k Kernel, err error) {
	if p.rest != "" && strings.Contains("0123456789.", p.rest[:1]) {
		if weight, err = p.number(); err != nil {
			return 0, k, err
		}
		if !p.skip("*") {
			return 0, k, p.expected("*")
		}
	}
	k = Kernel{Kind: Product}
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
func (p *parser) factor(depth int) (k Kernel, err error) {
	if p.terms++; p.terms > maxTerms {
		return k, text.Errorf("more than %d terms in a kernel", maxTerms)
	}
	if p.skip("(") {
		if k, err = p.sum(depth + 1); err == nil && !p.skip(")") {
			err = p.expected(")")
		}
		return k, err
	}
	name, rest := identifier(p.rest)
	if k.Kind = Kind(name); lookup(k.Kind) == nil && k.Kind != Periodic {
		return k, p.expected(text.Sprintf("one of %v and %s", names(Kinds()), Periodic))
	}
	p.rest = rest
	if !k.hasScale() || !p.skip("(") {
		return k, nil
	}
	numbers, most := []float64(nil), math.MaxInt
	if k.Kind == Periodic {
		most = 2
	}
	for {
		v, err := p.number()
		if err != nil {
			return k, err
		}
		if numbers = append(numbers, v); len(numbers) == most || !p.skip(",") {
			break
		}
	}
	if k.Kind == Periodic {
		k.Period, numbers = numbers[0], slices.Clip(numbers[1:])
	}
	if len(numbers) > 0 {
		k.LengthScale = numbers
	}
	if !p.skip(")") {
		err = p.expected(")")
	}
	return k, err
}

// number reads a positive number.
func (p *parser) number() (float64, error) {
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
