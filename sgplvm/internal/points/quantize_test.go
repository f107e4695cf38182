package points

import "testing"

// Tables have the type that was asked for, but for those that need more digits, and a file that is shorter.
func TestQuantize(t *testing.T) {
	for seed := range uint64(12) {
		for kind := Float64; kind <= Float16; kind++ {
			c := contents(seed, seed%4 > 0)
			before := len(Encode(c))
			c.Quantize(kind)
			if after := len(Encode(c)); after >= before != (kind == Float64) {
				t.Errorf("seed %d, %v: %d bytes in place of %d", seed, kind, after, before)
			}
			shaped, white := len(c.Shapes) > 0, c.Structure.rows == 0 && !c.Whitened
			if want := min(kind, Float32); !shaped && c.P.kind != want || shaped && c.P.kind != kind || c.Structure.rows > 0 && c.Structure.kind != want {
				t.Errorf("seed %d, %v: predictions of %v, noise of %v", seed, kind, c.P.kind, c.Structure.kind)
			}
			if len(c.Factors) > 0 && white && c.Factors[0].B.kind != kind {
				t.Errorf("seed %d, %v: features of %v", seed, kind, c.Factors[0].B.kind)
			}
		}
	}
}
