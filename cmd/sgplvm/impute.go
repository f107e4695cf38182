package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

func impute(ctx context.Context, e *environment, args []string) error {
	f := newFlags(e, "impute", `sgplvm impute -model MODEL -data F -out FILLED.npy [flags]

Fills in the missing pixels of pictures, or values at the model's scattered points or
those of -points (n×points or n×points×channels). NaN means missing, or 0 in a mask.
Observed values are kept as they are; the results have the shape of the input.`)
	model := f.String("model", "", "the model `file`")
	data := f.String("data", "", "the pictures: a .npy `file`, a GIF or a folder of PNG or JPEG frames")
	grid := f.grid("grid", "", "`WIDTHxHEIGHT` of a picture, where the model does not say")
	f.String("points", "", "the `file` with the coordinates of the values, .npy, points×dimensions, where these are not the training points")
	observed := f.String("observed", "", "the mask `file`, .npy: 1 where a value was observed, 0 where not")
	times := f.String("times", "", "the `file` with the times of the pictures, .npy, of a model with times: pictures at close times are alike before anything of them is seen")
	sequence := f.whole("sequence", 0, -math.MaxInt32, math.MaxInt32, "the `label` of the sequence whose times these are")
	out := f.String("out", "", "the `file` for the filled pictures, .npy")
	variance := f.String("variance", "", "the `file` for the variance of every value, noise included, .npy; 0 where observed")
	truth := f.String("truth", "", "the complete pictures, like -data: print the errors of what was filled in")
	conditioning := f.choice("conditioning", "latent", "the `way` in which observed values bear on missing ones besides through the latent variables: latent (given these), paper (in all, as Atkinson and Zabaras have it) or none", "latent", "paper", "none")
	sheet := f.String("sheet", "", "the PNG `file` with the first pictures: seen, filled and, with -truth, truth")
	if err := f.parse(args); err != nil {
		return err
	}
	if err := f.require("model", "data", "out"); err != nil {
		return err
	}
	if err := f.files([]string{"model", "data", "observed", "points", "times", "truth"}, []string{"out", "variance", "sheet"}); err != nil {
		return err
	}
	m, err := loadModel(*model)
	if err != nil {
		return err
	}
	if err := refuseFilm("impute", m); err != nil {
		return err
	}
	frames, err := loadObserved(f, *model, m, *data, *observed, *grid, "points")
	if err != nil {
		return err
	}
	if *times == "" {
		if err := f.without("-times", "sequence"); err != nil {
			return err
		}
	} else if frames.priors, err = priorsAt(m, *times, *sequence, frames.Count); err != nil {
		return err
	}
	if *sheet != "" && frames.Scattered {
		return usagef("impute: -sheet of scattered points, expected pictures")
	}
	var whole *dataset.Frames
	if *truth != "" {
		if whole, err = loadLike(frames.Frames, *truth); err != nil {
			return err
		}
		if whole.Count != frames.Count {
			return fmt.Errorf("%s: %d pictures, expected %d as in %s", *truth, whole.Count, frames.Count, *data)
		}
		if err := dataset.CheckNoInf(whole); err != nil {
			return err
		}
	}

	filled, err := fill(ctx, e, m, frames, sgplvm.InferOptions{Conditioning: conditionings[*conditioning]})
	if err != nil {
		return err
	}
	if err := saveArray(*out, frames.Shape, filled.mean); err != nil {
		return err
	}
	if err := saveArray(*variance, frames.Shape, filled.variance); err != nil {
		return err
	}
	if *sheet != "" {
		if err := saveSheet(*sheet, frames.Frames, filled, whole, min(frames.Count, sheetRows)); err != nil {
			return err
		}
	}
	if whole != nil {
		return printErrors(e, frames.Frames, filled, whole)
	}
	return nil
}

// observations are partly seen examples at the training points or at others.
type observations struct {
	*dataset.Frames
	grid   sgplvm.Grid     // nil: the training points
	priors []sgplvm.Latent // at the times of the examples; nil: unknown times
}

// priorsAt returns the latent posteriors at the times in a file, of n pictures of a sequence.
func priorsAt(m *sgplvm.Model, path string, sequence, n int) ([]sgplvm.Latent, error) {
	if !dynamic(m) {
		return nil, usagef("impute: -times with a model that was trained without any, expected none")
	}
	if _, _, ok := timeSpan(m, sequence); !ok {
		return nil, usagef("impute: -sequence %d, expected one that the model was trained on", sequence)
	}
	at, err := dataset.LoadTimes(path, n)
	if err != nil {
		return nil, err
	}
	return m.LatentAt(sequence, at)
}

// Observed returns one of them.
func (o *observations) Observed(i int) sgplvm.Observed {
	seen := o.Frames.Observed(i)
	seen.Grid = o.grid
	if o.priors != nil {
		seen.Prior = &o.priors[i]
	}
	return seen
}

