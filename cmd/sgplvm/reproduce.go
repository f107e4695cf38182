package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// The methods of the experiment beside those of package baseline.
const (
	structured = "sgplvm"
	plain      = "bgplvm"
)

// methodNames lists all methods in the order of the table.
func methodNames() []string {
	names := []string{structured, plain}
	for _, k := range baseline.Kinds {
		names = append(names, string(k))
	}
	return names
}

func reproduce(ctx context.Context, e *environment, args []string) (err error) {
	f := newFlags(e, "reproduce", `sgplvm reproduce frey -data F -split SPLIT.npy -observed MASKS.npy [flags]

Repeats the first experiment of Atkinson and Zabaras (2018): the model and its
rivals learn from the first n pictures of a split and fill in the last ones, of which
masks say what was observed. Prints a table of their errors, beside the published
ones where the data are the Frey faces, and writes table.csv, table.html and
strip.png. F is a .npy array, a GIF or a folder of pictures of any kind; SPLIT.npy
holds the numbers of all pictures in some order; MASKS.npy has a mask (1 observed,
0 not) for each of the last pictures in that order.

sgplvm reproduce video -h explains the second experiment, on a film.`)
	data := f.String("data", "", "all pictures, complete: a .npy `file`, a GIF or a folder of PNG or JPEG frames")
	order := f.String("split", "", "the `file` with the order of the pictures, .npy: whole numbers, each from 0 once")
	observed := f.String("observed", "", "the `file` of masks, .npy: one for each picture to fill in")
	grid := f.grid("grid", "", "`WIDTHxHEIGHT` of a picture, needed where the array has a picture a row, but for rows of 560 values: 20x28")
	n := f.whole("n", 50, 3, math.MaxInt32, "`number` of pictures to learn from; published are 50 and 1000")
	quick := f.toggle("quick", "a look: fewer steps of training, every tenth picture filled in")
	paper := f.toggle("paper", "the latent variable models as in the paper: no residual, and the observed values used in its way")
	methods := add(f, "methods", "all", "the `methods`, separated by commas: "+strings.Join(methodNames(), ", "), parseMethods)
	seed := f.seed("seed", 0, "the `number` that decides everything random")
	out := f.String("out", "sgplvm-frey", "the `folder` to write to")
	switch {
	case len(args) > 0 && args[0] == "video":
		return reproduceVideo(ctx, e, args[1:])
	case len(args) > 0 && args[0] == "frey":
		args = args[1:]
	case len(args) > 0 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]):
	case len(args) > 0 && !strings.HasPrefix(args[0], "-"):
		return usagef("reproduce: unknown experiment %q, expected frey or video", args[0])
	default:
		return usagef("reproduce: no experiment, expected frey or video, before all flags")
	}
	if err := f.parse(args); err != nil {
		return err
	}
	if err := f.require("data", "split", "observed", "out"); err != nil {
		return err
	}
	if err := f.apart([]string{"data", "split", "observed"}, []string{"out"}); err != nil {
		return err
	}
	x := &experiment{e: e, quick: *quick, paper: *paper, seed: *seed}
	if err := x.load(*data, *grid, *order, *observed, *n); err != nil {
		return err
	}
	undo, err := makeFolder(*out)
	if err != nil {
		return err
	}
	defer undo(&err)
	for _, name := range resultNames {
		if err := writable(filepath.Join(*out, name)); err != nil {
			return err
		}
	}

	for _, name := range methodNames() {
		if *methods != "all" && !slices.Contains(strings.Split(*methods, ","), name) {
			continue
		}
		err := x.run(ctx, name)
		var size *baseline.SizeError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case *methods == "all" && errors.As(err, &size):
			x.about = append(x.about, fmt.Sprintf("%s: left out: %v", titles[name], err))
		case err != nil:
			return fmt.Errorf("%s: %w", titles[name], err)
		}
	}
	return x.write(*out)
}

