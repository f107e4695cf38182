package engine

import (
	"context"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Register measures how the contents of frames move. It returns the data with the motion taken out:
// what the model is to be trained on.
func Register(ctx context.Context, e *cli.Environment, d sgplvm.Data) (sgplvm.Data, error) {
	p := cli.NewProgress(e)
	defer p.Clear()
	begin := time.Now()
	p.Show("estimating motion")
	d.Film = true
	return sgplvm.Register(ctx, d, func(tried int) {
		p.Show("estimating motion  %d candidates tried in %s", tried, time.Since(begin).Round(time.Second))
	})
}

// Moves reports whether a model is of a film whose contents move.
func Moves(m *sgplvm.Model) bool { return m.Summary().Motion != "" }
