package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// A filmMethod predicts frames at any times on a grid at least as fine as that in
// training, slab by slab, in the units of the frames.
type filmMethod interface {
	Predict(ctx context.Context, times []float64, height, width int, body func(s baseline.Slab) error) error
}

// A filmRival is a way to run a method of package baseline.
type filmRival struct {
	name, title string
	kind        baseline.FilmKind
	criterion   baseline.Criterion
}

var filmRivals = []filmRival{
	{"gp", "structured GP in time and space", baseline.SpaceTimeGP, baseline.Evidence},
	{"gp-left-out", "structured GP, by left-out frames", baseline.SpaceTimeGP, baseline.LeaveOneOut},
	{"gp-time", "GP in time for each pixel", baseline.TimeGP, ""},
	{"interpolation", "linear interpolation in time", baseline.Interpolation, ""},
	{"climatology", "mean of the same phase", baseline.Climatology, ""},
}

func filmMethodNames() []string {
	names := []string{structured}
	for _, r := range filmRivals {
		names = append(names, r.name)
	}
	return names
}

func reproduceVideo(ctx context.Context, e *environment, args []string) (err error) {
	f := newFlags(e, "reproduce video", `sgplvm reproduce video -frames F -truth F -train TRAIN.npy [flags]

Repeats the second experiment of Atkinson and Zabaras (2018): methods learn from some
frames of a film and predict the others, at the resolution of the truth. Prints a table
of their errors in units in which each channel of the training frames has mean 0 and
variance 1, and writes table.txt, table.csv, table.html and frames.png, which shows the
best, the median and the worst frame beside the truth. F is a .npy array, a GIF or a folder
of pictures.`)
	frames := f.String("frames", "", "all frames, of which some are learned from: a .npy `file`, a GIF or a folder of PNG or JPEG frames")
	truth := f.String("truth", "", "the same frames in the resolution to predict: a .npy `file`, a GIF or a folder of PNG or JPEG frames")
	training := f.String("train", "", "the `file` with the numbers of the frames to learn from, .npy: whole numbers from 0")
	times := f.String("times", "", "the `file` with the times of all frames, .npy (default: 0, 1, 2, …)")
	period := add(f, "period", 0., "the `period` of what repeats itself, in units of the times, for climatology and the choice of the time kernel: 12 for months", parsePeriod)
	quick := f.toggle("quick", "a look: fewer steps of training, every tenth frame predicted")
	methods := add(f, "methods", "all", "the `methods`, separated by commas: "+strings.Join(filmMethodNames(), ", "), func(s string) (string, error) {
		return parseMethodsOf(s, filmMethodNames())
	})
	latent := f.whole("latent", 0, 0, maxLatent, "`number` of the model's latent dimensions (0: 30, or one less than the frames)")
	iterations := f.whole("iters", 0, 0, 1000000, "`number` of the model's steps of training (0: 400, or 80 with -quick)")
	kernel := add(f, "time-kernel", sgplvm.TimeKernel{Kind: automatic}, "`kernel` of the model's latent variables in time, as train takes it; auto chooses it in small films", parseKernelOrAuto)
	partKernel := add(f, "latent-time-kernel", sgplvm.TimeKernel{Kind: automatic}, "`kernel` of the time part of the model's latent kernel, or auto: in large films matern12 or matern12+matern32, whichever predicts training frames better from the others when they are shrunk; the sum in small ones and with -observed", parseKernelOrAuto)
	observed := f.String("observed", "", "the mask `file` of the frames to predict, .npy: row k belongs to the k-th of them, 1 where it is seen; the model and one more rival, interpolation and a GP of what it leaves, use what is seen, and errors are those of the rest")
	paper := f.toggle("paper", "the model as published: no time part in its latent kernel, variances as they are")
	seed := f.seed("seed", 0, "the `number` that decides everything random")
	save := f.String("model", "", "the `file` to save the model to")
	out := f.String("out", "sgplvm-video", "the `folder` to write to")
	if err := f.parse(args); err != nil {
		return err
	}
	if err := f.require("frames", "truth", "train", "out"); err != nil {
		return err
	}
	if err := f.apart([]string{"frames", "truth", "train", "times", "observed"}, []string{"model", "out"}); err != nil {
		return err
	}
	chosen := func(name string) bool {
		return *methods == "all" || slices.Contains(strings.Split(*methods, ","), name)
	}
	if *methods != "all" && chosen("climatology") && *period == 0 {
		return usagef("reproduce video: -methods %s without -period, expected both", *methods)
	}
	if *save != "" && !chosen(structured) {
		return usagef("reproduce video: -model without the method %s, expected both", structured)
	}
	x := &filmExperiment{e: e, quick: *quick, period: *period, latent: *latent, iterations: *iterations, kernel: *kernel, partKernel: *partKernel, seed: *seed, paper: *paper, save: *save}
	defer x.close()
	if err := x.load(*frames, *truth, *training, *times); err != nil {
		return err
	}
	if err := x.loadSeen(*observed); err != nil {
		return err
	}
	undo, err := makeFolder(*out)
	if err != nil {
		return err
	}
	defer undo(&err)
	for _, name := range filmResults {
		if err := writable(filepath.Join(*out, name)); err != nil {
			return err
		}
	}
	if err := allWritable(*save); err != nil {
		return err
	}
	if chosen(structured) {
		if err := x.run(ctx, titleDynamical, func() (filmMethod, string, error) { return x.train(ctx) }); err != nil {
			return aboutMethod(ctx, titleDynamical, err)
		}
	}
	for _, r := range filmRivals {
		if !chosen(r.name) || r.kind == baseline.Climatology && x.period == 0 {
			continue
		}
		if err := x.run(ctx, r.title, func() (filmMethod, string, error) { return x.learn(ctx, r) }); err != nil {
			return aboutMethod(ctx, r.title, err)
		}
	}
	if x.seen != nil && chosen("interpolation") {
		err := x.run(ctx, titleResidual, func() (filmMethod, string, error) { return x.learnResidual(ctx) })
		var size *baseline.SizeError
		switch {
		case errors.As(err, &size):
			fmt.Fprintf(e.stderr, "sgplvm: %s is left out: %v\n", titleResidual, err)
		case err != nil:
			return aboutMethod(ctx, titleResidual, err)
		}
	}
	return x.write(ctx, *out)
}

