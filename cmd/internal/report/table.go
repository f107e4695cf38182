package report

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// Row is a line of a Table: how one method did.
type Row struct {
	Name    string
	Summary evaluate.Summary

	// Published marks numbers that are quoted, not measured. A number that was not
	// published is NaN; see the function Published.
	Published bool

	// Notes are the cells of the table's further columns, as many as it has.
	Notes []string
}

// Published returns a row of quoted numbers; NaN stands for a number that was not
// published. Notes are as in Row.
func Published(name string, rmse, mnlp evaluate.Statistic, notes ...string) Row {
	unknown := evaluate.Statistic{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
	s := evaluate.Summary{RMSE: rmse, MNLP: mnlp, MAE: unknown, NLP: unknown}
	for k := range s.Coverage {
		s.Coverage[k] = unknown
	}
	return Row{Name: name, Summary: s, Published: true, Notes: notes}
}

// Only returns a published mean whose percentiles are not known.
func Only(mean float64) evaluate.Statistic {
	return evaluate.Statistic{Mean: mean, Low: math.NaN(), High: math.NaN()}
}

// Table compares methods.
type Table struct {
	Title string
	Rows  []Row
	Notes []string // headings of further columns, such as times
}

// A measure is a column of a table.
type measure struct {
	heading string // for people
	key     string // in CSV
	percent bool
	of      func(evaluate.Summary) evaluate.Statistic
}

func measures() []measure {
	m := []measure{
		{"RMSE", "rmse", false, func(s evaluate.Summary) evaluate.Statistic { return s.RMSE }},
		{"MAE", "mae", false, func(s evaluate.Summary) evaluate.Statistic { return s.MAE }},
		{"MNLP (median)", "mnlp", false, func(s evaluate.Summary) evaluate.Statistic { return s.MNLP }},
		{"NLP (mean)", "nlp", false, func(s evaluate.Summary) evaluate.Statistic { return s.NLP }},
	}
	for k, p := range evaluate.Levels {
		m = append(m, measure{fmt.Sprintf("coverage %.0f %%", 100*p), fmt.Sprintf("coverage%.0f", 100*p), true,
			func(s evaluate.Summary) evaluate.Statistic { return s.Coverage[k] }})
	}
	return m
}

// Values are the measures of a summary by their keys, each with mean, low and high, the percentiles; those that are not known are left out.
func Values(s evaluate.Summary) map[string]map[string]float64 {
	all := map[string]map[string]float64{}
	for _, m := range measures() {
		of, known := m.of(s), map[string]float64{}
		for name, v := range map[string]float64{"mean": of.Mean, "low": of.Low, "high": of.High} {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				known[name] = v
			}
		}
		if len(known) > 0 {
			all[m.key] = known
		}
	}
	return all
}

// dash stands for what is not known.
const dash = "–"

// cell writes mean [low, high], or the mean alone if asked or if the
// percentiles are not known.
func (m measure) cell(s evaluate.Statistic, alone bool) string {
	number := func(v float64) string {
		if m.percent {
			return fmt.Sprintf("%.1f %%", 100*v)
		}
		return fmt.Sprintf("%#.4g", v)
	}
	switch {
	case math.IsNaN(s.Mean):
		return dash
	case alone || s.Low == s.High || math.IsNaN(s.Low) || math.IsNaN(s.High):
		return number(s.Mean)
	}
	return fmt.Sprintf("%s [%s, %s]", number(s.Mean), number(s.Low), number(s.High))
}

// check panics if a row's notes do not fit the headings.
func (t Table) check() {
	for _, r := range t.Rows {
		if len(r.Notes) != len(t.Notes) {
			panic(fmt.Sprintf("report: Table: row %q has %d notes, expected %d", r.Name, len(r.Notes), len(t.Notes)))
		}
	}
}

