package experiment

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/baseline"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// wanted are frames that a method is to predict.
type wanted struct {
	frames        []int // their numbers
	times         []float64
	height, width int // at least those in training
}

// A method predicts frames slab by slab, in the units of the frames.
type method interface {
	predict(ctx context.Context, w wanted, body func(s baseline.Slab) error) error
}

// A videoBaseline is a way to run a method of package baseline.
type videoBaseline struct {
	name, title string
	kind        baseline.FilmKind
	criterion   baseline.Criterion
}

var videoBaselines = []videoBaseline{
	{"gp", "structured GP in time and space", baseline.SpaceTimeGP, baseline.Evidence},
	{"gp-left-out", "structured GP, by left-out frames", baseline.SpaceTimeGP, baseline.LeaveOneOut},
	{"gp-time", "GP in time for each pixel", baseline.TimeGP, ""},
	{"interpolation", "linear interpolation in time", baseline.Interpolation, ""},
	{"climatology", "mean of the same phase", baseline.Climatology, ""},
}

// VideoMethods lists the methods of the experiment in the order of its table.
func VideoMethods() []string {
	names := []string{structured}
	for _, b := range videoBaselines {
		names = append(names, b.name)
	}
	return names
}

// fitted is a baseline as a method.
type fitted struct{ *baseline.FilmMethod }

func (f fitted) predict(ctx context.Context, w wanted, body func(s baseline.Slab) error) error {
	return f.Predict(ctx, w.times, w.height, w.width, body)
}

// film returns some frames as training data of a baseline.
func (x *video) film(frames []int) baseline.Film {
	return baseline.Film{Width: x.frames.Width, Height: x.frames.Height, Frames: sgplvm.SourceOf(x.frames, frames), Times: x.timesOf(frames)}
}

// fitBaseline fits a baseline.
func (x *video) fitBaseline(ctx context.Context, b videoBaseline) (method, string, error) {
	p := cli.NewProgress(x.e)
	defer p.Clear()
	doing, begin := "", time.Now()
	m, err := baseline.FitFilm(ctx, b.kind, x.film(x.training), baseline.FilmOptions{Criterion: b.criterion, Period: x.Period, Progress: func(what string, done, total int) {
		if what != doing {
			doing, begin = what, time.Now()
		}
		p.CountAtMost(what, done, total, begin)
	}})
	if err != nil {
		return nil, "", err
	}
	return fitted{m}, settingsText(m.Settings()), nil
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
	x.rows = append(x.rows, evaluate.Row{Name: title, Summary: evaluate.Summarize(scores), Notes: []string{seconds(learned), seconds(took)}})
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
