package page

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
)

// columnRows tell of each column of a table: how many values were judged, their error and the column's deviation, the one in shares of the other, and unless the values are
// those of training how many lie within their 90 % intervals.
func (j *judgement) columnRows(names []string) (rows [][]string) {
	if j == nil || !j.Known {
		return nil
	}
	for k := range min(len(j.units), len(j.counts)) {
		name, rmse := fmt.Sprint("column ", k+1), math.Sqrt(j.squares[k]/j.counts[k])
		if k < len(names) {
			name = cli.Text(names[k])
		}
		row := []string{name, fmt.Sprintf("%.0f %%", 100*j.missing[k]/float64(j.Judged)), fmt.Sprint(j.counts[k]), number(rmse), number(j.units[k]), number(100*rmse/j.units[k]) + " %"}
		if !j.Training {
			row = append(row, number(100*j.within[k]/j.counts[k])+" %")
		}
		rows = append(rows, row)
	}
	return rows
}

// columns shows the errors of each column of a table.
func (d *document) columns(rows [][]string, training bool) {
	if rows == nil {
		return
	}
	d.add(`<h3>Column by column</h3>
<p class="note">The error is a root mean square in the column's unit; beside its standard deviation it says how much better than the column's mean the model is: 100 %% is no better.</p>
<div class="scroll"><table data-csv="columns"><thead><tr><th>column</th><th>missing</th><th>judged</th><th>error</th><th>standard deviation</th><th>error, of that</th>%s</tr></thead><tbody>`,
		when(!training, "<th>within 90 % intervals</th>"))
	for _, row := range rows {
		d.add("<tr><td>%s</td>", row[0])
		for _, cell := range row[1:] {
			d.add(`<td class="number">%s</td>`, cell)
		}
		d.add("</tr>")
	}
	d.add("</tbody></table></div>\n")
}
