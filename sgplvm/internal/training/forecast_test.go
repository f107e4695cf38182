package training

import (
	"testing"
	"time"
)

// Steps of each kind are forecast from steps of that kind; the later ones count more, and what was not measured is
// not forecast.
func TestForecast(t *testing.T) {
	var f forecast
	if _, known := f.left([]stretch{{"latent", 4}}); known {
		t.Error("nothing was measured")
	}
	now := time.Duration(0)
	run := func(name string, steps int, each time.Duration) {
		now += time.Hour // between phases
		f.begin(now)
		for range steps {
			now += each
			f.step(name, now)
		}
	}
	run("latent", 2, time.Second)
	if _, known := f.left([]stretch{{"latent", 4}}); known {
		t.Error("two steps are too few")
	}
	run("latent", 1, time.Second)
	run("joint", 3, time.Minute)
	for _, c := range []struct {
		ahead []stretch
		left  time.Duration
		known bool
	}{
		{nil, 0, true},
		{[]stretch{{"latent", 4}}, 4 * time.Second, true},
		{[]stretch{{"latent", 40}, {"joint", 6}}, 6*time.Minute + 40*time.Second, true},
		{[]stretch{{"latent", 40}, {"residual", 30}}, 0, false},
		{[]stretch{{"latent", 40}, {"residual", 0}}, 40 * time.Second, true},
	} {
		if left, known := f.left(c.ahead); left != c.left || known != c.known {
			t.Errorf("%v: %v, %v, expected %v, %v", c.ahead, left, known, c.left, c.known)
		}
	}
	run("latent", 1000, 3*time.Second)
	if left, _ := f.left([]stretch{{"latent", 1}}); (left - 3*time.Second).Abs() > time.Microsecond {
		t.Errorf("%v for a step, expected 3s as the last ones took", left)
	}
}
