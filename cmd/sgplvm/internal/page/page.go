package page

import (
	"context"
	"fmt"
	"io"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
)

// Write writes the page of a model. The same input gives the same bytes, at any GOMAXPROCS on one instruction set. Errors:
// of the data, *sgplvm.ConfigError, ctx.Err(), those of w.
func Write(ctx context.Context, e *cli.Environment, w io.Writer, in *Input) error {
	x, err := newExplorer(ctx, e, in)
	if err != nil {
		return err
	}
	c := &content{Input: in, x: x}
	if in.Data != nil {
		if c.j, err = judge(ctx, e, in, &x.tones); err != nil {
			return err
		}
		if c.residuals, err = c.j.residuals(0); err != nil {
			return err
		}
		if c.missing, err = c.j.missingMap(); err != nil {
			return err
		}
	}
	return c.writePage(w)
}

// scores are the errors of what was judged, each with its name.
func (j *judgement) scores() (rows [][2]string) {
	if !j.Known {
		return nil
	}
	s, unit := j.Scores, ", mean over pictures"
	if j.units != nil {
		unit = ", in deviations of the columns"
	}
	rows = [][2]string{{"values judged", fmt.Sprint(s.Count)}, {"root mean square error" + unit, number(s.RMSE)}, {"mean absolute error" + unit, number(s.MAE)}}
	if j.Training {
		return rows
	}
	rows = append(rows, [2]string{"negative log density a value, mean", number(s.NLP)})
	for k, level := range []int{50, 90, 99} {
		rows = append(rows, [2]string{fmt.Sprintf("within intervals of %d %%", level), number(100*s.Coverage[k]) + " %"})
	}
	return rows
}

// bars orders the latent dimensions by relevance; those without a bar are counted.
func (x *explorer) bars() (bars []relevanceBar, unused int) {
	if x.Idle {
		return nil, 0
	}
	order := engine.Descending(x.Relevance)
	for k, q := range order {
		r := x.Relevance[q]
		if r < 0.01 && k >= 2 {
			return bars, len(order) - k
		}
		bars = append(bars, relevanceBar{q, fmt.Sprintf("%.0f", 100*r), 100 * r, q == x.Axes[0], len(x.Axes) > 1 && q == x.Axes[1]})
	}
	return bars, 0
}

// form says how fields and the map share the page: "wide" where fields are much wider than high, "landscape" where they are wider, else nothing.
func form(s *shape) string {
	switch {
	case s.Kind == kindPicture && 2*s.Width > 5*s.Height:
		return "wide"
	case s.Kind != kindPicture || 4*s.Width > 5*s.Height:
		return "landscape"
	}
	return ""
}
