package page

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// A chart draws lines over two linear axes as SVG.
type chart struct {
	strings.Builder
	width, height            float64
	left, right, top, bottom float64 // margins
	x0, x1, y0, y1           float64 // ranges
}

func newChart(width, height, x0, x1, y0, y1 float64, title string) *chart {
	c := &chart{width: width, height: height, left: 64, right: 12, top: 24, bottom: 40, x0: x0, x1: x1, y0: y0, y1: y1}
	fmt.Fprintf(c, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s">`, width, height, html.EscapeString(title))
	return c
}

func (c *chart) x(v float64) float64 {
	return c.left + (v-c.x0)/(c.x1-c.x0)*(c.width-c.left-c.right)
}

func (c *chart) y(v float64) float64 {
	return c.height - c.bottom - (v-c.y0)/(c.y1-c.y0)*(c.height-c.top-c.bottom)
}

// ticks returns round numbers in a range.
func ticks(low, high float64, about int) (at []float64, format func(float64) string) {
	raw := (high - low) / float64(about)
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, f := range []float64{5, 2} {
		if raw/step > f*0.75 {
			step *= f
			break
		}
	}
	digits := int(max(0, -math.Floor(math.Log10(step)+1e-9)))
	for k := range 3 * about { // numbers that differ in their last digits alone have no round ones between them
		if v := (math.Ceil(low/step-1e-9) + float64(k)) * step; v <= high+1e-9*step {
			at = append(at, v)
		}
	}
	return at, func(v float64) string {
		if math.Abs(v) >= 1e6 || digits > 5 {
			return strconv.FormatFloat(v, 'g', 3, 64)
		}
		return strconv.FormatFloat(v+0, 'f', digits, 64)
	}
}

// axes draws both axes with their titles.
func (c *chart) axes(across, up string) {
	at, text := ticks(c.x0, c.x1, 6)
	for _, v := range at {
		fmt.Fprintf(c, `<text class="tick" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, c.x(v), c.height-c.bottom+16, text(v))
	}
	at, text = ticks(c.y0, c.y1, 4)
	for _, v := range at {
		fmt.Fprintf(c, `<line class="grid" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, c.left, c.width-c.right, c.y(v), c.y(v))
		fmt.Fprintf(c, `<text class="tick" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, c.left-8, c.y(v)+4, text(v))
	}
	fmt.Fprintf(c, `<line class="axis" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, c.left, c.width-c.right, c.height-c.bottom, c.height-c.bottom)
	fmt.Fprintf(c, `<text class="label" x="%.1f" y="%.1f" text-anchor="end">%s</text>`, c.width-c.right, c.height-6, html.EscapeString(across))
	fmt.Fprintf(c, `<text class="label" x="4" y="10">%s</text>`, html.EscapeString(up))
}

// line draws a line through points, those outside the range left out.
func (c *chart) line(class string, x, y []float64) {
	c.WriteString(`<polyline class="` + class + `" points="`)
	for i, v := range y {
		if v >= c.y0 && v <= c.y1 {
			fmt.Fprintf(c, "%.1f,%.1f ", c.x(x[i]), c.y(v))
		}
	}
	c.WriteString(`"/>`)
}

func (c *chart) html() markup {
	c.WriteString("</svg>")
	return markup(c.String())
}
