package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A kernelText explains a kernel in words, with its formula's numbers and, in space, a curve.
type kernelText struct {
	Of, Words, Numbers string
	Curve              markup
}

// kinds say what functions each kernel stands for.
var kinds = map[kernel.Kind]string{
	kernel.Matern12: "rough, with corners",
	kernel.Matern32: "smooth, but with sudden turns",
	kernel.Matern52: "smooth",
	kernel.RBF:      "very smooth",
	kernel.White:    "unrelated from one point to the next",
	kernel.Periodic: "repeating",
}

// kernels explains all kernels of a model.
func kernels(m *sgplvm.Model, s *shape, idle bool) []kernelText {
	p := m.Summary()
	alike := "Examples are alike where their hidden numbers are close."
	if idle {
		alike = "Examples are alike where their times are close; their hidden numbers count for next to nothing."
	}
	all := []kernelText{{Of: "Between examples", Words: alike, Numbers: p.LatentKernel}}
	if own := p.OwnTimeKernels; own != nil {
		var each []string
		for q, k := range own {
			each = append(each, fmt.Sprintf("%d: %s", q, engine.TimeKernelText(engine.Leading(k))))
		}
		all = append(all, kernelText{Of: "In time", Words: "Each of the hidden numbers follows a path in time of its own kind.", Numbers: strings.Join(each, "; ")})
	} else if p.TimeKernel.Kind != "" {
		all = append(all, kernelText{Of: "In time", Words: "The hidden numbers follow paths in time that are " + words(p.TimeKernel) + within(p.TimeKernel, "units of time") + ".",
			Numbers: engine.TimeKernelText(p.TimeKernel)})
	}
	if s.Kind == kindTable {
		return all
	}
	unit := "units of the points"
	if s.Kind == kindPicture {
		unit = "pixels"
	}
	for f, factor := range p.Spatial {
		of := "In space"
		if len(p.Spatial) == 2 {
			of = [2]string{"Down the rows", "Along the columns"}[f]
		}
		text := "Values at neighbouring points vary together: " + words(factor.Kernel) + within(factor.Kernel, unit) + "."
		if factor.Inducing.Rows > 0 {
			text += fmt.Sprintf(" %d points stand for all.", factor.Inducing.Rows)
		}
		all = append(all, kernelText{of, text, engine.KernelText(factor.Kernel), correlation(factor.Kernel, m.Grid()[f])})
	}
	if p.Residual.Kind != "" {
		text := "What the hidden numbers do not explain is not noise of single points: it is " + words(p.Residual) + within(p.Residual, unit) + "."
		if p.Learned {
			text = "What the hidden numbers do not explain is not noise of single points: how it varies together was learned for every pair of points."
		}
		all = append(all, kernelText{Of: "In the rest", Words: text, Numbers: engine.KernelText(p.Residual)})
	}
	return all
}

// words names the kind of a kernel's functions.
func words(k kernel.Kernel) string {
	if len(k.Terms) == 0 {
		if text := kinds[k.Kind]; text != "" {
			return text
		}
		return string(k.Kind)
	}
	var parts []string
	for _, t := range k.Terms {
		parts = append(parts, words(t))
	}
	if k.Kind == kernel.Product {
		return strings.Join(parts, " and at once ")
	}
	return strings.Join(parts, ", plus ")
}

// within tells a kernel's reach.
func within(k kernel.Kernel, unit string) string {
	if len(k.Terms) > 0 || len(k.LengthScale) == 0 || k.Kind == kernel.Periodic {
		return ""
	}
	var parts []string
	for _, l := range k.LengthScale {
		parts = append(parts, fmt.Sprintf("%.3g", l))
	}
	return ", over about " + strings.Join(parts, " × ") + " " + unit
}

// correlation draws how values at two points vary together over their distance along the first dimension.
func correlation(k kernel.Kernel, points mat.Matrix) markup {
	if points.Rows < 2 || k.Kind == kernel.White {
		return ""
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range points.Rows {
		low, high = min(low, points.At(i, 0)), max(high, points.At(i, 0))
	}
	reach := high - low
	if len(k.LengthScale) > 0 && k.Kind != kernel.Periodic {
		reach = min(reach, 4*k.LengthScale[0])
	}
	if !(reach > 0) || math.IsInf(reach, 0) {
		return ""
	}
	const steps = 60
	at, values := mat.New(steps+1, points.Cols), mat.New(1, steps+1)
	x := make([]float64, steps+1)
	for i := range x {
		x[i] = reach * float64(i) / steps
		at.Set(i, 0, x[i])
	}
	k.Matrix(values, mat.New(1, points.Cols), at)
	for i := range values.Data {
		values.Data[i] /= k.Variance
	}
	c := newChart(300, 150, 0, reach, -0.02, 1.05, "correlation over distance")
	c.left, c.bottom = 40, 34
	c.axes("distance", "correlation")
	c.line("curve", x, values.Data)
	return c.html()
}
