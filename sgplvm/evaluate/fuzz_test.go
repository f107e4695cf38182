package evaluate_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// FuzzScore scores any numbers: an error, or scores of which none but the
// densities can be out of their range.
func FuzzScore(f *testing.F) {
	bytes := func(v ...float64) []byte {
		var b []byte
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		return b
	}
	f.Add(bytes(1, math.NaN(), 1.5, 0.25, 2, 2, 2, 1))
	f.Add(bytes(math.NaN(), 1, 1, 1))
	f.Add(bytes(1, math.NaN(), math.Inf(1), 1))
	f.Add(bytes(1e300, math.NaN(), -1e300, 5e-324))
	f.Fuzz(func(t *testing.T, in []byte) {
		n := min(len(in)/32, 50)
		m := mat.New(n, 4)
		for i := range n * 4 {
			m.Data[i] = math.Float64frombits(binary.LittleEndian.Uint64(in[8*i:]))
		}
		column := func(j int) mat.Matrix { return m.Slice(0, n, j, j+1) }
		s, err := evaluate.Score(column(0), column(1), column(2), column(3))
		if err != nil || s.Count == 0 {
			return
		}
		squares := s.MAE > 1e-150 && s.MAE < 1e150 // neither underflow nor overflow
		if s.Count > n || s.RMSE < 0 || s.MAE < 0 || squares && s.MAE > s.RMSE*(1+1e-9) {
			t.Errorf("scores %+v of %v", s, m)
		}
		for i, c := range s.Coverage {
			if !(c >= 0 && c <= 1) || i > 0 && c < s.Coverage[i-1] {
				t.Errorf("coverage %v of %v", s.Coverage, m)
			}
		}
	})
}
