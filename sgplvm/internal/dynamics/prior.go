package dynamics

import (
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Prior makes every latent dimension a Gaussian process in time, x_q(t) ~ GP(0, k), independent of
// the other dimensions.
type Prior struct {
	// Times are those of the examples, n, in any unit and order; equal ones are allowed.
	Times []float64

	// Sequences are labels of the examples, n: the processes of different labels are independent.
	// nil: all examples belong to sequence 0.
	Sequences []int

	// Kernel is k, with variance 1, which trades off against the latent length scales and so is
	// not identified. Its zero value, length scales and periods that are missing stand for those
	// that StartKernel finds.
	Kernel kernel.Kernel
}

// Clone returns a copy that shares nothing with p.
func (p Prior) Clone() Prior {
	return Prior{slices.Clone(p.Times), slices.Clone(p.Sequences), p.Kernel.Clone()}
}

// Validate checks times and labels for n examples. It does not look at the kernel.
func (p Prior) Validate(n int) error {
	if p.Times == nil {
		return fmt.Errorf("no times, expected one for each example")
	}
	return data.CheckInstants(p.Times, p.Sequences, n)
}

// Instants returns times and sequences of the examples, n.
func (p Prior) Instants() []data.Instant { return data.Instants(p.Times, p.Sequences) }

func (p Prior) sequences() []data.Sequence { return data.Sequences(p.Times, p.Sequences) }

// failed says where an error arose.
func failed(s *data.Sequence, q int, err error) error {
	return fmt.Errorf("sgplvm: dynamical prior, sequence %d, latent dimension %d: %w", s.Label, q, err)
}
