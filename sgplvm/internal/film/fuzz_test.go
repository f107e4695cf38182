package film

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// FuzzErrorLaw draws how the errors of a frame are correlated. Numbers out of their bounds are refused; with others what is said of
// missing pixels is what the dense formulas say, whatever was seen.
func FuzzErrorLaw(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, seed*0x123456789, byte(seed), byte(3*seed))
	}
	f.Add(uint64(1), uint64(math.MaxUint64), byte(0), byte(7))
	f.Fuzz(func(t *testing.T, seed, numbers uint64, shape, which byte) {
		rng := rand.New(rand.NewPCG(seed, 1))
		drawn := plainErrors
		for k, v := range drawn.numbers() {
			*v *= math.Pow(10, float64(numbers>>(8*k)&3)-1) * (0.5 + rng.Float64())
		}
		drawn.Freedom = max(drawn.Freedom, 2.1)
		if bad := math.Float64frombits(numbers ^ seed); which&7 < 7 && shape&128 != 0 {
			*drawn.numbers()[which&7] = bad
		}
		usable := true
		for k, v := range drawn.numbers() {
			usable = usable && *v >= [...]float64{0, 1e-3, 0, 1e-3, 0, 1e-3, 2.001}[k] && *v <= 1e9
		}
		text, err := json.Marshal(drawn)
		if err != nil { // NaN or an infinite number
			return
		}
		law := new(errorLaw)
		if err := law.Decode(text); usable != (err == nil) {
			t.Fatalf("%s: error %v", text, err)
		}
		if !usable {
			return
		}
		if *law != drawn {
			t.Fatalf("%+v became %+v", drawn, *law)
		}
		law.White = max(law.White, 1e-2) // the matrix has an inverse of some digits
		checkFill(t, drawSeen(rng, law, 1+int(shape&7), 1+int(shape>>3&7), 1+int(which>>3&1), float64(which>>4)/16), 1e-5)
	})
}

// drawSeen draws a frame of which a share of the pixels was seen.
func drawSeen(rng *rand.Rand, law *errorLaw, width, height, channels int, share float64) *seenFrame {
	s := &seenFrame{law: law, frame: frame.New(width, height, channels), values: mat.New(width*height, channels), unitX: 0.5 + rng.Float64(), unitY: 0.5 + rng.Float64()}
	alike := rng.IntN(2) == 0
	for i := range s.values.Rows {
		gone := rng.Float64() >= share
		for c := range channels {
			if !alike {
				gone = rng.Float64() >= share
			}
			s.frame.Mean.Set(i, c, rng.NormFloat64())
			s.frame.Variance.Set(i, c, math.Exp(rng.NormFloat64()))
			s.values.Set(i, c, s.frame.Mean.At(i, c)+rng.NormFloat64())
			if gone {
				s.values.Set(i, c, math.NaN())
			}
		}
	}
	return s
}
