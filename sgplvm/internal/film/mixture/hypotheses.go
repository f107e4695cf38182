package mixture

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// Where something passes before something else, no flow leads to what is hidden in the other frame, and the paths through a point are wrong (docs/math.md, 19.11). Paths through points
// nearby are hypotheses of where its contents are (overlapped block motion compensation: Orchard and Sullivan 1994). Each is three: both frames show the
// contents, or only the first does, or only the second. Contents that one frame alone shows must have moved there from the frame beside it, or move on to it, evenly: the flow between these has to lead along the path.
//
// What a hypothesis misses is the mean square, over a window, of how the two frames differ that are said to show the same, and its weight falls with the square of that.

// hypotheticalPaths are how far from a point, in pixels of training, paths are that may be its own, with the prior weight of one of these over that of the paths through the point.
var hypotheticalPaths = [...]struct{ right, down, prior float64 }{
	{3, 0, 0.3}, {-3, 0, 0.3}, {0, 3, 0.3}, {0, -3, 0.3},
	{6, 0, 0.1}, {-6, 0, 0.1}, {0, 6, 0.1}, {0, -6, 0.1},
}

// hiddenPrior is the prior weight of contents that one frame alone shows, over that of contents that both do. To what hypotheses miss, over the
// channels' mean variance, is added leastMisfit or usualMisfit times the median along the paths themselves, and leastHidden at least for contents that one alone shows: what goes on as before says less than what both show.
const (
	hiddenPrior = 0.05
	leastMisfit = 1e-3
	leastHidden = 0.03
	usualMisfit = 0.5
)

// The numbers of a path through a pixel: how far its ends in both frames are from there, and the weight that it has beside the share of a frame.
const (
	endA = iota
	_
	endB
	_
	reliance
	pathNumbers
)

// The three of a path: both frames show the contents, the first one alone, the second one alone.
const (
	shownByBoth = iota
	shownByFirst
	shownBySecond
	showings
)

// hypotheses add up, of each pixel of training, what hypotheses show.
type hypotheses struct {
	path    *dense
	scale   float64                  // the channels' mean variance, in units of the pictures
	beside  [2]besideFrame           // of the first frame and of the second
	shown   [2]training.SharpPicture // what frames beside these show
	paths   [2]frame.Image[float32]  // those from the first frame and from the second
	misfit  float64                  // what is added to all
	weights []float64
	means   frame.Image[float64] // sums of weights times values
	squares []float64            // and times the mean of the values' squares
}

// A hypothesized interpolation is what hypotheses make of one at pixels of training, in the units of the pictures.
type hypothesized struct {
	added  frame.Image[float32] // what is added to its values, a spline's coefficients; none where there are no hypotheses
	spread frame.Image[float64] // the variance of what hypotheses show, a mean over channels
}

// A hypothesesKey tells moments apart.
type hypothesesKey struct {
	first, without int // training frames
	time           float64
	bends          bool
}

// hypothesesAt returns what hypothesize does, or did for the last moments: what a time shows is asked for in pixels of training and in finer ones.
func hypothesesAt(f *training.Frames, x motion.Moment, around []motion.Neighbour, flows motion.PairFlow, bends [2]*bend) hypothesized {
	key := hypothesesKey{x.Shot.Examples[around[0].Place], x.Without, x.Time, bends != [2]*bend{}}
	return training.Kept(f.Cache, key, func() hypothesized { return hypothesize(f, x, around, flows, bends) })
}

// hypothesize returns what hypotheses make of the interpolation between the two frames around a moment, along paths that may bend. Where the whole picture turns, where light fades and where nothing moves there are none.
func hypothesize(f *training.Frames, x motion.Moment, around []motion.Neighbour, flows motion.PairFlow, bends [2]*bend) (to hypothesized) {
	if flows.Turns || flows.Light != nil || flows.Rests() {
		return to
	}
	first, second := x.Shot.Examples[around[0].Place], x.Shot.Examples[around[1].Place]
	h := &hypotheses{path: newDense(around[1].Weight, plainPicture(f, first), plainPicture(f, second), flows, bends), scale: meanVariance(f), beside: besideAround(f, x, around)}
	for k, b := range h.beside {
		if b.known() {
			h.shown[k] = plainPicture(f, b.number)
		}
	}
	own := h.own(f.Width, f.Height, f.Channels)
	for _, o := range hypotheticalPaths {
		for from := range h.paths {
			h.add(from, o.right, o.down, o.prior)
		}
	}
	to.added, to.spread = frame.NewImage[float32](f.Width, f.Height, f.Channels), frame.NewImage[float64](f.Width, f.Height, 1)
	for k, all := range h.weights {
		spread := h.squares[k] / all
		for c := range f.Channels {
			mean := h.means.Data[k*f.Channels+c] / all
			spread -= frame.Square(mean) / float64(f.Channels)
			to.added.Data[k*f.Channels+c] = float32(mean - own.Data[k*f.Channels+c])
		}
		to.spread.Data[k] = max(spread, 0)
	}
	to.added.ToSpline()
	return to
}

