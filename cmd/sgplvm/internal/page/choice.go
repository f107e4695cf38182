package page

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// A question is one that model selection asked, with its candidates.
type question struct {
	Name       string
	Candidates []candidate
}

type candidate struct {
	engine.CandidateText
	Chosen bool
	Bar    markup
}

const maxCandidates = 400

// questions are what model selection tried, question by question.
func questions(s *sgplvm.Selection) []question {
	if s == nil {
		return nil
	}
	var all []question
	left := maxCandidates
	for _, stage := range s.Stages {
		low, high := 0.0, 0.0
		for _, c := range stage.Candidates {
			if c.Failure == "" {
				low, high = min(low, c.Difference-c.Error), max(high, c.Difference+c.Error)
			}
		}
		q := question{Name: cli.Text(stage.Name)}
		for _, c := range stage.Candidates {
			if left--; left < 0 {
				break
			}
			r := candidate{CandidateText: engine.TextOf(c), Chosen: c.Chosen}
			if c.Failure == "" && high > low && !math.IsInf(high-low, 0) {
				r.Bar = bar(c, low, high)
			}
			q.Candidates = append(q.Candidates, r)
		}
		all = append(all, q)
	}
	return all
}

// bar draws how much worse than the chosen candidate one is, with the standard error.
func bar(c sgplvm.Candidate, low, high float64) markup {
	x := func(v float64) float64 { return 6 + 148*(v-low)/(high-low) }
	class := "dot"
	if c.Chosen {
		class = "dot chosen"
	}
	return markup(fmt.Sprintf(`<svg class="bar" viewBox="0 0 160 16" aria-hidden="true"><line class="grid" x1="%.1f" x2="%.1f" y1="0" y2="16"/>`+
		`<line class="whisker" x1="%.1f" x2="%.1f" y1="8" y2="8"/><circle class="%s" cx="%.1f" cy="8" r="3.5"/></svg>`,
		x(0), x(0), x(c.Difference-c.Error), x(c.Difference+c.Error), class, x(c.Difference)))
}
