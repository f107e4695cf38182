package simple

import (
	"context"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
)

// moments are those of the observed values of each column.
type moments struct {
	mean, variance []float64 // NaN in channels without a value
	count          []int
}

const (
	meanNeighbours = 4    // the nearest columns of which a column without a value has the mean
	minVariance    = 1e-8 // as a part of that of all values of a channel, or of a column
)

// moments returns the mean of each column and the mean squared deviation from it. A column without a value has what the nearest ones of its
// channel say, or all where columns lie nowhere.
func (d *Data) moments() *moments {
	p := d.Y.Cols
	m := &moments{make([]float64, p), make([]float64, p), make([]int, p)}
	each := func(f func(j int, v float64)) {
		for i := range d.Y.Rows {
			y := d.Y.Row(i)
			for j, missing := range d.missing(i) {
				if !missing {
					f(j, y[j])
				}
			}
		}
	}
	each(func(j int, v float64) { m.mean[j] += v; m.count[j]++ })
	for j, n := range m.count {
		m.mean[j] /= float64(n)
	}
	each(func(j int, v float64) { m.variance[j] += square(v - m.mean[j]) })
	from := 0
	for _, t := range d.parts() {
		for c := range t.Channels {
			m.settle(t, from, c)
		}
		from += t.Columns
	}
	return m
}

// settle gives columns of a channel of a part that begins at a column their variances, those of few values and those without any too.
func (m *moments) settle(t Part, from, c int) {
	var seen []int
	var sum, degrees float64
	for j := from + c; j < from+t.Columns; j += t.Channels {
		if m.count[j] > 0 {
			seen = append(seen, j)
			sum += m.variance[j]
			degrees += float64(m.count[j] - 1)
		}
	}
	_, between := meanAndVariance(m.mean, seen)
	pooled := sum / max(1, degrees)
	if pooled == 0 {
		pooled = between
	}
	if pooled == 0 {
		pooled = 1
	}
	for _, j := range seen {
		if m.count[j] == 1 {
			m.variance[j] = pooled
			continue
		}
		m.variance[j] = max(m.variance[j]/float64(m.count[j]-1), minVariance*pooled)
	}
	m.spread(t, seen, from, c)
}

// spread gives columns without a value those moments that the nearest ones with values say.
func (m *moments) spread(t Part, seen []int, from, channel int) {
	var tree *Tree
	if t.Points.Rows > 0 && len(seen) > meanNeighbours {
		points := make([]int, len(seen))
		for k, j := range seen {
			points[k] = (j - from) / t.Channels
		}
		tree = NewTree(rows(t.Points, points))
	}
	for j := from + channel; j < from+t.Columns; j += t.Channels {
		if m.count[j] > 0 {
			continue
		}
		near := seen
		if tree != nil {
			near = nil
			for _, k := range tree.Nearest(nil, t.Points.Row((j-from)/t.Channels), meanNeighbours) {
				near = append(near, seen[k])
			}
		}
		within, _ := meanAndVariance(m.variance, near)
		var between float64
		m.mean[j], between = meanAndVariance(m.mean, near)
		m.variance[j] = within + between
	}
}

// meanAndVariance are those of some of the values; NaN for none, and the variance of a single one is 0.
func meanAndVariance(values []float64, list []int) (mean, variance float64) {
	for _, j := range list {
		mean += values[j] / float64(len(list))
	}
	for _, j := range list {
		variance += square(values[j]-mean) / max(1, float64(len(list)-1))
	}
	if len(list) == 0 {
		return math.NaN(), math.NaN()
	}
	return mean, variance
}

// fillMeans takes the mean of each column.
func fillMeans(_ context.Context, d Data, mean, variance mat.Matrix) error {
	m := d.moments()
	for i := range d.Y.Rows {
		mu, v := mean.Row(i), variance.Row(i)
		for j, missing := range d.missing(i) {
			if missing {
				mu[j], v[j] = m.at(j)
			}
		}
	}
	return nil
}

// scales returns the variance of each column, or for points the mean one of the columns of its channel.
func (m *moments) scales(parts []Part) []float64 {
	list, from := slices.Clone(m.variance), 0
	for _, t := range parts {
		if own := list[from:][:t.Columns]; t.Points.Rows > 0 {
			sums := make([]float64, t.Channels)
			for j, v := range own {
				sums[j%t.Channels] += v * float64(t.Channels) / float64(len(own))
			}
			for j := range own {
				own[j] = sums[j%t.Channels]
			}
		}
		from += t.Columns
	}
	return list
}

// at is what a column's mean says of another value of it.
func (m *moments) at(j int) (mean, variance float64) {
	return m.mean[j], m.variance[j] * (1 + 1/float64(max(1, m.count[j])))
}
