package sgplvm

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/emulator"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

// Compile returns the emulator as a file for edge.OpenEmulator, with large tables of a type and a label for people: inputs in, means and deviations out, without an eigenproblem. A category
// becomes an input for each of its levels, 1 or 0. Eigenvectors that change no variance by more than one part in 10⁶ of the prior one are left out.
func (e *Emulator) Compile(kind edge.Type, label string) []byte {
	m := e.model
	c := &points.Emulator{Label: label, Points: m.Points, Channels: len(m.Scaler.Mean), Modes: m.V.Cols, Mean: m.Mean, Scale: m.Scale, Runs: m.Groups()[0].X.T().Clone().Data, Factor: m.Factor}
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
	for _, g := range m.Groups() {
		c.Groups = append(c.Groups, compiledGroup(&g))
	}
	return points.EncodeEmulator(c, points.Type(kind))
}

// negligibleVector is λ/(λ + r) of eigenvectors that are left out.
const negligibleVector = 1e-6

func compiledGroup(g *emulator.Group) points.EmulatorGroup {
	k := g.Kernel
	c := points.EmulatorGroup{Form: int(k.Form), Share: k.Share, Scales: k.Scales, Parts: k.Parts, Linear: k.Linear, A: g.A, R: g.R}
	if k.Form != emulator.Product {
		c.Parts = nil
	}
	for _, j := range g.Modes {
		c.Modes = append(c.Modes, float64(j))
	}
	if len(g.Modes) == 0 {
		return c
	}
	var kept [][]float64
	for i, lambda := range g.Lambda {
		counts := false
		for _, r := range g.R {
			counts = counts || lambda > negligibleVector*(lambda+r)
		}
		if counts {
			c.Lambda, kept = append(c.Lambda, lambda), append(kept, g.U.Slice(0, g.U.Rows, i, i+1).Clone().Data)
		}
	}
	u := mat.New(len(kept), g.U.Rows)
	for i, column := range kept {
		copy(u.Row(i), column)
	}
	c.U, c.Alpha = points.NewTable(u), points.NewTable(g.Alpha.T().Clone())
	return c
}
