package page_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/browser"
	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/page"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

var (
	shown   = flag.String("page", "", "the `file` with a page to take pictures of")
	screens = flag.String("screens", "", "the `folder` for pictures of the page in two windows")
)

// models are files of each kind of model.
const models = "../../../../sgplvm/testdata/models"

const (
	maxBytes      = 3 << 20 // of a page
	maxOperations = 8 << 20 // of a redraw, which a browser does in some milliseconds
)

// write returns the page of an input.
func write(t *testing.T, in *page.Input) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(t.Context(), &cli.Environment{Stdout: t.Output(), Stderr: t.Output()}, &b, in); err != nil {
		t.Fatal(err)
	}
	if b.Len() > maxBytes {
		t.Errorf("%d bytes, expected at most %d", b.Len(), maxBytes)
	}
	return b.Bytes()
}

// save writes it to a file.
func save(t *testing.T, in *page.Input) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, write(t, in), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// faces returns a model of drawn faces and frames that it has not seen, half of them hidden or not.
func faces(t *testing.T, dims int) (m *sgplvm.Model, rest *dataset.Frames) {
	t.Helper()
	all, err := dataset.FromArray("faces", picture.Faces(36, 16, 20, 3), dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	var first, last []int
	for i := range all.Count {
		if i%3 == 1 {
			last = append(last, i)
		} else {
			first = append(first, i)
		}
	}
	training := all.Select(first)
	grid, err := dataset.Grid(16, 20, "product")
	if err != nil {
		t.Fatal(err)
	}
	cfg := sgplvm.Config{Effort: sgplvm.EffortNone, LatentDims: dims}
	if cfg.Attributes, err = engine.Attributes(&training.Form, training); err != nil {
		t.Fatal(err)
	}
	cfg.Training.Iterations = 30
	m, _, err = sgplvm.Fit(t.Context(), sgplvm.Data{Source: training, Grid: grid}, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m, all.Select(last)
}

// Every kind of model has a page, with the same bytes at any number of processors; in a browser none complains or asks the
// network, and the pointer changes what is shown.
func TestEveryModel(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(models, "*.model"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d models, error %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			m, err := engine.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			in := &page.Input{Model: m, Name: filepath.Base(path)}
			first := write(t, in)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			if !bytes.Equal(first, write(t, in)) {
				t.Error("other bytes at another number of processors")
			}
			text, _, _ := bytes.Cut(first, []byte("<script>"))
			for _, word := range []string{"http://", "https://", "NaN", "Infinity", "ZgotmplZ"} {
				if i := bytes.Index(text, []byte(word)); i >= 0 {
					t.Errorf("%q in the page: %.80s", word, text[max(0, i-30):])
				}
			}
		})
	}
	if testing.Short() {
		return
	}
	b := browser.New(t)
	for _, path := range paths {
		m, err := engine.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		b.Open(save(t, &page.Input{Model: m, Name: filepath.Base(path)}), 1280, 900)
		before := b.Pixels("mean")
		var idle bool
		b.Run(&idle, "JSON.parse(document.getElementById('model').textContent).idle")
		if !idle {
			b.Point("map", 0.3, 0.35)
			middle := b.Pixels("mean")
			b.Point("map", 0.8, 0.7)
			if after := b.Pixels("mean"); before == middle && middle == after {
				t.Errorf("%s: the pointer changes nothing", path)
			}
		}
		b.Check()
	}
}

