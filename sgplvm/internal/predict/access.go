package predict

import (
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Params returns the parameters, which must not be changed.
func (q *Posterior) Params() *bound.Params { return q.params }

// Grid returns the training grid, which must not be changed.
func (q *Posterior) Grid() field.Grid { return q.grid }

// Scaler returns the map from the user's units to the model's.
func (q *Posterior) Scaler() data.Scaler { return q.scaler }

// Alpha returns α = K_uu⁻¹Ū, m_ξ×m_1×…×d_y, which must not be changed.
func (q *Posterior) Alpha() kronprod.Tensor { return q.alpha }

// Jitter returns what is added to kernel diagonals, as a fraction of their mean.
func (q *Posterior) Jitter() float64 { return q.jitter }
