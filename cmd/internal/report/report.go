// Package report tells how well values were filled in or predicted: as text, and for JSON.
package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// Row is how one method did, or how all did in one column of a table.
type Row struct {
	Name    string
	Summary evaluate.Summary
}

// A Measure is a column of a table of scores.
type Measure struct {
	Heading string // for people
	Key     string // in CSV and JSON
	Percent bool
	Of      func(evaluate.Summary) evaluate.Statistic
}

// Measures are all columns.
func Measures() []Measure {
	m := []Measure{
		{"RMSE", "rmse", false, func(s evaluate.Summary) evaluate.Statistic { return s.RMSE }},
		{"MAE", "mae", false, func(s evaluate.Summary) evaluate.Statistic { return s.MAE }},
		{"MNLP (median)", "mnlp", false, func(s evaluate.Summary) evaluate.Statistic { return s.MNLP }},
		{"NLP (mean)", "nlp", false, func(s evaluate.Summary) evaluate.Statistic { return s.NLP }},
	}
	for k, p := range evaluate.Levels {
		m = append(m, Measure{fmt.Sprintf("coverage %.0f %%", 100*p), fmt.Sprintf("coverage%.0f", 100*p), true,
			func(s evaluate.Summary) evaluate.Statistic { return s.Coverage[k] }})
	}
	return m
}

// Values are the measures of a summary by their keys, each with mean, low and high, the percentiles; those that are not known are left out.
func Values(s evaluate.Summary) map[string]map[string]float64 {
	all := map[string]map[string]float64{}
	for _, m := range Measures() {
		of, known := m.Of(s), map[string]float64{}
		for name, v := range map[string]float64{"mean": of.Mean, "low": of.Low, "high": of.High} {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				known[name] = v
			}
		}
		if len(known) > 0 {
			all[m.Key] = known
		}
	}
	return all
}

// Dash stands for what is not known.
const Dash = "–"

// Cell writes mean [low, high], or the mean alone if asked or if the
// percentiles are not known.
func (m Measure) Cell(s evaluate.Statistic, alone bool) string {
	number := func(v float64) string {
		if m.Percent {
			return fmt.Sprintf("%.1f %%", 100*v)
		}
		return fmt.Sprintf("%#.4g", v)
	}
	switch {
	case math.IsNaN(s.Mean):
		return Dash
	case alone || s.Low == s.High || math.IsNaN(s.Low) || math.IsNaN(s.High):
		return number(s.Mean)
	}
	return fmt.Sprintf("%s [%s, %s]", number(s.Mean), number(s.Low), number(s.High))
}

// Cells are the text of a row: its name, how many pictures and values were scored, and each measure: a mean and, in brackets, the 2.5th and the 97.5th
// percentile over the pictures; of shares only the mean if brief.
func (r Row) Cells(brief bool) []string {
	line := []string{r.Name, fmt.Sprint(r.Summary.Pictures), fmt.Sprint(r.Summary.Values)}
	for _, m := range Measures() {
		line = append(line, m.Cell(m.Of(r.Summary), brief && m.Percent))
	}
	return line
}

// Headings stand above the cells of rows.
func Headings() []string {
	line := []string{"", "pictures", "values"}
	for _, m := range Measures() {
		line = append(line, m.Heading)
	}
	return line
}

// Write writes rows as text, each in a line, a single one with a line for each measure.
func Write(w io.Writer, rows []Row) error {
	grid := [][]string{Headings()}
	for _, r := range rows {
		grid = append(grid, r.Cells(len(rows) > 1))
	}
	return WriteGrid(w, grid)
}

// WriteGrid writes lines of cells in columns. Two lines, headings and cells, are turned: a line for each heading.
func WriteGrid(w io.Writer, grid [][]string) error {
	if len(grid) == 2 {
		turned := make([][]string, len(grid[0]))
		for k := range turned {
			turned[k] = []string{grid[0][k], grid[1][k]}
		}
		grid = turned
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range grid {
		fmt.Fprintln(t, strings.Join(line, "\t"))
	}
	return t.Flush()
}