// aboutMethod names the method that failed, unless the context ended.
func aboutMethod(ctx context.Context, title string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: %w", title, err)
}

// parsePeriod reads a positive number.
func parsePeriod(s string) (float64, error) {
	var v float64
	if _, err := fmt.Sscan(s, &v); err != nil || !(v > 0) || math.IsInf(v, 0) || fmt.Sprint(v) != s {
		return 0, errors.New("expected a positive number")
	}
	return v, nil
}

// A filmExperiment is a film, a division of its frames and what the methods made of them.
type filmExperiment struct {
	e      *environment
	quick  bool
	period float64 // of the climatology; 0: none

	latent, iterations int               // of the model; 0: the default
	kernel, partKernel sgplvm.TimeKernel // of the latent variables and of the time part
	seed               uint64
	paper              bool   // the model as published
	save               string // the model's file; may be empty

	frames, truth *dataset.Training
	times         []float64 // of all frames
	training      []int     // numbers of the frames to learn from, ascending
	tests         []int     // of those to predict
	level, scale  []float64 // mean and deviation of each channel in training

	seen *partlySeen // nil: nothing

	rows   []evaluate.Row
	about  []string
	first  filmMethod // the first method and its scores
	scores []evaluate.Scores
	model  *sgplvm.Model // nil unless it has run
}

func (x *filmExperiment) close() {
	for _, t := range []*dataset.Training{x.frames, x.truth} {
		if t != nil {
			t.Close()
		}
	}
}

