package dynamics

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// statesFrom decides between the forms of K: states are filtered for n ≥ statesFrom·s^1.5 times, as
// measured. Tests change it.
var statesFrom = 15.

// useStates reports whether K of n times is to be used by its states of s numbers.
func useStates(k kernel.Kernel, n int) bool {
	s := float64(k.StateSize())
	return s > 0 && float64(n) >= statesFrom*s*math.Sqrt(s)
}

// A stateCovariance is K under a Markov kernel as the output of a linear system. Nothing of the size
// n² is formed.
type stateCovariance struct {
	system
	filter kalman
	slopes systemSlopes

	room   []float64 // for a state
	states []float64 // n×s
}

func (c *stateCovariance) set(k kernel.Kernel, times []float64) {
	c.system.set(k, times)
	c.slopes.reset(&c.system)
	c.room, c.states = work.Grown(c.room, 2*c.s), work.Grown(c.states, c.n*c.s)
}

func (c *stateCovariance) mul(dst, v []float64) { c.system.mul(dst, v, c.room) }

func (c *stateCovariance) marginals(_ int, variance, lambda []float64) (logDet float64, err error) {
	logDet = c.filter.forward(&c.system, lambda, nil)
	c.filter.backward(&c.system, lambda, nil, nil, func(i int, slope dual) { variance[i] = slope.v })
	return logDet, nil
}

func (c *stateCovariance) addSlopes(_ int, dLambda, lambda, w, u, muBar []float64) {
	c.filter.forward(&c.system, lambda, w)
	c.filter.backward(&c.system, lambda, w, &c.slopes, func(i int, slope dual) { dLambda[i] = slope.e })
	c.addProduct(u, muBar)
}

// addProduct adds the derivatives of uᵀ·K·v to the slopes. Twice the lower triangle is that and the
// diagonal.
func (c *stateCovariance) addProduct(u, v []float64) {
	for _, pair := range [2][2][]float64{{u, v}, {v, u}} {
		left, right := pair[0], pair[1]
		c.forward(c.room, func(i int, f []float64) {
			addTo(f, right[i], c.b)
			copy(c.states[i*c.s:], f)
		})
		c.backward(c.room, func(i int, g []float64) {
			addTo(g, left[i], c.h)
			addTo(c.slopes.b, right[i], g)
			if i > 0 {
				for r, x := range g {
					addTo(c.slopes.a[(i*c.s+r)*c.s:(i*c.s+r+1)*c.s], x, c.states[(i-1)*c.s:i*c.s])
				}
			}
		})
	}
	addTo(c.slopes.b, -asm.Dot(u, v), c.h)
}

func (c *stateCovariance) addGradient(grad *kernel.Kernel) {
	for i, delta := range c.delta {
		if delta > 0 {
			c.kernel.AddTransitionGradient(grad, mat.NewDense(c.s, c.s, c.slopes.a[i*c.s*c.s:(i+1)*c.s*c.s]), delta)
		}
	}
	c.kernel.AddInputGradient(grad, c.slopes.b)
}