// parseMethods checks a list of methods.
func parseMethods(s string) (string, error) { return parseMethodsOf(s, methodNames()) }

// parseMethodsOf checks a list of some of the names.
func parseMethodsOf(s string, names []string) (string, error) {
	if s == "all" {
		return s, nil
	}
	words := strings.Split(s, ",")
	for k, w := range words {
		if !slices.Contains(names, w) || slices.Contains(words[:k], w) {
			return "", fmt.Errorf("expected all, or different ones of %s, separated by commas", strings.Join(names, ", "))
		}
	}
	return s, nil
}

// An experiment is one training set, one test set and what the methods made of
// them.
type experiment struct {
	e            *environment
	quick, paper bool
	seed         uint64

	source      string          // of the pictures, for the title
	frey        bool            // they have the number and the size of the Frey faces
	training    *dataset.Frames // the first n of the split
	truth, seen *dataset.Frames // the last ones, complete and as observed
	numbers     []int           // of those, in the data

	rows  []evaluate.Row
	about []string // a line for each method: its settings
	strip *result  // what the first method filled in
}

// stride is how many pictures a quick look passes over for one that it fills in.
const stride = 10

// load reads the files and divides the pictures.
func (x *experiment) load(data, grid, order, observed string, n int) error {
	want := layout(grid, 0)
	if grid == "" && rowLength(data) == 560 {
		want = dataset.Layout{Width: 20, Height: 28}
	}
	all, err := dataset.Load(data, want)
	if err != nil {
		return err
	}
	if err := dataset.CheckComplete(all); err != nil {
		return fmt.Errorf("%w (reproduce hides values itself, where the masks say so)", err)
	}
	split, err := dataset.LoadPermutation(order, all.Count)
	if err != nil {
		return err
	}
	mask, tests, err := dataset.LoadMasks(observed, all.Layout)
	if err != nil {
		return err
	}
	if tests > all.Count-n {
		return usagef("reproduce: -n %d and %d masks in %s, expected at most %d together, the number of pictures in %s", n, tests, observed, all.Count, data)
	}
	last := split[all.Count-tests:]
	x.source, x.numbers = filepath.Base(data), last
	x.frey = all.Count == 1965 && all.Layout == dataset.Layout{Width: 20, Height: 28, Channels: 1}
	x.training, x.truth = all.Select(split[:n]), all.Select(last)
	x.seen = x.truth.WithMask(mask)
	missing := 0
	for i := range tests {
		m := x.seen.Missing(i)
		if m == x.seen.Points()*x.seen.Channels {
			return &dataset.Error{Path: observed, Place: fmt.Sprintf("mask %d", i), Found: "nothing observed", Want: "at least one value"}
		}
		missing += m
	}
	if missing == 0 {
		return &dataset.Error{Path: observed, Found: "everything observed", Want: "some values to fill in"}
	}
	if x.quick {
		var some []int
		for i := 0; i < tests; i += stride {
			some = append(some, i)
		}
		x.truth, x.seen = x.truth.Select(some), x.seen.Select(some)
		for k, i := range some {
			some[k] = last[i]
		}
		x.numbers = some
	}
	return nil
}

// rowLength returns the length of the rows of a two-dimensional array in a file, 0
// of anything else.
func rowLength(path string) int {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return 0 // what cannot be read twice
	}
	file, err := npy.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	if len(file.Shape) != 2 {
		return 0
	}
	return file.Shape[1]
}

// steps is how long training takes.
func (x *experiment) steps() int {
	if x.quick {
		return 80
	}
	return 400
}

// A configuration is how the structured model is set up, trained and used.
type configuration struct {
	pictures int // to learn from
	model    sgplvm.Config
	fit      sgplvm.FitOptions
	infer    sgplvm.InferOptions
}

