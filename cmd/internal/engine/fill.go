package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/report"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// Observations are partly seen examples at the training points or at others.
type Observations struct {
	*dataset.Frames
	Grid   sgplvm.Grid     // nil: the training points
	Priors []sgplvm.Latent // at the times of the examples; nil: unknown times
}

// Observed returns one of them.
func (o *Observations) Observed(i int) sgplvm.Observed {
	seen := o.Frames.Observed(i)
	seen.Grid = o.Grid
	if o.Priors != nil {
		seen.Prior = &o.Priors[i]
	}
	return seen
}

// Results says what the results of filling in hold: examples of the same form as these.
func (o *Observations) Results(m *sgplvm.Model, out, variance *Output) error {
	form := o.Form
	form.Count = o.Whole()
	if form.Type = npy.Float64; form.Scattered {
		if form.Grid = o.Grid; o.Grid == nil {
			form.Grid = m.Grid()
		}
	}
	if err := out.Holding(form, LevelsOf(&o.Form, o.Values)); err != nil {
		return err
	}
	return variance.HoldingVariances(form, Deviation(m))
}

// DataUsage, MaskUsage, KeepUsage and FilmUsage say in the help of a flag what data and what a mask may be, what outliers are, and when pictures are a film.
const (
	DataUsage = "a .npy, .npz, .nc or .csv `file`, a GIF, a PNG or JPEG picture or a folder of them"
	MaskUsage = "the mask `file` or folder: 1 or white where a value was observed, 0 or black where not"
	KeepUsage = "values far outside what all others say are data, too; by default they count as missing"
	FilmUsage = "the pictures are the frames of a film, in order, as those of an animated GIF are"
)

// LoadObserved loads partly seen examples for a model: its pictures, values at its scattered points,
// or at those in the file that the named flag takes.
func LoadObserved(f *cli.Flags, path string, m *sgplvm.Model, data, mask, grid, pointsFlag string) (*Observations, error) {
	o := new(Observations)
	var err error
	points := ""
	if pointsFlag != "" {
		points = f.Text(pointsFlag)
	}
	if points != "" {
		if o.Grid, err = loadPoints(f.Name(), pointsFlag, m, points); err != nil {
			return nil, err
		}
		o.Frames, err = loadAt(f, data, o.Grid.Len(), m.Channels())
	} else if o.Frames, err = modelFrames(f, ReadOptions(f), path, m, data, grid); err == nil && o.Frames.Grid != nil && scattered(m) {
		o.Grid = o.Frames.Grid // of a long table
	}
	if err != nil {
		return nil, err
	}
	if n := o.Points(); o.Grid == nil && n != m.Grid().Len() {
		return nil, fmt.Errorf("%s: pictures of %d points, expected %d, the model's", data, n, m.Grid().Len())
	}
	if mask != "" {
		seen, err := dataset.LoadMask(mask, &o.Form)
		if err != nil {
			return nil, err
		}
		o.Frames = o.WithMask(seen)
	}
	if err := dataset.CheckNoInf(o.Frames); err != nil {
		return nil, err
	}
	if err := CheckInferring(m, InferenceOf(o.Frames)); err != nil {
		return nil, err
	}
	return o, hold(f.Work(), &o.Form, o.Frames)
}

// loadAt loads examples at so many points, or the slice that is asked for.
func loadAt(f *cli.Flags, data string, points, channels int) (*dataset.Frames, error) {
	return dataset.LoadWith(data, dataset.SetOptions{At: points, Layout: dataset.Layout{Channels: channels}, Slice: f.Work().Slice()})
}

// modelFrames loads examples of the form that the model's attributes tell, or else the flag -grid
// and the file itself, read with options.
func modelFrames(f *cli.Flags, o dataset.SetOptions, path string, m *sgplvm.Model, data, grid string) (*dataset.Frames, error) {
	if scattered(m) {
		if grid != "" {
			return nil, f.Usagef("-grid %s with a model of scattered points, expected none", grid)
		}
		if dataset.IsText(data) {
			if frames, err := dataset.LoadWith(data, o); err != nil || !frames.Table {
				return frames, err
			}
		}
		o.At, o.Channels = m.Grid().Len(), m.Channels()
		return dataset.LoadWith(data, o)
	}
	if Table(m) {
		if grid != "" {
			return nil, f.Usagef("-grid %s with a model of a table, expected none", grid)
		}
		o.Names = Names(m)
		return dataset.LoadTable(data, m.Channels(), o)
	}
	want := cli.Layout(grid, m.Channels())
	w, h, err := pictureSize(path, m)
	if err != nil {
		return nil, err
	}
	if w > 0 {
		if grid != "" && (w != want.Width || h != want.Height) {
			return nil, f.Usagef("-grid %s, expected %s, the model's", grid, dataset.FormatGrid(w, h))
		}
		want.Width, want.Height = w, h
	}
	o.Layout = want
	frames, err := dataset.LoadWith(data, o)
	if err == nil {
		err = dataset.CheckPictures(frames)
	}
	return frames, err
}

// LoadLike loads examples of a form, read as the flags say.
func LoadLike(f *cli.Flags, form *dataset.Form, path string) (*dataset.Frames, error) {
	o := ReadOptions(f)
	switch {
	case form.Scattered:
		return dataset.LoadWith(path, dataset.SetOptions{At: form.Points(), Layout: dataset.Layout{Channels: form.Channels}})
	case form.Table:
		o.Names = form.Columns
		return dataset.LoadTable(path, form.Channels, o)
	}
	o.Layout = form.Layout
	return dataset.LoadWith(path, o)
}

