package sgplvm

import (
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/modelfile"
)

// A model of examples with times may hold a second one for examples of which something is seen
// (Config.Partly): what is most of all noise for the prediction of whole examples tells the rest of one of which
// a part is known. Latents say which of the two they belong to.

// of returns the model that a latent posterior belongs to.
func (m *Model) of(l Latent) *Model {
	if l.Partly && m.partly != nil {
		return m.partly
	}
	return m
}

// seen returns the model that fills in an example, and the example with what that knows of its time.
func (m *Model) seen(obs Observed) (*Model, Observed, error) {
	if m.partly == nil || m.config == nil || obs.Prior == nil || obs.Prior.At == nil || obs.Prior.Seen || !anySeen(obs) {
		return m, obs, nil
	}
	if reach := m.config.PartlyReach; reach > 0 {
		known := obs
		known.Grid = m.on(obs.Grid)
		missing, err := m.posterior.Missing(known)
		if err != nil || missing.Gap > reach {
			return m, obs, err
		}
	}
	at := obs.Prior.At
	priors, err := m.partly.LatentAt(at.Sequence, []float64{at.Time})
	if err != nil {
		return m, obs, err
	}
	obs.Prior = &priors[0]
	return m.partly, obs, nil
}

// anySeen reports whether anything was observed.
func anySeen(obs Observed) bool {
	for i := range obs.Values.Rows {
		for _, v := range obs.Values.Row(i) {
			if v == v {
				return true
			}
		}
	}
	return false
}

// fits checks that a second model is one of the same examples as a model.
func (m *Model) fits(second *Model) error {
	if second == nil {
		return nil
	}
	n, points, channels := second.Examples(), second.Grid().Len(), second.Channels()
	if n != m.Examples() || points != m.Grid().Len() || channels != m.Channels() {
		return fmt.Errorf("tensor %s: %d examples of %d points and %d channels, expected %d of %d and %d",
			modelfile.PartlyTensor, n, points, channels, m.Examples(), m.Grid().Len(), m.Channels())
	}
	if !slices.Equal(second.Times(), m.Times()) {
		return fmt.Errorf("tensor %s: examples at other times, expected those of the model", modelfile.PartlyTensor)
	}
	return nil
}