// load opens the frames and divides them.
func (x *filmExperiment) load(frames, truth, training, times string) error {
	var err error
	if x.frames, err = dataset.OpenEach(frames, dataset.Layout{}); err != nil {
		return err
	}
	if x.truth, err = dataset.OpenEach(truth, dataset.Layout{Channels: x.frames.Channels}); err != nil {
		return err
	}
	n := x.frames.Count
	if x.truth.Count != n {
		return &dataset.Error{Path: truth, Found: fmt.Sprintf("%d frames", x.truth.Count), Want: fmt.Sprintf("%d, as in %s", n, frames)}
	}
	if x.truth.Width < x.frames.Width || x.truth.Height < x.frames.Height {
		return &dataset.Error{Path: truth, Found: "frames of " + dataset.FormatGrid(x.truth.Width, x.truth.Height),
			Want: fmt.Sprintf("at least %s, the size of those in %s", dataset.FormatGrid(x.frames.Width, x.frames.Height), frames)}
	}
	if x.training, err = dataset.LoadChoice(training, n); err != nil {
		return err
	}
	if len(x.training) < 3 || len(x.training) == n {
		return &dataset.Error{Path: training, Found: fmt.Sprintf("%d of %d frames", len(x.training), n), Want: "at least 3 to learn from and one to predict"}
	}
	for i := range n {
		if !slices.Contains(x.training, i) {
			x.tests = append(x.tests, i)
		}
	}
	if x.quick {
		var some []int
		for i := 0; i < len(x.tests); i += stride {
			some = append(some, x.tests[i])
		}
		x.tests = some
	}
	if times == "" {
		x.times = dataset.EvenTimes(n, 1)
	} else if x.times, err = dataset.LoadTimes(times, n); err != nil {
		return err
	}
	return x.standards()
}

// chosenFrames are some frames of a film.
type chosenFrames struct {
	*dataset.Training
	numbers []int
}

func (c chosenFrames) Dims() (frames, points, channels int) {
	return len(c.numbers), c.Points(), c.Channels
}

func (c chosenFrames) ReadExamples(dst []float64, from, to int) error {
	n := c.Points() * c.Channels
	for i := from; i < to; i++ {
		if err := c.Training.ReadExamples(dst[(i-from)*n:(i-from+1)*n], c.numbers[i], c.numbers[i]+1); err != nil {
			return err
		}
	}
	return nil
}

// standards finds the mean and the deviation of each channel of the training frames.
func (x *filmExperiment) standards() error {
	channels := x.frames.Channels
	x.level, x.scale = make([]float64, channels), make([]float64, channels)
	v := make([]float64, x.frames.Points()*channels)
	per := 1 / (float64(len(x.training)) * float64(x.frames.Points()))
	over := func(dst []float64, of func(c int, v float64) float64) error {
		for _, i := range x.training {
			if err := x.frames.ReadExamples(v, i, i+1); err != nil {
				return err
			}
			sums := make([]float64, channels)
			for j, value := range v {
				if value-value != 0 {
					return &dataset.Error{Path: x.frames.Name, Place: fmt.Sprintf("frame %d, row %d, column %d, channel %d", i,
						j/channels/x.frames.Width, j/channels%x.frames.Width, j%channels), Found: fmt.Sprint(value), Want: "a finite number in every training frame"}
				}
				sums[j%channels] += of(j%channels, value)
			}
			for c, s := range sums {
				dst[c] += per * s
			}
		}
		return nil
	}
	if err := over(x.level, func(_ int, v float64) float64 { return v }); err != nil {
		return err
	}
	if err := over(x.scale, func(c int, v float64) float64 { return (v - x.level[c]) * (v - x.level[c]) }); err != nil {
		return err
	}
	for c, s := range x.scale {
		x.scale[c] = 1
		if s > 0 {
			x.scale[c] = math.Sqrt(s)
		}
	}
	return nil
}

