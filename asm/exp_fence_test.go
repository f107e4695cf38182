//go:build (linux || darwin) && (amd64 || arm64)

package asm_test

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/fuzz"
)

// No kernel reads or writes outside its slices, where these end or begin with
// a page.
func TestElementaryFences(t *testing.T) {
	s := fuzz.New(28)
	var page [3][]float64
	for i := range page {
		page[i] = fence(t, 1)
		copy(page[i], arguments(s, len(page[i])))
	}
	everyLevel(func(level string) {
		for _, k := range elementaries {
			for n := range 68 {
				for sides := range 1 << 3 {
					var v [3][]float64
					for i, p := range page {
						from := 0
						if sides>>i&1 == 1 {
							from = len(p) - n
						}
						v[i] = p[from : from+n]
					}
					if faults(func() { k.do(v[2], [2][]float64(v[:2])) }) {
						t.Fatalf("%s of %d numbers at %s, sides %03b: touches what is outside", k.name, n, level, sides)
					}
				}
			}
		}
	})
}