// A page with pictures: pointer, keys, axes, thumbnails, colours, playing and tables, in two windows, a redraw that takes few operations, and what the browser
// predicts.
func TestPage(t *testing.T) {
	m, rest := faces(t, 4)
	path := save(t, &page.Input{Model: m, Name: "faces", Labels: make([]int, m.Examples()), Data: &page.Data{Name: "rest", Seen: rest}})
	b := browser.New(t)
	sizes := [][2]int{{1280, 900}, {480, 800}}
	if testing.Short() {
		sizes = sizes[1:]
	}
	for _, size := range sizes {
		b.Open(path, size[0], size[1])
		var wide, high int
		b.Run(&wide, "document.documentElement.scrollWidth")
		if wide > size[0] {
			t.Errorf("the page is %d wide in a window of %d", wide, size[0])
		}
		b.Run(&high, "document.querySelectorAll('#pictures img').length")
		if high < 8 {
			t.Errorf("%d pictures", high)
		}
		changes := func(what, id string, do func()) {
			t.Helper()
			before := b.Pixels(id)
			if do(); b.Pixels(id) == before {
				t.Errorf("%s changes nothing of %s", what, id)
			}
		}
		b.Point("map", 0.5, 0.5)
		var slowest float64
		for i := range 8 {
			changes("the pointer", "mean", func() { b.Point("map", 0.2+0.07*float64(i), 0.3+0.05*float64(i%5)) })
			var took string
			b.Run(&took, "document.body.dataset.draw")
			ms, err := strconv.ParseFloat(took, 64)
			if err != nil {
				t.Fatal(err)
			}
			slowest = max(slowest, ms)
		}
		t.Logf("the slowest of 8 redraws took %.2f ms", slowest)
		b.Run(nil, "document.getElementById('map').focus()")
		for _, key := range []string{"ArrowLeft", "ArrowUp", "n", "p"} {
			changes("the key "+key, "mean", func() { b.Press(key) })
		}
		changes("the key t", "map", func() { b.Press("t") })
		changes("an axis", "map", func() { b.Run(nil, "document.querySelectorAll('[data-axis=a]')[2].click()"); b.Frame() })
		changes("colours", "map", func() {
			b.Run(nil, "(() => { const c = document.getElementById('colour'); c.value = 'label'; c.dispatchEvent(new Event('change')); })()")
		})
		changes("tones", "mean", func() {
			b.Run(nil, "(() => { const c = document.getElementById('tones'); c.value = 'colour'; c.dispatchEvent(new Event('change')); })()")
		})
		changes("playing", "mean", func() {
			b.Run(nil, "document.getElementById('play').click()")
			b.Run(nil, "new Promise(done => setTimeout(() => done(1), 300))")
			b.Run(nil, "document.getElementById('play').click()")
		})
		var text string
		b.Run(&text, `(async () => { const all = []; for (const a of document.querySelectorAll('a.csv')) { a.addEventListener('click', e => e.preventDefault()); a.click(); all.push(a.download + ':' + (await (await fetch(a.href)).text())); } return all.join('\n--\n'); })()`)
		for _, want := range []string{"latents.csv:example,label,mean_1", "bound.csv:phase,step,bound\nwarm-up,1,", "scores.csv:values judged,", "calibration.csv:", "model.csv:training examples,24"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in the tables: %.2000s", want, text)
			}
		}
		b.Call(nil, "Emulation.setEmulatedMedia", map[string]any{"media": "print"})
		var printed string
		b.Run(&printed, "getComputedStyle(document.querySelector('.controls')).display")
		if b.Call(nil, "Emulation.setEmulatedMedia", map[string]any{"media": ""}); printed != "none" {
			t.Errorf("the controls are printed: display %s", printed)
		}
		var operations int
		b.Run(&operations, "Number(document.body.dataset.operations)")
		if operations <= 0 || operations > maxOperations {
			t.Errorf("%d operations of a redraw, expected at most %d", operations, maxOperations)
		}
		b.Check()
	}
	predicts(t, b, m)
	m, _ = faces(t, 1) // with one latent dimension the map is as high as the examples are many
	b.Open(save(t, &page.Input{Model: m, Name: "one"}), 1000, 800)
	b.Point("map", 0.3, 0.5)
	before := b.Pixels("mean")
	if b.Point("map", 0.7, 0.5); b.Pixels("mean") == before {
		t.Error("one dimension: the pointer changes nothing")
	}
	b.Check()
}

// predicts holds what the browser computes to what the model predicts, up to the error that the page states.
func predicts(t *testing.T, b *browser.Browser, m *sgplvm.Model) {
	t.Helper()
	for _, point := range [][]float64{m.TrainingLatent(0).Mu, m.TrainingLatent(7).Mu, {0.3, -0.2, 0.1, 0.4}, {2, 2, -2, 1}} {
		var got struct{ Mean, Deviation []float64 }
		b.Run(&got, fmt.Sprintf(`(() => {
			const E = JSON.parse(document.getElementById('model').textContent), F = makeField(E), mean = new Float32Array(F.means), deviation = new Float32Array(F.points);
			F.predict([%s], 0, mean, deviation);
			return { Mean: Array.from(mean, v => E.offset[0] + E.unit[0] * v), Deviation: Array.from(deviation, v => E.unit[0] * v) };
		})()`, strings.Trim(strings.ReplaceAll(fmt.Sprint(point), " ", ","), "[]")))
		want, err := m.Predict(sgplvm.Latent{Mu: point, S: make([]float64, len(point))}, nil)
		if err != nil {
			t.Fatal(err)
		}
		unit := m.Summary().Deviation[0]
		for i, v := range want.Mean.Data {
			if math.Abs(got.Mean[i]-v) > 0.05*unit {
				t.Fatalf("at %v, point %d: mean %v, expected %v", point, i, got.Mean[i], v)
			}
			if d := math.Sqrt(want.Variance.Data[i]); math.Abs(got.Deviation[i]/d-1) > 0.15 {
				t.Fatalf("at %v, point %d: deviation %v, expected %v", point, i, got.Deviation[i], d)
			}
		}
	}
}

