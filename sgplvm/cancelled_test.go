package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A countingSource counts how often it is read. Read number failAt fails, and at read number cancelAt it
// calls cancel.
type countingSource struct {
	Source
	mu               sync.Mutex
	calls            int
	failAt, cancelAt int
	cancel           func()
}

var errSource = errors.New("the disk is gone")

func (s *countingSource) ReadExamples(dst []float64, from, to int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.calls == s.cancelAt {
		s.cancel()
	}
	if s.calls == s.failAt {
		return errSource
	}
	return s.Source.ReadExamples(dst, from, to)
}

// reading are problems whose training reads its data now and then: as spatial kernels move, when the
// covariance of the noise is learned, in coarse training, in calibration, for the residuals.
func reading() map[string]set {
	all := map[string]set{}
	for _, name := range []string{"product", "free inducing points", "timed", "residual", "coarse"} {
		s := sets()[name]
		s.config.Training.Iterations, s.config.Training.Warmup = 9, 4
		all[name] = s
	}
	return all
}

// counted returns the data as a countingSource, which has read nothing yet, and a trainer of them.
func (s set) counted(t testing.TB) (*countingSource, *Trainer) {
	source := &countingSource{Source: field.MatrixSource(s.data.Y, s.data.Examples)}
	d := s.data
	d.Examples, d.Y.Rows, d.Source = 0, 0, source
	tr := newTestTrainer(t, d, s.config)
	source.calls = 0
	return source, tr
}

// Whenever the context ends or a read fails, training or the model ends at once with that error, what was learned before is kept, and when the source has recovered a
// further Fit goes to where an uninterrupted one ends, with its bits.
func TestStoppedAnywhere(t *testing.T) {
	defer func(n int) { data.SlabNumbers = n }(data.SlabNumbers)
	data.SlabNumbers = 60 // two examples
	for name, s := range reading() {
		t.Run(name, func(t *testing.T) {
			source, whole := s.counted(t)
			finish(t, whole)
			reads, file := source.calls, fileOf(t, whole)
			stride := map[bool]int{false: 1 + reads/100, true: 1 + reads/8}[testing.Short()]
			for at := 1; at <= reads; at += stride {
				for _, cancelled := range []bool{true, false} {
					source, tr := s.counted(t)
					ctx, cancel := context.WithCancel(context.Background())
					if source.cancel = cancel; cancelled {
						source.cancelAt = at
					} else {
						source.failAt = at
					}
					_, err := tr.Fit(ctx)
					if err == nil && !cancelled {
						_, err = tr.Model()
					}
					if source.calls > at {
						t.Errorf("stopped at read %d of %d, %d more", at, reads, source.calls-at)
					}
					var read *ReadError
					if cancelled && (err == nil && at < reads || err != nil && err.Error() != context.Canceled.Error()) ||
						!cancelled && (!errors.As(err, &read) || !errors.Is(err, errSource) || !strings.Contains(err.Error(), fmt.Sprintf("sgplvm: reading examples %d to %d: the disk is gone", read.From, read.To-1))) {
						t.Errorf("read %d of %d, cancelled %t: error %v", at, reads, cancelled, err)
					}
					if err != nil {
						checkLeft(t, s.data, tr)
					}
					finish(t, tr)
					if !bytes.Equal(fileOf(t, tr), file) {
						t.Errorf("read %d of %d, cancelled %t: another model at the end", at, reads, cancelled)
					}
				}
			}
		})
	}
}

// checkLeft checks that what training has left is a model that can be used, with the bound that the
// report says.
func checkLeft(t *testing.T, d Data, tr *Trainer) {
	t.Helper()
	m := modelOf(t, tr)
	if _, err := m.Predict(m.TrainingLatent(0), nil); err != nil {
		t.Error(err)
	}
	if r := tr.Report(); tr.config.Training.CoarsePoints == 0 && r.Iterations > 0 {
		if b := boundOf(t, d, tr); !(b >= r.Bound-1e-9*(1+max(b, -b))) {
			t.Errorf("bound %v, the report says %v", b, r.Bound)
		}
	}
}
