package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
)

func render(ctx context.Context, e *environment, args []string) (err error) {
	f := newFlags(e, "render", `sgplvm render -model MODEL -out DIR|FILM.gif|FILM.npy [flags]

Renders predicted pictures as a film: the training examples or, with a model that
knows their times, any times, in the training or any other resolution. Pixels of another
resolution show the area of the training pictures: with twice as many along each axis a
training pixel is the mean of four. The film is a folder of PNG frames, an animated GIF,
or an array.`)
	model := f.String("model", "", "the model `file`")
	examples := add(f, "examples", span{0, -1}, "the training `examples`, by their numbers from 0: all, one as 7, or a range as 10-19", parseSpan)
	grid := f.grid("grid", "", "`WIDTHxHEIGHT` of the pictures, by default that of the training pictures")
	times := f.String("times", "", "the `file` with the times to render, .npy, in the unit of the training times")
	from := add(f, "from", 0., "the first `time`, -fps frames to a unit of time (default the first training time)", finite)
	to := add(f, "to", 0., "the last `time` (default the last training time)", finite)
	sequence := f.whole("sequence", 0, -math.MaxInt32, math.MaxInt32, "the `label` of the sequence whose times these are")
	rate := add(f, "fps", 25., "`frames` a second of a GIF, and to a unit of time where neither -times nor -examples are given", parseRate)
	black := add(f, "black", 0., "`value` that is black in PNG and GIF frames", finite)
	white := add(f, "white", 255., "`value` that is white in PNG and GIF frames", finite)
	out := f.String("out", "", "the `folder` for frame0000.png, frame0001.png, …, or the file for a film, with a name in .gif or .npy")
	variance := f.String("variance", "", "the `file` for the variances, noise included, .npy")
	if err := f.parse(args); err != nil {
		return err
	}
	if err := f.require("model", "out"); err != nil {
		return err
	}
	if err := f.apart([]string{"model", "times"}, []string{"out", "variance"}); err != nil {
		return err
	}
	even := f.given("from") || f.given("to")
	if f.given("times") && f.given("examples") || even && (f.given("times") || f.given("examples")) {
		return usagef("render: more than one of -times, -examples and -from or -to, expected at most one")
	}
	if !(*white > *black) {
		return usagef("render: -white %v with -black %v, expected more", *white, *black)
	}
	kind := strings.ToLower(filepath.Ext(*out))
	if kind != ".gif" && kind != ".npy" {
		kind = ""
	}
	if kind != "" {
		if err := writable(*out); err != nil {
			return err
		}
	}
	if err := allWritable(*variance); err != nil {
		return err
	}
	m, err := loadModel(*model)
	if err != nil {
		return err
	}
	at, err := pixelsOf("render", *model, m, *grid)
	if err != nil {
		return err
	}
	if c := at.layout.Channels; kind != ".npy" && c != 1 && c != 3 {
		return usagef("render: -out %q with a model of %d channels, expected a name in .npy: pictures have 1 (grey) or 3 (red, green, blue)", *out, c)
	}
	var latents []sgplvm.Latent
	sampled := even || f.given("fps") && !f.given("times") && !f.given("examples") && dynamic(m)
	switch {
	case (sampled || *times != "") && !dynamic(m):
		return usagef("render: times with a model that was trained without any, expected -examples or nothing")
	case sampled:
		low, high, ok := timeSpan(m, *sequence)
		if !ok {
			return usagef("render: -sequence %d, expected one that the model was trained on", *sequence)
		}
		if f.given("from") {
			low = *from
		}
		if f.given("to") {
			high = *to
		}
		var at []float64
		if at, err = evenTimes(low, high, *rate); err == nil {
			latents, err = m.LatentAt(*sequence, at)
		}
	case *times != "":
		var at []float64
		if at, err = dataset.LoadTimes(*times, 0); err == nil {
			latents, err = m.LatentAt(*sequence, at)
		}
	default:
		latents, err = examples.latents(m)
	}
	if err != nil {
		return err
	}
	most := int64(math.MaxInt / 8) // of an array, which is not held in memory
	if kind == ".gif" {
		most = dataset.MostFilm
	}
	if n := int64(at.size()); (kind != "" || *variance != "") && n > most/int64(len(latents)) || n > mostValues {
		return usagef("render: %d frames of %d values, expected at most %d values in all and %d in one", len(latents), n, most, mostValues)
	}
	moving, err := film.Of(m)
	if err != nil {
		return fmt.Errorf("%s: %w", *model, err)
	}
	r := &renderer{ctx: ctx, e: e, model: m, film: moving, latents: latents, at: at, variances: *variance != ""}

	switch kind {
	case ".npy":
		return dataset.StreamNPY(*out, at.of(len(latents)), npy.Float64, func(put func([]float64) error) error {
			return r.run(*variance, func(_ int, means []float64) error { return put(means) })
		})
	case ".gif":
		animation := dataset.NewAnimation(*out)
		if err := r.run(*variance, func(_ int, means []float64) error {
			for _, p := range r.pictures(means) {
				if err := animation.Add(p, *black, *white); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		return animation.Save(*rate)
	}
	undo, err := makeFolder(*out)
	if err != nil {
		return err
	}
	defer undo(&err)
	return r.run(*variance, func(first int, means []float64) error {
		pictures := r.pictures(means)
		failures := make([]error, len(pictures))
		mat.Parallel(len(pictures), func(i int) {
			if failures[i] = ctx.Err(); failures[i] == nil {
				failures[i] = dataset.SaveFrame(*out, first+i, pictures[i], *black, *white, 8)
			}
		})
		return cmp.Or(failures...)
	})
}

// A span is a range of numbers; to is −1 for all.
type span struct{ from, to int }

func (s span) String() string {
	if s.to < 0 {
		return "all"
	}
	return fmt.Sprintf("%d-%d", s.from, s.to)
}

func parseSpan(s string) (span, error) {
	if s == "all" {
		return span{0, -1}, nil
	}
	from, to, two := strings.Cut(s, "-")
	if !two {
		to = from
	}
	var p span
	var errFrom, errTo error
	p.from, errFrom = strconv.Atoi(from)
	p.to, errTo = strconv.Atoi(to)
	if errFrom != nil || errTo != nil || p.from < 0 || p.to < p.from || p.to > math.MaxInt32 || strconv.Itoa(p.from) != from || strconv.Itoa(p.to) != to {
		return p, errors.New("expected all, a whole number, or two as 10-19, the larger one last")
	}
	return p, nil
}

// latents returns the latent posteriors of the training examples.
func (s span) latents(m *sgplvm.Model) ([]sgplvm.Latent, error) {
	n := m.Examples()
	if s.to >= n {
		return nil, usagef("render: -examples %s, expected numbers up to %d, the last of the model's", s, n-1)
	}
	if s.to < 0 {
		s.to = n - 1
	}
	var l []sgplvm.Latent
	for i := s.from; i <= s.to; i++ {
		l = append(l, m.TrainingLatent(i))
	}
	return l, nil
}

// dynamic tells whether a model knows times.
func dynamic(m *sgplvm.Model) bool { return m.Params().Dynamics.Times != nil }

// timeSpan returns the first and the last training time of a sequence.
func timeSpan(m *sgplvm.Model, sequence int) (low, high float64, ok bool) {
	d := m.Params().Dynamics
	low, high = math.Inf(1), math.Inf(-1)
	for i, t := range d.Times {
		if d.Sequences == nil && sequence == 0 || d.Sequences != nil && d.Sequences[i] == sequence {
			low, high, ok = min(low, t), max(high, t), true
		}
	}
	return low, high, ok
}

// evenTimes returns times from low to high, rate of them to a unit.
func evenTimes(low, high, rate float64) ([]float64, error) {
	n := math.Floor((high-low)*rate*(1+1e-12)) + 1
	if !(high >= low) || !(n <= maxFields) {
		return nil, usagef("render: times from %v to %v, %v to a unit, expected a number of 1 to %d", low, high, rate, maxFields)
	}
	t := dataset.EvenTimes(int(n), rate)
	for i := range t {
		t[i] += low
	}
	return t, nil
}

func parseRate(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0.01 && v <= dataset.MostRate) {
		return 0, fmt.Errorf("expected a number from 0.01 to %d", dataset.MostRate)
	}
	return v, nil
}

// pixelsOf returns the pixels of pictures of the size that the flag -grid gives.
func pixelsOf(command, model string, m *sgplvm.Model, grid string) (places, error) {
	if scattered(m) {
		return places{}, usagef("%s: a model of scattered points, expected one of pictures", command)
	}
	p, err := placesOf(command, model, m, "", "")
	if err != nil {
		return places{}, err
	}
	if space := m.Space(); p.layout.Points() == 0 && len(space) == 2 {
		p.layout.Width, p.layout.Height = space[1].Rows, space[0].Rows
	}
	if p.layout.Points() == 0 {
		return places{}, fmt.Errorf("%s: a model that does not say how large its pictures are, expected the attribute %s", model, attributeGrid)
	}
	p.trained = p.layout
	if grid != "" {
		from := p.layout
		p.layout.Width, p.layout.Height, _ = dataset.ParseGrid(grid) // checked by the flag
		if p.grid, err = dataset.Pixels(m.Space(), from, p.layout.Width, p.layout.Height); err != nil {
			return places{}, usagef("%s: -grid %s: %v", command, grid, err)
		}
	}
	p.shape = []int{p.layout.Height, p.layout.Width}
	if p.layout.Channels > 1 {
		p.shape = append(p.shape, p.layout.Channels)
	}
	return p, nil
}

// A renderer predicts the frames of a film, as many together as memory allows.
type renderer struct {
	ctx       context.Context
	e         *environment
	model     *sgplvm.Model
	film      *film.Film // nil where the model predicts frames by itself
	latents   []sgplvm.Latent
	at        places
	variances bool
}

// groupNumbers is about how many numbers the frames that are predicted together have, 1 GiB.
// Tests lower it.
var groupNumbers = 1 << 27

// run gives the means of all frames to put, those of some frames at a time, the number of the
// first of them beside, and writes the variances to a file if it has a name.
func (r *renderer) run(variance string, put func(first int, means []float64) error) error {
	if variance == "" {
		return r.predict(func(first int, means, _ []float64) error { return put(first, means) })
	}
	return dataset.StreamNPY(variance, r.at.of(len(r.latents)), npy.Float64, func(putVariance func([]float64) error) error {
		return r.predict(func(first int, means, variances []float64) error {
			if err := put(first, means); err != nil {
				return err
			}
			return putVariance(variances)
		})
	})
}

func (r *renderer) predict(put func(first int, means, variances []float64) error) error {
	size, channels := r.at.size(), r.at.layout.Channels
	numbers := size
	if r.variances || r.film != nil {
		numbers *= 2
	}
	if r.film != nil {
		numbers *= 2 // with the frames in reference coordinates
	}
	together := min(len(r.latents), max(1, groupNumbers/numbers))
	groups := (len(r.latents) + together - 1) / together
	together = (len(r.latents) + groups - 1) / groups
	var variances []float64
	means := make([]float64, together*size)
	if r.variances {
		variances = make([]float64, together*size)
	}
	begin := time.Now()
	p := newProgress(r.e)
	defer p.clear()
	for first := 0; first < len(r.latents); first += together {
		group := r.latents[first:min(first+together, len(r.latents))]
		if r.film != nil {
			if err := r.film.Predict(r.ctx, group, r.at.layout.Width, r.at.layout.Height, func(i int, p film.Frame) error {
				copy(means[i*size:], p.Mean.Data)
				if r.variances {
					copy(variances[i*size:], p.Variance.Data)
				}
				return nil
			}); err != nil {
				return err
			}
			done := first + len(group)
			p.counting("rendered", done, len(r.latents), begin)
		} else if err := r.model.PredictSlabs(r.ctx, group, r.at.grid, sgplvm.SlabOptions{MeanOnly: !r.variances}, func(s sgplvm.Slab) error {
			mat.Parallel(len(group), func(i int) {
				at, n := i*size+s.First*channels, s.Mean[i].Rows
				mat.Copy(mat.NewDense(n, channels, means[at:at+n*channels]), s.Mean[i])
				if r.variances {
					mat.Copy(mat.NewDense(n, channels, variances[at:at+n*channels]), s.Variance[i])
				}
			})
			done := float64(first) + float64(len(group))*float64(s.To)/float64(r.at.grid[0].Rows)
			left := time.Duration(float64(time.Since(begin)) * (float64(len(r.latents)) - done) / done)
			p.show("rendered %d/%d pictures  %s left", int(done), len(r.latents), left.Round(time.Second))
			return nil
		}); err != nil {
			return err
		}
		found := means[:len(group)*size]
		for i, v := range found {
			if v-v != 0 || r.variances && !(variances[i] > 0 && variances[i]-variances[i] == 0) {
				return fmt.Errorf("picture %d, point %d, channel %d: predicted %v, expected a finite number with a positive variance", first+i/size, i%size/channels, i%channels, v)
			}
		}
		if r.variances {
			variances = variances[:len(found)]
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := put(first, found, variances); err != nil {
			return err
		}
	}
	return nil
}

// pictures returns the pictures with the given values.
func (r *renderer) pictures(values []float64) []dataset.Picture {
	var p []dataset.Picture
	for size := r.at.size(); len(values) > 0; values = values[size:] {
		p = append(p, dataset.Picture{Layout: r.at.layout, Values: values[:size]})
	}
	return p
}
