package picture

import (
	"cmp"
	"math"
	"slices"
)

// rgb is a colour's levels.
type rgb [3]uint8

// A quantizer finds the colours of a palette that stand for others.
type quantizer struct {
	colours []rgb
	exact   map[rgb]uint8 // or nil: colours are approximated
	nearest []uint16      // one more than the number of the colour nearest to the middle of each cell, or 0
	grey    bool          // colour i is level i, and pictures have one channel
	kept    map[rgb]uint8 // colours of observed pixels
}

// quantizer makes the palette of an animation.
func (a *Animation) quantizer() *quantizer {
	q := &quantizer{}
	if a.layout.Channels == 1 {
		q.grey = true
		for l := range 256 {
			q.colours = append(q.colours, rgb{uint8(l), uint8(l), uint8(l)})
		}
		return q
	}
	if q.exact = a.colours(false); len(q.exact) <= 256 {
		q.colours = numbered(q.exact)
		return q
	}
	q.exact = nil
	if q.kept = a.colours(true); len(q.kept) > 255 {
		q.kept = nil
	}
	q.colours = numbered(q.kept)
	q.colours = append(q.colours, variancePalette(a.histogram(), 256-len(q.colours))...)
	q.nearest = make([]uint16, 1<<(3*nearestBits))
	return q
}

// colours returns the colours of all frames, or those that are kept; more than 256 stand for any number.
func (a *Animation) colours(kept bool) map[rgb]uint8 {
	found := map[rgb]uint8{}
	for k, levels := range a.frames {
		last := rgb{}
		for i := 0; i < len(levels) && len(found) <= 256; i += 3 {
			if c := rgb(levels[i:]); (len(found) == 0 || c != last) && (!kept || a.keep[k] != nil && a.keep[k][i/3]) {
				found[c], last = 0, c
			}
		}
	}
	return found
}

// numbered returns colours in order and sets their numbers.
func numbered(found map[rgb]uint8) []rgb {
	var colours []rgb
	for c := range found {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b rgb) int { return slices.Compare(a[:], b[:]) })
	for i, c := range colours {
		found[c] = uint8(i)
	}
	return colours
}

// near returns the number of the colour nearest to the middle of the cell that levels lie in.
func (q *quantizer) near(levels [3]int32) uint8 {
	const down = 8 - nearestBits
	found := &q.nearest[(levels[0]>>down<<nearestBits|levels[1]>>down)<<nearestBits|levels[2]>>down]
	if *found == 0 {
		var middle [3]float64
		for k, v := range levels {
			middle[k] = float64(v>>down<<down + 1<<(down-1))
		}
		*found = uint16(closest(q.colours, middle)) + 1
	}
	return uint8(*found - 1)
}

// closest returns the number of the colour nearest to a point.
func closest(colours []rgb, at [3]float64) int {
	best, least := 0, math.Inf(1)
	for i, c := range colours {
		d0, d1, d2 := float64(c[0])-at[0], float64(c[1])-at[1], float64(c[2])-at[2]
		if d := float64(d0*d0) + float64(d1*d1) + float64(d2*d2); d < least {
			best, least = i, d
		}
	}
	return best
}

// The cube of all colours is divided into cells, of which each side has so many bits.
const (
	histogramBits = 5
	nearestBits   = 6
)

// A cell counts colours and adds up their levels and the squares of these.
type cell struct {
	count, square float64
	sum           [3]float64
	at            [3]int
}

func (c *cell) add(d *cell) {
	c.count += d.count
	c.square += d.square
	for k, v := range d.sum {
		c.sum[k] += v
	}
}

// spread is the sum of squared distances from the mean.
func (c *cell) spread() float64 {
	if c.count == 0 {
		return 0
	}
	s := c.square
	for _, v := range c.sum {
		s -= v * v / c.count
	}
	return max(0, s)
}

// mean returns the mean colour.
func (c *cell) mean() [3]float64 {
	var m [3]float64
	for k, v := range c.sum {
		m[k] = v / c.count
	}
	return m
}

// histogram returns the cells that hold colours of any frame, in order.
func (a *Animation) histogram() []cell {
	const down = 8 - histogramBits
	counts, sums := make([]uint64, 1<<(3*histogramBits)), make([][4]uint64, 1<<(3*histogramBits))
	for _, levels := range a.frames {
		for i := 0; i < len(levels); i += 3 {
			r, g, b := uint64(levels[i]), uint64(levels[i+1]), uint64(levels[i+2])
			at := (r>>down<<histogramBits|g>>down)<<histogramBits | b>>down
			counts[at]++
			s := &sums[at]
			s[0] += r
			s[1] += g
			s[2] += b
			s[3] += r*r + g*g + b*b
		}
	}
	var cells []cell
	for i, n := range counts {
		if n > 0 {
			const mask = 1<<histogramBits - 1
			s := sums[i]
			cells = append(cells, cell{count: float64(n), square: float64(s[3]), sum: [3]float64{float64(s[0]), float64(s[1]), float64(s[2])},
				at: [3]int{i >> (2 * histogramBits), i >> histogramBits & mask, i & mask}})
		}
	}
	return cells
}

