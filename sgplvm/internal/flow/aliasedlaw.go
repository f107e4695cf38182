package flow

import (
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// Of the trials of parts of what pixels miss: from all of it in steps of a third of an octave down to the least part of detail that there is; from about how
// many pixels, and by how many standard errors a smaller part must be likelier.
const (
	aliasedTrials     = 10
	aliasedSamples    = 1 << 12
	aliasedPreference = 2
)

// surelyKnown is the weight of a known part that no error changes.
const surelyKnown = 1e9

// Aliased returns which part of what octaves let expect is missed between pixels, up to all of it. Errors of the dense flow alone tell, since the paths by which that
// is known are its own: all of it unless frames agree that less is likelier. Where little is missed between pixels, finer ones show little that is new.
func (l *MixtureLaw) Aliased() float64 {
	parts, frames := make([]float64, aliasedTrials), make([][]float64, aliasedTrials)
	rows, squares, of := l.flowErrors()
	if len(rows) == 0 {
		return 1
	}
	mat.Parallel(aliasedTrials, func(k int) {
		parts[k] = math.Exp2(-float64(k) / 3)
		law := fitVariances(rows, squares, parts[k]*l.mixture.aliased, surelyKnown)
		sums, counts := make([]float64, l.frames), make([]float64, l.frames)
		for i, r := range rows {
			sums[of[i]] += law.likelihood(r, squares[i])
			counts[of[i]]++
		}
		for f, n := range counts {
			if n > 0 {
				frames[k] = append(frames[k], sums[f]/n)
			}
		}
	})
	likeliest := 0
	for k := range frames {
		if mean, _ := gain(frames[k], frames[likeliest]); mean > 0 {
			likeliest = k
		}
	}
	for k := range frames {
		if mean, deviation := gain(frames[likeliest], frames[k]); mean <= aliasedPreference*deviation {
			return parts[k]
		}
	}
	return 1
}

// flowErrors returns for some samples what their variance by the dense flow is made of, its squared error and the frame; nothing where nothing is missed between pixels.
func (l *MixtureLaw) flowErrors() (rows []varianceLaw, squares []float64, of []int) {
	errors := make([]float64, len(l.samples))
	for i, s := range l.samples {
		errors[i] = s.errors[others]
	}
	l.lessLight(errors)
	channels := max(len(l.mixture.scale), 1)
	stride := 1 + len(l.samples)/(channels*aliasedSamples)
	var missed float64
	for i, s := range l.samples {
		if i/channels%stride == 0 {
			parts := s.traits.parts(0, l.mixture.aliased)
			parts[traitApart+1] = 0
			rows, squares, of = append(rows, parts), append(squares, square(errors[i])), append(of, s.frame)
			missed += parts[missing]
		}
	}
	if !(missed > 0) || !(l.mixture.aliased > 0) {
		return nil, nil, nil
	}
	return rows, squares, of
}

// gain returns the mean of differences and its standard error.
func gain(a, b []float64) (mean, deviation float64) {
	n := float64(len(a))
	var squares float64
	for i := range a {
		d := a[i] - b[i]
		mean += d / n
		squares += d * d / n
	}
	return mean, math.Sqrt(max(squares-mean*mean, 0) / max(n-1, 1))
}
