package experiment

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// Video runs the methods on a film, prints their errors and writes table.txt, table.csv, table.html,
// frames.png and, of the model, latent.svg.
func Video(ctx context.Context, e *cli.Environment, o VideoOptions) (err error) {
	if o.Methods != "all" && wants(o.Methods, "climatology") && o.Period == 0 {
		return cli.Usagef("video: -methods %s without -period, expected both", o.Methods)
	}
	if o.Model != "" && !wants(o.Methods, structured) {
		return cli.Usagef("video: -model without the method %s, expected both", structured)
	}
	x := &video{VideoOptions: o, e: e}
	defer x.close()
	if err := x.load(); err != nil {
		return err
	}
	if err := x.loadSeen(); err != nil {
		return err
	}
	undo, err := openFolder(o.Out, VideoResults)
	if err != nil {
		return err
	}
	defer undo(&err)
	if err := cli.Writable(o.Model); err != nil {
		return err
	}
	if wants(o.Methods, structured) {
		if err := x.run(ctx, titleModel, x.trainModel); err != nil {
			return err
		}
	}
	for _, b := range videoBaselines {
		if !wants(o.Methods, b.name) || b.kind == baseline.Climatology && o.Period == 0 {
			continue
		}
		if err := x.run(ctx, b.title, func(ctx context.Context) (method, string, error) { return x.fitBaseline(ctx, b) }); err != nil {
			return err
		}
	}
	if x.seen != nil && wants(o.Methods, "interpolation") {
		err := x.run(ctx, titleResidual, x.fitResidual)
		var size *baseline.SizeError
		switch {
		case errors.As(err, &size):
			e.Note("%s is left out: %v", titleResidual, size)
		case err != nil:
			return err
		}
	}
	return x.write(ctx)
}

// run fits one method, scores it on the other frames and adds its row to the table. An error names
// the method, unless the context ended.
func (x *video) run(ctx context.Context, title string, learn func(ctx context.Context) (method, string, error)) (err error) {
	defer func() {
		switch {
		case err == nil:
		case ctx.Err() != nil:
			err = ctx.Err()
		default:
			err = fmt.Errorf("%s: %w", title, err)
		}
	}()
	begin := time.Now()
	m, about, err := learn(ctx)
	if err != nil {
		return err
	}
	learned := time.Since(begin)
	debug.FreeOSMemory() // several times the training frames
	begin = time.Now()
	scores, err := x.score(ctx, m)
	if err != nil {
		return err
	}
	took := time.Since(begin)
	if x.first == nil {
		x.first, x.scores = m, scores
	}
	x.about = append(x.about, title+": "+about)
	x.rows = append(x.rows, newRow(title, evaluate.Summarize(scores), seconds(learned), seconds(took)))
	fmt.Fprintf(x.e.Stdout, "%s: learned in %s, predicted and scored in %s\n", title, seconds(learned), seconds(took))
	return nil
}

// togetherNumbers bounds the values of the frames that are predicted at once, 256 MiB; their log
// densities take as much again.
const togetherNumbers = 1 << 25

// score predicts all test frames and scores them in standardised units.
func (x *video) score(ctx context.Context, m method) ([]evaluate.Scores, error) {
	count, stop := x.e.Counting("predicted", len(x.tests))
	defer stop()
	size := x.truth.Points() * x.truth.Channels
	together := min(len(x.tests), max(1, togetherNumbers/size))
	truth := mat.New(together, size)
	streams := make([]evaluate.Stream, together)
	scores := make([]evaluate.Scores, len(x.tests))
	for from := 0; from < len(x.tests); from += together {
		batch := x.tests[from:min(from+together, len(x.tests))]
		if err := x.scoreBatch(ctx, m, batch, truth.Slice(0, len(batch), 0, size), streams); err != nil {
			return nil, err
		}
		mat.Parallel(len(batch), func(k int) { scores[from+k] = streams[k].Scores() })
		count(from + len(batch))
	}
	return scores, nil
}

// scoreBatch adds some frames to streams of scores; truth is room for them.
func (x *video) scoreBatch(ctx context.Context, m method, batch []int, truth mat.Matrix, streams []evaluate.Stream) error {
	if err := sgplvm.SourceOf(x.truth, batch).ReadExamples(truth.Data, 0, len(batch)); err != nil {
		return err
	}
	failures := make([]error, len(batch))
	for k := range batch {
		streams[k].Reset()
	}
	w := wanted{batch, x.timesOf(batch), x.truth.Height, x.truth.Width}
	row := x.truth.Width * x.truth.Channels
	byPoint := func(v []float64) mat.Matrix { return mat.NewDense(len(v)/x.truth.Channels, x.truth.Channels, v) }
	err := m.predict(ctx, w, func(s baseline.Slab) error {
		mat.Parallel(len(batch), func(k int) {
			if failures[k] != nil {
				return
			}
			part := truth.Row(k)[s.From*row : s.To*row]
			x.standardise(part, s.Mean.Row(k), s.Variance.Row(k))
			var seen mat.Matrix
			if seen, failures[k] = x.seen.rows(batch[k], s.From, s.To); failures[k] != nil {
				return
			}
			failures[k] = streams[k].Add(byPoint(part), seen, byPoint(s.Mean.Row(k)), byPoint(s.Variance.Row(k)))
		})
		return nil
	})
	if err != nil {
		return err
	}
	for k, err := range failures {
		if err != nil {
			return fmt.Errorf("frame %d: %w", batch[k], err)
		}
	}
	return nil
}

// standardise brings values of some pixels, and their predicted means and variances, into the units
// of the scores.
func (x *video) standardise(truth, mean, variance []float64) {
	for k := 0; k < len(truth); k += len(x.level) {
		for c, level := range x.level {
			scale := 1 / x.scale[c]
			truth[k+c] = (truth[k+c] - level) * scale
			mean[k+c] = (mean[k+c] - level) * scale
			variance[k+c] *= scale * scale
		}
	}
}
