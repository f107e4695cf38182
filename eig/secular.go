package eig

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
)

// secular is the equation
//
//	f(λ) = 1/ρ + Σ z[i]²/(d[i] − λ) = 0,   ρ > 0, d strictly ascending, z[i] ≠ 0
//
// whose k = len(d) roots are the eigenvalues of diag(d) + ρ·z·zᵀ. Root j lies
// between poles d[j] and d[j+1], the last one between d[k−1] and d[k−1] + ρ·zᵀz.
type secular struct {
	d, z    []float64
	inverse float64 // 1/ρ
}

// secularSteps limits the iteration for one root. Three to five steps are usual.
// A step that does not gain a digit, of which there are fewer than fifty, is one
// of at most patience+1 before the interval is halved, at most seventy times.
// Tests lower it.
var secularSteps = 300

// patience is the number of steps in a row that need not gain a digit.
const patience = 2

// root finds root j as d[pole] + shift, where d[pole] is the nearer one of the
// two poles beside it, so that d[i] − λ = (d[i] − d[pole]) − shift has a small
// relative error for every i. It ends where |f| is not distinguishable from 0,
// or no number lies between the bounds of the root.
func (f *secular) root(j int) (pole int, shift float64, ok bool) {
	k := len(f.d)
	if k == 1 {
		return 0, float64(f.z[0]*f.z[0]) / f.inverse, true
	}
	last := j == k-1
	pole, shift, lo, hi := f.start(j)
	fixed := !last
	before, idle := math.Inf(1), 0
	for range secularSteps {
		t := f.at(j, pole, shift)
		w, dw := t.value(), t.slope()
		// What rounding of the shift and of the terms makes of a zero. A larger
		// residual is put down to rounding only if it has not become smaller.
		noise := float64(2*t.size()) + float64(math.Abs(shift)*dw)
		if math.Abs(w) > 0.5*before {
			noise += float64(14 * t.size())
		}
		if math.Abs(w) <= unit*noise {
			return pole, shift, true
		}
		if math.Abs(w) <= 0.1*before {
			idle = 0
		} else {
			idle++
			fixed = !fixed && !last
		}
		before = math.Abs(w)
		if w < 0 { // f ascends
			lo = shift
		} else {
			hi = shift
		}
		eta := f.step(j, pole, shift, t, fixed)
		if !(w*eta < 0) {
			eta = -w / dw
		}
		next := shift + eta
		if !(lo < next && next < hi) || idle > patience {
			next, idle = middle(lo, hi), 0
		}
		if next == shift || !(lo < next && next < hi) {
			return pole, shift, true
		}
		shift = next
	}
	return pole, shift, false
}

// beside returns the two poles that a step towards root j looks at: those on
// either side, or the last two for the last root.
func (f *secular) beside(j int) (p, q int) {
	p = min(j, len(f.d)-2)
	return p, p + 1
}

// terms is f in parts: the terms of the poles to the left and to the right
// without the one from which λ is measured, that one's own term, and 1/ρ.
type terms struct {
	psi, phi, own    float64
	dpsi, dphi, down float64 // slopes
	constant         float64
}

func (t *terms) rest() float64  { return t.constant + (t.psi + t.phi) }
func (t *terms) value() float64 { return t.rest() + t.own }
func (t *terms) slope() float64 { return t.dpsi + t.dphi + t.down }
func (t *terms) size() float64 {
	return t.constant + math.Abs(t.psi) + math.Abs(t.phi) + math.Abs(t.own)
}

// at evaluates f near root j, at λ = d[pole] + shift.
func (f *secular) at(j, pole int, shift float64) (t terms) {
	p, q := f.beside(j)
	if pole == p {
		p--
	} else {
		q++
	}
	sigma := f.d[pole]
	t.psi, t.dpsi = asm.PoleSum(f.d[:p+1], f.z[:p+1], sigma, shift)
	t.phi, t.dphi = asm.PoleSum(f.d[q:], f.z[q:], sigma, shift)
	w := f.z[pole] / -shift
	t.own, t.down = f.z[pole]*w, w*w
	t.constant = f.inverse
	return t
}