// cells returns the table as text, a heading first: a mean and, in brackets, the
// 2.5th and the 97.5th percentile over the pictures; of shares only the mean if
// brief.
func (t Table) cells(brief bool) [][]string {
	t.check()
	heading := []string{"", "pictures", "values"}
	for _, m := range measures() {
		heading = append(heading, m.heading)
	}
	grid := [][]string{append(heading, t.Notes...)}
	for _, r := range t.Rows {
		line := []string{r.Name, fmt.Sprint(r.Summary.Pictures), fmt.Sprint(r.Summary.Values)}
		if r.Published {
			line = []string{r.Name + " (published)", dash, dash}
		}
		for _, m := range measures() {
			line = append(line, m.cell(m.of(r.Summary), brief && m.percent))
		}
		grid = append(grid, append(line, r.Notes...))
	}
	return grid
}

// WriteText writes the table in columns, a line for each row; a table of one row
// has a line for each measure instead. Of coverage, the percentiles are left out
// where there are several rows. It panics if a row has not as many notes as the
// table.
func (t Table) WriteText(w io.Writer) error {
	grid := t.cells(len(t.Rows) > 1)
	if len(t.Rows) == 1 {
		turned := make([][]string, len(grid[0]))
		for k := range turned {
			turned[k] = []string{grid[0][k], grid[1][k]}
		}
		grid = turned
	}
	widths := make([]int, len(grid[0]))
	for _, line := range grid {
		for k, cell := range line {
			widths[k] = max(widths[k], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(t.Title + "\n")
	}
	for _, line := range grid {
		text := ""
		for k, cell := range line {
			text += cell + strings.Repeat(" ", widths[k]-utf8.RuneCountInString(cell)+2)
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteCSV writes the table as comma-separated values with all digits: three
// columns for each measure, X, X_low and X_high; coverage as shares from 0 to 1;
// a number that is not known is an empty cell. The title is left out. It panics as
// WriteText does.
func (t Table) WriteCSV(w io.Writer) error {
	t.check()
	heading := []string{"name", "published", "pictures", "values"}
	for _, m := range measures() {
		heading = append(heading, m.key, m.key+"_low", m.key+"_high")
	}
	out := csv.NewWriter(w)
	if err := out.Write(append(heading, t.Notes...)); err != nil {
		return err
	}
	for _, r := range t.Rows {
		line := []string{r.Name, strconv.FormatBool(r.Published), "", ""}
		if !r.Published {
			line[2], line[3] = fmt.Sprint(r.Summary.Pictures), fmt.Sprint(r.Summary.Values)
		}
		for _, m := range measures() {
			s := m.of(r.Summary)
			for _, v := range []float64{s.Mean, s.Low, s.High} {
				text := ""
				if !math.IsNaN(v) {
					text = strconv.FormatFloat(v, 'g', -1, 64)
				}
				line = append(line, text)
			}
		}
		if err := out.Write(append(line, r.Notes...)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteHTML writes the table as a <table> element, to be put into a page;
// published rows have the class published. It panics as WriteText does.
func (t Table) WriteHTML(w io.Writer) error {
	var b strings.Builder
	add := func(format, text string) { fmt.Fprintf(&b, format, html.EscapeString(text)) }
	b.WriteString("<table>\n")
	if t.Title != "" {
		add("<caption>%s</caption>\n", t.Title)
	}
	for k, line := range t.cells(false) {
		switch {
		case k == 0:
			b.WriteString("<thead>\n<tr>")
		case t.Rows[k-1].Published:
			b.WriteString(`<tr class="published">`)
		default:
			b.WriteString("<tr>")
		}
		for j, cell := range line {
			if k == 0 || j == 0 {
				add("<th>%s</th>", cell)
			} else {
				add("<td>%s</td>", cell)
			}
		}
		b.WriteString("</tr>\n")
		if k == 0 {
			b.WriteString("</thead>\n<tbody>\n")
		}
	}
	b.WriteString("</tbody>\n</table>\n")
	_, err := io.WriteString(w, b.String())
	return err
}