// A box is some cells, of which the best cut in two is known.
type box struct {
	cells     []cell
	gain      float64 // by how much the cut lowers the sum of spreads
	axis, cut int     // cells before cut along axis are one part
}

// newBox finds the cut that lowers the sum of spreads most.
func newBox(cells []cell) box {
	b := box{cells: cells}
	var whole cell
	for i := range cells {
		whole.add(&cells[i])
	}
	spread := whole.spread()
	for axis := range 3 {
		var slices [1 << histogramBits]cell
		for i := range cells {
			slices[cells[i].at[axis]].add(&cells[i])
		}
		var low cell
		for cut := 1; cut < len(slices); cut++ {
			low.add(&slices[cut-1])
			high := cell{count: whole.count - low.count, square: whole.square - low.square}
			for k := range high.sum {
				high.sum[k] = whole.sum[k] - low.sum[k]
			}
			if low.count == 0 || high.count == 0 {
				continue
			}
			if gain := spread - low.spread() - high.spread(); gain > b.gain {
				b.gain, b.axis, b.cut = gain, axis, cut
			}
		}
	}
	return b
}

// variancePalette returns up to most colours for a histogram: the box whose cut gains most is
// cut until there are enough, and then the means move to those of the cells nearest to them.
func variancePalette(cells []cell, most int) []rgb {
	boxes := []box{newBox(cells)}
	for len(boxes) < most {
		best := 0
		for i, b := range boxes {
			if b.gain > boxes[best].gain {
				best = i
			}
		}
		b := boxes[best]
		if b.gain == 0 {
			break
		}
		slices.SortStableFunc(b.cells, func(c, d cell) int { return cmp.Compare(c.at[b.axis], d.at[b.axis]) })
		n := slices.IndexFunc(b.cells, func(c cell) bool { return c.at[b.axis] >= b.cut })
		boxes[best] = newBox(b.cells[:n])
		boxes = append(boxes, newBox(b.cells[n:]))
	}
	colours := make([]rgb, len(boxes))
	means := make([]cell, len(boxes))
	for i, b := range boxes {
		for k := range b.cells {
			means[i].add(&b.cells[k])
		}
	}
	for range 1 + lloydIterations {
		for i := range means {
			if means[i].count > 0 {
				for k, v := range means[i].mean() {
					colours[i][k] = uint8(math.Round(v))
				}
			}
		}
		clear(means)
		for i := range cells {
			means[closest(colours, cells[i].mean())].add(&cells[i])
		}
	}
	return colours
}

// lloydIterations is how often the colours of a palette move.
const lloydIterations = 8

// draw sets dst to the palette's indices for a picture's levels. Errors of approximated
// colours are diffused to the pixels that follow, with rows drawn to the right and to the left
// in turn. Pixels that are kept have their colours.
func (q *quantizer) draw(dst, levels []uint8, keep []bool, width int) {
	switch {
	case q.grey:
		copy(dst, levels)
	case q.exact != nil:
		for i := range dst {
			dst[i] = q.exact[rgb(levels[3*i:])]
		}
	default:
		q.diffuse(dst, levels, keep, width)
	}
}

func (q *quantizer) diffuse(dst, levels []uint8, keep []bool, width int) {
	// Sixteenths of what is missing in the row being drawn and in the next one, with a pixel
	// more on either side.
	here, below := make([][3]int32, width+2), make([][3]int32, width+2)
	for row := 0; row*width < len(dst); row++ {
		from, step := 0, 1
		if row%2 == 1 {
			from, step = width-1, -1
		}
		clear(below)
		for n := range width {
			x := from + n*step
			i := row*width + x
			if q.kept != nil && keep != nil && keep[i] {
				dst[i] = q.kept[rgb(levels[3*i:])]
				continue
			}
			var want [3]int32
			for k := range 3 {
				want[k] = min(max(int32(levels[3*i+k])+(here[x+1][k]+8)>>4, 0), 255)
			}
			dst[i] = q.near(want)
			for k, v := range q.colours[dst[i]] {
				e := want[k] - int32(v)
				here[x+1+step][k] += 7 * e
				below[x+1-step][k] += 3 * e
				below[x+1][k] += 5 * e
				below[x+1+step][k] += e
			}
		}
		here, below = below, here
	}
}
