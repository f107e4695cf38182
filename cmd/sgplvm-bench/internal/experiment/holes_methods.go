package experiment

import (
	"context"

	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// A holesMethod fills in what is hidden: a row of the table.
type holesMethod struct {
	name, title string

	// fill returns means and variances, noise included, of all values in the units of the data (observed
	// values as they are, with variance 0), and a line about its settings.
	fill func(ctx context.Context, x *holes) (filled *engine.Result, about string, err error)
}

// holesMethods are the methods in the order of the table.
var holesMethods = []holesMethod{
	{string(baseline.DINEOF), "DINEOF", completeBy(baseline.DINEOF)},
	{string(baseline.SoftImpute), "SoftImpute", completeBy(baseline.SoftImpute)},
	{string(baseline.PPCAEM), "PPCA by EM", completeBy(baseline.PPCAEM)},
	{string(baseline.GaussianEM), "Gaussian by EM", completeBy(baseline.GaussianEM)},
	{string(baseline.OptimalInter), "optimal interpolation", completeBy(baseline.OptimalInter)},
	{string(baseline.Cubic), "cubic in each picture", completeBy(baseline.Cubic)},
	{"sgplvm", "SGPLVM", completeByModel},
}

// HolesMethods lists the methods of the experiment in the order of its table.
func HolesMethods() (names []string) {
	for _, m := range holesMethods {
		names = append(names, m.name)
	}
	return names
}

// completeBy returns a baseline as a method.
func completeBy(kind baseline.HoleKind) func(ctx context.Context, x *holes) (*engine.Result, string, error) {
	return func(ctx context.Context, x *holes) (*engine.Result, string, error) {
		o := baseline.HoleOptions{Seed: x.Seed}
		if x.Quick {
			o.Most = 200
		}
		c, err := baseline.Complete(ctx, kind, x.incomplete(), o)
		if err != nil {
			return nil, "", err
		}
		return &engine.Result{Mean: c.Mean.Data, Variance: c.Variance.Data}, parametersText(c.Parameters), nil
	}
}

// completeByModel is the model as a method, as fill has it.
func completeByModel(ctx context.Context, x *holes) (*engine.Result, string, error) {
	d := sgplvm.Data{Grid: x.grid, Times: x.times, Source: sgplvm.NewSource(x.seen.Data, x.seen.Rows, x.points.Rows, x.channels)}
	cfg := sgplvm.Config{Seed: x.Seed}
	if x.Quick {
		cfg.Effort = sgplvm.EffortQuick
	}
	c, err := engine.Complete(ctx, sgplvm.Run{Watch: x.e}, d, cfg)
	if err != nil {
		return nil, "", err
	}
	about := "a given model"
	if chosen, ok := c.Model.Config(); ok {
		about = engine.ConfigText(chosen)
	}
	return &engine.Result{Mean: c.Mean.Data, Variance: c.Variance.Data}, about, nil
}
