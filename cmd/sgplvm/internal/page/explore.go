package page

import (
	"context"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
)

// newExplorer makes what the scripts need of a model.
func newExplorer(ctx context.Context, e *cli.Environment, in *Input) (*explorer, error) {
	m, summary := in.Model, in.Model.Summary()
	x := &explorer{shape: shapeOf(m, maxSide), Names: in.Columns, Dims: summary.LatentDims, Idle: summary.Idle, Labels: labels, Colours: table(sequential)}
	if len(x.Names) > x.Channels || x.Kind != kindTable {
		x.Names = nil
	}
	x.Offset, x.Unit = summary.Mean[:x.Channels], summary.Deviation[:x.Channels]
	b, err := m.Basis(x.grid)
	if err != nil {
		return nil, err
	}
	x.basis = b
	x.Inducing, x.Z, x.Lengths, x.Linear = b.Z.Rows, doubles(b.Z.Clone().Data), b.LengthScale, b.Linear
	x.Variance, x.Bias, x.Time, x.Prior = b.Variance, b.Bias, b.Time, b.Prior
	x.setExamples(m, in.Labels)
	x.setRelevance()
	if err := x.compress(); err != nil {
		return nil, err
	}
	return x, x.setPath(ctx, e, m)
}
