package sgplvm

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat/safetensors"
)

// A model whose latent dimensions have kernels of their own comes out of its file as it was, and does there all that models with times do.
func TestOwnTimesInFiles(t *testing.T) {
	s := sets()["own kernels in time"]
	tr, _ := fit(t, s.data, s.config)
	m := modelOf(t, tr)
	file := fileOf(t, tr)
	back, err := Load(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	own := m.Summary().OwnTimeKernels
	if len(own) != 2 || len(own[0].Terms) < 3 || own[0].Terms[0].Terms[1].Period != 5 {
		t.Fatalf("kernels %v", own)
	}
	if d := cmp.Diff(own, back.Summary().OwnTimeKernels); d != "" {
		t.Errorf("in a file (-want +got):\n%s", d)
	}
	if d := diff(answers(t, questions(back)), answers(t, questions(m))); d != "" {
		t.Error(d)
	}
	l, err := m.LatentAt(0, []float64{1e6})
	if err != nil || l[0].S[0] < 0.99 {
		t.Errorf("far from all examples %v, error %v", l, err)
	}
	for want, spoil := range map[string]func(f *safetensors.File){
		"metadata entry dynamics.1.kernel: ":              no("dynamics.1.kernel"),
		"metadata entry dynamics.0.kernel: ":              meta("dynamics.0.kernel", "rbf*"),
		"latent dimension 0: time kernel: white":          meta("dynamics.0.kernel", "white"),
		`"dynamics.1.kernel", expected none of that name`: no("dynamics.0.kernel"),
		`"dynamics.2.kernel", expected none of that name`: meta("dynamics.2.kernel", "rbf(1)"),
	} {
		f, err := safetensors.ReadSealed(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		spoil(f)
		if _, err := fromFile(f, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, expected %q", err, want)
		}
	}
}

func TestOwnTimesNeedTimes(t *testing.T) {
	_, err := NewTrainer(bumps(12, 6, 5, 2), Config{OwnTimeKernels: On})
	if err == nil || !strings.Contains(err.Error(), "OwnTimeKernels: on for examples without times") {
		t.Errorf("error %v", err)
	}
}