// step returns the distance from d[pole] + shift at which a function that
// resembles f has its root, after Li ("Solving secular equations stably and
// efficiently", LAPACK Working Note 89, 1993): c + s/(d[p]−λ) + t/(d[q]−λ) for
// the two poles beside the root, with the value and the slope of f and either
// the true weight at the pole from which λ is measured (fixed weight) or the
// slopes that the left and the right have each by itself (the middle way).
//
// If the rest of f has the sign of the pole's own term, that term does not make
// the root, and the pole behind takes the pole's place in the middle way; while
// the own term is steep, and so will be gone at the root, without that term.
func (f *secular) step(j, pole int, shift float64, t terms, fixed bool) float64 {
	p, q := f.beside(j)
	d, z, sigma := f.d, f.z, f.d[pole]
	last := j == len(d)-1
	rest, outer := t.rest(), false
	if pole == p {
		outer = !last && rest < 0 && p > 0
	} else {
		outer = !last && rest > 0 && q < len(d)-1
	}
	w, dpsi, dphi := t.value(), t.dpsi, t.dphi
	switch steep := t.down > 2*(dpsi+dphi); {
	case outer && steep:
		w = rest
	case pole == p:
		dpsi += t.down
	default:
		dphi += t.down
	}
	dw := dpsi + dphi
	switch {
	case outer && pole == p:
		p--
	case outer:
		q++
	}
	left, right := (d[p]-sigma)-shift, (d[q]-sigma)-shift
	var c float64
	switch {
	case !fixed || outer:
		c = w - float64(left*dpsi) - float64(right*dphi)
	case pole == p:
		weight := z[p] / left
		c = w - float64(right*dw) + float64(float64((d[q]-d[p])*weight)*weight)
	default:
		weight := z[q] / right
		c = w - float64(left*dw) - float64(float64((d[q]-d[p])*weight)*weight)
	}
	if last {
		c = math.Abs(c)
	}
	both := left * right
	return twoPoles(float64((left+right)*w)-float64(both*dw), both*w, c, last)
}

// start chooses the pole from which root j is measured, and returns a first
// guess and strict bounds of its distance, of one sign. f at the middle of the
// interval tells which pole is nearer; the other poles' terms are taken as they
// are there, and the equation of two poles that is left is solved.
//
// The bounds come from f = 0 solved for the pole's own term z²/|shift|, with
// those terms left out or replaced by their value at the middle that makes the
// rest larger.
func (f *secular) start(j int) (pole int, shift, lo, hi float64) {
	const slack = 0x1p-20 // far more than rounding, so that steps to the bound itself stay inside
	d, z, k := f.d, f.z, len(f.d)
	if j == k-1 {
		p, q := k-2, k-1
		zp, zq := float64(z[p]*z[p]), float64(z[q]*z[q])
		var sum float64
		for _, x := range z {
			sum += float64(x * x)
		}
		gap := d[q] - d[p]
		lo, hi = (1-slack)*zq/f.inverse, (1+slack)*sum/f.inverse
		mid := hi / 2
		rest, _ := asm.PoleSum(d[:p], z[:p], d[q], mid)
		rest += f.inverse
		if w := rest - zp/(gap+mid) - zq/mid; w <= 0 {
			lo = max(lo, mid)
		} else {
			hi = mid
		}
		shift = twoPoles(zp+zq-float64(rest*gap), -zq*gap, rest, true)
		return q, inside(shift, lo, hi), lo, hi
	}
	zp, zq := float64(z[j]*z[j]), float64(z[j+1]*z[j+1])
	gap := d[j+1] - d[j]
	half := gap / 2
	psi, _ := asm.PoleSum(d[:j], z[:j], d[j], half)
	phi, _ := asm.PoleSum(d[j+2:], z[j+2:], d[j], half)
	rest := f.inverse + (psi + phi)
	psi -= zp / half
	phi += zq / half
	if f.inverse+(psi+phi) >= 0 {
		lo, hi = (1-slack)*zp/(f.inverse+phi), (1+slack)*half
		shift = twoPoles(float64(rest*gap)+(zp+zq), zp*gap, rest, false)
		return j, inside(shift, lo, hi), lo, hi
	}
	lo, hi = -(1+slack)*half, (1-slack)*zq/psi
	shift = twoPoles((zp+zq)-float64(rest*gap), -zq*gap, rest, false)
	return j + 1, inside(shift, lo, hi), lo, hi
}

// twoPoles returns the root x of c·x² − a·x + b that an interpolating function
// of two poles has between them, or beyond both for the last root.
func twoPoles(a, b, c float64, last bool) float64 {
	root := math.Sqrt(math.Abs(float64(a*a) - float64(4*b*c)))
	if last {
		root = -root
	}
	if last == (a < 0) { // the sign that does not cancel
		return 2 * b / (a + root)
	}
	return (a - root) / (2 * c)
}

// inside returns x if it lies between lo and hi, and else their middle.
func inside(x, lo, hi float64) float64 {
	if lo < x && x < hi {
		return x
	}
	return middle(lo, hi)
}

// middle divides the interval from lo to hi, both of one sign: in the geometric
// mean if they differ in size, else in the arithmetic one.
func middle(lo, hi float64) float64 {
	a, b := math.Abs(lo), math.Abs(hi)
	if max(a, b) > 4*min(a, b) {
		return math.Copysign(math.Sqrt(a)*math.Sqrt(b), hi)
	}
	return lo + (hi-lo)/2
}
