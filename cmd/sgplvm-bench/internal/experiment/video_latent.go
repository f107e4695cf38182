package experiment

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// The latent curves that are drawn, and the size of their panels in pixels.
const (
	drawnCurves           = 6
	panelWidth, panelRise = 760, 90
	panelGap              = 26
)

// latentPicture draws the latent variables of the model over time, those with the shortest length
// scales, with bands of two standard deviations and the training times, and the inverse length
// scales of all: an SVG picture.
func (x *video) latentPicture() (template.HTML, error) {
	p := x.model.Summary()
	dims := p.LatentDims
	inverse, order := make([]float64, dims), make([]int, dims)
	for q := range dims {
		order[q] = q
	}
	if len(p.Relevances) > 0 { // of the RBF part, which comes first
		copy(inverse, p.Relevances[0].Slopes)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(inverse[b], inverse[a]) })
	from, to := slices.Min(x.times), slices.Max(x.times)
	times := make([]float64, panelWidth/2)
	for k := range times {
		times[k] = from + (to-from)*float64(k)/float64(len(times)-1)
	}
	posteriors, err := x.model.LatentAt(0, times)
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
		for _, l := range posteriors {
			d := 2 * math.Sqrt(l.S[q])
			low, high = min(low, l.Mu[q]-d), max(high, l.Mu[q]+d)
		}
		if !(high > low) {
			high = low + 1
		}
		down := func(v float64) float64 { return top + panelRise*(high-v)/(high-low) }
		fmt.Fprintf(&s, `<text x="10" y="%.1f">latent variable %d, inverse length scale %.3g</text>`+"\n", top-6, q, inverse[q])
		var band, back, line []string
		for j, l := range posteriors {
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
