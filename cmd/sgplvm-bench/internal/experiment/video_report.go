package experiment

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html/template"
	"image/png"
	"io"
	"path/filepath"
	"slices"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// VideoResults are the files that the experiment writes; latent.svg only if the model has run.
var VideoResults = []string{"table.txt", "table.csv", "table.html", "frames.png", "latent.svg"}

// published returns what Atkinson and Zabaras (2018, arXiv:1805.08665) report of a clip with as
// many frames and as many to learn from: with their own split, which is not known.
func (x *video) published() []scoreRow {
	if x.frames.Count != 156 || len(x.training) != 78 || x.frames.Channels != 3 {
		return nil
	}
	return []scoreRow{
		published(titleModel, evaluate.Statistic{Mean: 0.13, Low: 0.063, High: 0.61}, only(-2.13), "", ""),
		published("structured GP", evaluate.Statistic{Mean: 0.23, Low: 0.097, High: 0.74}, only(-0.021), "", ""),
	}
}

// table returns the table of all methods that have run.
func (x *video) table() scoreTable {
	title := fmt.Sprintf("%s: %d frames of %s learned from, %d of %s predicted; standardised units", filepath.Base(x.frames.Name), len(x.training),
		dataset.FormatGrid(x.frames.Width, x.frames.Height), len(x.tests), dataset.FormatGrid(x.truth.Width, x.truth.Height))
	if x.seen != nil {
		title += "; each of these seen in part"
	}
	if x.Quick {
		title += fmt.Sprintf("; a quick look: every %dth frame", stride)
	}
	return scoreTable{Title: title, Rows: append(slices.Clone(x.rows), x.published()...), Notes: []string{"learning", "predicting"}}
}

// write prints the table and writes the results.
func (x *video) write(ctx context.Context) error {
	sheet, err := x.sheet(ctx)
	if err != nil {
		return err
	}
	table := x.table()
	var latent template.HTML
	if x.model != nil {
		if latent, err = x.latentPicture(); err != nil {
			return err
		}
	}
	var text bytes.Buffer
	if err := table.writeText(&text); err != nil {
		return err
	}
	fmt.Fprintln(&text)
	for _, line := range x.about {
		fmt.Fprintln(&text, line)
	}
	for _, f := range []struct {
		name  string
		write func(w io.Writer) error
	}{
		{"table.txt", func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err }},
		{"table.csv", table.writeCSV},
		{"table.html", func(w io.Writer) error { return x.writePage(w, table, latent) }},
		{"frames.png", func(w io.Writer) error { return png.Encode(w, sheet.Image()) }},
		{"latent.svg", func(w io.Writer) error { _, err := io.WriteString(w, string(latent)); return err }},
	} {
		if f.name == "latent.svg" && x.model == nil {
			continue
		}
		if err := files.WriteAtomic(filepath.Join(x.Out, f.name), f.write); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(x.e.Stdout, "\n%swrote %s: table.txt, table.csv, table.html and frames.png, frames predicted by %s beside the truth\n",
		text.String(), cli.Printable(x.Out), x.rows[0].Name)
	return err
}

// sheet shows the best, the median and the worst frame of the first method by RMSE.
func (x *video) sheet(ctx context.Context) (*picture.Sheet, error) {
	order := make([]int, len(x.tests))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x.scores[a].RMSE, x.scores[b].RMSE) })
	size := x.truth.Points() * x.truth.Channels
	var rows []picture.SheetRow
	for k, name := range []string{"best", "median", "worst"} {
		i := x.tests[order[k*(len(order)-1)/2]]
		predicted, truth := make([]float64, size), make([]float64, size)
		if err := x.truth.ReadExamples(truth, i, i+1); err != nil {
			return nil, err
		}
		if err := x.first.predict(ctx, wanted{[]int{i}, x.timesOf([]int{i}), x.truth.Height, x.truth.Width}, func(s baseline.Slab) error {
			copy(predicted[s.From*x.truth.Width*x.truth.Channels:], s.Mean.Row(0))
			return nil
		}); err != nil {
			return nil, err
		}
		rows = append(rows, picture.SheetRow{Label: fmt.Sprintf("%s %d", name, i), Pictures: []picture.Picture{
			{Layout: x.truth.Layout, Values: predicted}, {Layout: x.truth.Layout, Values: truth}}})
	}
	return picture.NewSheet([]string{"predicted", "truth"}, rows), nil
}

var videoPage = template.Must(template.New("video").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{{.Title}}</title>
<style>` + pageStyle + `
img { max-width: 100%; }
</style>
</head>
<body>
{{.Table}}
<p>Means over the frames with the 2.5th and the 97.5th percentile, in units in which each channel of the
training frames has mean 0 and variance 1.{{if .Published}} Published numbers (Atkinson and Zabaras 2018) are those of another split.{{end}}</p>
<ul>
{{- range .About}}
<li>{{.}}</li>
{{- end}}
</ul>
<p>Frames predicted by {{.First}}, best, median and worst, beside the truth:</p>
<p><img alt="predicted and true frames" src="frames.png"></p>
{{- if .Latent}}
<p>Latent variables over time, with bands of two standard deviations; ticks are the times of the training frames:</p>
{{.Latent}}
{{- end}}
</body>
</html>
`))

// writePage writes the table and the settings as a page.
func (x *video) writePage(w io.Writer, table scoreTable, latent template.HTML) error {
	var rows bytes.Buffer
	if err := table.writeHTML(&rows); err != nil {
		return err
	}
	return videoPage.Execute(w, struct {
		Title, First string
		Table        template.HTML
		Published    bool
		About        []string
		Latent       template.HTML
	}{table.Title, x.rows[0].Name, template.HTML(rows.String()), len(x.published()) > 0, x.about, latent})
}
