package emulator

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Missing values are filled in by at most holeRounds rounds with each number of components, 2, 4, … holeModes, until values change by less than holeChange of
// the standard deviation; maxHoled limits the values of all runs, which are in memory then.
const holeRounds, holeModes, holeChange, maxHoled = 30, 32, 1e-3, 1 << 28

// A completion fills in missing values. In each round the coordinates of a run have the prior that the other runs and its inputs give them (leave one out), and
// its observed values the likelihood. How many components serve best is what held-out values say: of every fifth run those that another run misses.
type completion struct {
	y       mat.Matrix // n×values, scaled
	missing [][]int    // values of each run
	heldOut []map[int]float64
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
	unseen = c.start()
	all := sample(n, n, 0)
	scaling, err := newScaling(in, all, holeModes)
	if err != nil {
		return nil, nil, err
	}
	c.x = scaling.apply(in, all)
	c.u = normalised(c.x, scaling.weights())
	if err := c.complete(ctx, all); err != nil {
		return nil, nil, err
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

// start fills in the mean of what was observed of each value, and returns the values of which nothing was.
func (c *completion) start() (unseen []int) {
	sums, counts := make([]float64, c.y.Cols), make([]float64, c.y.Cols)
	for i := range c.y.Rows {
		for k, v := range c.y.Row(i) {
			if v != v {
				c.missing[i] = append(c.missing[i], k)
			} else {
				sums[k] += v
				counts[k]++
			}
		}
	}
	for i, list := range c.missing {
		for _, k := range list {
			c.y.Set(i, k, sums[k]/max(1, counts[k]))
		}
	}
	for k, n := range counts {
		if n == 0 {
			unseen = append(unseen, k)
		}
	}
	return unseen
}

// complete fills in with more and more components until the held-out values get worse, and then with the best number all but what was observed.
func (c *completion) complete(ctx context.Context, all []int) error {
	c.holdOut()
	best, least := 0, math.Inf(1)
	for rank := 2; rank <= min(holeModes, modes(len(all))); rank *= 2 {
		if err := c.rounds(ctx, all, rank); err != nil {
			return err
		}
		if e := c.heldOutError(); e < least {
			best, least = rank, e
		} else {
			break
		}
	}
	for i, values := range c.heldOut {
		for k, v := range values {
			c.y.Set(i, k, v)
		}
		c.missing[i] = slices.DeleteFunc(c.missing[i], func(k int) bool { _, aside := values[k]; return aside })
	}
	return c.rounds(ctx, all, max(best, 1))
}

// holdOut makes values missing of every fifth run that a later run misses.
func (c *completion) holdOut() {
	n := len(c.missing)
	c.heldOut = make([]map[int]float64, n)
	var holed []int
	for i, list := range c.missing {
		if len(list) > 0 {
			holed = append(holed, i)
		}
	}
	for t, i := range sample(n, (n+4)/5, 1) {
		c.heldOut[i] = map[int]float64{}
		for _, k := range c.missing[holed[t%len(holed)]] {
			if !slices.Contains(c.missing[i], k) {
				c.heldOut[i][k] = c.y.At(i, k)
			}
		}
		for k := range c.heldOut[i] {
			c.missing[i] = append(c.missing[i], k)
		}
		slices.Sort(c.missing[i])
	}
}

// heldOutError returns the mean squared error of the held-out values.
func (c *completion) heldOutError() float64 {
	sum, count := 0., 0.
	for i, list := range c.missing {
		for _, k := range list {
			if v, ok := c.heldOut[i][k]; ok {
				sum, count = sum+(v-c.y.At(i, k))*(v-c.y.At(i, k)), count+1
			}
		}
	}
	return sum / max(1, count)
}

// rounds goes on until values hardly change.
func (c *completion) rounds(ctx context.Context, all []int, rank int) error {
	for round := range holeRounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		change, err := c.round(ctx, all, rank, round)
		if err != nil || change < holeChange {
			return err
		}
	}
	return nil
}

// round fills in once more, and returns the root mean squared change.
func (c *completion) round(ctx context.Context, all []int, rank, round int) (float64, error) {
	n := c.y.Rows
	gram := mat.New(n, n)
	mat.Syrk(gram, 1, c.y, 0)
	mat.MirrorLower(gram)
	basis, err := NewBasis(gram, all, min(modes(n), rank))
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
