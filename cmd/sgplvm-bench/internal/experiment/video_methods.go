package experiment

import (
	"context"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// A videoBaseline is a way to run a method of package baseline.
type videoBaseline struct {
	name, title string
	kind        baseline.FilmKind
}

var videoBaselines = []videoBaseline{
	{"gp", "structured GP in time and space", baseline.SpaceTimeGP},
	{"gp-time", "GP in time for each pixel", baseline.TimeGP},
	{"interpolation", "linear interpolation in time", baseline.Interpolation},
	{"flow", "dense optical flow, warped from both sides", baseline.OpticalFlow},
	{"climatology", "mean of the same phase", baseline.Climatology},
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
	m, err := baseline.FitFilm(ctx, b.kind, x.film(x.training), baseline.FilmOptions{Period: x.Period, Progress: func(what string, done, total int) {
		if what != doing {
			doing, begin = what, time.Now()
		}
		left := time.Duration(float64(time.Since(begin)) / float64(max(done, 1)) * float64(total-done))
		p.Show("%s %d/%d  %s left at most", what, done, total, left.Round(time.Second))
	}})
	if err != nil {
		return nil, "", err
	}
	return fitted{m}, parametersText(m.Parameters()), nil
}
