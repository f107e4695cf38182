package page

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

const (
	maxJudged = 60      // pictures that are filled in
	maxValues = 1 << 24 // of all of them, but for the first few
	maxShown  = 8       // of them in the strips
	stripSide = 96      // pixels

	calibrationLevels = 19 // 5 %, 10 %, …, 95 %
)

// A judgement is how well the model does on some of the data.
type judgement struct {
	Training, Hidden bool // Hidden: the page has hidden a half of each picture itself
	Known            bool // there is a truth
	Judged, Of       int
	Scores           evaluate.Scores
	Headings         []string
	Strips           []strip
	MissingShare     float64

	shape           shape
	squares, counts []float64 // of errors, by value of the shape
	missing         []float64 // how often a value is missing
	inside          [calibrationLevels]int
	values          int       // scored
	units           []float64 // the deviations of a table's columns, in which it is scored; nil: the units of the data
	within          []float64 // how many values of each column of a table lie within their 90 % intervals
}

// A strip is a picture in several columns.
type strip struct {
	Label    string
	Pictures []markup
}

// judge fills in some of the data, or has them as the model knows them from training.
func judge(ctx context.Context, e *cli.Environment, in *Input, tones *tones) (*judgement, error) {
	d, m := in.Data, in.Model
	count, points, channels := d.Seen.Dims()
	j := &judgement{Training: d.Training, Of: count, Judged: min(count, maxJudged, max(4, maxValues/(points*channels))), shape: shapeOf(m, stripSide), Known: d.Training || d.Truth != nil}
	j.squares, j.counts, j.missing = make([]float64, j.shape.values()), make([]float64, j.shape.values()), make([]float64, j.shape.values())
	if j.shape.Kind == kindTable {
		j.units, j.within = m.Summary().Deviation, make([]float64, channels)
	}
	if points != m.Grid().Len() || channels != m.Channels() {
		return nil, fmt.Errorf("%s: pictures of %d points and %d channels, expected %d and %d, the model's", d.Name, points, channels, m.Grid().Len(), m.Channels())
	}
	seen, truth := make([]mat.Matrix, j.Judged), make([]mat.Matrix, j.Judged)
	holes := false
	for k := range j.Judged {
		var err error
		if seen[k], err = example(d.Seen, j.number(k)); err != nil {
			return nil, err
		}
		truth[k] = seen[k]
		if d.Truth != nil {
			if truth[k], err = example(d.Truth, j.number(k)); err != nil {
				return nil, err
			}
		}
		holes = holes || slices.ContainsFunc(seen[k].Data, math.IsNaN)
	}
	if !d.Training && !holes {
		j.Hidden, j.Known = true, true
		for k := range seen {
			seen[k] = j.halfOf(seen[k], k)
		}
	}
	predictions := make([]sgplvm.Prediction, j.Judged)
	if err := e.Each(ctx, engine.Noun(m), "judged", d.Name, 0, j.Judged, func(k int) (err error) {
		predictions[k], err = d.predict(ctx, m, j.number(k), seen[k])
		return err
	}); err != nil {
		return nil, err
	}
	return j, j.add(seen, truth, predictions, tones)
}

// number returns which of the data the k-th judged one is.
func (j *judgement) number(k int) int { return k * j.Of / j.Judged }

// example reads one.
func example(s sgplvm.Source, i int) (mat.Matrix, error) {
	_, points, channels := s.Dims()
	values := make([]float64, points*channels)
	err := s.ReadExamples(values, i, i+1)
	return mat.NewDense(points, channels, values), err
}

// halfOf hides half of the k-th: scattered points, or one side of every other picture; of tables scattered values.
func (j *judgement) halfOf(a mat.Matrix, k int) mat.Matrix {
	rng := rand.New(rand.NewPCG(uint64(k), 0x68616c66))
	b, row := a.Clone(), j.shape.row
	for i := range b.Rows {
		hide := rng.Float64() < 0.5
		if row > 0 && k%2 == 1 {
			hide = (i%row*2 < row) == (k%4 == 1)
		}
		for c := range b.Cols {
			if j.shape.Kind == kindTable {
				hide = rng.Float64() < 0.5
			}
			if hide {
				b.Set(i, c, math.NaN())
			}
		}
	}
	return b
}

// predict returns what the model says of one.
func (d *Data) predict(ctx context.Context, m *sgplvm.Model, i int, seen mat.Matrix) (sgplvm.Prediction, error) {
	if d.Training {
		return m.Predict(m.TrainingLatent(i), nil)
	}
	obs := sgplvm.Observed{Values: seen}
	if d.Priors != nil {
		obs.Prior = &d.Priors[i]
	}
	p, _, err := m.Impute(ctx, obs, d.Infer)
	return p, err
}

