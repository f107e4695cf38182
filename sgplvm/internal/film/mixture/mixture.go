package mixture

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A Mixture is what a frame at a time is made of: the prediction of the model, with its motion, and what the training
// frames around the time say by themselves (Others). The means are mixed by weights from 0 to 1 with the sum 1, which depend
// on how far what two frames show along the dense flow's paths is apart: with m the mean square of that over a cell of some pixels,
// in units of the channels' variances, they are piecewise linear in log₂m between the levels −16, −14, …, 0. Where frames are closer than those of
// learning the flow is right in more places, and m tells in which. Variances
// follow a law of each channel (variancelaw.go). Beyond the ends of a sequence there is one set of weights, and a
// factor of the model's variances. Without levels a Mixture is the model alone.
type Mixture struct {
	width, height int           // cells
	scale         []float64     // variance of each channel
	unit          float64       // median distance of frames in time
	levels        []weights     // none: the model alone
	laws          []varianceLaw // of each channel
	outside       share
	gap           float64 // the geometric mean of the gaps that variances were learned in
}

// weights are those of the model and the others.
type weights [1 + others]float64

// A share is what there is beyond the ends: weights, and the factor of the variances.
type share struct {
	Weights weights
	Factor  float64
}

// mixtureLevels is how many levels there are up to 0, 2 apart, and mixtureCell the side of a cell in pixels.
const mixtureLevels, mixtureCell = 9, 5

// Alone tells that the model alone is all there is.
func (x *Mixture) Alone() bool { return len(x.levels) == 0 }

// A Recipe is what pixels of training say of how a frame is to be mixed: the weights, by its traits, and its variances.
type Recipe struct {
	mismatch  frame.Image[float64] // of cells
	beyond    float64              // as that of Others
	variances frame.Image[float64] // of training pixels; none of a frame without
}

// Recipe returns that of the model's prediction, f, and the others in pixels of training: finer ones, sharpened, have
// other traits than those that weights and variances were learned from. It panics if the sizes do not fit.
func (x *Mixture) Recipe(f frame.Frame, o Others) *Recipe {
	x.check("Recipe", f, o)
	r := &Recipe{mismatch: x.mismatch(o), beyond: o.beyond}
	if f.Variance.Rows == 0 {
		return r
	}
	r.variances = frame.NewImage[float64](f.Width, f.Height, f.Variance.Cols)
	spread, mean := spreadOf(o.gap, x.gap), x.meanScale()
	mat.Parallel(f.Height, func(y int) {
		for column := range f.Width {
			pixel := y*f.Width + column
			for c, scale := range x.scale {
				v := x.outside.Factor * f.Variance.At(pixel, c)
				if r.beyond == 0 {
					v = scale * x.laws[c].variance(o.traits(column, y, c, f.Variance.At(pixel, c), scale, mean, spread))
				}
				r.variances.Data[pixel*len(x.scale)+c] = v
			}
		}
	})
	return r
}

// Combine makes of the model's prediction, f, and the others the mixture, whatever its pixels. It panics if the sizes do not fit.
func (x *Mixture) Combine(f frame.Frame, o Others, r *Recipe) {
	x.check("Combine", f, o)
	mat.Parallel(f.Height, func(y int) {
		n := len(x.scale)
		row := make([]float64, n*f.Width)
		r.mismatch.RowOver(row, y, f.Width, f.Height)
		for column := range f.Width {
			w, pixel := x.weights(row[column], r.beyond), y*f.Width+column
			means := f.Mean.Row(pixel)
			for c := range means {
				means[c] *= w[0]
				for k, m := range o.means {
					means[c] += w[1+k] * m.Data[pixel*n+c]
				}
			}
		}
		if f.Variance.Rows > 0 {
			r.variances.RowOver(row, y, f.Width, f.Height)
			for column := range f.Width {
				copy(f.Variance.Row(y*f.Width+column), row[n*column:])
			}
		}
	})
}

// check panics, naming the caller, if the model's prediction and the others do not fit.
func (x *Mixture) check(caller string, f frame.Frame, o Others) {
	f.Check(caller, "a prediction")
	if o.means[0].Width != f.Width || o.means[0].Height != f.Height || o.means[0].Channels != f.Mean.Cols || len(x.scale) != f.Mean.Cols {
		panic(fmt.Sprintf("film: %s: %d×%d pixels and %d channels beside others of %d×%d and %d", caller, f.Width, f.Height, f.Mean.Cols, o.means[0].Width, o.means[0].Height, o.means[0].Channels))
	}
}

// mismatch returns that of the cells of a frame, in units of the channels' mean variance; 0 beyond the ends of a sequence and at the time of the first frame.
func (x *Mixture) mismatch(o Others) frame.Image[float64] {
	cells := frame.NewImage[float64](min(x.width, o.means[0].Width), min(x.height, o.means[0].Height), 1)
	if len(o.mismatch.Data) == 0 {
		return cells
	}
	frame.DownsampleImage(cells, o.mismatch)
	for k := range cells.Data {
		cells.Data[k] /= x.meanScale()
	}
	return cells
}

