package sgplvm

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// A compiled model has streams whether its latent variables are in use or the part in time explains the examples by itself.
func TestCompileIdle(t *testing.T) {
	for _, idle := range []bool{false, true} {
		trainer, err := NewTrainer(waves(14).at(line(14).Data, nil), Config{LatentKernel: "rbf+time", LatentDims: 2, Training: steps(2)})
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range trainer.inner.Params().Latent.Parts {
			if rbf, ok := part.(*psi.RBF); ok && idle {
				rbf.Variance = 1e-9
			}
		}
		m, err := trainer.Model()
		if err != nil {
			t.Fatal(err)
		}
		file, err := m.Compile(CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		compiled, err := edge.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = compiled.NewWorkspace(1).NewStream(edge.StreamOptions{}); err != nil || m.Summary().Idle != idle {
			t.Errorf("idle %v, %v: %v", idle, m.Summary().Idle, err)
		}
	}
}
