package emulator

import (
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Compile returns the model as a file for edge.OpenEmulator, with large tables of a type and a label for people.
func (m *Model) Compile(kind points.Type, label string) []byte {
	c := &points.Emulator{Label: label, Points: m.Points, Channels: len(m.Scaler.Mean), Modes: m.V.Cols, Mean: m.Mean, Scale: m.Scale, Runs: m.process.x.T().Clone().Data, Factor: m.Factor}
	for q := range m.Encodings {
		n, log := &m.Encodings[q], 0.0
		if n.Log {
			log = 1
		}
		switch {
		case n.Width() == 0:
		case n.Levels == nil:
			c.Names, c.Low, c.High, c.Logs = append(c.Names, n.Name), append(c.Low, n.Low), append(c.High, n.High), append(c.Logs, log)
		default:
			for _, level := range n.Levels {
				c.Names, c.Low, c.High, c.Logs = append(c.Names, n.Name+"="+level), append(c.Low, 0), append(c.High, 1), append(c.Logs, 0)
			}
		}
	}
	if f := m.Fields; f != nil {
		w, channels := f.V.Clone(), len(f.Scaler.Mean)
		c.FieldOffset = make([]float64, w.Cols)
		for k := range w.Rows {
			scale, mean := f.Scaler.Scale[k%channels], f.Scaler.Mean[k%channels]
			for j, v := range w.Row(k) {
				w.Row(k)[j] = v / scale
				c.FieldOffset[j] -= v * (mean/scale + f.Mean[k])
			}
		}
		c.FieldWeights = points.NewTable(w)
	}
	v := m.V.Clone()
	mat.ScaleCols(v, v, m.Deviations)
	for i := range v.Rows {
		scale := m.Scaler.Scale[i%c.Channels]
		for j := range v.Row(i) {
			v.Row(i)[j] *= scale
		}
		c.Centre, c.Left = append(c.Centre, m.Scaler.Mean[i%c.Channels]+scale*m.Centre[i]), append(c.Left, scale*scale*m.Left[i])
	}
	c.V = points.NewTable(v)
	for _, i := range m.Unseen {
		c.Unseen = append(c.Unseen, float64(i))
	}
	for _, t := range m.Transforms {
		c.Transforms = append(c.Transforms, float64(t))
	}
	for _, g := range m.process.groups {
		c.Groups = append(c.Groups, g.compiled())
	}
	return points.EncodeEmulator(c, kind)
}

// negligibleVector is λ/(λ + r) of eigenvectors that are left out.
const negligibleVector = 1e-6

// compiled returns the group without eigenvectors that change nothing.
func (g *group) compiled() points.EmulatorGroup {
	k := g.kernel
	c := points.EmulatorGroup{Form: int(k.Form), Share: k.Share, Scales: k.Scales, Parts: k.Parts, Linear: k.Linear, A: g.a, R: g.r}
	if k.Form != Product {
		c.Parts = nil
	}
	for _, j := range g.modes {
		c.Modes = append(c.Modes, float64(j))
	}
	if len(g.modes) == 0 {
		return c
	}
	var kept []int
	for i, lambda := range g.lambda {
		if slices.ContainsFunc(g.r, func(r float64) bool { return lambda > negligibleVector*(lambda+r) }) {
			c.Lambda, kept = append(c.Lambda, lambda), append(kept, i)
		}
	}
	u := mat.New(len(kept), g.u.Rows)
	for k, i := range kept {
		copy(u.Row(k), work.Column(g.u, i))
	}
	c.U, c.Alpha = points.NewTable(u), points.NewTable(g.alpha.T().Clone())
	return c
}
