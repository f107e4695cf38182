package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

//go:embed emulator.js
var emulatorText string

// What the page of an emulator has room for: components, values of an output, runs with which deviations are shown, and sliders of components of fields.
const mostModes, mostDrawn, mostDeviations, mostSliders = 25, 10_000, 600, 8

// emulatorData is what the script evaluates; texts of numbers are in base64, float32.
type emulatorData struct {
	Inputs  []emulatorInput  `json:"inputs"`
	Means   []float64        `json:"means"` // of each coordinate
	Width   int              `json:"width"` // of a picture; 0: a curve
	Height  int              `json:"height"`
	Low     float64          `json:"low"` // of the outputs of the runs, roughly
	High    float64          `json:"high"`
	Runs    int              `json:"runs"`
	Dims    int              `json:"dims"`
	Modes   int              `json:"modes"`
	X       string           `json:"x"`
	Kernels []emulatorKernel `json:"kernels"`
	Terms   [][2]int         `json:"terms"` // kernel, mode
	Alpha   string           `json:"alpha"`
	Centre  string           `json:"centre"`
	V       string           `json:"v"`
	Left    string           `json:"left"`
	U       string           `json:"u"` // empty: no deviations

	Transforms any `json:"transforms,omitempty"` // of the values in turn, of which t is computed: 1: t = log y, 2: t = log(y/(1 − y))

	Lambda  []float64 `json:"lambda"`
	A       []float64 `json:"a"`
	R       []float64 `json:"r"`
	Colours string    `json:"colours"`
}

// An emulatorInput is a slider, perhaps of the logarithm, or a choice: At is its first coordinate.
type emulatorInput struct {
	Name   string   `json:"name"`
	At     int      `json:"at"`
	Levels []string `json:"levels"`
	Low    float64  `json:"low"`
	High   float64  `json:"high"`
	Log    bool     `json:"log,omitzero"`
	Mean   float64  `json:"mean"`
	Scale  float64  `json:"scale"`
}

type emulatorKernel struct {
	Form   string    `json:"form"`
	Share  float64   `json:"share"`
	Scales []float64 `json:"scales"`
	Parts  []float64 `json:"parts"`
	Linear []float64 `json:"linear"`
}