// configuration returns the settings of a latent variable model: the best known ones, or
// those of the paper. The plain Bayesian GP-LVM (Titsias and Lawrence 2010) knows no
// space: every pixel is by itself.
func (x *experiment) configuration(name string) (configuration, error) {
	factors, points := "auto", x.training.Points()
	if name == structured && !x.paper && points <= mostJoint {
		factors = "joint" // what a learned covariance of the noise needs
	}
	space, err := dataset.Space(x.training.Width, x.training.Height, factors)
	n := x.training.Count
	c := configuration{
		pictures: n,
		model:    sgplvm.Config{Space: space, LatentDims: min(30, n-1), Inducing: min(100, n), Seed: x.seed},
		fit:      sgplvm.FitOptions{Iterations: x.steps()},
	}
	if x.paper {
		c.infer.Conditioning = sgplvm.ConditionMoments
	}
	switch {
	case name == plain:
		for f := range space {
			space[f].Kernel.Kind = sgplvm.White
		}
	case len(space) == 1 && !x.paper:
		c.model.Residual = sgplvm.Kernel{Kind: sgplvm.Matern32, Variance: 0.05}
		c.model.NoiseFloor = 1e-8 // smooth fields have none
		c.fit.ResidualRounds, c.fit.ResidualTaper, c.fit.LocalResiduals = 2, sgplvm.DefaultTaper(n), true
		if n >= 200 {
			c.model.LatentDims = 12
		}
		if points > coarseFrom {
			c.fit.CoarsePoints = coarsePoints
		}
	}
	return c, err
}

// Sizes of pictures, in points.
const (
	mostJoint    = 5000 // up to which the noise of large pictures is learned
	coarseFrom   = 2048 // from which on most of training takes place at some points
	coarsePoints = 1000 // as many
)

// String names the settings that are not the defaults.
func (c *configuration) String() string {
	s := fmt.Sprintf("%d latent dimensions, %d inducing points", c.model.LatentDims, c.model.Inducing)
	if kind := c.model.Residual.Kind; kind != "" {
		s += fmt.Sprintf(", residual %s", kind)
	}
	if c.fit.ResidualRounds > 0 {
		s += fmt.Sprintf(", its covariance learned freely in %d rounds", c.fit.ResidualRounds)
	}
	if c.fit.ResidualTaper > 0 {
		s += fmt.Sprintf(" with taper %.3g", c.fit.ResidualTaper)
	}
	if c.fit.ResidualTaper < 0 {
		s += " without taper"
	}
	if c.fit.ResidualStrength > 0 {
		s += fmt.Sprintf(", prior strength %g", c.fit.ResidualStrength)
	}
	if c.fit.LocalResiduals && c.infer.LocalBandwidth >= 0 {
		s += ", local residuals"
	}
	if c.infer.Freedom > 0 {
		s += fmt.Sprintf(", %g degrees of freedom", c.infer.Freedom)
	}
	if c.infer.Conditioning == sgplvm.ConditionMoments {
		s += ", conditioned as in the paper, with exact moments for those of its 100 samples"
	}
	return s
}

// An attempt is what a method made of the experiment.
type attempt struct {
	filled           *result
	about            string // its settings
	learned, filling time.Duration
}

