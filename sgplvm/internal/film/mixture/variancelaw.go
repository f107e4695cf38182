package mixture

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A varianceLaw is how the mean square of a mixture's errors at a place, in units of the channel's variance, is made of
// parts that add up, each a number times what it multiplies (parts). None is negative. A trait is small where frames are close in time, so that a law
// learned where frames are left out holds between those that are closer.
type varianceLaw [varianceParts]float64

// Of the parts, in the order of parts; older files have fewer.
const (
	modelled        = iota // the variance that the model expects
	modelApart             // how far model and dense flow are apart
	byMismatch             // the mismatch that is a doubt
	byDoubt                // the doubt
	byTexture              // the texture, by the spread, of older files
	everywhere             // the same everywhere
	missing                // what pixels miss
	rootMismatch           // the root of the mismatch
	rootDoubt              // and of the doubt
	byChange               // how far frames differ where they are, of the value; older files have neither this nor what follows
	byOwnMismatch          // the mismatch of the pixel
	rootOwnMismatch        // and its root
	byOwnTexture           // the texture of the value, by the spread
	byHypotheses           // how far hypotheses of where contents are differ; older files have none
	varianceParts
)

// traitsOf are the traits of a place, means over a cell, in units of the channels' variances (docs/math.md, 19.12).
type traitsOf [traits]float64

// Of the traits, in brackets the symbols there.
const (
	traitApart    = iota // how far model and dense flow are apart (u)
	traitMismatch        // how far what two frames show along the flow's paths is apart (m)
	traitDoubt           // the texture times the squared distance by which paths miss the point and flows there and back disagree (e)
	traitTexture         // the squared slope per pixel of training (g)
	traitMissed          // what pixels miss between them (p; aliasing.go)
	traitBetween         // what that makes of the mismatch (z)
	traitEnergy          // what p and z are in proportion to (T)
	traits
)

// ownTraits are those of a value at its pixel, in units of its channel's variance, of the mismatch in that of all channels (docs/math.md, 19.12): the cells of traitsOf
// do not tell what rests from what moves beside it.
type ownTraits struct {
	change     float64 // the squared difference of what lies linearly between two frames where they are and the nearer one (d)
	mismatch   float64 // that of the pixel, of all channels (m′)
	texture    float64 // the squared slope (g′)
	hypotheses float64 // the variance of what hypotheses show, of all channels (ζ)
}

// parts returns what the numbers of a law multiply where the model expects v. As much of the mismatch as pixels make that miss aliased times the texture is
// no doubt about the flow: between two frames half a pixel apart it is there, and between those a pixel apart it is not. Where the flow is quite wrong,
// errors are no larger than contents are different, however large mismatch and doubt become: so their roots count as well. Where contents are
// between frames is known the worse the farther away these are, and what that makes of texture is in proportion to the spread (spreadOf).
func (t *traitsOf) parts(v float64, own ownTraits, aliased, spread float64) varianceLaw {
	mismatch, doubt := max(t[traitMismatch]-aliased*t[traitBetween], 0), t[traitDoubt]
	return varianceLaw{modelled: v, modelApart: t[traitApart], byMismatch: mismatch, byDoubt: doubt, byTexture: spread * t[traitTexture],
		everywhere: 1, missing: t[traitMissed], rootMismatch: math.Sqrt(mismatch), rootDoubt: math.Sqrt(doubt),
		byChange: own.change, byOwnMismatch: own.mismatch, rootOwnMismatch: math.Sqrt(own.mismatch), byOwnTexture: spread * own.texture, byHypotheses: own.hypotheses}
}

// mostSpread bounds the spread: in wider gaps errors are no larger than contents are different.
const mostSpread = 4

// spreadOf returns the variance of where contents are in a gap between frames, over that in the gap of learning. Both are in proportion: contents that do not
// move evenly depart from an even motion as a Brownian motion does. Laws of older files, with a gap of 0, do not tell gaps apart.
func spreadOf(gap, learned float64) float64 {
	if !(learned > 0) {
		return 1
	}
	return min(gap/learned, mostSpread)
}

// leastModelled is the least part of the model's own variance that counts.
const leastModelled = 1e-4

// variance returns what is expected of a place with the given parts.
func (l *varianceLaw) variance(parts varianceLaw) float64 { return frame.Dot(l[:], parts[:]) }

func (l *varianceLaw) valid() bool {
	for _, a := range l {
		if !(a >= 0) || math.IsInf(a, 0) {
			return false
		}
	}
	return l[modelled] > 0
}

// varianceSteps is how many steps fitVariances takes; knownAliasing times the errors are what the known part counts as.
const varianceSteps, knownAliasing = 200, 1.0 / 16

// fitVariances returns the law under which squared errors are likeliest, each Gaussian; rows hold for each error what the
// law's numbers multiply. Steps multiply each number by the root of what it would have to be over what it is,
// which never makes errors less likely (Févotte and Idier 2011). What pixels miss is known beforehand as surely as by a part of as many errors, of places
// where nothing else is missed: where left-out frames lie on whole pixels of others, it stays.
func fitVariances(rows []varianceLaw, squares []float64, known float64) (l varianceLaw) {
	var sums varianceLaw
	var total float64
	for i, r := range rows {
		for k, v := range r {
			sums[k] += v
		}
		total += squares[i]
	}
	for k, s := range sums {
		if s > 0 {
			l[k] = total / (s * float64(len(l)))
		}
	}
	var prior float64
	if known > 0 {
		l[missing], prior = known, knownAliasing*float64(len(rows))
	}
	for range varianceSteps {
		var have, want varianceLaw
		for i, r := range rows {
			var v float64
			for k, a := range l {
				v += a * r[k]
			}
			v = 1 / max(v, detail.LeastScale)
			for k, u := range r {
				have[k] += u * v
				want[k] += u * v * v * squares[i]
			}
		}
		if prior > 0 {
			have[missing] += prior / l[missing]
			want[missing] += prior * known / frame.Square(l[missing])
		}
		for k := range l {
			if have[k] > 0 {
				l[k] *= math.Sqrt(want[k] / have[k])
			}
		}
	}
	l[modelled] = max(l[modelled], leastModelled)
	return l
}
