package data_test

import (
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// normals returns standard normal numbers.
func normals(seed uint64, r, c int) mat.Matrix {
	rng := rand.New(rand.NewPCG(seed, 71))
	x := mat.New(r, c)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}

// counting is a source that counts the examples read, and fails in call number failAt, counted from 1.
type counting struct {
	field.Source
	mu                 sync.Mutex
	calls, total, most int
	failAt             int
}

var errSource = errors.New("the disk is gone")

func (s *counting) ReadExamples(dst []float64, from, to int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	s.total += to - from
	s.most = max(s.most, to-from)
	if s.calls == s.failAt {
		return errSource
	}
	return s.Source.ReadExamples(dst, from, to)
}
