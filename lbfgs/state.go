package lbfgs

import "github.com/seed-08962ecc/kronfield/internal/text"

// State is everything that a run needs to go on from its last accepted point: plain
// exported fields, for encoding/json, encoding/gob or any other format that keeps
// the bits of a float64. n is the number of variables, m the number of pairs.
//
// A state taken in the middle of a line search (Cancelled, EvaluationLimit) belongs
// to the point before that search, which is then done again; its Evaluations do not
// count the interrupted search, so that the sum comes out right in the end.
type State struct {
	X, Gradient         []float64   // the last accepted point and ∇f there; n each
	F                   float64     // f(X)
	BestX, BestGradient []float64   // the lowest point seen and ∇f there; n each
	BestF               float64     // f(BestX) ≤ F
	S, Y                [][]float64 // the pairs, oldest first; m×n each
	Gamma               float64     // scale of the initial inverse Hessian, above 0
	Recent              []float64   // f after the last iterations, oldest first, ending with F; 1 to 11
	Iterations          int         // accepted steps
	Evaluations         int         // calls of the objective
}

// Save writes the state of the last run to dst, reusing dst's storage. It may be
// called after [Minimizer.Minimize] has begun with a feasible point: from Progress
// (or [Progress.Save]) and after the end.
func (m *Minimizer) Save(dst *State) {
	dst.X = append(dst.X[:0], m.x...)
	dst.Gradient = append(dst.Gradient[:0], m.g...)
	dst.F = m.f
	dst.BestX = append(dst.BestX[:0], m.bestX...)
	dst.BestGradient = append(dst.BestGradient[:0], m.bestG...)
	dst.BestF = m.bestF
	dst.S, dst.Y = resizeRows(dst.S, m.memory.used), resizeRows(dst.Y, m.memory.used)
	for i, p := range m.memory.pairs[:m.memory.used] {
		dst.S[i] = append(dst.S[i][:0], p.s...)
		dst.Y[i] = append(dst.Y[i][:0], p.y...)
	}
	dst.Gamma = m.memory.gamma
	dst.Recent = append(dst.Recent[:0], m.recent...)
	dst.Iterations, dst.Evaluations = m.iterations, m.committed
}

// load takes over a state that check has passed. Of more pairs than the memory
// holds it takes the newest.
func (m *Minimizer) load(s *State) {
	copy(m.x, s.X)
	copy(m.g, s.Gradient)
	m.f = s.F
	copy(m.bestX, s.BestX)
	copy(m.bestG, s.BestGradient)
	m.bestF, m.bestNorm = s.BestF, normInf(s.BestGradient)
	m.memory.load(s)
	m.recent = append(m.recent[:0], s.Recent...)
	m.iterations, m.evaluations = s.Iterations, s.Evaluations
}

// load takes over the pairs and the scale of a state that checkPairs has passed.
func (m *memory) load(s *State) {
	for i := range s.S {
		p := m.slot(len(s.S[i]))
		copy(p.s, s.S[i])
		copy(p.y, s.Y[i])
		p.rho = 1 / dot(p.s, p.y)
	}
	m.gamma = s.Gamma
}

// check reports the first thing that no run can have left in s.
func (s *State) check() error {
	n := len(s.X)
	vectors := []struct {
		name string
		v    []float64
	}{{"X", s.X}, {"Gradient", s.Gradient}, {"BestX", s.BestX}, {"BestGradient", s.BestGradient}}
	for _, v := range vectors {
		if err := checkVector(v.name, -1, v.v, n); err != nil {
			return err
		}
	}
	if err := s.checkPairs(n); err != nil {
		return err
	}
	if len(s.Recent) < 1 || len(s.Recent) > stallWindow+1 {
		return &StateError{"Recent", text.Sprintf("%d entries", len(s.Recent)), text.Sprintf("1 to %d", stallWindow+1)}
	}
	if err := checkVector("Recent", -1, s.Recent, len(s.Recent)); err != nil {
		return err
	}
	switch {
	case s.F != s.Recent[len(s.Recent)-1]:
		return &StateError{"F", text.Sprintf("%v", s.F), "the last entry of Recent"}
	case !(s.BestF <= s.F) || !finite(s.BestF):
		return &StateError{"BestF", text.Sprintf("%v", s.BestF), "a finite number, at most F"}
	case s.Iterations < 0:
		return &StateError{"Iterations", text.Sprintf("%v", s.Iterations), "at least 0"}
	case s.Evaluations < 1:
		return &StateError{"Evaluations", text.Sprintf("%v", s.Evaluations), "at least 1"}
	}
	return nil
}

// checkPairs reports the first pair of n entries each, or scale, that no run can have
// left in s.
func (s *State) checkPairs(n int) error {
	if len(s.S) != len(s.Y) {
		return &StateError{"Y", text.Sprintf("%d rows", len(s.Y)), text.Sprintf("%d as in S", len(s.S))}
	}
	for i := range s.S {
		if err := checkVector("S", i, s.S[i], n); err != nil {
			return err
		}
		if err := checkVector("Y", i, s.Y[i], n); err != nil {
			return err
		}
		if sy := dot(s.S[i], s.Y[i]); !(sy > 0) || !finite(1/sy) || !finite(sy) {
			return &StateError{text.Sprintf("S[%d]", i), text.Sprintf("product with Y[%d] is %v", i, sy), "a finite number above 0"}
		}
	}
	if !(s.Gamma > 0) || !finite(s.Gamma) {
		return &StateError{"Gamma", text.Sprintf("%v", s.Gamma), "a finite number above 0"}
	}
	return nil
}

// checkVector reports a wrong length or the first entry that is not finite, of the
// field or, unless row is −1, of that row of it.
func checkVector(field string, row int, v []float64, n int) error {
	i := nonFinite(v)
	if len(v) == n && i < 0 {
		return nil
	}
	if row >= 0 {
		field = text.Sprintf("%s[%d]", field, row)
	}
	if len(v) != n {
		return &StateError{field, text.Sprintf("%d entries", len(v)), text.Sprintf("%v", n)}
	}
	return &StateError{field, text.Sprintf("entry %d is %v", i, v[i]), "a finite number"}
}

// resizeRows returns n rows, keeping the storage of those that rows has had.
func resizeRows(rows [][]float64, n int) [][]float64 {
	rows = rows[:cap(rows)]
	for len(rows) < n {
		rows = append(rows, nil)
	}
	return rows[:n]
}
