package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/sgplvm"
)

func info(_ context.Context, e *environment, args []string) error {
	f := newFlags(e, "info", `sgplvm info -model MODEL

Prints what a model file holds.`)
	model := f.String("model", "", "the model `file`")
	if err := f.parse(args); err != nil {
		return err
	}
	if err := f.require("model"); err != nil {
		return err
	}
	m, err := loadModel(*model)
	if err != nil {
		return err
	}
	_, err = io.WriteString(e.stdout, describe(m))
	return err
}

// describe tells a model's sizes, kernels and noise in lines of words.
func describe(m *sgplvm.Model) string {
	var s strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&s, "%-22s %s\n", name, fmt.Sprintf(format, args...))
	}
	p := m.Params()
	line("training examples", "%d", m.Examples())
	line("channels", "%d", m.Channels())
	line("spatial points", "%d", m.Space().Len())
	if g := m.Attributes()[attributeGrid]; g != "" {
		line("picture", "%s", printable(g))
	}
	for i, k := range p.Spatial {
		x, u := m.Space()[i], p.Xu[i]
		inducing := "tied to the points"
		if u.Rows > 0 {
			inducing = fmt.Sprintf("%d free inducing points", u.Rows)
		}
		line(fmt.Sprintf("spatial factor %d", i), "%d points of dimension %d, %s, %s", x.Rows, x.Cols, kernelText(k), inducing)
	}
	line("latent dimensions", "%d", p.Mu.Cols)
	line("latent inducing points", "%d", p.Z.Rows)
	line("latent kernel", "rbf, variance %.4g", p.Latent.Variance)
	line("relevance", "%s", relevance(p.Latent.LengthScale))
	line("noise", "%s (standard deviation, in the data's units)", numbers(m.Noise()))
	line("signal-to-noise ratio", "%.4g", m.SignalToNoise())
	line("data mean", "%s", numbers(m.Scaler().Mean))
	line("data deviation", "%s", numbers(m.Scaler().Scale))
	line("jitter", "%.3g of the mean kernel diagonal", m.Jitter())
	line("seed", "%d", m.Seed())
	for _, name := range slices.Sorted(maps.Keys(m.Attributes())) {
		if name != attributeGrid {
			line("attribute "+printable(name), "%s", printable(m.Attributes()[name]))
		}
	}
	return s.String()
}

func kernelText(k sgplvm.Kernel) string {
	if len(k.LengthScale) == 0 {
		return fmt.Sprintf("%s, variance %.4g", k.Kind, k.Variance)
	}
	return fmt.Sprintf("%s, variance %.4g, length scale %s", k.Kind, k.Variance, numbers(k.LengthScale))
}

// relevance lists the latent dimensions by inverse length scale, the largest
// first, as percentages of it; those below one percent are counted.
func relevance(lengthScale []float64) string {
	type dimension struct {
		index   int
		inverse float64
	}
	var d []dimension
	largest := 0.0
	for q, l := range lengthScale {
		d = append(d, dimension{q, 1 / l})
		largest = math.Max(largest, 1/l)
	}
	slices.SortStableFunc(d, func(a, b dimension) int { return cmp.Compare(b.inverse, a.inverse) })
	var s []string
	for i, x := range d {
		share := 100 * x.inverse / largest
		if share < 1 {
			s = append(s, fmt.Sprintf("and %d dimensions below 1 %%", len(d)-i))
			break
		}
		s = append(s, fmt.Sprintf("%d: %.0f %%", x.index, share))
	}
	return strings.Join(s, ", ")
}