// add scores predictions and draws the strips.
func (j *judgement) add(seen, truth []mat.Matrix, predictions []sgplvm.Prediction, tones *tones) error {
	var stream evaluate.Stream
	var scores []evaluate.Scores // of pictures, whose mean is told everywhere
	missing, all := 0, 0
	for k, p := range predictions {
		judged := seen[k]
		if j.Training { // every value is one to be explained
			judged = mat.New(judged.Rows, judged.Cols)
			judged.Fill(math.NaN())
		}
		if j.Known {
			if j.units == nil {
				stream = evaluate.Stream{}
			}
			if err := stream.Add(j.perUnit(truth[k], 1), j.perUnit(judged, 1), j.perUnit(p.Mean, 1), j.perUnit(p.Variance, 2)); err != nil {
				return err
			}
			scores = append(scores, stream.Scores())
		}
		for i, v := range seen[k].Data {
			all++
			if v != v {
				missing++
			}
			z := (truth[k].Data[i] - p.Mean.Data[i]) / math.Sqrt(p.Variance.Data[i])
			if judged.Data[i] == judged.Data[i] || z != z {
				continue
			}
			j.values++
			if j.within != nil && math.Abs(z) <= math.Sqrt2*math.Erfinv(0.9) {
				j.within[i]++
			}
			for l := range j.inside {
				if math.Abs(z) <= math.Sqrt2*math.Erfinv(level(l)) {
					j.inside[l]++
				}
			}
		}
		s, t, mean, given := j.shape.cut(judged.Data), j.shape.cut(truth[k].Data), j.shape.cut(p.Mean.Data), j.shape.cut(seen[k].Data)
		for i := range s {
			if given[i] != given[i] {
				j.missing[i]++
			}
			if d := t[i] - mean[i]; s[i] != s[i] && d == d {
				j.squares[i] += d * d
				j.counts[i]++
			}
		}
	}
	j.MissingShare = float64(missing) / float64(all)
	if j.Known {
		if j.Scores = stream.Scores(); j.units == nil {
			j.Scores = evaluate.Summarize(scores).Means()
		}
	}
	return j.draw(seen, truth, predictions, tones)
}

// perUnit returns values in the units of their columns, where these differ; variances have the power 2.
func (j *judgement) perUnit(a mat.Matrix, power float64) mat.Matrix {
	if j.units == nil {
		return a
	}
	b := a.Clone()
	for i := range b.Data {
		b.Data[i] /= math.Pow(j.units[i%len(j.units)], power)
	}
	return b
}

// level returns the probability of the l-th interval.
func level(l int) float64 { return float64(l+1) / (calibrationLevels + 1) }

// draw draws the first pictures: what was seen, what the model makes of it, the truth, and how sure the model is.
func (j *judgement) draw(seen, truth []mat.Matrix, predictions []sgplvm.Prediction, tones *tones) error {
	if j.shape.Kind != kindPicture {
		return nil
	}
	switch {
	case j.Training:
		j.Headings = []string{"picture", "as learned", "difference"}
	case j.Known:
		j.Headings = []string{"seen", "filled in", "truth", "uncertainty"}
	default:
		j.Headings = []string{"seen", "filled in", "uncertainty"}
	}
	largest := j.largestDeviation(predictions)
	for n := range min(maxShown, j.Judged) {
		k := n * j.Judged / min(maxShown, j.Judged)
		s, t, mean := j.shape.cut(seen[k].Data), j.shape.cut(truth[k].Data), j.shape.cut(predictions[k].Mean.Data)
		pictures := []*image.RGBA{tones.picture(&j.shape, s), tones.picture(&j.shape, mean)}
		if j.Known && !j.Training {
			pictures = append(pictures, tones.picture(&j.shape, t))
		}
		last := mapped(&j.shape, j.firstChannel(j.shape.cut(predictions[k].Variance.Data)), func(v float64) [3]byte { return sequential(math.Sqrt(max(0, v)) / largest) })
		if j.Training {
			reach := (tones.High[0] - tones.Low[0]) / 4
			for i := range t {
				t[i] -= mean[i]
			}
			last = mapped(&j.shape, j.firstChannel(t), func(v float64) [3]byte { return diverging(v / reach) })
		}
		url, err := pngURL(last)
		row := strip{Label: fmt.Sprint(j.number(k))}
		for _, p := range pictures {
			u, failed := pictureURL(&j.shape, p)
			row.Pictures, err = append(row.Pictures, u), cmp.Or(err, failed)
		}
		if err != nil {
			return err
		}
		row.Pictures = append(row.Pictures, url)
		j.Strips = append(j.Strips, row)
	}
	return nil
}

// largestDeviation returns that of the predictions that are shown, but for a hundredth of the values.
func (j *judgement) largestDeviation(predictions []sgplvm.Prediction) float64 {
	var all []float64
	for n := range min(maxShown, j.Judged) {
		all = append(all, j.shape.cut(predictions[n*j.Judged/min(maxShown, j.Judged)].Variance.Data)...)
	}
	slices.Sort(all)
	return max(math.Sqrt(all[len(all)-1-len(all)/100]), math.SmallestNonzeroFloat64)
}

// firstChannel returns the mean of the channels that are shown, of every point.
func (j *judgement) firstChannel(v []float64) []float64 {
	if j.shape.Channels == 1 {
		return v
	}
	means := make([]float64, j.shape.size())
	for i := range means {
		means[i] = rowMean(v[i*j.shape.Channels : (i+1)*j.shape.Channels])
	}
	return means
}
