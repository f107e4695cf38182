package film

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// The factor is the mean of squared errors over variances, 1 where there are none; it comes back from its file, and nothing else does.
func TestInflation(t *testing.T) {
	var f inflation
	for _, e := range []float64{2, 4} {
		truth, predicted := frame.New(3, 2, 2), frame.New(3, 2, 2)
		truth.Mean.Fill(5)
		predicted.Mean.Fill(5 + e)
		predicted.Variance.Fill(8)
		f.add(truth, predicted)
	}
	if got := f.learned().Factor; math.Abs(got-1.25) > 1e-12 {
		t.Errorf("factor %v, want 1.25", got)
	}
	if got := (inflation{frames: 1}).learned().Factor; got != 1 {
		t.Errorf("factor %v of no errors", got)
	}
	f = f.learned()
	text, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var again inflation
	if err := again.Decode(text); err != nil || again != f {
		t.Errorf("%+v after %+v, error %v", again, f, err)
	}
	for _, bad := range []string{`{`, `{"Factor":0}`, `{"Factor":1e10}`} {
		if err := again.Decode([]byte(bad)); err == nil || !strings.HasPrefix(err.Error(), "film: attached inflation: ") || again != f {
			t.Errorf("%s: error %v", bad, err)
		}
	}
}