// run fits one method, fills in the pictures and adds a row to the table.
func (x *experiment) run(ctx context.Context, name string) error {
	var a attempt
	var err error
	if name == structured || name == plain {
		a, err = x.runModel(ctx, name)
	} else {
		a, err = x.runRival(ctx, baseline.Kind(name))
	}
	if err != nil {
		return err
	}
	summary, err := summarize(x.seen, a.filled, x.truth)
	if err != nil {
		return err
	}
	if x.strip == nil {
		x.strip = a.filled
	}
	x.about = append(x.about, titles[name]+": "+a.about)
	x.rows = append(x.rows, evaluate.Row{Name: titles[name], Summary: summary, Notes: []string{seconds(a.learned), seconds(a.filling)}})
	if row, ok := x.published(name); ok {
		x.rows = append(x.rows, row)
	}
	fmt.Fprintf(x.e.stdout, "%s: learned in %s, filled in %s\n", titles[name], seconds(a.learned), seconds(a.filling))
	return nil
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// runModel trains one of the two latent variable models.
func (x *experiment) runModel(ctx context.Context, name string) (attempt, error) {
	c, err := x.configuration(name)
	if err != nil {
		return attempt{}, err
	}
	begin := time.Now()
	if c, err = x.choose(ctx, c); err != nil {
		return attempt{}, err
	}
	m, err := sgplvm.New(x.training.Data(), c.model)
	if err != nil {
		return attempt{}, err
	}
	r, err := fit(ctx, x.e, m, c.fit)
	if err != nil {
		return attempt{}, err
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(x.e.stderr, "sgplvm: warning: %s: %s\n", titles[name], w)
	}
	learned := time.Since(begin)
	begin = time.Now()
	filled, err := fill(ctx, x.e, m, &observations{Frames: x.seen}, c.infer)
	if err != nil {
		return attempt{}, err
	}
	about := fmt.Sprintf("%v; %d steps (%s), bound %.6g, noise %s", &c, r.Iterations, r.Status, r.Bound, numbers(m.Noise()))
	return attempt{filled, about, learned, time.Since(begin)}, nil
}

// batch is how many pictures a rival fills in before progress is shown.
var batch = 48

// runRival fits one of the rivals, its settings chosen by cross-validation inside the
// training pictures under the masks of the others.
func (x *experiment) runRival(ctx context.Context, kind baseline.Kind) (attempt, error) {
	size := x.training.Points() * x.training.Channels
	d := baseline.Data{Points: gridPoints(x.training.Width, x.training.Height), Channels: x.training.Channels, Pictures: values(x.training)}
	o := baseline.Options{Seed: x.seed}
	if x.quick {
		o.Folds, o.Cases = 5, 50
	}
	seen := values(x.seen)
	for i := range seen.Rows {
		mask := make([]bool, size)
		for j, v := range seen.Row(i) {
			mask[j] = !math.IsNaN(v)
		}
		if slices.Contains(mask, false) {
			o.Masks = append(o.Masks, mask)
		}
	}
	begin := time.Now()
	stop := newProgress(x.e).timing("cross-validation of " + titles[string(kind)])
	m, err := baseline.Fit(ctx, kind, d, o)
	stop()
	if err != nil {
		return attempt{}, err
	}
	learned := time.Since(begin)
	begin = time.Now()
	p := newProgress(x.e)
	defer p.clear()
	filled := &result{make([]float64, seen.Rows*size), make([]float64, seen.Rows*size), size}
	for from := 0; from < seen.Rows; from += batch {
		to := min(from+batch, seen.Rows)
		prediction, err := m.Fill(ctx, seen.Slice(from, to, 0, size))
		if err != nil {
			return attempt{}, err
		}
		copy(filled.mean[from*size:], prediction.Mean.Data)
		copy(filled.variance[from*size:], prediction.Variance.Data)
		p.counting("filled", to, seen.Rows, begin)
	}
	var settings []string
	for _, s := range m.Settings() {
		settings = append(settings, fmt.Sprintf("%s %.4g", s.Name, s.Value))
	}
	return attempt{filled, strings.Join(settings, ", "), learned, time.Since(begin)}, nil
}

// gridPoints returns the pixels (row, column) of a picture, n_s×2.
func gridPoints(width, height int) mat.Matrix {
	x := mat.New(height*width, 2)
	for i := range x.Rows {
		x.Set(i, 0, float64(i/width))
		x.Set(i, 1, float64(i%width))
	}
	return x
}

// values returns all values of frames, a frame a row.
func values(f *dataset.Frames) mat.Matrix {
	v := mat.New(f.Count, f.Points()*f.Channels)
	for i := range f.Count {
		copy(v.Row(i), f.Values(i))
	}
	return v
}
