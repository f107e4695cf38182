package completion

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Links returns what may serve better than the values of each channel, NaN where they are missing, the simplest first: transforms of positive values; the least value as a limit, where many
// have it; logarithms of values plus a constant, above it. Channels without one have none in the latter lists. It also returns whether some channel has one. Errors: *field.ReadError.
func Links(y field.Source) (lists [][]work.Link, limited bool, err error) {
	n, points, channels := y.Dims()
	values := make([][]float64, channels)
	example := make([]float64, points*channels)
	for i := range n {
		if err := y.ReadExamples(example, i, i+1); err != nil {
			return nil, false, &field.ReadError{From: i, To: i + 1, Err: err}
		}
		for k, v := range example {
			if v == v {
				values[k%channels] = append(values[k%channels], v)
			}
		}
	}
	all := [3][]work.Link{}
	for _, v := range values {
		var of [3]work.Link
		if len(v) > 0 {
			slices.Sort(v)
			of = linksOf(v)
		}
		for k, l := range of {
			all[k] = append(all[k], l)
			limited = limited || l.Limited
		}
	}
	for k, list := range all {
		if slices.ContainsFunc(list, func(l work.Link) bool { return l != work.Link{} }) && !(k > 0 && slices.Equal(list, all[k-1])) {
			lists = append(lists, list)
		}
	}
	return lists, limited, nil
}

// massErrors is by how many standard errors the least value must be more frequent than the next one to be a limit.
const massErrors = 3

// shifts are what logarithms of values plus a constant are tried with, in medians of the values above the limit.
var shifts = []float64{0, 0.01, 0.03, 0.1, 0.3, 1, 3}

// linksOf returns what may serve better than values, in ascending order: a transform; the least value as a limit, where it is much more frequent than the next; the likeliest logarithm of
// values plus a constant, above it or above 0.
func linksOf(values []float64) (list [3]work.Link) {
	count := func(from int) (n int) {
		for from+n < len(values) && values[from+n] == values[from] {
			n++
		}
		return n
	}
	least, at := values[0], count(0)
	list[0].By = work.TransformOf(least, values[len(values)-1])
	list[0].Largest = largest(list[0], values)
	above := values[at:]
	if len(above) == 0 || above[0] == above[len(above)-1] { // yes and no
		return list
	}
	bound := work.Link{Limit: least, Limited: true}
	if next := count(at); float64(at-next) > massErrors*math.Sqrt(float64(at+next)) {
		list[1], list[2] = bound, bound
	} else if least != 0 {
		return list
	}
	best := likelihood(bound, above, at)
	for _, part := range shifts {
		l := work.Link{By: work.Log, Shift: part * above[len(above)/2], Limit: least, Limited: true}
		if least+l.Shift > 0 {
			if p := likelihood(l, above, at); p > best {
				best, list[2] = p, l
				list[2].Largest = largest(l, above)
			}
		}
	}
	return list
}

// largest returns where the distribution of values ends under a logarithm: beyond the last of n by σ/√(2·log n) of their logarithms, by which the largest of so many normal numbers is exceeded
// where it is (Leadbetter, Lindgren and Rootzén, Extremes and Related Properties of Random Sequences and Processes, 1983, theorem 1.5.3); 0 for other links.
func largest(l work.Link, values []float64) float64 {
	if l.By != work.Log || len(values) < 2 {
		return 0
	}
	var sum, squares float64
	for _, y := range values {
		t := l.To(y)
		sum, squares = sum+t, squares+t*t
	}
	n := float64(len(values))
	return l.Back(l.To(values[len(values)-1]) + math.Sqrt(max(0, squares/n-sum/n*sum/n)/(2*math.Log(n))))
}

// likelihoodRounds of EM find the mean and the variance of censored values.
const likelihoodRounds = 30

// likelihood returns the log density of values above a limit, and of how many are at it, where t is normal with the likeliest mean and variance.
func likelihood(l work.Link, above []float64, censored int) float64 {
	var sum, squares, slopes float64
	for _, y := range above {
		t := l.To(y)
		sum, squares, slopes = sum+t, squares+t*t, slopes+l.By.LogSlope(t)
	}
	n, few, limit := float64(len(above)), float64(censored), l.Least()
	mean, variance := sum/n, squares/n-sum/n*sum/n
	var log float64
	for range likelihoodRounds {
		var m, v float64
		m, v, log = simple.Below(limit, mean, variance)
		mean = (sum + few*m) / (n + few)
		variance = (squares - 2*mean*sum + n*mean*mean + few*(v+(m-mean)*(m-mean))) / (n + few)
	}
	return slopes + few*log - 0.5*(n*math.Log(2*math.Pi*variance)+(squares-2*mean*sum+n*mean*mean)/variance)
}
