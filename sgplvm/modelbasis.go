package sgplvm

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
)

// The bases of q(U) in the model's file: with them loading solves no eigenproblem.

// spectrumName is under which name the solution of a factor's eigenproblem is kept, 0 the latent one.
func spectrumName(factor int) string {
	if factor == 0 {
		return "eigen.latent"
	}
	return fmt.Sprintf("eigen.spatial.%d", factor-1)
}

// spectra writes the solutions of the factors' eigenproblems.
func (w tensorWriter) spectra(solved []eig.Spectrum) {
	for f, s := range solved {
		w.matrix(spectrumName(f), s.Vectors)
		w.Numbers(spectrumName(f)+".values", s.Values)
	}
}

// spectra reads the solutions of the factors' eigenproblems; nil where the file has none.
func (t *tensorReader) spectra() (solved []eig.Spectrum) {
	for f := 0; t.Has(spectrumName(f)); f++ {
		solved = append(solved, eig.Spectrum{Vectors: t.matrix(spectrumName(f)), Values: t.Numbers(spectrumName(f) + ".values")})
	}
	return solved
}

// incomplete writes q(U) of a model that learned from data with holes.
func (w tensorWriter) incomplete(u *bound.Incomplete) {
	if u == nil {
		return
	}
	var all []float64
	for _, table := range u.Tables {
		all = append(all, table.Clone().Data...)
	}
	w.put("holes.table", all, len(u.Tables), u.Tables[0].Rows, u.Tables[0].Cols)
	w.labels("holes.version", u.Version)
	w.matrix("holes.latent", u.Latent)
	for f, t := range u.Space {
		w.matrix(fmt.Sprintf("holes.spatial.%d", f), t)
	}
}

// incomplete reads q(U) of a model that learned from data with holes; nil where the file has none.
func (t *tensorReader) incomplete() *bound.Incomplete {
	if !t.Has("holes.table") {
		return nil
	}
	all := t.read("holes.table", -1, -1, -1)
	u := &bound.Incomplete{Version: t.labels("holes.version"), Latent: t.matrix("holes.latent")}
	for f := 0; t.Has(fmt.Sprintf("holes.spatial.%d", f)); f++ {
		u.Space = append(u.Space, t.matrix(fmt.Sprintf("holes.spatial.%d", f)))
	}
	if t.err != nil {
		return nil
	}
	shape := t.file.Lookup("holes.table").Shape
	size := shape[1] * shape[2]
	for v := range shape[0] {
		if size == 0 {
			break // which is refused later
		}
		u.Tables = append(u.Tables, mat.NewDense(shape[1], shape[2], all[v*size:(v+1)*size]))
	}
	return u
}
