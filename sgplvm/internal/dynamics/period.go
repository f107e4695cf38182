package dynamics

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

const (
	periodBlock = 64 // frequencies that are tried together
	periodSteps = 4  // in frequency to one over the length

	// A period for folding is shorter by so much, if it explains so much of what the longer one does: a day explains 0.99 of what two do in hours that wander.
	periodShorter, periodAsMuch = 0.75, 0.95
)

// Period returns the period of the columns of y (n×p, NaN where missing), whose rows are regular in time, in rows, at most most, and how much its harmonics explain of what a smooth trend leaves
// of the 1000 rows in a run of which most was observed; 0: they show none.
func Period(y mat.Matrix, most float64) (period, share float64) {
	rows, from, seen := min(y.Rows, seriesMost), 0, -1
	for begin := 0; begin < y.Rows; begin += rows {
		at, count := min(begin, y.Rows-rows), 0
		for i := at; i < at+rows; i++ {
			for c := range y.Cols {
				if v := y.At(i, c); v == v {
					count++
				}
			}
		}
		if count > seen {
			from, seen = at, count
		}
	}
	y = y.Slice(from, from+rows, 0, y.Cols).Clone()
	times, missing := make([]float64, y.Rows), make([]bool, len(y.Data))
	for i := range times {
		times[i] = float64(i)
	}
	for i, v := range y.Data {
		missing[i] = v != v
	}
	sequences := data.Sequences(times, nil)
	var all []*series
	for c := 0; c < y.Cols; c += (y.Cols + seriesColumns - 1) / seriesColumns {
		s := newSeries(sequences, y, missing, c)
		if s.axis = axisOf(sequences, 1); s.count > 2 {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	law := smoothLaw(all[0].half)
	period, share, _ = findPeriod(all, law, most)
	for period > 0 { // two days explain what a day does, and a part of what wanders
		shorter, of, _ := findPeriod(all, law, periodShorter*period)
		if of < periodAsMuch*share {
			break
		}
		period, share = shorter, of
	}
	return period, share
}

// smoothLaw returns a law of series of such a half length under which nothing else explains a season.
func smoothLaw(half float64) seriesLaw {
	return seriesLaw{kernel: kernel.Kernel{Kind: kernel.Matern52, LengthScale: []float64{half / 2}}, noise: 0.4, trend: 100}
}

// findPeriod returns the period whose harmonics explain most of what a law leaves of series, by the Bayesian information criterion, what share they explain, and among how many independent ones it
// is; 0: none does. Of it and its divisors it is the one with the highest density. Periods are at most most, and twice in the series.
func findPeriod(all []*series, law seriesLaw, most float64) (period, share, tried float64) {
	span := axisOf(all[0].sequences, all[0].spacing)
	step := 1 / (2 * span.half * periodSteps)
	least := max(2*periodSteps, int(math.Ceil(1/(most*step))))
	count := min(int(0.5/(span.spacing*step)+0.01), 2*seriesMost)
	explained, values := make([]float64, count+1), 0.
	var r innovations
	for _, s := range all {
		rows := s.rows(0)
		g := s.gram(law, rows, &r)
		_, _, beta, square, err := g.solved(law)
		if err != nil || !(square > 0) {
			continue
		}
		values += s.count
		for k, q := range s.sequences {
			left := mat.New(len(q.Times), 1)
			mat.Mul(left, 1, s.whitened(&r, k, law, rows[k]), mat.Vector([]float64{-beta[0], -beta[1], 1}), 0)
			mat.Parallel((count+periodBlock)/periodBlock, func(b int) {
				from := b * periodBlock
				explainedBy(explained[from:min(from+periodBlock, count+1)], r.SolveHalf, q.Times, left.Data, 2*math.Pi*step, from, square*float64(len(all)))
			})
		}
	}
	n := float64(len(all))
	scores, shares, best := make([]float64, count+1), make([]float64, count+1), 0
	for at := least; at <= count; at++ {
		pairs := span.harmonics(1 / (float64(at) * step))
		for j := 1; j <= pairs && j*at <= count; j++ {
			shares[at] += explained[j*at]
		}
		if scores[at] = -0.5*values*math.Log(max(1-shares[at], 1e-9)) - float64(pairs)*n*math.Log(values/n); scores[at] > scores[best] {
			best = at
		}
	}
	if best == 0 {
		return 0, 0, 0
	}
	longest, highest := best, math.Inf(-1)
	for k := 1; k <= seriesHarmonics; k++ {
		near := k*longest - k/2
		for at := near; at <= min(k*longest+k/2, count); at++ {
			if scores[at] > scores[near] {
				near = at
			}
		}
		if law.period = 1 / (float64(near) * step); near <= count {
			if _, evidence := bestSeason(all, law, &r); evidence > highest {
				highest, best = evidence, near
			}
		}
	}
	law.period = 1 / (float64(best) * step)
	law, _ = refined(all, law)
	return law.period, shares[best], float64(count) / periodSteps
}

// explainedBy adds to dst, for multiples of an angular frequency from from on, the share of a square that a cosine and a sine explain of whitened residuals.
func explainedBy(dst []float64, whiten func(mat.Matrix), times, left []float64, frequency float64, from int, square float64) {
	n := len(dst)
	waves := mat.New(len(times), 2*n)
	for i, t := range times {
		sin, cos := math.Sincos(float64(from) * frequency * t)
		up, along := math.Sincos(frequency * t)
		for j := range n {
			waves.Set(i, j, cos)
			waves.Set(i, n+j, sin)
			cos, sin = cos*along-sin*up, sin*along+cos*up
		}
	}
	whiten(waves)
	sums := mat.New(5, n) // of cosine and sine with the residuals and with one another
	for i, x := range left {
		cos, sin := waves.Row(i)[:n], waves.Row(i)[n:]
		for j, c := range cos {
			s := sin[j]
			sums.Data[j] += c * x
			sums.Data[n+j] += s * x
			sums.Data[2*n+j] += c * c
			sums.Data[3*n+j] += c * s
			sums.Data[4*n+j] += s * s
		}
	}
	for j := range dst {
		c, d, cc, cd, dd := sums.At(0, j), sums.At(1, j), sums.At(2, j), sums.At(3, j), sums.At(4, j)
		if det := cc*dd - cd*cd; det > 1e-9*cc*dd {
			dst[j] += (c*c*dd - 2*c*d*cd + d*d*cc) / det / square
		} else { // both are one wave
			dst[j] += max(c*c/max(cc, 1e-300), d*d/max(dd, 1e-300)) / square
		}
	}
}

// refined returns a law with the period near its own, by half a step of findPeriod in frequency at most, under which series have the highest density, and its logarithm but for a constant.
func refined(all []*series, law seriesLaw) (best seriesLaw, most float64) {
	most = math.Inf(-1)
	about, span := 1/law.period, axisOf(all[0].sequences, all[0].spacing)
	var r innovations
	for k := -8; k <= 8; k++ {
		law.period = 1 / (about + float64(k)/(128*span.half))
		if law, evidence := bestSeason(all, law, &r); evidence > most {
			most, best = evidence, law
		}
	}
	return best, most
}

// bestSeason returns a law with the variance of its season under which series have the highest density, and its logarithm but for a constant.
func bestSeason(all []*series, law seriesLaw, r *innovations) (seriesLaw, float64) {
	evidence := make([]float64, len(seriesSeasons))
	for _, s := range all {
		g := s.gram(law, s.rows(law.period), r)
		for k := range seriesSeasons {
			law.season = seriesSeasons[k]
			t := s.trendOnly(law, &g)
			evidence[k] += t.evidence(law)
		}
	}
	most := slices.Max(evidence)
	law.season = seriesSeasons[slices.Index(evidence, most)]
	return law, most
}
