package page

import (
	"fmt"
	"html"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// boundRow is a point of the curve of training.
type boundRow struct {
	Phase string
	Step  int
	Bound float64
}

// boundRows are the bounds that the model's file has, step by step.
func boundRows(phases []sgplvm.PhaseReport) []boundRow {
	var rows []boundRow
	before := 0
	for _, p := range phases {
		for i, b := range p.Bounds {
			rows = append(rows, boundRow{p.Name, before + (i+1)*p.Every, b})
		}
		before += p.Steps
	}
	return rows
}

// training draws the bound over the steps, phase by phase; nothing where the file has none.
func training(phases []sgplvm.PhaseReport) markup {
	rows := boundRows(phases)
	if len(rows) < 2 {
		return ""
	}
	var bounds []float64
	for _, r := range rows {
		bounds = append(bounds, r.Bound)
	}
	slices.Sort(bounds)
	low, high := bounds[len(bounds)/12], bounds[len(bounds)-1] // the first steps may come from far below
	if !(high > low) || math.IsInf(high-low, 0) {
		low, high = high-1, high+1
	}
	low -= 0.06 * (high - low)
	steps := 0
	for _, p := range phases {
		steps += p.Steps
	}
	c := newChart(1024, 340, 0, float64(max(steps, rows[len(rows)-1].Step)), low, high+0.14*(high-low), "bound over the steps of training")
	c.left = 92
	before := 0
	for k, p := range phases {
		if k%2 == 1 {
			fmt.Fprintf(c, `<rect class="band" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, c.x(float64(before)), c.top,
				c.x(float64(before+p.Steps))-c.x(float64(before)), c.height-c.top-c.bottom)
		}
		before += p.Steps
	}
	c.axes("steps", "bound, nats")
	before = 0
	for _, p := range phases {
		var x, y []float64
		for i, b := range p.Bounds {
			x, y = append(x, float64(before+(i+1)*p.Every)), append(y, b)
		}
		c.line("curve", x, y)
		if wide := c.x(float64(before+p.Steps)) - c.x(float64(before)); wide > 7*float64(len(p.Name)) {
			fmt.Fprintf(c, `<text class="phase" x="%.1f" y="%.1f" text-anchor="middle">%s</text>`, c.x(float64(before))+wide/2, c.top+14, html.EscapeString(p.Name))
		}
		before += p.Steps
	}
	return c.html()
}
