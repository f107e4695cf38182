package sgplvm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Load reads a model that Save wrote. It predicts with the bits of the one that
// was saved, on the same instruction set. Errors: *FileError.
func Load(r io.Reader) (*Model, error) {
	m, err := load(r, 0)
	if err != nil {
		return nil, &FileError{Err: err}
	}
	return m, nil
}

// fromFile reads a model that is the depth-th within others.
func fromFile(f *safetensors.File, depth int) (*Model, error) {
	t := newTensorReader(f)
	if got := t.Text("format"); got == emulatorFormat {
		return nil, errors.New("an emulator, which predicts from inputs alone")
	} else if got != modelFormat {
		return nil, fmt.Errorf("format %s, expected %q", quote.Text(got), modelFormat)
	}
	text := t.Text("seed")
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil || strconv.FormatUint(seed, 10) != text {
		return nil, fmt.Errorf("seed %s, expected a whole number", quote.Text(text))
	}
	p := &bound.Params{Z: t.matrix("Z"), Latent: psi.Load(t)}
	p.X.Mu, p.X.S = t.matrix("mu"), t.matrix("S")
	p.Noise = t.noise()
	o := t.options()
	if o.Incomplete = t.incomplete(); o.Incomplete == nil {
		o.Spectra = t.spectra()
	}
	t.paths(p)
	jitter := t.Number("jitter")
	scaler := data.Scaler{Mean: t.Numbers("scaler.mean"), Scale: t.Numbers("scaler.scale")}
	grid := t.space(p)
	if t.err != nil {
		return nil, t.err
	}
	if err := validate(p, grid, scaler, jitter); err != nil {
		return nil, err
	}
	dims := []int{p.Z.Rows}
	for i := range p.Space {
		inducing := p.Space[i].Xu.Rows
		if p.Space[i].Tied() {
			inducing = grid[i].Rows
		}
		dims = append(dims, inducing)
	}
	dims = append(dims, len(scaler.Mean))
	alpha := kronprod.Tensor{Dims: dims, Data: t.read("alpha", dims...)}
	cfg, selection, phases := t.choice()
	partly, err := t.partly(depth)
	if err != nil {
		return nil, err
	}
	attributes, attached, err := t.callers()
	if err != nil {
		return nil, err
	}
	q, err := predict.New(p, grid, scaler, alpha, jitter, o)
	if err != nil {
		return nil, err
	}
	moving, err := takeFilm(q, attached)
	if err != nil {
		return nil, err
	}
	m := newModel(q, moving, seed, attributes, attached)
	m.config, m.selection, m.phases, m.partly = cfg, selection, phases, partly
	return m, m.fits(partly)
}

// choice reads what the model was trained with, how that was chosen and how the bound rose.
func (t *tensorReader) choice() (cfg *Config, selection *Selection, phases []PhaseReport) {
	read := func(name string, into any) bool {
		if t.file.Metadata[name] == "" {
			return false
		}
		if err := json.Unmarshal([]byte(t.Text(name)), into); err != nil {
			t.Fail(fmt.Errorf("metadata entry %s: %s", name, quote.Line(err.Error())))
		}
		return true
	}
	var c Config
	var s Selection
	if read("config", &c) {
		cfg = &c
	}
	if read("selection", &s) {
		selection = &s
	}
	read("training", &phases)
	for i, p := range phases {
		if p.Steps < 0 || len(p.Bounds) >= mostBounds || len(p.Bounds) > 0 && (p.Every < 1 || len(p.Bounds) > p.Steps/p.Every) {
			t.Fail(fmt.Errorf("metadata entry training: phase %d has %d bounds of %d steps, one in %d, expected fewer than %d, and no more than there were steps",
				i, len(p.Bounds), p.Steps, p.Every, mostBounds))
		}
	}
	return cfg, selection, phases
}

// space reads the spatial factors.
func (t *tensorReader) space(p *bound.Params) Grid {
	var grid Grid
	for i := 0; t.Has(fmt.Sprintf("spatial.%d.X", i)); i++ {
		name := fmt.Sprintf("spatial.%d.", i)
		grid = append(grid, t.matrix(name+"X"))
		var s bound.Spatial
		if t.Has(name + "Xu") {
			s.Xu = t.matrix(name + "Xu")
			if s.Xu.Rows < 1 && t.err == nil { // there is a tensor, of nothing
				t.Fail(fmt.Errorf("%sXu is %d×%d, expected at least one point, or no such tensor", name, s.Xu.Rows, s.Xu.Cols))
			}
		}
		s.Kernel = t.kernel(name)
		p.Space = append(p.Space, s)
	}
	return grid
}

// kernel reads a kernel in space under names that begin with the given one.
func (t *tensorReader) kernel(name string) kernel.Kernel {
	k := kernel.Kernel{Kind: kernel.Kind(t.Text(name + "kernel"))}
	if !t.Has(name + "lengthscale") {
		k = t.timeKernel(name + "kernel")
	} else {
		k.LengthScale = t.Numbers(name + "lengthscale")
	}
	k.Variance = t.Number(name + "variance")
	return k
}

