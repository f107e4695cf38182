package engine

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Describe tells a model's sizes, kernels and noise in lines of words, and how it was chosen.
func Describe(m *sgplvm.Model) string {
	var s lines
	for _, f := range Facts(m) {
		s.pair(f[0], "%s", f[1])
	}
	s.selection(m.Selection())
	return s.String()
}

// Facts are a model's sizes, kernels and noise, each with its name.
func Facts(m *sgplvm.Model) (all [][2]string) {
	line := func(name, format string, args ...any) {
		all = append(all, [2]string{name, fmt.Sprintf(format, args...)})
	}
	p := m.Summary()
	if Table(m) {
		line("table", "%d rows of %d columns", m.Examples(), m.Channels())
	} else {
		describeSpace(m, p, line)
	}
	line("latent dimensions", "%d%s", p.LatentDims, inUse(p))
	line("latent inducing points", "%d", p.Inducing)
	line("latent prior", "%s", priorText(m.Times(), p))
	line("latent kernel", "%s", p.LatentKernel)
	for _, r := range inForce(p) {
		line(r.Title, "%s", relevance(r.Slopes))
	}
	if p.Residual.Kind != "" {
		line("residual", "%s%s", KernelText(p.Residual), map[bool]string{true: "; at the training points a covariance learned freely"}[p.Learned])
	}
	line("noise", "%s (standard deviation, in the data's units)", cli.Range(p.Noise))
	if p.Calibrated {
		line("calibration", "variances at a time by %.3g in the geometric mean, to the power %.3g", p.Factor, p.Power)
	}
	line("signal-to-noise ratio", "%.4g", p.SignalToNoise)
	line("data mean", "%s", cli.Range(p.Mean))
	line("data deviation", "%s", cli.Range(p.Deviation))
	line("jitter", "%.3g of the mean kernel diagonal", p.Jitter)
	line("seed", "%d", p.Seed)
	if p.Motion != "" {
		line("motion", "%s", p.Motion)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Attributes())) {
		if name != attributeGrid && name != attributeTable && name != attributeType && name != attributeLevels {
			line("attribute "+cli.Text(name), "%s", cli.Text(m.Attributes()[name]))
		}
	}
	if text := keptText(m); text != "" {
		line("kept in the file", "%s", text)
	}
	if cfg, ok := m.Config(); ok {
		line("configuration", "%s", cli.Text(ConfigText(cfg)))
	}
	return all
}

// describeSpace tells what a model knows of space.
func describeSpace(m *sgplvm.Model, p sgplvm.Summary, line func(name, format string, args ...any)) {
	line("training examples", "%d", m.Examples())
	if p.Counted > 0 && p.Counted != float64(m.Examples()) {
		line("examples counted", "%.6g", p.Counted)
	}
	line("channels", "%d", m.Channels())
	line("spatial points", "%d", m.Grid().Len())
	if g := m.Attributes()[attributeGrid]; g != "" {
		if t := m.Attributes()[attributeType]; t != "" {
			g += " pixels of type " + t
		}
		line("picture", "%s", cli.Text(g))
		if l := m.Attributes()[attributeLevels]; l != "" {
			line("black and white", "%s", cli.Text(l))
		}
	}
	for i, f := range p.Spatial {
		x, inducing := m.Grid()[i], "tied to the points"
		if f.Inducing.Rows > 0 {
			inducing = fmt.Sprintf("%d free inducing points", f.Inducing.Rows)
		}
		line(fmt.Sprintf("spatial factor %d", i), "%d points of dimension %d, %s, %s", x.Rows, x.Cols, KernelText(f.Kernel), inducing)
	}
}

// leastRelevance is the share of the fastest change above which a latent dimension is in use.
const leastRelevance = 0.01

// allNoise tells whether a model takes its examples for noise: their variance is that of the noise, and no latent kernel counts.
func allNoise(p sgplvm.Summary) bool { return p.SignalToNoise < 1.001 }

// inForce leaves out parts of the latent kernel whose variance is as good as nought: what their length scales say means nothing.
func inForce(p sgplvm.Summary) (some []sgplvm.Relevance) {
	for _, r := range p.Relevances {
		if r.Share >= 1e-6 && !allNoise(p) {
			some = append(some, r)
		}
	}
	return some
}

