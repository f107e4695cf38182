package predict

import (
	"sync"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// starts are the training posteriors in the form in which L* sees them, so that
// scoring all of them is two products.
type starts struct {
	example   []int                 // training example of each
	catalogue func() *psi.Catalogue // made when it is first asked for
}

// startNumbers bounds the numbers that are kept of them (128 MiB); beyond it only
// evenly chosen training examples are starting points.
const startNumbers = 1 << 24

func newStarts(ps *psi.Statistics, p *bound.Params) *starts {
	m, n := p.Z.Rows, p.X.Mu.Rows
	count := max(1, min(n, startNumbers/(m*(m+1)/2)))
	s := &starts{example: evenly(count, n)}
	s.catalogue = sync.OnceValue(func() *psi.Catalogue { return ps.Catalogue(p.Q(), s.example) })
	return s
}

// evenly returns some of n examples.
func evenly(count, n int) []int {
	some := make([]int, count)
	for k := range some {
		some[k] = k * n / count
	}
	return some
}

// scoredStarts is how many training posteriors are scored, where the model knows which training examples are nearest. Tests lower it.
var scoredStarts = 128