// learn fits a rival.
func (x *filmExperiment) learn(ctx context.Context, r filmRival) (filmMethod, string, error) {
	film := baseline.Film{Width: x.frames.Width, Height: x.frames.Height, Frames: chosenFrames{x.frames, x.training}}
	for _, i := range x.training {
		film.Times = append(film.Times, x.times[i])
	}
	p := newProgress(x.e)
	defer p.clear()
	doing, begin := "", time.Now()
	m, err := baseline.FitFilm(ctx, r.kind, film, baseline.FilmOptions{Criterion: r.criterion, Period: x.period, Progress: func(what string, done, total int) {
		if what != doing {
			doing, begin = what, time.Now()
		}
		p.stepping(what, done, total, begin)
	}})
	if err != nil {
		return nil, "", err
	}
	var settings []string
	for _, s := range m.Settings() {
		settings = append(settings, fmt.Sprintf("%s %.4g", s.Name, s.Value))
	}
	return m, strings.Join(settings, ", "), nil
}

// run fits one method, scores it on the other frames and adds its row to the table.
func (x *filmExperiment) run(ctx context.Context, title string, learn func() (filmMethod, string, error)) error {
	begin := time.Now()
	m, about, err := learn()
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
	fmt.Fprintf(x.e.stdout, "%s: learned in %s, predicted and scored in %s\n", title, seconds(learned), seconds(took))
	return nil
}

// togetherNumbers bounds the values of the frames that are predicted at once, 256 MiB; their log
// densities take as much again.
const togetherNumbers = 1 << 25

// score predicts all test frames and scores them in standardised units.
func (x *filmExperiment) score(ctx context.Context, m filmMethod) ([]evaluate.Scores, error) {
	p := newProgress(x.e)
	defer p.clear()
	begin := time.Now()
	size := x.truth.Points() * x.truth.Channels
	together := min(len(x.tests), max(1, togetherNumbers/size))
	truth := mat.New(together, size)
	streams := make([]evaluate.Stream, together)
	scores := make([]evaluate.Scores, len(x.tests))
	for from := 0; from < len(x.tests); from += together {
		batch := x.tests[from:min(from+together, len(x.tests))]
		if err := (chosenFrames{x.truth, batch}).ReadExamples(truth.Data[:len(batch)*size], 0, len(batch)); err != nil {
			return nil, err
		}
		failures := make([]error, len(batch))
		for k := range batch {
			streams[k].Reset()
		}
		err := m.Predict(ctx, x.timesOf(batch), x.truth.Height, x.truth.Width, func(s baseline.Slab) error {
			row := x.truth.Width * x.truth.Channels
			mat.Parallel(len(batch), func(k int) {
				if failures[k] != nil {
					return
				}
				part := truth.Row(k)[s.From*row : s.To*row]
				x.standardise(part, s.Mean.Row(k), s.Variance.Row(k))
				points := func(v []float64) mat.Matrix { return mat.NewDense(len(v)/x.truth.Channels, x.truth.Channels, v) }
				var seen mat.Matrix
				if seen, failures[k] = x.seen.rows(batch[k], s.From, s.To); failures[k] != nil {
					return
				}
				failures[k] = streams[k].Add(points(part), seen, points(s.Mean.Row(k)), points(s.Variance.Row(k)))
			})
			return nil
		})
		if err != nil {
			return nil, err
		}
		mat.Parallel(len(batch), func(k int) { scores[from+k] = streams[k].Scores() })
		for k, err := range failures {
			if err != nil {
				return nil, fmt.Errorf("frame %d: %w", batch[k], err)
			}
		}
		p.counting("predicted", from+len(batch), len(x.tests), begin)
	}
	return scores, nil
}

// timesOf returns the times of some frames.
func (x *filmExperiment) timesOf(frames []int) []float64 {
	t := make([]float64, len(frames))
	for k, i := range frames {
		t[k] = x.times[i]
	}
	return t
}

// standardise brings values of some pixels, and their predicted means and variances, into
// the units of the scores.
func (x *filmExperiment) standardise(truth, mean, variance []float64) {
	for k := 0; k < len(truth); k += len(x.level) {
		for c, level := range x.level {
			scale := 1 / x.scale[c]
			truth[k+c] = (truth[k+c] - level) * scale
			mean[k+c] = (mean[k+c] - level) * scale
			variance[k+c] *= scale * scale
		}
	}
}