// meanScale returns the mean variance of the channels.
func (x *Mixture) meanScale() (mean float64) {
	for _, s := range x.scale {
		mean += s / float64(len(x.scale))
	}
	return mean
}

// levelOf returns the place between levels, from 0 on, of a trait.
func levelOf(u float64) float64 {
	return min(max(mixtureLevels-1+math.Log2(max(u, 1e-30))/2, 0), mixtureLevels-1)
}

// weights returns those at a place by the trait that they depend on, or at a time beyond the ends of a
// sequence: the longer that is, the less the model counts beside the nearest frame.
func (x *Mixture) weights(u, beyond float64) (w weights) {
	if beyond > 0 {
		w = x.outside.Weights
		left := w[0] * max(0, 1-x.unit/beyond)
		w[0] -= left
		w[2] += left
		return w
	}
	i, j, a := frame.Between(levelOf(u), len(x.levels))
	for k := range w {
		w[k] = (1-a)*x.levels[i][k] + a*x.levels[j][k]
	}
	return w
}

// String tells the mean weights, and nothing where the model is alone.
func (x *Mixture) String() string {
	if x.Alone() {
		return ""
	}
	var mean weights
	for _, s := range x.levels {
		for k, w := range s {
			mean[k] += w / float64(len(x.levels))
		}
	}
	return fmt.Sprintf("mixed with interpolation %.2g, nearest frame %.2g and dense flow %.2g", mean[1], mean[2], mean[3])
}

// Check is that of Part.
func (x *Mixture) Check(s frame.Shape) error {
	if x.Alone() {
		return nil
	}
	if w, h := mixtureCells(s.Width, s.Height); len(x.scale) != s.Channels || x.width != w || x.height != h {
		return frame.BadPart("mixture", "%d×%d cells and %d channels, expected %d×%d and %d", x.width, x.height, len(x.scale), w, h, s.Channels)
	}
	return nil
}

// mixtureCells returns how many cells frames have across and down.
func mixtureCells(width, height int) (across, down int) {
	return max(1, width/mixtureCell), max(1, height/mixtureCell)
}

// mixtureText is how a Mixture is written.
type mixtureText struct {
	Width, Height int
	Scale         []float64
	Unit          float64
	Levels        []weights
	Laws          []varianceLaw
	Outside       share
	Gap           float64
}

// Encode returns the mixture as JSON text, to the bit.
func (x *Mixture) Encode() ([]byte, error) {
	return json.Marshal(mixtureText{x.width, x.height, x.scale, x.unit, x.levels, x.laws, x.outside, x.gap})
}

// Decode is that of Part.
func (x *Mixture) Decode(text []byte) error {
	var t mixtureText
	if err := json.Unmarshal(text, &t); err != nil {
		return frame.BadPart("mixture", "%v", err)
	}
	if err := t.check(); err != nil {
		return err
	}
	*x = Mixture{t.Width, t.Height, t.Scale, t.Unit, t.Levels, t.Laws, t.Outside, t.Gap}
	return nil
}

// check reports what is wrong in a mixture that is read.
func (t *mixtureText) check() error {
	if n := len(t.Scale); len(t.Laws) != n || len(t.Levels) != mixtureLevels && len(t.Levels) != 0 {
		return frame.BadPart("mixture", "%d levels and laws of %d channels, expected %d and %d", len(t.Levels), len(t.Laws), mixtureLevels, n)
	}
	err := cmp.Or(frame.CheckNumbers("mixture", "variance of a channel", math.SmallestNonzeroFloat64, math.MaxFloat64, t.Scale...),
		frame.CheckNumbers("mixture", "time", 0, math.MaxFloat64, t.Unit, t.Gap))
	for _, l := range t.Laws {
		err = cmp.Or(err, frame.CheckNumbers("mixture", "part of the variance", 0, math.MaxFloat64, l[:]...))
	}
	for _, w := range append(slices.Clone(t.Levels), t.Outside.Weights) {
		err = cmp.Or(err, frame.CheckNumbers("mixture", "weight", 0, 1, w[:]...))
		if sum := w[0] + w[1] + w[2] + w[3]; len(t.Levels) > 0 {
			err = cmp.Or(err, frame.CheckNumbers("mixture", "sum of weights", 1-1e-6, 1+1e-6, sum))
		}
	}
	if len(t.Levels) > 0 {
		err = cmp.Or(err, frame.CheckNumbers("mixture", "factor", math.SmallestNonzeroFloat64, math.MaxFloat64, t.Outside.Factor),
			frame.CheckNumbers("mixture", "number of cells", 1, frame.MaxSide, float64(t.Width), float64(t.Height)))
	}
	return err
}