// WriteEmulator writes the page of an emulator: sliders for its inputs, the output that follows them with its deviation, and how well runs were predicted.
func WriteEmulator(w io.Writer, path, name string, m *sgplvm.Emulator) error {
	form, _, err := engine.EmulatorForm(path, m, "", 1)
	if err != nil {
		return err
	}
	f, err := m.Formula(mostModes)
	if err != nil {
		return err
	}
	e := &emulatorData{Runs: f.X.Rows, Dims: f.X.Cols, Modes: f.V.Cols, X: floats(f.X.Clone().Data), A: f.A, R: f.R, Colours: table(sequential)}
	if !form.Scattered && !form.Table && form.Height > 1 {
		e.Width, e.Height = form.Width, form.Height
	}
	e.setInputs(m, f)
	e.setValues(m.Channels(), f)
	var alpha []float64
	for _, t := range f.Terms {
		e.Terms, alpha = append(e.Terms, [2]int{t.Kernel, t.Mode}), append(alpha, t.Alpha...)
	}
	e.Alpha = floats(alpha)
	for _, k := range f.Kernels {
		e.Kernels = append(e.Kernels, emulatorKernel{k.Form.String(), k.Share, k.Scales, k.Parts, k.Linear})
	}
	if f.X.Rows <= mostDeviations {
		e.U, e.Lambda = floats(f.U.Clone().Data), f.Lambda
	}
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	d := &document{}
	d.add(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s – an emulator</title><style>%s</style></head>
<body><header><h1>%s</h1><p class="lead">An emulator of %s: move an input, and the output follows.</p></header>
<section class="explorer landscape"><div style="display:grid;grid-template-columns:1fr 1fr;gap:20px">
<figure class="field"><canvas id="mean"></canvas><figcaption>expected output <span class="value" id="range"></span></figcaption></figure>
<figure class="field"><canvas id="deviation"></canvas><figcaption>standard deviation <span class="value" id="spread"></span></figcaption></figure>
</div><div id="inputs" class="keys"></div></section>
<section><h2>How sure it is</h2><p>%s.</p>
`, name, markup(styleText), name, fmt.Sprintf("%d runs", m.Runs()), engine.EmulatorErrors(m))
	if m.Channels() > 1 && m.Points() > 1 {
		d.add("<p class=\"soft\">%s</p>\n", fmt.Sprintf("The first of %d channels is shown.", m.Channels()))
	}
	d.add("</section>\n<section><h2>Inputs</h2><pre style=\"white-space:pre-wrap\">%s</pre></section>\n", engine.DescribeEmulator(m))
	d.add("<script type=\"application/json\" id=\"model\">%s</script>\n<script>%s</script>\n</body></html>\n", markup(data), markup(emulatorText))
	_, err = io.WriteString(w, d.String())
	return err
}

// setInputs makes a slider of each number, a choice of each category, and sliders of the first components of fields.
func (e *emulatorData) setInputs(m *sgplvm.Emulator, f *sgplvm.EmulatorFormula) {
	mean, scale := m.Scaling()
	e.Means = mean
	at := 0
	columns, _, components := m.Inputs()
	for q, c := range columns {
		if c.Dropped != "" {
			continue
		}
		name := c.Name
		if name == "" {
			name = fmt.Sprintf("input %d", q+1)
		}
		low, high := c.Low, c.High
		if c.Log {
			low, high = math.Log(low), math.Log(high)
		}
		e.Inputs = append(e.Inputs, emulatorInput{cli.Text(name), at, c.Levels, low, high, c.Log, mean[at], scale[at]})
		at += max(1, len(c.Levels))
	}
	for k := range min(components, mostSliders) {
		most := 0.
		for i := range f.X.Rows {
			most = max(most, math.Abs(f.X.At(i, at+k)))
		}
		e.Inputs = append(e.Inputs, emulatorInput{Name: fmt.Sprintf("component %d of the field", k+1), At: at + k, Low: -most, High: most, Scale: 1})
	}
}

// setValues takes the first channel, of a table all columns, and of many points every k-th row and column.
func (e *emulatorData) setValues(channels int, f *sgplvm.EmulatorFormula) {
	points := len(f.Centre) / channels
	table := points == 1
	if table {
		points, channels = channels, 1
	}
	width := max(1, e.Width)
	step := 1
	for points/(step*step) > mostDrawn && e.Width > 0 || e.Width == 0 && points/step > mostDrawn {
		step++
	}
	var kept []int
	for p := range points {
		if row, column := p/width, p%width; row%step == 0 && (e.Width == 0 || column%step == 0) {
			kept = append(kept, channels*p)
		}
	}
	if e.Width > 0 {
		e.Width, e.Height = (e.Width+step-1)/step, (e.Height+step-1)/step
	}
	v := mat.New(len(kept), f.V.Cols)
	var centre, left []float64
	e.Low, e.High = math.Inf(1), math.Inf(-1)
	for k, i := range kept {
		copy(v.Row(k), f.V.Row(i))
		spread := 0.
		for _, x := range v.Row(k) {
			spread += x * x
		}
		centre, left = append(centre, f.Centre[i]), append(left, f.Left[i])
		e.Low, e.High = min(e.Low, f.Centre[i]-2*math.Sqrt(spread)), max(e.High, f.Centre[i]+2*math.Sqrt(spread))
	}
	e.Centre, e.Left, e.V = floats(centre), floats(left), floats(v.Data)
	if f.Transforms == nil {
		return
	}
	e.Transforms = f.Transforms
	if t := f.Transforms[0]; !table {
		e.Transforms, e.Low, e.High = f.Transforms[:1], t.Back(e.Low), t.Back(e.High)
	}
}