// inUse says where none of the latent dimensions is in use, or where all of several are.
func inUse(p sgplvm.Summary) string {
	if p.Idle {
		return ", none in use: the part of time explains the examples by itself"
	}
	if allNoise(p) {
		return ", none in use: the examples are taken for noise"
	}
	if p.LatentDims < 2 || slices.Contains(usedDims(p), false) {
		return ""
	}
	return ", all in use: more may describe the examples better"
}

// usedDims says which latent dimensions are in use.
func usedDims(p sgplvm.Summary) []bool {
	used := make([]bool, p.LatentDims)
	for _, r := range inForce(p) {
		largest := slices.Max(append([]float64{0}, r.Slopes...))
		for q, v := range r.Slopes {
			used[q] = used[q] || v > 0 && v >= leastRelevance*largest
		}
	}
	return used
}

// priorText tells the prior of the latent variables of examples at some times.
func priorText(times []sgplvm.Instant, p sgplvm.Summary) string {
	if times == nil {
		return "independent"
	}
	labels, first, last := map[int]bool{}, math.Inf(1), math.Inf(-1)
	for _, t := range times {
		labels[t.Sequence] = true
		first, last = min(first, t.Time), max(last, t.Time)
	}
	sequences := "one sequence"
	if len(labels) > 1 {
		sequences = fmt.Sprintf("%d sequences", len(labels))
	}
	of := "kernel " + TimeKernelText(p.TimeKernel)
	if own := p.OwnTimeKernels; own != nil {
		of = "each dimension with a kernel of its own, the first " + TimeKernelText(Leading(own[0]))
	}
	return fmt.Sprintf("dynamic, %s at times from %.4g to %.4g, %s", sequences, first, last, of)
}

// Leading returns a sum without terms that hardly count.
func Leading(k kernel.Kernel) kernel.Kernel {
	const least = 0.01
	short := kernel.Kernel{Kind: k.Kind}
	for i, w := range k.Weights {
		if w >= least {
			short.Terms, short.Weights = append(short.Terms, k.Terms[i]), append(short.Weights, w)
		}
	}
	if len(short.Terms) < 2 {
		return k
	}
	return short
}

// TimeKernelText writes a kernel with four digits of each number.
func TimeKernelText(k kernel.Kernel) string { return cli.Text(rounded(k).String()) }

// rounded returns a kernel with four digits of each number.
func rounded(k kernel.Kernel) kernel.Kernel {
	k = k.Clone()
	round := func(v *float64) {
		if r, err := strconv.ParseFloat(fmt.Sprintf("%.4g", *v), 64); err == nil {
			*v = r
		}
	}
	round(&k.Period)
	for _, numbers := range [][]float64{k.LengthScale, k.Weights} {
		for i := range numbers {
			round(&numbers[i])
		}
	}
	for i, term := range k.Terms {
		k.Terms[i] = rounded(term)
	}
	return k
}

// KernelText names a spatial kernel with its numbers.
func KernelText(k kernel.Kernel) string {
	if len(k.LengthScale) == 0 {
		return fmt.Sprintf("%s, variance %.4g", k.Kind, k.Variance)
	}
	return fmt.Sprintf("%s, variance %.4g, length scale %s", k.Kind, k.Variance, cli.Numbers(k.LengthScale))
}

// relevance lists the latent dimensions by how fast pictures change along them,
// inverse length scales or slopes, the largest first, as percentages of it; those
// below one percent are counted.
func relevance(slopes []float64) string {
	var s []string
	order := Descending(slopes)
	for i, q := range order {
		share := 100 * slopes[q] / slopes[order[0]]
		if share < 100*leastRelevance {
			s = append(s, fmt.Sprintf("and %s below 1 %%", quote.Counted(len(order)-i, "dimension")))
			break
		}
		s = append(s, fmt.Sprintf("%d: %.0f %%", q+1, share))
	}
	return strings.Join(s, ", ")
}

// Descending returns the numbers of some values, that of the largest first.
func Descending(values []float64) []int {
	order := make([]int, len(values))
	for q := range order {
		order[q] = q
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return order
}

// Moves reports whether a model is of a film whose contents move.
func Moves(m *sgplvm.Model) bool { return m.Summary().Motion != "" }

// Noun is what one of a model's examples is called.
func Noun(m *sgplvm.Model) string {
	switch {
	case Table(m):
		return "row"
	case Moves(m):
		return "frame"
	case Timed(m):
		return "step"
	case scattered(m):
		return "field"
	}
	return "picture"
}
