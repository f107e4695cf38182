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

	// Own are kernels of the latent dimensions, one for each, in place of Kernel, which then is that of the preconditioner alone. Training
	// holds them. nil: all have Kernel.
	Own []kernel.Kernel
}

// Clone returns a copy that shares nothing with p.
func (p Prior) Clone() Prior {
	c := Prior{Times: slices.Clone(p.Times), Sequences: slices.Clone(p.Sequences), Kernel: p.Kernel.Clone()}
	for i := range p.Own {
		c.Own = append(c.Own, p.Own[i].Clone())
	}
	return c
}

// kernels are those of the latent dimensions: one for all of them, or one for each.
func (p *Prior) kernels() []*kernel.Kernel {
	if p.Own == nil {
		return []*kernel.Kernel{&p.Kernel}
	}
	all := make([]*kernel.Kernel, len(p.Own))
	for q := range p.Own {
		all[q] = &p.Own[q]
	}
	return all
}

// of returns which of so many things belongs to a latent dimension, and the number that the dimension has there: there is one for all
// dimensions, or one for each.
func of(count, q int) (which, dimension int) {
	if count == 1 {
		return 0, q
	}
	return q, 0
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