// noise reads the noise.
func (t *tensorReader) noise() bound.Noise {
	n := bound.Noise{Beta: t.Number("beta")}
	if t.Has("residual.variance") {
		n.Residual = t.kernel("residual.")
		if !n.Structured() {
			t.Fail(errors.New("no metadata entry residual.kernel, expected one beside residual.variance"))
		}
		if t.Has("noise.covariance") {
			n.Covariance = t.matrix("noise.covariance")
		}
		if t.Has("noise.taper") {
			n.Taper = t.Numbers("noise.taper")
		}
	}
	if t.Has("noise.floor") {
		n.Floor = t.Number("noise.floor")
	}
	return n
}

// options reads what predictions know beside the parameters.
func (t *tensorReader) options() predict.Options {
	var o predict.Options
	if t.Has("residuals") {
		o.Residuals = t.matrix("residuals")
	}
	if t.Has("filled.variance") {
		o.Filled = &predict.Filled{Variance: t.matrix("filled.variance"), Alike: t.matrix("filled.alike")}
	}
	if t.Has("calibration") {
		o.Calibration = &predict.Calibration{Factor: t.matrix("calibration"), Mean: t.Numbers("calibration.mean"), Power: t.Number("calibration.power"),
			Inflation: predict.Inflation{Ratios: t.Numbers("calibration.unrest"), Reach: t.Number("calibration.reach")}}
	}
	return o
}

// paths reads the dynamical prior, and whose times the inducing points have.
func (t *tensorReader) paths(p *bound.Params) {
	if t.Has("dynamics.times") {
		prior := dynamics.Prior{Times: append([]float64{}, t.Numbers("dynamics.times")...)}
		if t.Has("dynamics.sequences") {
			prior.Sequences = t.labels("dynamics.sequences")
		}
		prior.Kernel = t.timeKernel("dynamics.kernel")
		p.X.Paths = &dynamics.Params{Prior: prior, MuBar: t.matrix("dynamics.mubar"), Lambda: t.matrix("dynamics.lambda")}
		if t.file.Metadata[ownKernel(0)] != "" {
			for q := range p.X.Paths.MuBar.Cols {
				p.X.Paths.Prior.Own = append(p.X.Paths.Prior.Own, t.timeKernel(ownKernel(q)))
			}
		}
	}
	if t.Has("Z.examples") {
		p.ZExamples = t.labels("Z.examples")
	}
}

// callers reads attributes and attachments, and refuses what nobody has read.
func (t *tensorReader) callers() (attributes map[string]string, attached map[string][]byte, err error) {
	if t.err != nil {
		return nil, nil, t.err
	}
	for _, name := range slices.Sorted(maps.Keys(t.unread)) {
		key, ok := strings.CutPrefix(name, attachedPrefix)
		if !ok {
			return nil, nil, fmt.Errorf("tensor %s, expected none of that name", quote.Text(name))
		}
		content, err := safetensors.Values[uint8](t.file, name, -1)
		if err != nil {
			return nil, nil, err
		}
		if attached == nil {
			attached = map[string][]byte{}
		}
		attached[key] = content
	}
	attributes = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(t.entries)) {
		key, ok := strings.CutPrefix(name, attributePrefix)
		if !ok {
			return nil, nil, fmt.Errorf("metadata entry %s, expected none of that name", quote.Text(name))
		}
		attributes[key] = t.file.Metadata[name]
	}
	return attributes, attached, nil
}

// validate checks what a file's own checksum cannot: that its parts belong
// together.
func validate(p *bound.Params, grid Grid, scaler data.Scaler, jitter float64) error {
	if len(grid) == 0 {
		return fmt.Errorf("no tensor spatial.0.X, expected at least one spatial factor")
	}
	points := 1
	for i, x := range grid {
		switch {
		case x.Rows < 1 || x.Cols < 1:
			return fmt.Errorf("spatial.%d.X is %d×%d, expected at least one point of one dimension", i, x.Rows, x.Cols)
		case x.Rows > math.MaxInt/points:
			return fmt.Errorf("spatial.%d.X has %d points, with those of the factors before it more than can be counted", i, x.Rows)
		case !p.Space[i].Tied() && p.Space[i].Kernel.Kind == kernel.White:
			return fmt.Errorf("spatial.%d.Xu has %d points, expected no such tensor beside a white kernel", i, p.Space[i].Xu.Rows)
		}
		points *= x.Rows
	}
	if len(scaler.Mean) < 1 || len(scaler.Scale) != len(scaler.Mean) {
		return fmt.Errorf("scaler of %d means and %d scales, expected as many and at least one", len(scaler.Mean), len(scaler.Scale))
	}
	for c, s := range scaler.Scale {
		if !(s > 0) || math.IsInf(1/s, 0) {
			return fmt.Errorf("scale %v of channel %d, expected a positive number with an inverse", s, c)
		}
	}
	if !(jitter >= 0 && jitter <= 0.1) {
		return fmt.Errorf("jitter %v, expected 0 to 0.1", jitter)
	}
	return p.Validate(grid)
}