// filling is what one picture after the other is filled in to.
type filling struct {
	prediction sgplvm.Prediction
	latent     sgplvm.Latent
}

// Fill fills in all pictures, several at a time.
func Fill(ctx context.Context, e *cli.Environment, m *sgplvm.Model, frames *Observations, o sgplvm.InferOptions) (*Result, error) {
	r := NewResult(frames.Count, frames.Points()*frames.Channels)
	rooms := sync.Pool{New: func() any { return new(filling) }}
	all, err := fillEach(ctx, e, Noun(m), frames.Name, frames.Whole(), r, func(i int, done *filled) error {
		i -= frames.First
		seen := frames.Observed(i)
		f := rooms.Get().(*filling)
		defer rooms.Put(f)
		prediction := &f.prediction
		err := m.ImputeTo(ctx, prediction, &f.latent, seen, o)
		if err == nil {
			err = check(*prediction, seen.Values)
		}
		if err != nil {
			return err
		}
		done.Outliers = slices.Clone(prediction.Outliers)
		copy(done.Mean, prediction.Mean.Data)
		copy(done.Variance, prediction.Variance.Data)
		done.Unseen, done.Local = frames.Missing(i) == r.Size, prediction.Conditioning == "local"
		return nil
	})
	if err != nil {
		return nil, err
	}
	neighbourhoods := 0
	for i, f := range all {
		if f.Local {
			neighbourhoods++
		}
		if f.Unseen {
			place := fmt.Sprintf("%s %d", Noun(m), i)
			if frames.FromText() {
				place = frames.InWords(fmt.Sprintf("example %d", i))
			}
			e.Note("%s: %s: nothing observed: filled with the prediction of the prior", frames.Name, place)
		}
	}
	r.outliers = numbered(all)
	NoteOutliers(e, &frames.Form, r.outliers)
	if neighbourhoods > 0 {
		e.Note("%s so many observed points that each missing one was conditioned on its neighbourhood only", quote.Counted(neighbourhoods, Noun(m))+map[bool]string{true: " has", false: " have"}[neighbourhoods == 1])
	}
	return r, nil
}

// numbered returns the outliers of examples, which have their numbers.
func numbered(examples []filled) (all []sgplvm.Outlier) {
	for i, f := range examples {
		for _, v := range f.Outliers {
			v.Example = i
			all = append(all, v)
		}
	}
	return all
}

// NoteOutliers says which values counted as missing.
func NoteOutliers(e *cli.Environment, form *dataset.Form, found []sgplvm.Outlier) {
	if len(found) > 0 {
		e.Note("%s; -keep-outliers keeps such values", form.InWords(sgplvm.OutlierText(found)))
	}
}

// check refuses a prediction that is no number, or of which the variance is beyond the range of
// numbers. Where a value was seen (of the zero Matrix: nowhere) the variance may be 0.
func check(p sgplvm.Prediction, seen mat.Matrix) error {
	for i := range p.Mean.Rows {
		for c := range p.Mean.Cols {
			if v := p.Mean.At(i, c); v-v != 0 {
				return fmt.Errorf("point %d, channel %d: predicted %v, expected a finite number", i, c, v)
			}
			missing := seen.Rows == 0 || math.IsNaN(seen.At(i, c))
			if v := p.Variance.At(i, c); missing && !(v > 0 && v-v == 0) {
				return fmt.Errorf("point %d, channel %d: predicted with variance %v, expected a positive number", i, c, v)
			}
		}
	}
	return nil
}

// Rows compares what was filled in with the truth: one row under a name, or one for each column of a table.
func (r *Result) Rows(name string, seen, truth *dataset.Frames) ([]report.Row, error) {
	if !seen.Table {
		s, err := r.Score(seen, truth)
		return []report.Row{{Name: name, Summary: s}}, err
	}
	var rows []report.Row
	for k := range seen.Channels {
		columns := [4]mat.Matrix{mat.New(seen.Count, 1), mat.New(seen.Count, 1), mat.New(seen.Count, 1), mat.New(seen.Count, 1)}
		for i := range seen.Count {
			for c, values := range [4][]float64{truth.Values(i), seen.Values(i), r.Mean[i*r.Size:], r.Variance[i*r.Size:]} {
				columns[c].Set(i, 0, values[k])
			}
		}
		s, err := evaluate.Score(columns[0], columns[1], columns[2], columns[3])
		if err != nil {
			return nil, err
		}
		name := fmt.Sprint("column ", k+1)
		if k < len(seen.Columns) {
			name = seen.Columns[k]
		}
		rows = append(rows, report.Row{Name: name, Summary: evaluate.Summarize([]evaluate.Scores{s})})
	}
	return rows, nil
}

// Score compares what was filled in with the truth.
func (r *Result) Score(seen, truth *dataset.Frames) (evaluate.Summary, error) {
	whole, part := mat.New(seen.Count, r.Size), mat.New(seen.Count, r.Size)
	for i := range seen.Count {
		copy(whole.Row(i), truth.Values(i))
		copy(part.Row(i), seen.Values(i))
	}
	_, s, err := evaluate.Evaluate(whole, part, mat.NewDense(seen.Count, r.Size, r.Mean), mat.NewDense(seen.Count, r.Size, r.Variance), seen.Channels)
	return s, err
}
