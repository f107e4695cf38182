package picture

import (
	"bytes"
	"math"
	"slices"
	"sort"
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
	q.colours = append(q.colours, palette(a.histogram(), 256-len(q.colours))...)
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
	sort.Slice(colours, func(i, j int) bool { return bytes.Compare(colours[i][:], colours[j][:]) < 0 })
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

// A cell counts colours and adds up their levels.
type cell struct {
	count float64
	sum   [3]float64
}

// mean returns the mean colour.
func (c *cell) mean() [3]float64 {
	var m [3]float64
	for k, v := range c.sum {
		m[k] = v / c.count
	}
	return m
}

// histogram returns the cells that hold colours of any frame, in an order in which neighbours are alike: by the bits of the three levels in turn.
func (a *Animation) histogram() []cell {
	all := make([]cell, 1<<(3*histogramBits))
	for _, levels := range a.frames {
		for i := 0; i < len(levels); i += 3 {
			at := 0
			for bit := 7; bit > 7-histogramBits; bit-- {
				for _, v := range levels[i : i+3] {
					at = at<<1 | int(v>>bit&1)
				}
			}
			c := &all[at]
			c.count++
			for k, v := range levels[i : i+3] {
				c.sum[k] += float64(v)
			}
		}
	}
	return slices.DeleteFunc(all, func(c cell) bool { return c.count == 0 })
}

// palette returns up to most colours for a histogram: those in the middle of runs of cells, which then move to the means of the cells nearest to them.
func palette(cells []cell, most int) []rgb {
	colours := make([]rgb, min(most, len(cells)))
	total := 0.
	for i := range cells {
		total += math.Sqrt(cells[i].count)
	}
	sum, k := 0., 0
	for i := range cells {
		if sum += math.Sqrt(cells[i].count); k < len(colours) && (sum > (float64(k)+0.5)*total/float64(len(colours)) || len(cells)-i <= len(colours)-k) {
			for q, v := range cells[i].mean() {
				colours[k][q] = uint8(math.Round(v))
			}
			k++
		}
	}
	for range lloydIterations {
		means := make([]cell, len(colours))
		for i := range cells {
			m := &means[closest(colours, cells[i].mean())]
			m.count += cells[i].count
			for q, v := range cells[i].sum {
				m.sum[q] += v
			}
		}
		for i := range means {
			if means[i].count > 0 {
				for q, v := range means[i].mean() {
					colours[i][q] = uint8(math.Round(v))
				}
			}
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
