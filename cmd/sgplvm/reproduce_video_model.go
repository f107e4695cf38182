package main

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
)

const titleDynamical = "dynamical SGPLVM"

// A gridModel is the model as it was published as a method for films: its spatial kernels say
// what is between the pixels.
type gridModel struct {
	model  *sgplvm.Model
	layout dataset.Layout // of the training frames
}

// Predict finds the latent posteriors at the times and predicts their frames.
func (m gridModel) Predict(ctx context.Context, times []float64, height, width int, body func(s baseline.Slab) error) error {
	latents, err := m.model.LatentAt(0, times)
	if err != nil {
		return err
	}
	grid, err := dataset.Pixels(m.model.Space(), m.layout, width, height)
	if err != nil {
		return err
	}
	var mean, variance []float64
	row := width * m.layout.Channels
	return m.model.PredictSlabs(ctx, latents, grid, sgplvm.SlabOptions{Numbers: 1 << 23}, func(s sgplvm.Slab) error {
		n := (s.To - s.From) * row
		if len(mean) < n*len(times) {
			mean, variance = make([]float64, n*len(times)), make([]float64, n*len(times))
		}
		p := baseline.Slab{From: s.From, To: s.To, Mean: mat.NewDense(len(times), n, mean[:n*len(times)]), Variance: mat.NewDense(len(times), n, variance[:n*len(times)])}
		mat.Parallel(len(times), func(i int) {
			mat.Copy(mat.NewDense(n/m.layout.Channels, m.layout.Channels, p.Mean.Row(i)), s.Mean[i])
			mat.Copy(mat.NewDense(n/m.layout.Channels, m.layout.Channels, p.Variance.Row(i)), s.Variance[i])
		})
		return body(p)
	})
}

// train trains the model on the training frames: as published, or with a time part, on what the
// frames show once their motion is taken out.
func (x *filmExperiment) train(ctx context.Context) (filmMethod, string, error) {
	space, err := dataset.Space(x.frames.Width, x.frames.Height, "product")
	if err != nil {
		return nil, "", err
	}
	cfg := sgplvm.Config{
		Space: space, LatentDims: x.latent, Inducing: min(len(x.training), maxFilmInducing), Seed: x.seed,
		Dynamics:   sgplvm.Dynamics{Times: x.timesOf(x.training), Kernel: x.kernel},
		Attributes: attributes(&x.frames.Form),
	}
	o := sgplvm.FitOptions{Iterations: x.iterations}
	if x.iterations == 0 && x.quick {
		o.Iterations = 80
	}
	if x.paper {
		if cfg.Dynamics.Kernel.Kind == automatic {
			cfg.Dynamics.Kernel = matern32
		}
		return x.trainModel(ctx, sgplvm.Data{Source: chosenFrames{x.frames, x.training}}, cfg, o, nil)
	}
	if x.seen != nil { // which the model fills in on its grid, without motion
		cfg.LatentKernel, cfg.LatentTime, o.Calibrate = plainTime.latent, partOrSum(x.partKernel), true
		if x.kernel.Kind == automatic {
			if cfg, err = x.chooseSeen(ctx, cfg, o); err != nil {
				return nil, "", err
			}
		}
		return x.trainModel(ctx, sgplvm.Data{Source: chosenFrames{x.frames, x.training}}, cfg, o, nil)
	}
	cfg.LatentKernel, cfg.LatentTime = sgplvm.LatentRBF|sgplvm.LatentTime, x.partKernel
	o.Calibrate = true
	f, frames, err := newFilm(ctx, x.e, chosenFrames{x.frames, x.training}, cfg.Dynamics, x.frames.Layout)
	if err != nil {
		return nil, "", err
	}
	data := sgplvm.Data{Source: frames}
	if cfg, err = chooseTime(ctx, x.e, data, x.frames.Layout, cfg, o, x.period); err != nil {
		return nil, "", err
	}
	return x.trainModel(ctx, data, cfg, o, f)
}

