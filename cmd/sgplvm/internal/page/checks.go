package page

import (
	"fmt"
	"math"
)

// calibration draws how many true values lie in intervals that should have a given share of them.
func (j *judgement) calibration() markup {
	if !j.Known || j.Training || j.values == 0 {
		return ""
	}
	c := newChart(300, 280, 0, 100, 0, 100, "calibration: share of true values within intervals")
	c.left = 36
	c.axes("stated, %", "true values inside, %")
	c.line("diagonal", []float64{0, 100}, []float64{0, 100})
	x, y := []float64{0}, []float64{0}
	for l, inside := range j.inside {
		x, y = append(x, 100*level(l)), append(y, 100*float64(inside)/float64(j.values))
	}
	c.line("curve", append(x, 100), append(y, 100))
	for i := range x {
		fmt.Fprintf(c, `<circle class="dot" cx="%.1f" cy="%.1f" r="3"><title>%.0f %%: %.1f %%</title></circle>`, c.x(x[i]), c.y(y[i]), x[i], y[i])
	}
	return c.html()
}

// calibrationRows are the numbers of the curve.
func (j *judgement) calibrationRows() [][2]string {
	var rows [][2]string
	for l, inside := range j.inside {
		rows = append(rows, [2]string{fmt.Sprintf("%.0f", 100*level(l)), fmt.Sprintf("%.2f", 100*float64(inside)/float64(max(1, j.values)))})
	}
	return rows
}

// A fieldMap is a picture of a quantity over the points, with what its colours mean.
type fieldMap struct {
	Picture   markup
	Low, High string
}

// residuals draws where the errors are large.
func (j *judgement) residuals(scale float64) (*fieldMap, error) {
	if !j.Known || j.shape.Kind != kindPicture {
		return nil, nil
	}
	root := make([]float64, len(j.squares))
	for i, s := range j.squares {
		root[i] = math.Sqrt(s / j.counts[i]) // NaN where nothing was judged
	}
	return j.fieldMap(j.firstChannel(root), func(v float64) string { return fmt.Sprintf("%.3g", v) }, scale)
}

// missingMap draws what is missing where; nil where nothing is.
func (j *judgement) missingMap() (*fieldMap, error) {
	if j.MissingShare == 0 || j.Hidden || j.shape.Kind != kindPicture {
		return nil, nil
	}
	share := make([]float64, len(j.missing))
	for i, v := range j.missing {
		share[i] = v / float64(j.Judged)
	}
	return j.fieldMap(j.firstChannel(share), func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }, 0)
}

// fieldMap draws a field from 0 to its largest value, or to the given one where that is larger.
func (j *judgement) fieldMap(field []float64, text func(v float64) string, least float64) (*fieldMap, error) {
	largest := least
	for _, v := range field {
		if v > largest {
			largest = v
		}
	}
	if !(largest > 0) {
		return nil, nil
	}
	u, err := pngURL(mapped(&j.shape, field, func(v float64) [3]byte { return sequential(v / largest) }))
	return &fieldMap{u, text(0), text(largest)}, err
}
