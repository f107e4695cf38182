package mixture

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Of the places by which it is judged what pixels miss: where these could miss so much of their texture, they are asked, and of all and of those that are
// asked one in surePlaces counts.
const askedTurn, surePlaces = 0.25, 4

// leastSpread is the least variance of turns whose slope counts: where all places lie alike between pixels, turns differ where the flow is wrong.
const leastSpread = 1. / 32

// leastClass is the least part of all places, in percent, by which a class is judged.
const leastClass = 2

// leastAsked is the least number of frames that say something, and surelyLess how many standard errors are added to what they say.
const leastAsked, surelyLess = 4, 2

// endingPower is the power of the part missed between pixels that finer ones miss: contents that end just above what pixels show are known from two
// frames.
const endingPower = 5. / 3

// An asking is what a frame says of what pixels miss: sums over its sure places.
type asking struct {
	texture, turned, turned2 float64 // of what is expected half way between pixels, and that times the turn and its square
	errors, turnedErrors     float64 // of squared errors of the flow, and that times the turn
	missed, missedErrors     float64 // of what is expected and of squared errors, where pixels are asked
}

func (a asking) plus(b asking, times float64) asking {
	return asking{a.texture + times*b.texture, a.turned + times*b.turned, a.turned2 + times*b.turned2, a.errors + times*b.errors,
		a.turnedErrors + times*b.turnedErrors, a.missed + times*b.missed, a.missedErrors + times*b.missedErrors}
}

// spread tells whether turns differ enough to tell something.
func (a asking) spread() bool {
	return a.texture*a.turned2-a.turned*a.turned > leastSpread*a.texture*a.texture
}

// slope returns by how much squared errors grow with the turn, over what is expected, by linear regression, and infinity where turns are too much alike to tell. The
// intercept, the errors of the flow itself, is not negative.
func (a asking) slope() float64 {
	if !a.spread() {
		return math.Inf(1)
	}
	slope := (a.texture*a.turnedErrors - a.turned*a.errors) / (a.texture*a.turned2 - a.turned*a.turned)
	if a.errors < slope*a.turned {
		return a.turnedErrors / a.turned2
	}
	return slope
}

// most returns how large squared errors are over what is expected.
func (a asking) most() float64 { return a.missedErrors / a.missed }

// Aliased returns which part of what a detail expects finer pixels miss at most, up to all, of each class of texture. What is missed between pixels (aliasing.go)
// tells: squared errors of the dense flow grow with the turn as texture ends between two octaves or goes on, whatever errors the flow has besides, and are no less.
// Texture that always lies on whole pixels was never asked, and keeps all.
func (l *Law) Aliased(d *detail.Detail) (parts []float64) {
	errors, apart := make([]float64, len(l.samples)), make([]float64, len(l.samples))
	var classes [detail.SpectralClasses][]int
	for i := range l.samples {
		s := &l.samples[i]
		errors[i] = s.errors[others]
		apart[i] = s.traits[traitDoubt] / max(s.traits[traitTexture], detail.LeastScale)
		classes[s.class] = append(classes[s.class], i)
	}
	l.lessLight(errors)
	expected := d.ExpectedAliasing()
	for _, class := range classes {
		part := 1.0
		if len(class) > leastClass*len(l.samples)/100 {
			frames, asked := l.asked(class, errors, apart, expected)
			part = min(atMost(frames, surelyLess, asking.slope), atMost(frames, surelyLess, asking.most))
			part = 1 - asked*(1-math.Pow(part, endingPower))
		}
		parts = append(parts, part)
	}
	return parts
}

// asked returns what frames say of some samples, where half way between pixels expected times the texture is missed, and which part of the texture was asked.
func (l *Law) asked(all []int, errors, apart []float64, expected float64) (frames []asking, part float64) {
	var some []int
	var texture float64
	for _, i := range all {
		t := &l.samples[i].traits
		texture += t[traitEnergy]
		if t[traitMissed] > askedTurn*t[traitEnergy] {
			some = append(some, i)
			part += t[traitEnergy]
		}
	}
	if len(some) == 0 {
		return nil, 0
	}
	frames = make([]asking, l.frames)
	sure := func(places []int) []int {
		slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(apart[a], apart[b]) })
		return places[:len(places)/surePlaces]
	}
	for _, i := range sure(all) {
		t, f := &l.samples[i].traits, &frames[l.samples[i].frame]
		w, turn, e := expected*t[traitEnergy], t[traitMissed]/max(t[traitEnergy], detail.LeastScale), frame.Square(errors[i])
		*f = f.plus(asking{texture: w, turned: w * turn, turned2: w * turn * turn, errors: e, turnedErrors: e * turn}, 1)
	}
	for _, i := range sure(some) {
		s := &l.samples[i]
		frames[s.frame] = frames[s.frame].plus(asking{missed: expected * s.traits[traitMissed], missedErrors: frame.Square(errors[i])}, 1)
	}
	return slices.DeleteFunc(frames, func(a asking) bool { return !(a.missed > 0) }), part / texture
}

// atMost returns a part that frames say together, from 0 to 1, and some standard errors more, by the jackknife; all where that is no number.
func atMost(frames []asking, standardErrors float64, part func(asking) float64) float64 {
	n := float64(len(frames))
	if n < leastAsked {
		return 1
	}
	var all asking
	for _, a := range frames {
		all = all.plus(a, 1)
	}
	var mean, squares float64
	for _, a := range frames {
		p := part(all.plus(a, -1)) - part(all)
		mean += p / n
		squares += p * p / n
	}
	most := part(all) + standardErrors*math.Sqrt(max((n-1)*(squares-mean*mean), 0))
	if !(most < 1) {
		return 1
	}
	return max(most, 0)
}
