package page

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// compress cuts mean and variance to low rank, and measures what that changes.
func (x *explorer) compress() error {
	psi, prior := x.places(160, 96, 0.7)
	x.setTones(psi)
	mean := x.columns(x.basis.Mean)
	taken, noise := x.perPoint(x.columns(x.basis.Taken)), x.noise()
	x.keep(psi, taken)
	taken = gather(taken, x.kept)
	tau := x.squares(psi)
	equal, relative := make([]float64, psi.Rows), make([]float64, psi.Rows)
	for i := range relative {
		variance := x.Prior * prior[i]
		for k, v := range tau.Row(i) {
			variance -= v * rowMean(taken.Row(k))
		}
		variance = max(variance, 0) + rowMean(noise)
		equal[i], relative[i] = 1, 1/(variance*variance)
	}
	room := maxSprites - 2*taken.Cols
	if x.Inducing > manyInducing {
		room = fewSprites - 2*taken.Cols
	}
	var err error
	if x.Mean, err = newLowRank(mean, psi, equal, min(maxMeanFields, maxWeights/x.Inducing, room*3/4/mean.Cols), meanTolerance); err != nil {
		return err
	}
	room -= (len(x.Mean.Fields) + 1) * mean.Cols
	if x.Taken, err = newLowRank(taken, tau, relative, min(maxVarianceFields, room/taken.Cols), deviationTolerance); err != nil {
		return err
	}
	x.NoiseField, x.Noise = newSprite(noise), rowMean(noise)
	flat, rotation := make([]float64, len(x.kept)), make([]float64, 0, x.Inducing*len(x.kept))
	for k := range flat {
		flat[k] = rowMean(taken.Row(k))
	}
	for i := range x.Inducing {
		for _, j := range x.kept {
			rotation = append(rotation, x.basis.Rotation.At(i, j))
		}
	}
	x.Columns, x.Flat, x.Rotation = len(x.kept), floats(flat), floats(rotation)
	x.measure(mean, taken, noise)
	return nil
}

// perPoint averages the channels of pictures, of which one deviation is shown.
func (x *explorer) perPoint(a mat.Matrix) mat.Matrix {
	if x.Kind == kindTable || x.Channels == 1 {
		return a
	}
	b := mat.New(a.Rows, x.size())
	for i := range a.Rows {
		for j := range b.Cols {
			b.Set(i, j, rowMean(a.Row(i)[j*x.Channels:(j+1)*x.Channels]))
		}
	}
	return b
}

// noise returns the variance of the noise at the points of the page.
func (x *explorer) noise() []float64 {
	all := mat.NewDense(1, len(x.basis.Noise), x.basis.Noise)
	return x.perPoint(x.columns(all)).Row(0)
}

// keep chooses the columns of the rotation that take anything off a variance.
func (x *explorer) keep(psi, taken mat.Matrix) {
	x.kept = nil
	for k := range x.Inducing {
		x.kept = append(x.kept, k)
	}
	tau := x.squares(psi)
	weight := make([]float64, x.Inducing)
	for k := range weight {
		for i := range tau.Rows {
			weight[k] = max(weight[k], tau.At(i, k)*slices.Max(taken.Row(k)))
		}
	}
	slices.SortStableFunc(x.kept, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	most := min(x.Inducing, max(1, maxRotation/x.Inducing))
	for most > 1 && weight[x.kept[most-1]] < 1e-6*weight[x.kept[0]] {
		most--
	}
	x.kept = x.kept[:most]
	slices.Sort(x.kept)
}

// setTones sets the range of colours to that of the examples, as the model has them.
func (x *explorer) setTones(psi mat.Matrix) {
	fields := x.columns(x.basis.Mean)
	values := mat.New(psi.Rows, fields.Cols)
	mat.Mul(values, 1, psi, fields, 0)
	x.Grey = true
	for c := range x.Channels {
		var all []float64
		for i := range min(160, values.Rows) {
			for j := c; j < values.Cols; j += x.Channels {
				all = append(all, x.Offset[c]+x.Unit[c]*values.At(i, j))
			}
		}
		slices.Sort(all)
		low, high := all[len(all)/200], all[len(all)-1-len(all)/200]
		if !(high > low) {
			low, high = low-1, high+1
		}
		x.Low, x.High = append(x.Low, low), append(x.High, high)
		x.Grey = x.Grey && photographic(low, high)
	}
	if x.Channels == 3 { // one range for all colours
		low, high := slices.Min(x.Low), slices.Max(x.High)
		x.Low, x.High = []float64{low, low, low}, []float64{high, high, high}
	}
}

// photographic reports whether values look like brightness: of bytes, or shares of 1.
func photographic(low, high float64) bool {
	return low > -60 && high < 320 && high-low > 60 || low > -0.5 && high < 1.5 && high-low > 0.25
}

// measure compares the page's fields with the model's, at points of their own.
func (x *explorer) measure(mean, taken mat.Matrix, noise []float64) {
	psi, prior := x.places(20, 40, 0.4)
	tau := x.squares(psi)
	want, got := make([]float64, mean.Cols), make([]float64, mean.Cols)
	spread, less := make([]float64, taken.Cols), make([]float64, taken.Cols)
	row := func(dst []float64, v []float64, b mat.Matrix) {
		mat.Mul(mat.NewDense(1, len(dst), dst), 1, mat.NewDense(1, len(v), v), b, 0)
	}
	for i := range psi.Rows {
		row(want, psi.Row(i), mean)
		x.Mean.at(got, psi.Row(i))
		x.meanError += squaredError(got, want, func(v float64, _ int) float64 { return v })
		row(spread, tau.Row(i), taken)
		x.Taken.at(less, tau.Row(i))
		deviation := func(v float64, j int) float64 { return math.Sqrt(max(0, x.Prior*prior[i]-v) + noise[j]) }
		x.devError += squaredError(less, spread, func(v float64, j int) float64 { return math.Log(deviation(v, j)) })
	}
	x.meanError, x.devError = math.Sqrt(x.meanError/float64(psi.Rows)), math.Sqrt(x.devError/float64(psi.Rows))
}

// squaredError returns the mean square of the differences of two fields, as seen through f.
func squaredError(a, b []float64, f func(v float64, i int) float64) float64 {
	sum := 0.0
	for i := range a {
		d := f(a[i], i) - f(b[i], i)
		sum += d * d
	}
	return sum / float64(len(a))
}
