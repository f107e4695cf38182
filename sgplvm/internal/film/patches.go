package film

import (
	"math"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// patches are errors of training frames that were left out, at some pixels around some places: a block of
// neighbours and, coarser and coarser, pixels around it, so that short and long correlations show.
type patches struct {
	width, height int
	offsets       [][2]int // of the pixels from a patch's first row and column
	span          int      // pixels that a patch spans
	each          int      // patches of a frame
	all           []patch
}

// A patch is what is known of its pixels in each channel: error, variance before inflation and the mean's slopes.
type patch struct {
	frame, x, y              int
	errors, variance, gx, gy [][]float64
}

// patchSide is how many pixels are along a side of each grid of a patch, and maxPatches about how many patches there are at most: the search waits for them.
const patchSide, maxPatches = 7, 48

func newPatches(width, height, frames int) *patches {
	p := &patches{width: width, height: height}
	for _, step := range []int{9, 3, 1} {
		if span := (patchSide-1)*step + 1; span <= min(width, height) {
			p.span = max(p.span, span)
			first, seen := (p.span-span)/2, map[[2]int]bool{}
			for _, o := range p.offsets {
				seen[o] = true
			}
			for i := range patchSide * patchSide {
				o := [2]int{first + i%patchSide*step, first + i/patchSide*step}
				if !seen[o] {
					p.offsets = append(p.offsets, o)
				}
			}
		}
	}
	p.each = (maxPatches + frames - 1) / frames
	return p
}

// add takes patches of frame i.
func (p *patches) add(i int, truth, predicted frame.Frame) {
	if p.span == 0 {
		return
	}
	channels := truth.Mean.Cols
	for k := range p.each {
		// The places of all patches together are spread evenly (Roberts's R2 sequence).
		n := float64(i*p.each + k + 1)
		_, a := math.Modf(0.5 + n*0.7548776662466927)
		_, b := math.Modf(0.5 + n*0.5698402909980532)
		q := patch{frame: i, x: int(a * float64(p.width-p.span+1)), y: int(b * float64(p.height-p.span+1))}
		for c := range channels {
			var e, v, gx, gy []float64
			for _, o := range p.offsets {
				x, y := q.x+o[0], q.y+o[1]
				pixel := y*p.width + x
				dx, dy := slopes(predicted, x, y, c)
				e, v = append(e, truth.Mean.At(pixel, c)-predicted.Mean.At(pixel, c)), append(v, predicted.Variance.At(pixel, c))
				gx, gy = append(gx, dx), append(gy, dy)
			}
			q.errors, q.variance, q.gx, q.gy = append(q.errors, e), append(q.variance, v), append(q.gx, gx), append(q.gy, gy)
		}
		p.all = append(p.all, q)
	}
}

// slopes returns the central differences of a frame's mean, one-sided at the edges.
func slopes(f frame.Frame, x, y, c int) (dx, dy float64) {
	at := func(x, y int) float64 { return f.Mean.At(y*f.Width+x, c) }
	if l, r := max(x-1, 0), min(x+1, f.Width-1); r > l {
		dx = (at(r, y) - at(l, y)) / float64(r-l)
	}
	if u, d := max(y-1, 0), min(y+1, f.Height-1); d > u {
		dy = (at(x, d) - at(x, u)) / float64(d-u)
	}
	return dx, dy
}

// An errorSet is a patch in one channel, in standard deviations.
type errorSet struct {
	sites  []site
	errors []float64
}

// learn returns the law under which the errors of each patch are likeliest together, nil where there is
// nothing to learn from. factor is what variances are multiplied by.
func (p *patches) learn(factor float64) *errorLaw {
	var sets [][]errorSet
	for _, q := range p.all {
		var set []errorSet
		for c := range q.errors {
			s := errorSet{sites: make([]site, len(p.offsets)), errors: make([]float64, len(p.offsets))}
			for k, o := range p.offsets {
				x, y := q.x+o[0], q.y+o[1]
				deviation := math.Sqrt(factor * q.variance[c][k])
				if !(deviation > 0) {
					return nil
				}
				s.sites[k] = site{x, y, q.gx[c][k] / deviation, q.gy[c][k] / deviation}
				s.errors[k] = q.errors[c][k] / deviation
			}
			set = append(set, s)
		}
		sets = append(sets, set)
	}
	if len(sets) == 0 {
		return nil
	}
	return search(sets, p.span)
}

// A lossRoom is room for the loss of a patch of n pixels.
type lossRoom struct {
	k, e   mat.Matrix // n×n and n×1
	factor chol.Factor
}

// loss is the negative log likelihood of a patch's channels, a mean of them, up to a constant that depends on
// nothing. plain and shift are the distances.
func (l *errorLaw) loss(set []errorSet, plain, shift mat.Matrix, r *lossRoom) float64 {
	n := len(set[0].errors)
	var chi, logDet float64
	per := 1 / float64(len(set))
	for _, s := range set {
		l.among(r.k, plain, shift, s.sites)
		if r.factor.Refactorize(r.k) != nil {
			return math.Inf(1)
		}
		copy(r.e.Data, s.errors)
		r.factor.SolveHalf(r.e)
		chi += per * mat.Dot(r.e, r.e)
		logDet += per * r.factor.LogDet()
	}
	nu, d := l.Freedom, float64(n)
	low, _ := math.Lgamma(nu / 2)
	high, _ := math.Lgamma((nu + d) / 2)
	return 0.5*logDet + (nu+d)/2*math.Log1p(chi/(nu-2)) + d/2*math.Log(nu-2) + low - high
}

// search finds the likeliest law of patches of some span by a direct search over the logarithms of its numbers (Hooke and Jeeves 1961).
func search(sets [][]errorSet, span int) *errorLaw {
	n, best := len(sets[0][0].sites), plainErrors
	plain, shift, losses, rooms := mat.New(n, n), mat.New(n, n), make([]float64, len(sets)), make([]lossRoom, len(sets))
	for i := range rooms {
		rooms[i] = lossRoom{k: mat.New(n, n), e: mat.New(n, 1)}
	}
	value := func(l *errorLaw) float64 {
		l.lags(span, span, 1, 1).distances(plain, shift, sets[0][0].sites) // those of all patches
		mat.Parallel(len(sets), func(i int) { losses[i] = l.loss(sets[i], plain, shift, &rooms[i]) })
		return work.Sum(losses)
	}
	least := value(&best)
	for step, rounds := 4., 0; step > 1.1 && rounds < 24; rounds++ {
		moved := false
		for k := range best.numbers() {
			for _, factor := range []float64{step, 1 / step} {
				tried := best
				v := tried.numbers()[k]
				*v = min(max(*v*factor, lawBounds[k][0]), lawBounds[k][1])
				if loss := value(&tried); loss < least-1e-9*math.Abs(least) {
					best, least, moved = tried, loss, true
					break
				}
			}
		}
		if !moved {
			step = math.Sqrt(step)
		}
	}
	return &best
}

// numbers are all that a law has, and lawBounds their bounds.
func (l *errorLaw) numbers() [7]*float64 {
	return [7]*float64{&l.White, &l.Near, &l.Broad, &l.Far, &l.Shift, &l.Reach, &l.Freedom}
}

var lawBounds = [7][2]float64{{1e-4, 1e2}, {0.25, 100}, {1e-4, 1e2}, {0.5, 1e3}, {1e-5, 1e2}, {0.5, 1e3}, {2.5, 1e4}}