// own adds, and returns, what the paths through pixels themselves show, as dense has it, and keeps these paths.
func (h *hypotheses) own(width, height, channels int) (values frame.Image[float64]) {
	values, h.means = frame.NewImage[float64](width, height, channels), frame.NewImage[float64](width, height, channels)
	h.weights, h.squares = make([]float64, width*height), make([]float64, width*height)
	for k := range h.paths {
		h.paths[k] = frame.NewImage[float32](width, height, pathNumbers)
	}
	missed := frame.NewImage[float64](width, height, 1)
	mat.Parallel(height, func(row int) {
		buffer, y := make([]float64, 2*channels), float64(row)
		for column := range width {
			x, k := float64(column), row*width+column
			missed.Data[k] = h.path.at(values.Data[k*channels:(k+1)*channels], buffer, x, y).mismatch / h.scale
			from, to := h.path.paths(x, y)
			for side, p := range [2]detail.Path{from, to} {
				copy(h.paths[side].Data[k*pathNumbers:], []float32{float32(p.Ax - x), float32(p.Ay - y), float32(p.Bx - x), float32(p.By - y), float32(weightOf(p, 1) - leastPath)})
			}
		}
	})
	missed = windowMeans(missed)
	sorted := slices.Clone(missed.Data)
	slices.Sort(sorted)
	h.misfit = max(leastMisfit, usualMisfit*sorted[len(sorted)/2])
	for k, v := range missed.Data {
		h.addTo(k, 1/frame.Square(v+h.misfit), values.Data[k*channels:(k+1)*channels])
	}
	return values
}

// addTo adds values of a pixel with a weight.
func (h *hypotheses) addTo(pixel int, weight float64, values []float64) {
	h.weights[pixel] += weight
	means := h.means.Data[pixel*len(values):]
	for c, v := range values {
		means[c] += weight * v
		h.squares[pixel] += weight * v * v / float64(len(values))
	}
}

// add adds the hypotheses that the paths from one of the frames which lead through points so far away, to the right and down, lead through the pixels as well.
func (h *hypotheses) add(from int, right, down, prior float64) {
	paths, n, w := h.paths[from], h.means.Channels, h.path.w
	values := frame.NewImage[float64](paths.Width, paths.Height, 2*n) // of the first frame and the second
	missed, priors := frame.NewImage[float64](paths.Width, paths.Height, showings), frame.NewImage[float64](paths.Width, paths.Height, showings)
	mat.Parallel(paths.Height, func(row int) {
		path, other, y := make([]float64, pathNumbers), make([]float64, n), float64(row)
		for column := range paths.Width {
			x, k := float64(column), row*paths.Width+column
			frame.SampleLinear(path, paths, x+right, y+down)
			ax, ay, bx, by := x+path[endA], y+path[endA+1], x+path[endB], y+path[endB+1]
			a, b := values.Data[2*k*n:(2*k+1)*n], values.Data[(2*k+1)*n:2*(k+1)*n]
			h.path.a.At(a, ax, ay)
			h.path.b.At(b, bx, by)
			missed, priors := missed.Data[k*showings:(k+1)*showings], priors.Data[k*showings:(k+1)*showings]
			missed[shownByBoth], priors[shownByBoth] = meanSquare(a, b)/h.scale, prior*path[reliance]
			if hidden := prior * path[reliance] * hiddenPrior; hidden > 0 {
				missed[shownByFirst], priors[shownByFirst] = h.evenly(0, a, other, ax, ay, bx-ax, by-ay, hidden*(1-w))
				missed[shownBySecond], priors[shownBySecond] = h.evenly(1, b, other, bx, by, ax-bx, ay-by, hidden*w)
			}
		}
	})
	missed = windowMeans(missed)
	shares, misfits := [showings]float64{1 - w, 1, 0}, [showings]float64{h.misfit, max(h.misfit, leastHidden), max(h.misfit, leastHidden)}
	mat.Parallel(paths.Height, func(row int) {
		value := make([]float64, n)
		for k := row * paths.Width; k < (row+1)*paths.Width; k++ {
			for showing, p := range priors.Data[k*showings : (k+1)*showings] {
				if p == 0 {
					continue
				}
				share := shares[showing]
				for c := range value {
					value[c] = share*values.Data[2*k*n+c] + (1-share)*values.Data[(2*k+1)*n+c]
				}
				h.addTo(k, p/frame.Square(missed.Data[k*showings+showing]+misfits[showing]), value)
			}
		}
	})
}

// evenly returns how far the frame beside one of the two differs from what that shows at (x, y), if contents move by (u, v) to the other of the two and evenly, and a prior as far as the flow there leads along the path; nothing
// where no frame is beside, and where light fades there: what was brighter is no other contents. Displacements are in pixels of training; buffer other holds a number for each channel.
func (h *hypotheses) evenly(of int, shows, other []float64, x, y, u, v, prior float64) (missed, weight float64) {
	b := &h.beside[of]
	if !b.known() || b.fades {
		return 0, 0
	}
	p, q := b.flow.Follow(x, y)
	weight = prior * motion.Agreement(frame.Square(u+(p-x)/b.time)+frame.Square(v+(q-y)/b.time), u, v, motion.FlowSpread)
	h.shown[of].At(other, x-b.time*u, y-b.time*v)
	return meanSquare(shows, other) / h.scale, weight
}

// meanSquare returns that of the differences.
func meanSquare(a, b []float64) (mean float64) {
	for c, v := range a {
		mean += frame.Square(v-b[c]) / float64(len(a))
	}
	return mean
}

// sample adds to the values at the point (x, y), in pixels of training, what hypotheses do; buffer holds a number for each.
func (h *hypothesized) sample(value, buffer []float64, x, y float64) {
	if len(h.added.Data) == 0 {
		return
	}
	frame.Sample(buffer, h.added, x, y)
	for c, v := range buffer {
		value[c] += v
	}
}

// spreadAt returns the variance of what hypotheses show at a pixel of training.
func (h *hypothesized) spreadAt(pixel int) float64 {
	if len(h.spread.Data) == 0 {
		return 0
	}
	return h.spread.Data[pixel]
}