// trainModel trains the model itself; f is the film's method, without its model yet, or nil where the
// model predicts frames by itself: as published, or seen in part.
func (x *filmExperiment) trainModel(ctx context.Context, data sgplvm.Data, cfg sgplvm.Config, o sgplvm.FitOptions, f *film.Film) (filmMethod, string, error) {
	m, err := sgplvm.New(data, cfg)
	if err != nil {
		return nil, "", err
	}
	r, err := fit(ctx, x.e, m, o)
	if err != nil {
		return nil, "", err
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(x.e.stderr, "sgplvm: warning: %s: %s\n", titleDynamical, w)
	}
	if f != nil {
		if err := f.Keep(m); err != nil {
			return nil, "", err
		}
		if err := calibrateFilm(ctx, x.e, f, m, chosenFrames{x.frames, x.training}); err != nil {
			return nil, "", err
		}
	}
	if x.save != "" {
		if err := saveModel(x.save, m); err != nil {
			return nil, "", err
		}
	}
	x.model = m
	p := m.Params()
	var kernels []string
	for _, k := range p.Spatial {
		kernels = append(kernels, kernelText(k))
	}
	inTime := "in time " + rounded(p.Dynamics.Kernel).String()
	if k := p.Latent; k.Time.Variance > 0 && k.LengthScale != nil && k.Variance < idleVariance*k.Time.Variance {
		inTime = "none of them in use" // whatever their kernel in time
	}
	about := fmt.Sprintf("%d latent dimensions, %s, %d inducing points, in space %s; latent kernel %s; %d steps (%s), bound %.6g, noise %s",
		p.Mu.Cols, inTime, p.Z.Rows, strings.Join(kernels, " and "), latentKernelText(p.Latent), r.Iterations, r.Status, r.Bound, numbers(m.Noise()))
	if x.seen != nil {
		return seenModel{m, x.seen}, about, nil
	}
	if f == nil {
		return gridModel{m, x.frames.Layout}, about, nil
	}
	return movingFilm{f}, about + "; " + f.String(), nil
}

// idleVariance is the part of the time part's variance below which that of the latent variables' own
// counts for nothing.
const idleVariance = 1e-6

// maxFilmInducing bounds the latent inducing points of a film's model.
const maxFilmInducing = 200

// The latent curves that are drawn, and the size of their panels in pixels.
const (
	drawnCurves           = 6
	panelWidth, panelRise = 760, 90
	panelGap              = 26
)

// latentPicture draws the latent variables of the model over time, those with the shortest length
// scales, with bands of two standard deviations and the training times, and the inverse length
// scales of all: an SVG picture.
func (x *filmExperiment) latentPicture() (template.HTML, error) {
	p := x.model.Params()
	lengths := p.Latent.LengthScale
	dims := p.Mu.Cols
	inverse := make([]float64, dims)
	order := make([]int, dims)
	for q := range dims {
		order[q] = q
		if lengths != nil {
			inverse[q] = 1 / lengths[q]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(inverse[b], inverse[a]) })
	from, to := slices.Min(x.times), slices.Max(x.times)
	times := make([]float64, panelWidth/2)
	for k := range times {
		times[k] = from + (to-from)*float64(k)/float64(len(times)-1)
	}
	at, err := x.model.LatentAt(0, times)
	if err != nil {
		return "", err
	}
	curves := min(drawnCurves, dims)
	height := (curves + 1) * (panelRise + panelGap)
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", panelWidth+20, height)
	across := func(t float64) float64 { return 10 + panelWidth*(t-from)/(to-from) }
	for k, q := range order[:curves] {
		top := float64(k*(panelRise+panelGap) + panelGap)
		low, high := math.Inf(1), math.Inf(-1)
		for _, l := range at {
			d := 2 * math.Sqrt(l.S[q])
			low, high = min(low, l.Mu[q]-d), max(high, l.Mu[q]+d)
		}
		if !(high > low) {
			high = low + 1
		}
		down := func(v float64) float64 { return top + panelRise*(high-v)/(high-low) }
		fmt.Fprintf(&s, `<text x="10" y="%.1f">latent variable %d, inverse length scale %.3g</text>`+"\n", top-6, q, inverse[q])
		var band, back, line []string
		for j, l := range at {
			d := 2 * math.Sqrt(l.S[q])
			band = append(band, fmt.Sprintf("%.1f,%.1f", across(times[j]), down(l.Mu[q]+d)))
			back = append(back, fmt.Sprintf("%.1f,%.1f", across(times[j]), down(l.Mu[q]-d)))
			line = append(line, fmt.Sprintf("%.1f,%.1f", across(times[j]), down(l.Mu[q])))
		}
		slices.Reverse(back)
		fmt.Fprintf(&s, `<polygon points="%s %s" fill="#cfd8f0"/>`+"\n", strings.Join(band, " "), strings.Join(back, " "))
		fmt.Fprintf(&s, `<polyline points="%s" fill="none" stroke="#234"/>`+"\n", strings.Join(line, " "))
		for _, t := range x.timesOf(x.training) {
			fmt.Fprintf(&s, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="#999"/>`+"\n", across(t), across(t), top+panelRise, top+panelRise+4)
		}
	}
	top := float64(curves*(panelRise+panelGap) + panelGap)
	fmt.Fprintf(&s, `<text x="10" y="%.1f">inverse length scales of all latent variables</text>`+"\n", top-6)
	most := max(slices.Max(inverse), math.SmallestNonzeroFloat64)
	step := panelWidth / float64(dims)
	for k, q := range order {
		rise := panelRise * inverse[q] / most
		fmt.Fprintf(&s, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="#567"/>`+"\n", 10+float64(k)*step, top+panelRise-rise, 0.8*step, rise)
	}
	s.WriteString("</svg>\n")
	return template.HTML(s.String()), nil
}
