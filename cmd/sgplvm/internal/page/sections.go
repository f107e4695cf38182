package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

var (
	//go:embed style.css
	styleText string
	//go:embed field.js
	fieldText string
	//go:embed explorer.js
	explorerText string
)

// content is what the page shows.
type content struct {
	*Input
	x                  *explorer
	j                  *judgement // nil: without data
	residuals, missing *fieldMap
}

func (c *content) noun() string { return engine.Noun(c.Model) }

// A relevanceBar is one latent dimension.
type relevanceBar struct {
	Dim     int
	Percent string
	Width   float64
	Across  bool
	Up      bool
}

// writePage writes the page, section by section.
func (c *content) writePage(w io.Writer) error {
	model, err := json.Marshal(c.x)
	if err != nil {
		return err
	}
	d := &document{}
	d.add(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s – what the model has learned</title>
<style>%s</style>
</head>
<body>
<header>
<h1>%s</h1>
`, c.Name, markup(styleText+gradient()), c.Name)
	for _, line := range story(c.Model, c.x, c.j) {
		d.add("<p class=\"lead\">%s</p>\n", line)
	}
	shown, curve, selection := markup("Pictures"), training(c.Model.Training()), c.Model.Selection()
	if c.j.columnRows(c.x.Names) != nil {
		shown = "Columns"
	}
	d.add("<nav><a href=\"#explore\">Explore</a>%s%s%s<a href=\"#kernels\">Kernels</a><a href=\"#numbers\">Numbers</a></nav>\n</header>\n",
		when(c.j != nil, `<a href="#pictures">`+shown+`</a>`), when(questions(selection) != nil, `<a href="#choice">Choice</a>`), when(curve != "", `<a href="#training">Training</a>`))
	c.explore(d)
	if c.j != nil {
		c.pictures(d)
	}
	if questions(selection) != nil {
		c.choice(d, selection)
	}
	if curve != "" {
		d.add(`
<section id="training">
<h2>How training went</h2>
<p>The bound says how well the model explains the examples, less a price for every freedom it takes. Training raises it step by step.</p>
%s
<details><summary>The numbers</summary><table data-csv="bound"><thead><tr><th>phase</th><th>step</th><th>bound</th></tr></thead><tbody>`, curve)
		for _, b := range boundRows(c.Model.Training()) {
			d.add(`<tr><td>%s</td><td class="number">%d</td><td class="number" data-value="%v">%.6g</td></tr>`, b.Phase, b.Step, b.Bound, b.Bound)
		}
		d.add("</tbody></table></details>\n</section>\n")
	}
	c.numbers(d)
	d.add("<footer class=\"soft\">Made by sgplvm report, with nothing but this file.</footer>\n<script id=\"model\" type=\"application/json\">%s</script>\n<script>%s</script>\n<script>%s</script>\n</body>\n</html>\n",
		markup(model), markup(fieldText), markup(explorerText))
	_, err = io.WriteString(w, d.String())
	return err
}

// explore is the section of the map and the fields.
func (c *content) explore(d *document) {
	x := c.x
	d.add("\n<section id=\"explore\">\n")
	layout := markup(form(&x.shape))
	if x.Idle {
		layout = "alone"
		d.add(`<h2>What happens over time</h2>
<p>Here the time alone tells what the model expects; its hidden numbers add next to nothing. Move the slider, or press play: the model shows what it expects at that time, also between the times that were seen.</p>
`)
	} else {
		d.add(`<h2>A map of everything the model can imagine</h2>
<p>Each dot is one %s that the model learned from; dots that are close look alike. <strong>Move the pointer over the map</strong>: beside it is what the model expects at that place. Where the paper is filled it knows what things look like, where it is bare it only guesses.</p>
`, c.noun())
	}
	picture := x.Kind == kindPicture
	pixels := when(picture, ` class="pixels"`)
	d.add(`<div class="explorer%s%s">
<div class="map"%s>
<canvas id="map" width="1440" height="1060" tabindex="0" role="application" aria-label="Map of the latent variables: arrow keys move, n and p go through the examples, space plays, t shows thumbnails"></canvas>
<div class="scale"><span>How far off what the model expects may be at a place, without noise, in standard deviations of the data: <span id="unsure" class="value"></span></span></div>
</div>
<div class="fields%s">
`, when(layout != "", " "), layout, when(x.Idle, " hidden"), when(picture && x.Height > x.Width, " tall"))
	film := x.Path != nil && x.Path.Frames != nil
	if film {
		d.add("<figure class=\"field\"><canvas id=\"film\" width=\"%d\" height=\"%d\"></canvas><figcaption>The film at this time</figcaption></figure>\n", x.Width, x.Height)
	}
	first := ""
	if x.Channels < x.channels {
		first = fmt.Sprintf(" in the first of %d channels", x.channels)
	}
	d.add(`<figure class="field"><canvas id="mean"%s width="10" height="10"></canvas><figcaption>What the model expects%s%s: <span id="where" class="value"></span></figcaption></figure>
<figure class="field"%s><canvas id="deviation"%s width="10" height="10"></canvas><figcaption>How unsure it is: on average <span id="sure" class="value"></span> of the spread of the data, noise included; bright is unsure</figcaption></figure>
</div>
</div>
`, pixels, when(film, ", its motion taken out"), first, when(!x.plane(), " hidden"), pixels)
	c.controls(d)
	if bars, unused := x.bars(); len(bars) > 0 {
		d.bars(bars, unused)
	}
	d.add("</section>\n")
}

// controls are the buttons below the map.
func (c *content) controls(d *document) {
	x := c.x
	idle := when(x.Idle, " hidden")
	d.add("<div class=\"controls\">\n<button id=\"play\" aria-pressed=\"false\">Play</button>\n")
	if x.Path != nil {
		d.add("<label>time <input id=\"time\" type=\"range\" min=\"0\" max=\"%d\" value=\"0\"> <span id=\"clock\" class=\"value\"></span></label>\n", len(x.Path.Times)-1)
	}
	d.add("<label%s>colours <select id=\"colour\"><option value=\"order\">order</option>%s%s</select> <span id=\"legend\" class=\"legend\"></span></label>\n",
		idle, when(x.Path != nil, `<option value="time">time</option>`), when(x.Examples.Label != nil, `<option value="label">label</option>`))
	if x.plane() && x.Channels == 1 {
		d.add("<label>values in <select id=\"tones\"><option value=\"grey\"%s>grey</option><option value=\"colour\"%s>colour</option></select></label>\n", when(x.Grey, " selected"), when(!x.Grey, " selected"))
	}
	d.add("<label%s><input id=\"thumbs\" type=\"checkbox\"> thumbnails</label>\n<label%s><input id=\"follow\" type=\"checkbox\" checked> other dimensions follow the nearest examples</label>\n</div>\n",
		idle, when(x.Idle || x.Dims < 3, " hidden"))
}

// bars tell which latent dimensions matter.
func (d *document) bars(bars []relevanceBar, unused int) {
	d.add(`<p class="note keys">On the map: <kbd>←</kbd> <kbd>→</kbd> <kbd>↑</kbd> <kbd>↓</kbd> move (<kbd>shift</kbd> finely), <kbd>n</kbd> <kbd>p</kbd> next and previous example, <kbd>space</kbd> plays, <kbd>t</kbd> thumbnails.</p>
<h3>Which hidden numbers matter</h3>
<p class="note">How much the examples change along each dimension, of the largest. → and ↑ put a dimension on an axis of the map.</p>
<div class="bars">
`)
	for _, b := range bars {
		d.add("<div><button data-axis=\"a\" data-dim=\"%d\" aria-pressed=\"%v\" aria-label=\"dimension %d across\">→</button><button data-axis=\"b\" data-dim=\"%d\" aria-pressed=\"%v\" aria-label=\"dimension %d up\">↑</button>"+
			"<span>%d</span><div class=\"track\" style=\"display:block\"><i style=\"width:%.1f%%\"></i></div><span>%s %%</span></div>\n", b.Dim, b.Across, b.Dim+1, b.Dim, b.Up, b.Dim+1, b.Dim+1, b.Width, b.Percent)
	}
	d.add("</div>\n")
	if unused > 0 {
		d.add("<p class=\"note\">Dimensions below 1 %%: %d. They have switched themselves off.</p>\n", unused)
	}
}

// pictures is the section of what the data show.
func (c *content) pictures(d *document) {
	j := c.j
	d.add("\n<section id=\"pictures\">\n")
	if j.Training {
		what := "How well the model gives back what it learned from."
		if len(j.Strips) > 0 {
			what = "Pictures of the training data, the model's own version of each, and what is left over (blue too dark, orange too bright)."
		}
		d.add("<h2>What it learned from, and what it made of it</h2>\n<p>%s This says what the model can express, not how well it fills in what it has never seen.</p>\n", markup(what))
	} else {
		what := fmt.Sprintf("The model was given what was seen of each %s and filled in the rest.", c.noun())
		if j.Hidden {
			what = fmt.Sprintf("Half of each %s was hidden from the model, scattered or one side, and filled in from the rest.", c.noun())
		}
		d.add("<h2>Filling in what is missing</h2>\n<p>%s %d of %d were used.</p>\n", what, j.Judged, j.Of)
	}
	if len(j.Strips) > 0 {
		d.add("<div class=\"strips\" style=\"--columns:%d;--strip:%dpx;--cell:%dpx\">\n", len(j.Headings), 30+len(j.Headings)*min(150, max(72, 2*j.shape.Width)), min(260, max(110, 3*j.shape.Width))) // the least width of a strip and the greatest of its pictures
		for _, s := range j.Strips {
			d.add(`<div class="strip"><span>%s</span>`, s.Label)
			for i, p := range s.Pictures {
				d.add(`<img class="pixels" alt="%s" title="%s" src="%s">`, j.Headings[i], j.Headings[i], p)
			}
			d.add("</div>\n")
		}
		d.add("</div>\n<p class=\"note\">From left to right: %s.</p>\n", strings.Join(j.Headings, ", "))
	}
	d.add("<div class=\"three\">\n")
	if curve := j.calibration(); curve != "" {
		d.add(`<figure>%s<figcaption>Does it know how sure it can be? On the dashed line its intervals hold as many true values as they promise; above it is too careful, below too sure.</figcaption>
<details><summary>The numbers</summary><table data-csv="calibration"><thead><tr><th>stated, %%</th><th>inside, %%</th></tr></thead><tbody>`, curve)
		for _, l := range j.calibrationRows() {
			d.add(`<tr><td class="number">%s</td><td class="number">%s</td></tr>`, l[0], l[1])
		}
		d.add("</tbody></table></details></figure>\n")
	}
	c.residuals.figure(d, "map of errors", "Where it errs: root mean square error at each point, in the data's units.")
	c.missing.figure(d, "map of missing values", markup(fmt.Sprintf("What is missing where: the share of examples without a value; %.1f %% of all values are missing.", 100*j.MissingShare)))
	if scores := j.scores(); scores != nil {
		d.add(`<div><h3 style="margin-top:0">In numbers</h3><table data-csv="scores"><tbody>`)
		for _, s := range scores {
			d.add(`<tr><td>%s</td><td class="number">%s</td></tr>`, s[0], s[1])
		}
		d.add("</tbody></table></div>\n")
	}
	d.add("</div>\n")
	d.columns(j.columnRows(c.x.Names), j.Training)
	d.add("</section>\n")
}

// figure shows the map with its scale, if there is one.
func (f *fieldMap) figure(d *document, alt string, caption markup) {
	if f != nil {
		d.add("<figure><img class=\"pixels\" alt=\"%s\" src=\"%s\"><div class=\"scale\"><span>%s</span><i class=\"sequential\"></i><span>%s</span></div><figcaption>%s</figcaption></figure>\n", alt, f.Picture, f.Low, f.High, caption)
	}
}

// choice is the section of model selection.
func (c *content) choice(d *document, selection *sgplvm.Selection) {
	d.add(`
<section id="choice">
<h2>What was tried, and what was chosen</h2>
<p>With the effort “%s”, candidates were compared by %s. A dot further right is worse than the chosen candidate (orange); lines are standard errors. Less is better in every column.</p>
`, selection.Effort.String(), cli.Text(selection.Task))
	if selection.Ended != "" {
		d.add("<p>The search ended early: %s.</p>\n", cli.Text(selection.Ended))
	}
	d.add("<div class=\"scroll\"><table data-csv=\"candidates\"><thead><tr><th>candidate</th><th>nats a value</th><th>worse than the chosen</th><th>error</th><th></th><th></th></tr></thead>\n<tbody>\n")
	for _, q := range questions(selection) {
		d.add("<tr class=\"question\"><th colspan=\"6\">%s</th></tr>\n", q.Name)
		for _, a := range q.Candidates {
			d.add("<tr%s><td>%s</td><td class=\"number\">%s</td><td class=\"number\">%s</td><td class=\"number\">%s</td><td>%s</td><td class=\"soft\">%s</td></tr>\n",
				when(a.Chosen, ` class="chosen"`), a.Name, a.Score, a.Difference, a.RMSE, a.Bar, a.Note)
		}
	}
	d.add("</tbody></table></div>\n")
	if cfg, ok := c.Model.Config(); ok {
		d.add("<p class=\"note\">Chosen: %s.</p>\n", cli.Text(engine.ConfigText(cfg)))
	}
	d.add("</section>\n")
}

// numbers are the sections of the kernels and of the rest in numbers.
func (c *content) numbers(d *document) {
	d.add(`
<section id="kernels">
<h2>What the model takes to be alike</h2>
<p>A kernel says how strongly two values vary together. These were learned:</p>
<div class="kernels">
`)
	for _, k := range kernels(c.Model, &c.x.shape, c.x.Idle) {
		d.add("<div><h3>%s</h3><p>%s</p>%s<p><code>%s</code></p></div>\n", k.Of, k.Words, k.Curve, k.Numbers)
	}
	d.add("</div>\n</section>\n\n<section id=\"numbers\">\n<h2>In numbers</h2>\n<div class=\"scroll\"><table data-csv=\"model\"><tbody>")
	for _, f := range engine.Facts(c.Model) {
		d.add(`<tr><td>%s</td><td>%s</td></tr>`, f[0], f[1])
	}
	d.add(`</tbody></table></div>
<p><a id="latents" class="csv" href="#numbers">hidden numbers of the examples as CSV</a></p>
<p class="note">The fields on this page are made from %s eigen-pictures in 8 bits for mean and variance. Against the model itself the mean is off by %s %% of the standard deviation of the data, the deviation by %s %% of itself (root mean squares at places between the examples).</p>
</section>
`, fmt.Sprintf("%d and %d", len(c.x.Mean.Fields), len(c.x.Taken.Fields)), percent(c.x.meanError), percent(c.x.devError))
}
