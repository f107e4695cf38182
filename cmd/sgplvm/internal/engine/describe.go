package engine

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/film"
)

// Describe tells a model's sizes, kernels and noise in lines of words.
func Describe(m *sgplvm.Model) string {
	var s strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&s, "%-22s %s\n", name, fmt.Sprintf(format, args...))
	}
	p := m.Params()
	line("training examples", "%d", m.Examples())
	line("channels", "%d", m.Channels())
	line("spatial points", "%d", m.Space().Len())
	if g := m.Attributes()[attributeGrid]; g != "" {
		line("picture", "%s", cli.Text(g))
	}
	for i, k := range p.Spatial {
		x, u := m.Space()[i], p.Xu[i]
		inducing := "tied to the points"
		if u.Rows > 0 {
			inducing = fmt.Sprintf("%d free inducing points", u.Rows)
		}
		line(fmt.Sprintf("spatial factor %d", i), "%d points of dimension %d, %s, %s", x.Rows, x.Cols, KernelText(k), inducing)
	}
	line("latent dimensions", "%d", p.Mu.Cols)
	line("latent inducing points", "%d", p.Z.Rows)
	line("latent prior", "%s", priorText(p.Dynamics))
	line("latent kernel", "%s", LatentKernelText(p.Latent))
	if p.Latent.LengthScale != nil {
		inverse := make([]float64, p.Mu.Cols)
		for q, l := range p.Latent.LengthScale {
			inverse[q] = 1 / l
		}
		line("relevance", "%s", relevance(inverse))
	}
	if p.Latent.Linear != nil {
		slope := make([]float64, p.Mu.Cols)
		for q, v := range p.Latent.Linear {
			slope[q] = math.Sqrt(v)
		}
		line("linear relevance", "%s", relevance(slope))
	}
	if p.Residual.Kind != "" {
		line("residual", "%s%s", KernelText(p.Residual), map[bool]string{true: "; at the training points a covariance learned freely"}[p.Covariance.Rows > 0])
	}
	line("noise", "%s (standard deviation, in the data's units)", cli.Numbers(m.Noise()))
	if factor, power, ok := m.Calibrated(); ok {
		line("calibration", "variances at a time by %.3g in the geometric mean, to the power %.3g", factor, power)
	}
	line("signal-to-noise ratio", "%.4g", m.SignalToNoise())
	line("data mean", "%s", cli.Numbers(m.Scaler().Mean))
	line("data deviation", "%s", cli.Numbers(m.Scaler().Scale))
	line("jitter", "%.3g of the mean kernel diagonal", m.Jitter())
	line("seed", "%d", m.Seed())
	if f, err := film.Of(m); err != nil {
		line("motion", "%s", cli.Text(err.Error()))
	} else if f != nil {
		line("motion", "%s", f)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Attributes())) {
		if name != attributeGrid {
			line("attribute "+cli.Text(name), "%s", cli.Text(m.Attributes()[name]))
		}
	}
	return s.String()
}

// priorText tells the prior of the latent variables.
func priorText(d sgplvm.Dynamics) string {
	if d.Times == nil {
		return "independent"
	}
	labels := map[int]bool{}
	for _, label := range d.Sequences {
		labels[label] = true
	}
	sequences := "one sequence"
	if len(labels) > 1 {
		sequences = fmt.Sprintf("%d sequences", len(labels))
	}
	return fmt.Sprintf("dynamic, %s at times from %.4g to %.4g, kernel %s", sequences, slices.Min(d.Times), slices.Max(d.Times), TimeKernelText(d.Kernel))
}

// TimeKernelText writes a kernel with four digits of each number.
func TimeKernelText(k sgplvm.TimeKernel) string { return cli.Text(rounded(k).String()) }

// rounded returns a kernel with four digits of each number.
func rounded(k sgplvm.TimeKernel) sgplvm.TimeKernel {
	round := func(v float64) float64 {
		r, err := strconv.ParseFloat(fmt.Sprintf("%.4g", v), 64)
		if err != nil {
			return v
		}
		return r
	}
	k.LengthScale, k.Period = round(k.LengthScale), round(k.Period)
	k.Terms, k.Weights = slices.Clone(k.Terms), slices.Clone(k.Weights)
	for i, term := range k.Terms {
		k.Terms[i] = rounded(term)
	}
	for i, w := range k.Weights {
		k.Weights[i] = round(w)
	}
	return k
}

// KernelText names a spatial kernel with its numbers.
func KernelText(k sgplvm.Kernel) string {
	if len(k.LengthScale) == 0 {
		return fmt.Sprintf("%s, variance %.4g", k.Kind, k.Variance)
	}
	return fmt.Sprintf("%s, variance %.4g, length scale %s", k.Kind, k.Variance, cli.Numbers(k.LengthScale))
}

// LatentKernelText names the parts with their variances.
func LatentKernelText(k sgplvm.LatentKernel) string {
	var s []string
	if k.LengthScale != nil {
		s = append(s, fmt.Sprintf("rbf, variance %.4g", k.Variance))
	}
	if k.Linear != nil {
		var sum float64
		for _, v := range k.Linear {
			sum += v
		}
		s = append(s, fmt.Sprintf("linear, variances of %.4g in all", sum))
	}
	if k.Bias != 0 {
		s = append(s, fmt.Sprintf("bias %.4g", k.Bias))
	}
	if k.Time.Variance != 0 {
		s = append(s, fmt.Sprintf("time, variance %.4g, %s", k.Time.Variance, TimeKernelText(k.Time.Kernel)))
	}
	return strings.Join(s, " + ")
}

// relevance lists the latent dimensions by how fast pictures change along them,
// inverse length scales or slopes, the largest first, as percentages of it; those
// below one percent are counted.
func relevance(slopes []float64) string {
	type dimension struct {
		index int
		slope float64
	}
	var d []dimension
	largest := 0.0
	for q, v := range slopes {
		d = append(d, dimension{q, v})
		largest = math.Max(largest, v)
	}
	slices.SortStableFunc(d, func(a, b dimension) int { return cmp.Compare(b.slope, a.slope) })
	var s []string
	for i, x := range d {
		share := 100 * x.slope / largest
		if share < 1 {
			s = append(s, fmt.Sprintf("and %d dimensions below 1 %%", len(d)-i))
			break
		}
		s = append(s, fmt.Sprintf("%d: %.0f %%", x.index, share))
	}
	return strings.Join(s, ", ")
}
