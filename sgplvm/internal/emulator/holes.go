package emulator

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Missing values are filled in by at most holeRounds rounds with holeModes components, until values change by less than holeChange of the standard
// deviation; maxHoled limits the values of all runs, which are in memory then. Eight components gave the same errors.
const holeRounds, holeModes, holeChange, maxHoled = 10, 32, 1e-3, 1 << 28

// A completion fills in missing values: first by principal components of inputs and outputs side by side. In each round then the coordinates of a run have the
// prior that the other runs and its inputs give them (leave one out), and its observed values the likelihood.
type completion struct {
	y       mat.Matrix // n×values, scaled
	missing [][]int    // values of each run
	x       mat.Matrix
	u       []float64
	kernel  *Kernel
}

// completed returns outputs without missing values, and which values no run has.
func completed(ctx context.Context, in *Inputs, y *data.Scaled) (full *data.Scaled, unseen []int, err error) {
	n, size := y.Examples, y.Size()
	if n > maxHoled/size {
		return nil, nil, &field.ConfigError{Field: "Data", Err: fmt.Errorf("missing values in %d runs of %d values, expected at most %d values in all", n, size, maxHoled)}
	}
	c := &completion{y: mat.New(n, size), missing: make([][]int, n)}
	if err := y.EachRows(func(rows mat.Matrix, from int) error {
		mat.Copy(c.y.Slice(from, from+rows.Rows, 0, size), rows)
		return nil
	}); err != nil {
		return nil, nil, err
	}
	all := sample(n, n, 0)
	scaling, err := newScaling(in, all, holeModes)
	if err != nil {
		return nil, nil, err
	}
	c.x = scaling.apply(in, all)
	c.u = normalised(c.x, scaling.weights())
	if unseen, err = c.start(ctx); err != nil {
		return nil, nil, err
	}
	for round := range holeRounds {
		change, err := c.round(ctx, all, round)
		if err != nil {
			return nil, nil, err
		}
		if change < holeChange {
			break
		}
	}
	for i := range n {
		row := c.y.Row(i)
		for k := range row {
			ch := k % y.Channels
			row[k] = y.Scaler.Mean[ch] + float64(y.Scaler.Scale[ch]*row[k])
		}
	}
	full, err = data.NewScaled(field.NewSource(c.y.Data, n, y.Points, y.Channels))
	return full, unseen, err
}

// start fills in by principal components, and returns the values that no run has, which are 0.
func (c *completion) start(ctx context.Context) (unseen []int, err error) {
	n, size, width := c.y.Rows, c.y.Cols, c.y.Cols+c.x.Cols
	d := simple.Data{Y: mat.New(n, width), Missing: make([]bool, n*width), Channels: 1}
	mat.Copy(d.Y.Slice(0, n, 0, size), c.y)
	mat.Copy(d.Y.Slice(0, n, size, width), c.x)
	seen := make([]bool, size)
	for i := range n {
		for k, v := range c.y.Row(i) {
			if v == v {
				seen[k] = true
			} else {
				c.missing[i], d.Missing[i*width+k] = append(c.missing[i], k), true
			}
		}
	}
	mean, _, err := simple.PrincipalComponents.Fill(ctx, d)
	if err != nil {
		return nil, err
	}
	mat.Copy(c.y, mean.Slice(0, n, 0, size))
	for k, is := range seen {
		if !is {
			unseen = append(unseen, k)
			c.y.Slice(0, n, k, k+1).Fill(0)
		}
	}
	return unseen, nil
}

// round fills in once more, and returns the root mean squared change.
func (c *completion) round(ctx context.Context, all []int, round int) (float64, error) {
	n := c.y.Rows
	gram := mat.New(n, n)
	mat.Syrk(gram, 1, c.y, 0)
	mat.MirrorLower(gram)
	basis, err := NewBasis(gram, all, min(modes(n), holeModes))
	if err != nil {
		return 0, err
	}
	p, _ := basis.of(gram, all)
	divide(p, basis.Deviations)
	if round%10 == 0 {
		if c.kernel, err = fitShared(ctx, c.x, c.u, p, Choice{Single: true}, c.kernel); err != nil {
			return 0, err
		}
	}
	process, err := newProcess(c.x, p, []*Kernel{c.kernel}, [][]int{sample(p.Cols, p.Cols, 0)})
	if err != nil {
		return 0, err
	}
	errors, variances := process.LeaveOneOut()
	v, mean := basis.expand(c.y)
	mat.ScaleCols(v, v, basis.Deviations)
	noise := c.noise(v, mean, p)
	sums, errs := make([]float64, n), make([]error, n)
	mat.Parallel(n, func(i int) {
		if len(c.missing[i]) > 0 {
			prior := p.Slice(i, i+1, 0, p.Cols).Clone()
			mat.Add(prior, prior, -1, errors.Slice(i, i+1, 0, p.Cols))
			sums[i], errs[i] = c.fill(i, v, mean, prior.Data, variances.Row(i), noise)
		}
	})
	sum, count := 0., 0
	for i, s := range sums {
		sum += s
		count += len(c.missing[i])
	}
	return math.Sqrt(sum / float64(count)), first(errs)
}

// noise returns the variance of observed values that components leave out.
func (c *completion) noise(v mat.Matrix, mean []float64, p mat.Matrix) float64 {
	rest := c.y.Clone()
	mat.Mul(rest, -1, p, v.T(), 1)
	sum, count := 0., 0
	for i := range rest.Rows {
		row := rest.Row(i)
		for k := range row {
			row[k] -= mean[k]
		}
		for _, k := range c.missing[i] {
			row[k] = 0
		}
		for _, r := range row {
			sum += r * r
		}
		count += len(row) - len(c.missing[i])
	}
	return max(1e-8, sum/float64(count))
}

// fill sets the missing values of run i to their mean given its observed ones, where coordinates have a prior, and returns the sum of squared changes.
func (c *completion) fill(i int, v mat.Matrix, mean, prior, variances []float64, noise float64) (float64, error) {
	j, row := v.Cols, c.y.Row(i)
	observed, rest := v.Clone(), make([]float64, len(row))
	for k := range row {
		rest[k] = row[k] - mean[k]
		for q, x := range v.Row(k) {
			rest[k] -= x * prior[q]
		}
	}
	for _, k := range c.missing[i] {
		clear(observed.Row(k))
		rest[k] = 0
	}
	precision, z := mat.New(j, j), mat.New(j, 1)
	mat.Mul(precision, 1/noise, observed.T(), observed, 0)
	for q := range j {
		precision.Row(q)[q] += 1 / max(variances[q], 1e-12)
	}
	mat.Mul(z, 1/noise, observed.T(), mat.Vector(rest), 0)
	f, err := chol.Factorize(precision)
	if err != nil {
		return 0, err
	}
	f.Solve(z)
	sum := 0.
	for _, k := range c.missing[i] {
		y := mean[k]
		for q, x := range v.Row(k) {
			y += x * (prior[q] + z.At(q, 0))
		}
		sum += (y - row[k]) * (y - row[k])
		row[k] = y
	}
	return sum, nil
}
