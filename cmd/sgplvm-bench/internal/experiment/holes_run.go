package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"path/filepath"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// Holes hides values of pictures in several ways, has the methods fill them in, prints a table for
// each way and writes table.txt, table.csv and table.html.
func Holes(ctx context.Context, e *cli.Environment, o HolesOptions) (err error) {
	x := &holes{HolesOptions: o, e: e}
	if err := x.load(); err != nil {
		return err
	}
	undo, err := openFolder(x.Out, HolesResults)
	if err != nil {
		return err
	}
	defer undo(&err)
	if x.Masks != "" {
		if err := x.fillAll(ctx, "holes of "+filepath.Base(x.Masks)); err != nil {
			return err
		}
	}
	for _, h := range x.Holes {
		x.hide(h)
		if err := x.fillAll(ctx, h.String()); err != nil {
			return err
		}
	}
	return x.write(x.Out)
}

// fillAll has every method fill in the pictures as they are seen, and adds a table.
func (x *holes) fillAll(ctx context.Context, what string) error {
	with := 0
	for i := range x.seen.Rows {
		for _, v := range x.seen.Row(i) {
			if math.IsNaN(v) {
				with++
				break
			}
		}
	}
	if with == 0 {
		return &dataset.Error{Path: x.Data, Found: "nothing hidden", Want: "some values to fill in"}
	}
	table := scoreTable{Notes: []string{"RMSE of all values, in deviations", "time", "holes"}}
	table.Title = fmt.Sprintf("%s: %d pictures of %d points, %d with %s", x.source, x.seen.Rows, x.points.Rows, with, what)
	for _, m := range holesMethods {
		if !wants(x.Methods, m.name) {
			continue
		}
		row, err := x.run(ctx, m)
		var size *baseline.SizeError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case x.Methods == "all" && errors.As(err, &size):
			x.about = append(x.about, fmt.Sprintf("%s: %s: left out: %v", what, m.title, err))
			continue
		case err != nil:
			return fmt.Errorf("%s: %w", m.title, err)
		}
		row.Notes = append(row.Notes, what)
		table.Rows = append(table.Rows, row)
		x.about[len(x.about)-1] = what + ": " + x.about[len(x.about)-1]
	}
	x.tables = append(x.tables, table)
	fmt.Fprintln(x.e.Stdout)
	return table.writeText(x.e.Stdout)
}

// run has one method fill in the pictures and scores it.
func (x *holes) run(ctx context.Context, m holesMethod) (scoreRow, error) {
	begin := time.Now()
	stop := x.e.Timing("filling in by " + m.title)
	filled, about, err := m.fill(ctx, x)
	stop()
	if err != nil {
		return scoreRow{}, err
	}
	took := time.Since(begin)
	mean := mat.NewDense(x.truth.Rows, x.truth.Cols, filled.Mean)
	_, summary, err := evaluate.Evaluate(x.truth, x.seen, mean, mat.NewDense(x.truth.Rows, x.truth.Cols, filled.Variance), x.channels)
	if err != nil {
		return scoreRow{}, err
	}
	var sum, count float64
	for i := range x.seen.Rows {
		for j, v := range x.seen.Row(i) {
			if math.IsNaN(v) {
				sum += (x.truth.At(i, j) - mean.At(i, j)) * (x.truth.At(i, j) - mean.At(i, j))
				count++
			}
		}
	}
	x.about = append(x.about, m.title+": "+about)
	fmt.Fprintf(x.e.Stdout, "%s: filled in %s\n", m.title, seconds(took))
	return newRow(m.title, summary, fmt.Sprintf("%.4g", math.Sqrt(sum/count)/x.deviation), seconds(took)), nil
}

// HolesResults are the files that the experiment writes.
var HolesResults = []string{"table.txt", "table.csv", "table.html"}

// write writes the tables and prints the settings.
func (x *holes) write(folder string) error {
	all := scoreTable{Notes: x.tables[0].Notes}
	for _, t := range x.tables {
		all.Rows = append(all.Rows, t.Rows...)
	}
	for k, write := range []func(w io.Writer) error{x.writeText, all.writeCSV, x.writePage} {
		if err := files.WriteAtomic(filepath.Join(folder, HolesResults[k]), write); err != nil {
			return err
		}
	}
	fmt.Fprintln(x.e.Stdout)
	for _, line := range x.about {
		fmt.Fprintln(x.e.Stdout, line)
	}
	_, err := fmt.Fprintf(x.e.Stdout, "wrote %s: table.txt, table.csv and table.html\n", cli.Printable(folder))
	return err
}

func (x *holes) writeText(w io.Writer) error {
	for _, t := range x.tables {
		if err := t.writeText(w); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	for _, line := range x.about {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

var holesPage = template.Must(template.New("holes").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{{.Title}}</title>
<style>` + pageStyle + `</style>
</head>
<body>
{{.Tables}}
<p>Means over the pictures with holes, with the 2.5th and the 97.5th percentile, in the units of the data, over the
values that were hidden. A deviation is the root of the mean square of all values about the mean of their channel.</p>
<ul>
{{- range .About}}
<li>{{.}}</li>
{{- end}}
</ul>
</body>
</html>
`))

// writePage writes the tables and the settings as one page.
func (x *holes) writePage(w io.Writer) error {
	var tables bytes.Buffer
	for _, t := range x.tables {
		if err := t.writeHTML(&tables); err != nil {
			return err
		}
	}
	return holesPage.Execute(w, struct {
		Title  string
		Tables template.HTML
		About  []string
	}{x.source + ": data with holes", template.HTML(tables.String()), x.about})
}
