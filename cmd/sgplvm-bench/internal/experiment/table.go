package experiment

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/report"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// A scoreRow is a line of a table: how one method did.
type scoreRow struct {
	report.Row

	// Published marks numbers that are quoted, not measured. A number that was not
	// published is NaN; see the function published.
	Published bool

	// Notes are the cells of the table's further columns, as many as it has.
	Notes []string
}

// newRow returns a row of scores.
func newRow(name string, s evaluate.Summary, notes ...string) scoreRow {
	return scoreRow{Row: report.Row{Name: name, Summary: s}, Notes: notes}
}

// published returns a row of quoted numbers; NaN stands for a number that was not
// published. Notes are as in scoreRow.
func published(name string, rmse, mnlp evaluate.Statistic, notes ...string) scoreRow {
	unknown := evaluate.Statistic{Mean: math.NaN(), Low: math.NaN(), High: math.NaN()}
	s := evaluate.Summary{RMSE: rmse, MNLP: mnlp, MAE: unknown, NLP: unknown}
	for k := range s.Coverage {
		s.Coverage[k] = unknown
	}
	r := newRow(name, s, notes...)
	r.Published = true
	return r
}

// only returns a published mean whose percentiles are not known.
func only(mean float64) evaluate.Statistic {
	return evaluate.Statistic{Mean: mean, Low: math.NaN(), High: math.NaN()}
}

// A scoreTable sets the scores of several methods, and published numbers, side by side.
type scoreTable struct {
	Title string
	Rows  []scoreRow
	Notes []string // headings of further columns, such as times
}

// check panics if a row's notes do not fit the headings.
func (t scoreTable) check() {
	for _, r := range t.Rows {
		if len(r.Notes) != len(t.Notes) {
			panic(fmt.Sprintf("experiment: table: row %q has %d notes, expected %d", r.Name, len(r.Notes), len(t.Notes)))
		}
	}
}

// cells returns the table as text, a heading first; of shares only the mean if brief.
func (t scoreTable) cells(brief bool) [][]string {
	t.check()
	grid := [][]string{append(report.Headings(), t.Notes...)}
	for _, r := range t.Rows {
		line := r.Cells(brief)
		if r.Published {
			line[0], line[1], line[2] = r.Name+" (published)", report.Dash, report.Dash
		}
		grid = append(grid, append(line, r.Notes...))
	}
	return grid
}

// writeText writes the table in columns, a line for each row; a table of one row
// has a line for each measure instead. Of coverage, the percentiles are left out
// where there are several rows. It panics if a row has not as many notes as the
// table.
func (t scoreTable) writeText(w io.Writer) error {
	if t.Title != "" {
		if _, err := io.WriteString(w, t.Title+"\n"); err != nil {
			return err
		}
	}
	return report.WriteGrid(w, t.cells(len(t.Rows) > 1))
}

// writeCSV writes the table as comma-separated values with all digits: three
// columns for each measure, X, X_low and X_high; coverage as shares from 0 to 1;
// a number that is not known is an empty cell. The title is left out. It panics as
// writeText does.
func (t scoreTable) writeCSV(w io.Writer) error {
	t.check()
	heading := []string{"name", "published", "pictures", "values"}
	for _, m := range report.Measures() {
		heading = append(heading, m.Key, m.Key+"_low", m.Key+"_high")
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
		for _, m := range report.Measures() {
			s := m.Of(r.Summary)
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

// writeHTML writes the table as a <table> element, to be put into a page;
// published rows have the class published. It panics as writeText does.
func (t scoreTable) writeHTML(w io.Writer) error {
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
