package experiment

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image/png"
	"io"
	"path/filepath"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// freyTitles are the names of the methods in tables.
var freyTitles = map[string]string{
	structured:                     "SGPLVM",
	plain:                          "Bayesian GP-LVM",
	string(baseline.Nearest):       "nearest picture",
	string(baseline.PPCA):          "probabilistic PCA",
	string(baseline.Gaussian):      "Gaussian",
	string(baseline.LocalGaussian): "local Gaussian",
	string(baseline.GP):            "GP on each picture alone",
}

// published returns what Atkinson and Zabaras (2018, arXiv:1805.08665) report of a
// method on the Frey faces, mean RMSE and mean MNLP: with their own split, which
// is not known.
func (x *frey) published(name string) (scoreRow, bool) {
	if !x.original {
		return scoreRow{}, false
	}
	n := x.training.Count
	for _, p := range []struct {
		name       string
		n          int // 0: any
		rmse, mnlp float64
	}{
		{structured, 50, 14.50, 3.25},
		{structured, 1000, 8.91, 3.16},
		{plain, 50, 15.63, 3.45},
		{plain, 1000, 9.09, 3.15},
		{string(baseline.GP), 0, 19.27, 6.66},
	} {
		if p.name == name && (p.n == n || p.n == 0) {
			return published(freyTitles[name], only(p.rmse), only(p.mnlp), "", ""), true
		}
	}
	return scoreRow{}, false
}

// table returns the table of all methods that have run.
func (x *frey) table() scoreTable {
	title := fmt.Sprintf("%s: %d pictures of %s learned from, %d filled in", x.source, x.training.Count,
		dataset.FormatGrid(x.training.Width, x.training.Height), x.seen.Count)
	if x.Paper {
		title += "; the paper's settings"
	}
	if x.Quick {
		title += fmt.Sprintf("; a quick look: few steps, every %dth picture", stride)
	}
	return scoreTable{Title: title, Rows: x.rows, Notes: []string{"learning", "filling in"}}
}

// FreyResults are the files that the experiment writes.
var FreyResults = []string{"table.csv", "table.html", "strip.png"}

// stripLength is how many pictures the strip shows.
const stripLength = 8

// write prints the table and writes the results.
func (x *frey) write(folder string) error {
	var pictures []int
	count := min(stripLength, x.seen.Count)
	for k := range count {
		pictures = append(pictures, k*x.seen.Count/count)
	}
	sheet := picture.Filled(x.seen, x.strip.Mean, x.strip.Variance, x.truth, pictures)
	for k, i := range pictures {
		sheet.Rows[k].Label = fmt.Sprint(x.numbers[i])
	}
	var strip bytes.Buffer
	if err := png.Encode(&strip, sheet.Image()); err != nil {
		return err
	}
	table := x.table()
	for k, write := range []func(w io.Writer) error{
		table.writeCSV,
		func(w io.Writer) error { return x.writePage(w, table, strip.Bytes()) },
		func(w io.Writer) error { _, err := w.Write(strip.Bytes()); return err },
	} {
		if err := files.WriteAtomic(filepath.Join(folder, FreyResults[k]), write); err != nil {
			return err
		}
	}
	fmt.Fprintln(x.e.Stdout)
	if err := table.writeText(x.e.Stdout); err != nil {
		return err
	}
	fmt.Fprintln(x.e.Stdout)
	for _, line := range x.about {
		fmt.Fprintln(x.e.Stdout, line)
	}
	_, err := fmt.Fprintf(x.e.Stdout, "wrote %s: table.csv, table.html and strip.png, which shows seen, filled in by %s, its deviation, and truth\n", cli.Printable(folder), x.rows[0].Name)
	return err
}

var freyPage = template.Must(template.New("reproduce").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{{.Title}}</title>
<style>` + pageStyle + `</style>
</head>
<body>
{{.Table}}
<p>Means over the pictures with the 2.5th and the 97.5th percentile, in the units of the data, over the
values that were filled in.{{if .Published}} Published numbers (Atkinson and Zabaras 2018) are those of another split.{{end}}</p>
<ul>
{{- range .About}}
<li>{{.}}</li>
{{- end}}
</ul>
<p>Seen, filled in by {{.First}}, the standard deviation of that (black is 0), and truth:</p>
<p><img alt="pictures as seen, filled in and true" src="{{.Strip}}"></p>
</body>
</html>
`))

// writePage writes the table, the settings and the strip as one page.
func (x *frey) writePage(w io.Writer, table scoreTable, strip []byte) error {
	var rows bytes.Buffer
	if err := table.writeHTML(&rows); err != nil {
		return err
	}
	return freyPage.Execute(w, struct {
		Title, First string
		Table        template.HTML
		Published    bool
		About        []string
		Strip        template.URL
	}{table.Title, x.rows[0].Name, template.HTML(rows.String()), x.original, x.about,
		template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(strip))})
}
