package sgplvm

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A model with a structured residual, learned or not, is saved and loaded whole: its file
// has the same bytes again and it predicts with the same bits.
func TestResidualModelFile(t *testing.T) {
	for _, learned := range []bool{false, true} {
		m := residualShape(3).model(t)
		if learned {
			if err := m.problem.learnNoise(m.params, 5); err != nil {
				t.Fatal(err)
			}
		}
		var first, second bytes.Buffer
		if err := m.Save(&first); err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := loaded.Save(&second); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("learned %v: another file", learned)
		}
		rng := rand.New(rand.NewPCG(4, 4))
		l := randomLatent(rng, m.params.Mu.Cols)
		a, err := m.Predict(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := loaded.Predict(l, nil)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, fmt.Sprintf("learned %v: variance", learned), a.Variance.Data, b.Variance.Data)
		elsewhere := Grid{mat.New(2, m.space[0].Cols)}
		if p, err := loaded.Predict(l, elsewhere); err != nil || p.Noise != "parametric" || a.Noise != map[bool]string{true: "learned", false: "parametric"}[learned] {
			t.Errorf("learned %v: noise %q on the grid, %q off it, error %v", learned, a.Noise, p.Noise, err)
		}
	}
}
