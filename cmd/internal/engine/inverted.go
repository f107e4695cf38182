package engine

import (
	"fmt"
	"strconv"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// FieldForm is the form of as many input fields as there are outputs: that of the outputs where it has as many points.
func FieldForm(m *sgplvm.Emulator, outputs dataset.Form) dataset.Form {
	points, channels := m.InputFieldDims()
	form := dataset.Form{Name: "inputs", Count: outputs.Count, Type: npy.Float64, Layout: dataset.Layout{Width: points, Height: 1, Channels: channels}, Scattered: true}
	form.Shape = []int{form.Count, points}
	if points == outputs.Points() && !outputs.Scattered && !outputs.Table {
		form.Width, form.Height, form.Scattered = outputs.Width, outputs.Height, false
		form.Shape = []int{form.Count, form.Height, form.Width}
	}
	if channels > 1 {
		form.Shape = append(form.Shape, channels)
	}
	return form
}

// InvertedTable has a row for each output: the inputs, what tells how well they are known, and what tells of the whole.
func InvertedTable(found []*sgplvm.Inverted) [][]string {
	var names []string
	for q, c := range found[0].Columns {
		names = append(names, InputName(c.Name, q))
	}
	for q, c := range found[0].Columns {
		for _, what := range map[bool][]string{true: {"probability"}, false: {"deviation", "low", "high"}}[c.Label != ""] {
			names = append(names, InputName(c.Name, q)+"_"+what)
		}
	}
	rows := [][]string{append(names, "maxima", "score", "independent_draws")}
	for _, r := range found {
		var row, more []string
		for _, c := range r.Columns {
			if c.Label != "" {
				row, more = append(row, c.Label), append(more, Number(c.Share))
			} else {
				row, more = append(row, Number(c.Mean)), append(more, Number(c.Deviation), Number(c.Low), Number(c.High))
			}
		}
		rows = append(rows, append(append(row, more...), fmt.Sprint(len(r.Modes)), fmt.Sprintf("%.4g", r.Score), fmt.Sprintf("%.0f", r.Effective)))
	}
	return rows
}

// InputName is the name of a column, of which the number counts from 0.
func InputName(name string, q int) string {
	if name == "" {
		return fmt.Sprint("input", q+1)
	}
	return name
}

// Number writes a number with all its digits.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
