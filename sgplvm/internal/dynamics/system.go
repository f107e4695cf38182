package dynamics

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A system is the linear system whose output has the covariances of a Markov kernel: its state of s
// numbers moves through n ascending times by transition matrices A_i, and with output h and input b
//
//	K[i,j] = hᵀ·A_i·A_i−1·…·A_j+1·b  for j ≤ i
//
// Its methods change nothing but what they are given.
type system struct {
	kernel kernel.Kernel
	n, s   int
	delta  []float64 // from the time before, 0 for the first
	a      []float64 // A_i, n×s²
	h, b   []float64 // s
}

// systemSlopes are the derivatives of a scalar in a system's A_i and b.
type systemSlopes struct{ a, b []float64 }

func (d *systemSlopes) reset(m *system) {
	d.a, d.b = work.Zeros(d.a, m.n*m.s*m.s), work.Zeros(d.b, m.s)
}

// set makes m the system of a kernel at ascending times.
func (m *system) set(k kernel.Kernel, times []float64) {
	m.kernel = k
	m.n, m.s = len(times), k.StateSize()
	m.h, m.b = k.Output(), k.Input()
	m.delta, m.a = work.Grown(m.delta, m.n), work.Grown(m.a, m.n*m.s*m.s)
	for i, t := range times {
		a, size := m.a[i*m.s*m.s:], m.s*m.s
		if m.delta[i] = t - times[max(i-1, 0)]; i > 1 && m.delta[i] == m.delta[i-1] {
			copy(a[:size], m.a[(i-1)*size:])
		} else {
			k.Transition(mat.NewDense(m.s, m.s, a[:size]), m.delta[i])
		}
	}
}

// mul sets dst = K·v. room: see forward.
func (m *system) mul(dst, v, room []float64) {
	m.forward(room, func(i int, f []float64) {
		addTo(f, v[i], m.b)
		dst[i] = dot(m.h, f)
	})
	m.backward(room, func(i int, g []float64) {
		dst[i] += dot(m.b, g)
		addTo(g, v[i], m.h)
	})
}

// forward runs state ← A_i·state and then each, which may change it, through all times. room are 2·s
// numbers to overwrite, or nil.
func (m *system) forward(room []float64, each func(i int, state []float64)) {
	state, next := m.states(room)
	for i := range m.n {
		m.apply(next, i, state)
		state, next = next, state
		each(i, state)
	}
}

// backward runs each, which may change the state, and then state ← A_iᵀ·state from the last
// time to the first. room: see forward.
func (m *system) backward(room []float64, each func(i int, state []float64)) {
	state, next := m.states(room)
	for i := m.n - 1; i >= 0; i-- {
		each(i, state)
		m.applyT(next, i, state)
		state, next = next, state
	}
}

// states returns a state of zeros and room for another.
func (m *system) states(room []float64) (state, next []float64) {
	room = work.Zeros(room, 2*m.s)
	return room[:m.s], room[m.s:]
}

// apply sets dst = A_i·x, applyT dst = A_iᵀ·x; dst and x are not the same.
func (m *system) apply(dst []float64, i int, x []float64) {
	for r := range dst {
		dst[r] = dot(m.a[(i*m.s+r)*m.s:], x)
	}
}

func (m *system) applyT(dst []float64, i int, x []float64) {
	clear(dst)
	for r, v := range x {
		for c, a := range m.a[(i*m.s+r)*m.s : (i*m.s+r+1)*m.s] {
			dst[c] += v * a
		}
	}
}

// dot is the inner product of x and the beginning of a, both short.
func dot(a, x []float64) float64 {
	var s float64
	for i, v := range x {
		s += a[i] * v
	}
	return s
}

func addTo(dst []float64, alpha float64, x []float64) {
	for i, v := range x {
		dst[i] += alpha * v
	}
}