// Data that the model does not fit are refused in a line.
func TestOtherData(t *testing.T) {
	m, _ := faces(t, 4)
	other, err := dataset.FromArray("other", picture.Faces(2, 5, 4, 1), dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	err = page.Write(t.Context(), &cli.Environment{Stdout: t.Output(), Stderr: t.Output()}, new(bytes.Buffer), &page.Input{Model: m, Data: &page.Data{Name: "other", Seen: other}})
	if want := "other: pictures of 20 points and 1 channels, expected 320 and 1, the model's"; err == nil || err.Error() != want {
		t.Errorf("error %v, expected %s", err, want)
	}
}

// The page of a table has the error of each column, as Impute makes it beside the truth.
func TestColumns(t *testing.T) {
	m, err := engine.Load("../../testdata/formats/table.model")
	if err != nil {
		t.Fatal(err)
	}
	const rows = 8
	n := m.Channels()
	truth, seen, squares, counts := make([]float64, rows*n), make([]float64, rows*n), make([]float64, n), make([]float64, n)
	for i := range rows {
		p, err := m.Predict(m.TrainingLatent(i), nil)
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range p.Mean.Data {
			truth[i*n+k] = v + 0.3*float64(k-1)*m.Summary().Deviation[k]
			if seen[i*n+k] = truth[i*n+k]; (i+k)%3 == 0 {
				seen[i*n+k] = math.NaN()
			}
		}
		filled, _, err := m.Impute(t.Context(), sgplvm.Observed{Values: mat.NewDense(1, n, seen[i*n:(i+1)*n])}, sgplvm.InferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for k, v := range filled.Mean.Data {
			if seen[i*n+k] != seen[i*n+k] {
				squares[k], counts[k] = squares[k]+(v-truth[i*n+k])*(v-truth[i*n+k]), counts[k]+1
			}
		}
	}
	frames := func(values []float64) *dataset.Frames {
		f, err := dataset.FromArray("rows", npy.New(values, rows, n), dataset.Layout{})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	text := write(t, &page.Input{Model: m, Name: "rows", Columns: []string{"a & b"}, Data: &page.Data{Name: "rows", Seen: frames(seen), Truth: frames(truth)}})
	for k := range n {
		deviation := m.Summary().Deviation[k]
		want := fmt.Sprintf(`<td class="number">%v</td><td class="number">%.4g</td><td class="number">%.4g</td><td class="number">%.4g %%</td>`, counts[k], math.Sqrt(squares[k]/counts[k]), deviation, 100*math.Sqrt(squares[k]/counts[k])/deviation)
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("column %d: no %s", k, want)
		}
	}
	if !bytes.Contains(text, []byte("<td>a &amp; b</td>")) || !bytes.Contains(text, []byte(`<a href="#pictures">Columns</a>`)) {
		t.Error("no name of a column, or no link to its section")
	}
}

// Pictures of a page in two windows, the pointer on its map, of the map alone, and of the page as it is printed. README's picture is
// report-explorer.png of the demo's page: go test -run TestScreens -page report.html -screens folder
func TestScreens(t *testing.T) {
	if *shown == "" || *screens == "" {
		t.Skip("no -page and -screens")
	}
	name := strings.TrimSuffix(filepath.Base(*shown), filepath.Ext(*shown))
	b := browser.New(t)
	for _, width := range []int{1280, 560} {
		b.Open(*shown, width, 900)
		var hidden bool
		b.Run(&hidden, "document.getElementById('map').offsetParent === null")
		if hidden {
			b.Run(nil, "(() => { const s = document.getElementById('time'); s.value = 38; s.dispatchEvent(new Event('input')); })()")
			b.Frame()
		} else {
			b.Point("map", 0.547, 0.4475)
		}
		if !hidden {
			b.Run(nil, "document.getElementById('thumbs').click()")
		}
		b.Shoot(filepath.Join(*screens, fmt.Sprintf("%s-%d.png", name, width)), "html", 3200, 1)
		if width == 560 {
			b.Call(nil, "Emulation.setEmulatedMedia", map[string]any{"media": "print"})
			b.Shoot(filepath.Join(*screens, name+"-print.png"), "html", 3200, 1)
		} else {
			b.Shoot(filepath.Join(*screens, name+"-explorer.png"), ".explorer", 3200, 0.65)
		}
	}
	b.Check()
}