// loadObserved loads partly seen examples for a model: its pictures, values at its scattered
// points, or at those in the file that the flag named places takes.
func loadObserved(f *flags, model string, m *sgplvm.Model, data, observed, grid, places string) (*observations, error) {
	o := new(observations)
	var err error
	if path := f.Lookup(places).Value.String(); path != "" {
		if err := f.onePlace(path, grid); err != nil {
			return nil, err
		}
		if o.grid, err = pointsOf(f.Name(), places, m, path); err != nil {
			return nil, err
		}
		o.Frames, err = dataset.LoadAt(data, o.grid.Len(), m.Channels())
	} else {
		o.Frames, err = modelFrames(f.Name(), model, m, data, grid)
	}
	if err != nil {
		return nil, err
	}
	if n := o.Points(); o.grid == nil && n != m.Space().Len() {
		return nil, fmt.Errorf("%s: pictures of %d points, expected %d, the model's", data, n, m.Space().Len())
	}
	if observed != "" {
		mask, err := dataset.LoadMask(observed, o.Frames)
		if err != nil {
			return nil, err
		}
		o.Frames = o.WithMask(mask)
	}
	return o, dataset.CheckNoInf(o.Frames)
}

// modelFrames loads examples of the form that the model's attributes tell, or else the
// flag -grid and the file itself.
func modelFrames(command, model string, m *sgplvm.Model, data, grid string) (*dataset.Frames, error) {
	if scattered(m) {
		if grid != "" {
			return nil, usagef("%s: -grid %s with a model of scattered points, expected none", command, grid)
		}
		return dataset.LoadAt(data, m.Space().Len(), m.Channels())
	}
	want := layout(grid, m.Channels())
	w, h, err := pictureSize(model, m)
	if err != nil {
		return nil, err
	}
	if w > 0 {
		if grid != "" && (w != want.Width || h != want.Height) {
			return nil, usagef("%s: -grid %s, expected %s, the model's", command, grid, dataset.FormatGrid(w, h))
		}
		want.Width, want.Height = w, h
	}
	return dataset.Load(data, want)
}

// loadLike loads examples of the form of others.
func loadLike(frames *dataset.Frames, path string) (*dataset.Frames, error) {
	if frames.Scattered {
		return dataset.LoadAt(path, frames.Points(), frames.Channels)
	}
	return dataset.Load(path, frames.Layout)
}

// pictureSize returns the size of the model's pictures, 0×0 if it does not say.
func pictureSize(path string, m *sgplvm.Model) (width, height int, err error) {
	g := m.Attributes()[attributeGrid]
	if g == "" {
		return 0, 0, nil
	}
	if width, height, err = dataset.ParseGrid(g); err != nil {
		return 0, 0, fmt.Errorf("%s: attribute %s: %w", path, attributeGrid, err)
	}
	return width, height, nil
}

