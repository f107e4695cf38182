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
	c := &content{Name: in.Name, Explorer: x,
		Picture: x.Kind == kindPicture || x.Kind == kindPoints, Timed: x.Path != nil, Labelled: x.Examples.Label != nil, Film: x.Path != nil && x.Path.Frames != nil,
		MeanError: percent(x.meanError), DeviationError: percent(x.devError), Ranks: fmt.Sprintf("%d and %d", len(x.Mean.Fields), len(x.Taken.Fields))}
	if x.Channels < x.channels {
		c.Hidden = x.channels
	}
	c.Noun, c.Form = engine.Noun(in.Model), form(&x.shape)
	if in.Data != nil {
		if err := c.judge(ctx, e, in, x); err != nil {
			return err
		}
	}
	c.Story = story(in.Model, x, c.Judged)
	c.setBars(x)
	if s := in.Model.Selection(); s != nil {
		c.Effort, c.Task, c.Ended, c.Questions = s.Effort.String(), cli.Text(s.Task), cli.Text(s.Ended), questions(s)
	}
	if cfg, ok := in.Model.Config(); ok {
		c.Config = cli.Text(engine.ConfigText(cfg))
	}
	c.Training, c.Bounds = training(in.Model.Training()), boundRows(in.Model.Training())
	c.Kernels = kernels(in.Model, &x.shape, x.Idle)
	c.Facts = engine.Facts(in.Model)
	return c.writePage(w)
}

// judge adds what the data show.
func (c *content) judge(ctx context.Context, e *cli.Environment, in *Input, x *explorer) (err error) {
	j, err := judge(ctx, e, in, &x.tones)
	if err != nil {
		return err
	}
	c.Judged, c.Calibration, c.MissingShare = j, j.calibration(), fmt.Sprintf("%.1f", 100*j.MissingShare)
	if c.Calibration != "" {
		c.Levels = j.calibrationRows()
	}
	if c.Residuals, err = j.residuals(0); err != nil {
		return err
	}
	if c.Missing, err = j.missingMap(); err != nil {
		return err
	}
	if j.Known {
		c.Columns = j.columnRows(x.Names)
	}
	if s := j.Scores; j.Known {
		unit := ", mean over pictures"
		if j.units != nil {
			unit = ", in deviations of the columns"
		}
		c.Scores = [][2]string{{"values judged", fmt.Sprint(s.Count)}, {"root mean square error" + unit, number(s.RMSE)}, {"mean absolute error" + unit, number(s.MAE)}}
		if !j.Training {
			c.Scores = append(c.Scores, [2]string{"negative log density a value, mean", number(s.NLP)},
				[2]string{"within intervals of 50 %", number(100*s.Coverage[0]) + " %"}, [2]string{"within intervals of 90 %", number(100*s.Coverage[1]) + " %"},
				[2]string{"within intervals of 99 %", number(100*s.Coverage[2]) + " %"})
		}
	}
	return nil
}

// setBars orders the latent dimensions by relevance.
func (c *content) setBars(x *explorer) {
	if x.Idle {
		return
	}
	order := relevanceOrder(x.Relevance)
	for k, q := range order {
		r := x.Relevance[q]
		if r < 0.01 && k >= 2 {
			c.Unused = len(order) - k
			break
		}
		c.Bars = append(c.Bars, relevanceBar{q, fmt.Sprintf("%.0f", 100*r), 100 * r, q == x.Axes[0], len(x.Axes) > 1 && q == x.Axes[1]})
	}
}

// form says how fields and the map share the page.
func form(s *shape) string {
	switch {
	case s.Kind == kindPicture && 2*s.Width > 5*s.Height:
		return "wide"
	case s.Kind != kindPicture || 4*s.Width > 5*s.Height:
		return "landscape"
	}
	return ""
}
