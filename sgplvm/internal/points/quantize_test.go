package points

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
)

// What a type promises is kept with fewer bytes: a table of which more digits count keeps more.
func TestQuantize(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	for seed := range uint64(12) {
		for kind := Float32; kind <= Float16; kind++ {
			c := contents(seed, seed%4 > 0)
			bare := c.P.matrix()
			if seed%2 == 0 { // large numbers, of which the sum over inducing points is small
				for i := range bare.Rows {
					bare.Row(i)[0] += 1e4
					bare.Row(i)[1] -= 1e4
				}
				for q := range c.Latents {
					c.Z[q] = c.Z[c.Latents+q] + 1e-6
				}
				c.P = NewTable(bare)
			}
			try := c.newTrials()
			before := len(Encode(c))
			c.Quantize(kind)
			shaped := len(c.Shapes) > 0
			if off := try.off(c); !(off < 0.5*kind.promise()) && !shaped {
				t.Errorf("seed %d, %v: %v deviations off", seed, kind, off)
			}
			if after := len(Encode(c)); after >= before {
				t.Errorf("seed %d, %v: %d bytes in place of %d", seed, kind, after, before)
			}
			if least := kind.bytes(); c.P.kind.bytes() < least || c.Residuals.rows > 0 && c.Residuals.kind.bytes() < least || shaped && c.P.kind != kind {
				t.Errorf("seed %d, %v: predictions of %d bytes", seed, kind, c.P.kind.bytes())
			}
			if seed%2 == 0 && !shaped && c.P.kind.bytes() <= kind.bytes() {
				t.Errorf("seed %d, %v: predictions of %d bytes, of which large parts cancel", seed, kind, c.P.kind.bytes())
			}
		}
	}
	c := contents(3, true)
	c.Quantize(Float64)
	if c.P.kind != Float64 || c.Factors[0].B.kind != Float64 {
		t.Error("tables of 64 bits were quantized")
	}
}

// Where nothing can be compared nothing is rounded.
func TestNoTrials(t *testing.T) {
	c := contents(1, true)
	try := c.newTrials()
	if off := try.off(c); off != 0 {
		t.Errorf("the same contents are %v deviations off", off)
	}
	try.results = make([]answer, len(try.results))
	if off := try.off(c); !math.IsInf(off, 1) {
		t.Errorf("without results contents are %v deviations off", off)
	}
}