func loadModel(path string) (*sgplvm.Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &dataset.Error{Path: path, Err: err, Want: "a model file"}
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, &dataset.Error{Path: path, Found: "a folder", Want: "a model file"}
	}
	m, err := sgplvm.Load(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// conditionings are the words of the flag -conditioning.
var conditionings = map[string]sgplvm.Conditioning{"latent": sgplvm.ConditionGivenLatent, "paper": sgplvm.ConditionMoments, "none": sgplvm.ConditionNone}

// result holds the imputed pictures, one after the other.
type result struct {
	mean, variance []float64
	size           int // values of a picture
}

// fill imputes all pictures, several at a time.
func fill(ctx context.Context, e *environment, m *sgplvm.Model, frames *observations, o sgplvm.InferOptions) (*result, error) {
	size := frames.Points() * frames.Channels
	r := &result{mean: make([]float64, frames.Count*size), variance: make([]float64, frames.Count*size), size: size}
	var (
		mu       sync.Mutex
		messages = map[int]string{}
		local    int
	)
	err := each(ctx, e, "filled", frames.Name, frames.Count, func(i int) error {
		seen := frames.Observed(i)
		prediction, _, err := m.Impute(ctx, seen, o)
		if err == nil {
			err = check(prediction, seen.Values)
		}
		if err != nil {
			return err
		}
		copy(r.mean[i*size:], prediction.Mean.Data)
		copy(r.variance[i*size:], prediction.Variance.Data)
		mu.Lock()
		defer mu.Unlock()
		if frames.Missing(i) == size {
			messages[i] = "nothing observed: filled with the prediction of the prior"
		}
		if prediction.Conditioning == "local" {
			local++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range frames.Count {
		if text := messages[i]; text != "" {
			fmt.Fprintf(e.stderr, "sgplvm: %s: picture %d: %s\n", printable(frames.Name), i, text)
		}
	}
	if local > 0 {
		fmt.Fprintf(e.stderr, "sgplvm: %d pictures have so many observed points that each missing one was conditioned on its neighbourhood only\n", local)
	}
	return r, nil
}

// each calls body for every one of count examples, several at a time, and returns the
// error of the first that has one; verb is what body does to them, name where they are
// from.
func each(ctx context.Context, e *environment, verb, name string, count int, body func(i int) error) error {
	begin := time.Now()
	p := newProgress(e)
	defer p.clear()
	var done atomic.Int64
	failures := make([]error, count)
	mat.Parallel(count, func(i int) {
		if ctx.Err() != nil {
			return
		}
		if failures[i] = body(i); failures[i] == nil {
			p.counting(verb, int(done.Add(1)), count, begin)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, err := range failures {
		var value *sgplvm.ValueError
		if errors.As(err, &value) {
			value.Example = i
			return fmt.Errorf("%s: %w", name, value)
		}
		if err != nil {
			return fmt.Errorf("%s: picture %d: %w", name, i, err)
		}
	}
	return nil
}

// check refuses a prediction that is no number, or of which the variance is
// beyond the range of numbers.
func check(p sgplvm.Prediction, seen mat.Matrix) error {
	for i := range seen.Rows {
		for c := range seen.Cols {
			if v := p.Mean.At(i, c); v-v != 0 {
				return fmt.Errorf("point %d, channel %d: predicted %v, expected a finite number", i, c, v)
			}
			if v := p.Variance.At(i, c); math.IsNaN(seen.At(i, c)) && !(v > 0 && v-v == 0) {
				return fmt.Errorf("point %d, channel %d: predicted with variance %v, expected a positive number", i, c, v)
			}
		}
	}
	return nil
}

// picture returns one imputed picture.
func (r *result) picture(i int, l dataset.Layout) dataset.Picture {
	return dataset.Picture{Layout: l, Values: r.mean[i*r.size : (i+1)*r.size]}
}

// sheetOf draws some of the pictures, by their numbers.
func sheetOf(seen *dataset.Frames, r *result, truth *dataset.Frames, pictures []int) *dataset.Sheet {
	columns := []string{"seen", "filled"}
	if truth != nil {
		columns = append(columns, "truth")
	}
	var rows []dataset.SheetRow
	for _, i := range pictures {
		row := dataset.SheetRow{Label: fmt.Sprint(i), Pictures: []dataset.Picture{seen.Picture(i), r.picture(i, seen.Layout)}}
		if truth != nil {
			row.Pictures = append(row.Pictures, truth.Picture(i))
		}
		rows = append(rows, row)
	}
	return sheetWith(columns, rows)
}

// sheetRows is how many pictures a sheet shows.
const sheetRows = 16

// sheetWith is a sheet on which black and white are the least and the greatest value of
// the last column.
func sheetWith(columns []string, rows []dataset.SheetRow) *dataset.Sheet {
	s := &dataset.Sheet{Columns: columns, Rows: rows, Low: math.Inf(1), High: math.Inf(-1)}
	for _, row := range rows {
		for _, v := range row.Pictures[len(row.Pictures)-1].Values {
			if v == v {
				s.Low, s.High = min(s.Low, v), max(s.High, v)
			}
		}
	}
	switch {
	case s.Low > s.High: // no value at all
		s.Low, s.High = 0, 1
	case s.Low == s.High:
		s.High = max(s.Low+1, math.Nextafter(s.Low, math.Inf(1)))
	}
	return s
}

// saveSheet draws the first pictures.
func saveSheet(path string, seen *dataset.Frames, r *result, truth *dataset.Frames, count int) error {
	pictures := make([]int, count)
	for i := range pictures {
		pictures[i] = i
	}
	return dataset.SavePNG(path, sheetOf(seen, r, truth, pictures).Image())
}

// printErrors scores what was filled in.
func printErrors(e *environment, seen *dataset.Frames, r *result, truth *dataset.Frames) error {
	summary, err := summarize(seen, r, truth)
	if err != nil {
		return err
	}
	return (evaluate.Table{Rows: []evaluate.Row{{Name: "filled in", Summary: summary}}}).WriteText(e.stdout)
}

func summarize(seen *dataset.Frames, r *result, truth *dataset.Frames) (evaluate.Summary, error) {
	whole, part := mat.New(seen.Count, r.size), mat.New(seen.Count, r.size)
	for i := range seen.Count {
		copy(whole.Row(i), truth.Values(i))
		copy(part.Row(i), seen.Values(i))
	}
	_, s, err := evaluate.Evaluate(whole, part, mat.NewDense(seen.Count, r.size, r.mean), mat.NewDense(seen.Count, r.size, r.variance), seen.Channels)
	return s, err
}
