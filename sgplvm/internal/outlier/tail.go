package outlier

import (
	"math"
	"slices"
)

const (
	// farther is how much larger −log p of an outlier is than that of the largest other value. It is wide since tails may grow faster
	// than the others show: with 25, 2 % of drawn columns of 1000 values with 3 degrees of freedom lost a value, with 35 1 %.
	farther = 35

	// minRest is how many other values there are, and minDistinct how many different distances they have. Of fewer the tail is
	// not known: categories, a constant column with an exception.
	minRest, minDistinct = 8, 5

	// unsure is by how much the growth of n different distances may be larger than what they show, as a share times √n. With 0 a quarter of
	// the drawn tables of 20 rows × 5 log-normal columns lost a value, with 3 one in 50.
	unsure = 3

	// minGap is the least ratio of two distances between which a tail is cut: no bound is nearer.
	minGap = 1.3

	// repeated is the largest share of outliers, and different, beside few, that of those which differ: more are another
	// kind of data. So are more than few that differ by less than sameKind, as a ratio: the second level of a switch.
	repeated, different = 0.25, 0.005
	few                 = 2
	sameKind            = 2
)

// A tail is what a pool of distances says of others.
type tail struct {
	bound float64 // the least distance that is too far; +Inf where nothing is
	unit  float64 // a standard deviation, if they are normal
}

// tailOf returns the tail of distances, 0 or more, which it sorts; kinds says that a few large ones which are alike are data of another kind.
// The largest distances are left out as far as the tail of the others does not reach them. With D(p) the distance that a share p of the
// others exceeds, and β its growth, log D = β·log(−log p) + const between the median and the largest, as of Weibull's
// distributions (β = ½ of a normal one, 1 of an exponential one, and the more the heavier, where it grows with −log p), the tail ends where
// −log p has grown by farther.
func tailOf(d []float64, kinds bool) tail {
	slices.Sort(d)
	slices.Reverse(d)
	n := len(d)
	for n > 0 && d[n-1] == 0 {
		n--
	}
	d = d[:n]
	best := restOf(d)
	for i, distinct := 0, 0; i+1 < n; i++ {
		if d[i] == d[i+1] {
			continue
		}
		distinct++
		if distinct > few+int(different*float64(n)) || i+1 > few+int(repeated*float64(n)) {
			break
		}
		if d[i] < minGap*d[i+1] || kinds && distinct > few && d[0] < sameKind*d[i] {
			continue
		}
		if rest := restOf(d[i+1:]); d[i] >= rest.bound {
			best = rest
		}
	}
	return best
}

// restOf returns the tail of distances in descending order, all of which count.
func restOf(d []float64) tail {
	n := len(d)
	distinct := 1
	for i := 1; i < n; i++ {
		if d[i] != d[i-1] {
			distinct++
		}
	}
	none := tail{math.Inf(1), 1}
	if n < minRest || distinct < minDistinct {
		return none
	}
	half := n / 2
	level := func(rank int) float64 { return math.Log(float64(2*n+1) / float64(2*rank+1)) } // −log p
	median, first := math.Log(level(half)), math.Log(level(0))
	var distances, levels float64
	for i, v := range d[:half] {
		distances += math.Log(v / d[half])
		levels += math.Log(level(i)) - median
	}
	growth := max(0.5, distances/levels, math.Log(d[0]/d[half])/(first-median))
	growth *= 1 + unsure/math.Sqrt(float64(distinct))
	return tail{d[0] * math.Pow(1+farther/level(0), growth), 1.4826 * d[half]}
}
