package page

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// minRelevance is from which share of the largest relevance on a latent dimension counts.
const minRelevance = 0.05

// story tells in three sentences what was learned, what is left, and how well it serves.
func story(m *sgplvm.Model, x *explorer, j *judgement) [3]string {
	p := m.Summary()
	used := 0
	for _, r := range x.Relevance {
		if r >= minRelevance {
			used++
		}
	}
	noun := engine.Noun(m)
	explain := "these cannot explain"
	learned := fmt.Sprintf("From %s of %s, the model found %s that describe each of them", quote.Counted(m.Examples(), noun), x.text(m), quote.Counted(p.LatentDims, "hidden number"))
	switch {
	case x.Idle:
		explain = "time cannot explain"
		learned = fmt.Sprintf("From %s of %s, the model found how they change with time", quote.Counted(m.Examples(), noun), x.text(m))
	case used < p.LatentDims:
		learned += fmt.Sprintf(", of which %d matter", used)
	}
	noise := math.Sqrt(1 / p.SignalToNoise)
	rest := fmt.Sprintf("What %s is noise: %s %% of the spread of the data", explain, percent(noise))
	if x.Kind != kindTable { // whose columns have units of their own
		rest += ", a standard deviation of " + cli.Range(p.Noise)
	}
	if p.Residual.Kind != "" {
		rest += ", in part with a pattern of its own"
	}
	return [3]string{learned + ".", rest + ".", serves(m, x, j)}
}

// percent writes a share.
func percent(v float64) string { return fmt.Sprintf("%.2g", 100*v) }

// serves says how well the model fills in.
func serves(m *sgplvm.Model, x *explorer, j *judgement) string {
	deviation := rowMean(m.Summary().Deviation)
	if x.Kind == kindTable {
		deviation = 1 // in which errors are
	}
	if j != nil && j.Known && !j.Training {
		half := ""
		if j.Hidden {
			half = ", of which the page hid a half,"
		}
		return fmt.Sprintf("Filling in %s%s it was off by %s %% of the spread of the data; %.0f %% of the true values lay in the intervals that should have 90 %%.",
			quote.Counted(j.Judged, engine.Noun(m)), half, percent(j.Scores.RMSE/deviation), 100*j.Scores.Coverage[1])
	}
	if s := m.Selection(); s != nil && len(s.Stages) > 0 {
		for i := len(s.Stages) - 1; i >= 0; i-- {
			for _, c := range s.Stages[i].Candidates {
				if c.Chosen && c.RMSE > 0 {
					return fmt.Sprintf("In its own trials, with values that were held back from it, it was off by %s %% of the spread of the data.", percent(c.RMSE))
				}
			}
		}
	}
	if j != nil && j.Training {
		return fmt.Sprintf("It gives the %ss that it learned from back with an error of %s %% of the spread of the data.", engine.Noun(m), percent(j.Scores.RMSE/deviation))
	}
	return "How well it fills in what is missing has not been measured here; report -data does that with examples of your own."
}
