//go:build (linux || darwin) && (amd64 || arm64)

package asm_test

import "testing"

// No conversion touches what is outside its slices, where these end or begin with a page.
func TestConvertFences(t *testing.T) {
	to, from := fence(t, 100), bytesOf(fence(t, 100))
	eachLevel(t, func(t *testing.T) {
		for _, c := range conversions {
			for n := range 70 {
				for sides := range 4 {
					src := from[:n*c.bytes]
					if sides&1 == 1 {
						src = from[len(from)-n*c.bytes:]
					}
					if faults(func() { c.do(flush(to, n, sides&2 == 2), src) }) {
						t.Fatalf("%s of %d numbers, sides %02b: touches what is outside", c.name, n, sides)
					}
				}
			}
		}
	})
}
