package flow

import (
	"cmp"
	"math"
	"slices"
)

// An aliasing tells what pixels miss between which contents have moved. With the parts w_k of a value that are sampled at the points x_k of
// frames, contents of one period a pixel beyond what pixels can show would count Σ w_k·exp(2πi·x_k) times, and once where they
// are whole pixels away. So what is missed is in proportion to
//
//	|1 − Σ w_k·exp(2πi·x_k)|²/4
//
// across and the same down: 1 half way between two pixels, and less where two frames show different halves of it. Two samples, at x and x′, are apart by
// |exp(2πi·x) − exp(2πi·x′)|²/4 for the same reason, though both frames show the same contents. The unit of both is the texture there.
type aliasing struct {
	sum     turn
	texture float64
	between float64
}

// A turn is exp(2πi·x) and exp(2πi·y) at a point: real and imaginary part of each.
type turn [4]float64

func turnAt(x, y float64) (t turn) {
	t[1], t[0] = math.Sincos(2 * math.Pi * x)
	t[3], t[2] = math.Sincos(2 * math.Pi * y)
	return t
}

// from returns the squared distance between two turns, over 4.
func (t turn) from(u turn) (d float64) {
	for k, v := range t {
		d += square(v-u[k]) / 4
	}
	return d
}

// add takes in a path with a weight, of which share is that of the frame a.
func (l *aliasing) add(p path, weight, share float64, textures *[2]image[float64]) {
	a, b := turnAt(p.ax, p.ay), turnAt(p.bx, p.by)
	for k := range a {
		l.sum[k] += weight * (share*a[k] + (1-share)*b[k])
	}
	texture := share*textureAt(textures[0], p.ax, p.ay) + (1-share)*textureAt(textures[1], p.bx, p.by)
	l.texture += weight * texture
	l.between += weight * texture * a.from(b)
}

// missed returns what is missed.
func (l *aliasing) missed() float64 { return l.texture * l.sum.from(turn{1, 0, 1, 0}) }

// textureOf returns the local energy of a picture (octaveEnergy), a mean over its channels.
func textureOf(m image[float32]) image[float64] {
	all := newImage[float64](m.width, m.height, m.channels)
	for k, v := range m.data {
		all.data[k] = float64(v)
	}
	energy := octaveEnergy(all)
	t := newImage[float64](energy.width, energy.height, 1)
	for k, v := range energy.data {
		t.data[k/m.channels] += v / float64(m.channels)
	}
	return t
}

// textureAt returns the texture of the cell at a point in pixels, or the nearest one.
func textureAt(t image[float64], x, y float64) float64 {
	i := min(max(int(x+0.5)/detailCell, 0), t.width-1)
	j := min(max(int(y+0.5)/detailCell, 0), t.height-1)
	return t.data[j*t.width+i]
}

// aliasedPart is what is missed half way between pixels, of the energy that finer pixels miss within them: a mean over the halves of two pixels has
// half the variance of what lies within these across, and that is half of all, the rest being down and in neither direction alone.
const aliasedPart = 0.25

// expectedAliasing returns what is missed half way between pixels of training over their texture, if octaves go on as detail takes them to.
func (d *Detail) expectedAliasing() float64 {
	var finer, energy float64
	for c, s := range d.energy {
		energy += s
		if len(d.ratio) > 0 {
			s *= d.ratio[c]
		}
		finer += s
	}
	if !(energy > 0) {
		return 0
	}
	return aliasedPart * finer / energy
}

// Within returns the detail with a part of what it expects, at least leastEnlarging.
func (d *Detail) Within(part float64) *Detail {
	less := *d
	less.a += math.Log(max(part, leastEnlarging))
	return &less
}

// leastTexture is the least part of the mean of what pixels miss at the places by which that is judged: plain areas show nothing of it. Of these places
// one in surePlaces counts.
const leastTexture, surePlaces = 0.25, 8

// Aliased returns which part of what the detail lets expect between pixels is there at most, up to all: where paths meet a point best, the errors of
// the dense flow have no less of it. Where little is missed between pixels, finer ones show little that is new.
func (l *MixtureLaw) Aliased() float64 {
	var mean float64
	for _, s := range l.samples {
		mean += s.traits[4] / float64(len(l.samples))
	}
	var places []*errorSample
	for i := range l.samples {
		if s := &l.samples[i]; s.traits[4] > leastTexture*mean {
			places = append(places, s)
		}
	}
	apart := func(s *errorSample) float64 { return s.traits[2] / max(s.traits[3], leastScale) }
	slices.SortStableFunc(places, func(a, b *errorSample) int { return cmp.Compare(apart(a), apart(b)) })
	var errors, missed float64
	for _, s := range places[:len(places)/surePlaces] {
		errors += square(s.errors[others])
		missed += l.mixture.aliased * s.traits[4]
	}
	if !(missed > 0) {
		return 1
	}
	return min(errors/missed, 1)
}
