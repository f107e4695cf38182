package asm_test

import (
	"encoding/binary"
	"math"
	"testing"
	"unsafe"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/tier"
)

// bytesOf returns the bytes of numbers.
func bytesOf(x []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 8*len(x))
}

// A conversion from numbers of fewer bytes.
var conversions = []struct {
	name  string
	bytes int
	do    func(dst []float64, src []byte)
	model func(src []byte) float64
}{
	{"FromHalf", 2, asm.FromHalf, func(src []byte) float64 { return modelHalf(binary.LittleEndian.Uint16(src)) }},
	{"FromSingle", 4, asm.FromSingle, func(src []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(src))) }},
	{"FromDouble", 8, asm.FromDouble, func(src []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(src)) }},
}

// modelHalf is the definition of binary16.
func modelHalf(u uint16) float64 {
	exponent, fraction := int(u>>10&31), float64(u&1023)
	v := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		v = math.Inf(1)
	case exponent == 31:
		v = math.NaN()
	}
	if u>>15 == 1 {
		v = -v
	}
	return v
}

func alike(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// All numbers of 16 bits, and such of 32 bits, at every alignment and of every length; nothing behind the end is written.
func TestConvert(t *testing.T) {
	src := make([]byte, 4<<16+64)
	for i := range 1 << 15 { // both as numbers of 32 bits and half of them as 16
		binary.LittleEndian.PutUint16(src[2*i:], uint16(2*i+i>>14))
		binary.LittleEndian.PutUint32(src[1<<17+4*i:], uint32(i)*2654435761)
	}
	eachLevel(t, func(t *testing.T) {
		for _, c := range conversions {
			dst := make([]float64, block+200)
			check := func(at, n int) {
				t.Helper()
				for i := range dst {
					dst[i] = -7
				}
				c.do(dst[at%9:][:n], src[at:])
				for i, got := range dst {
					want := -7.0
					if k := i - at%9; k >= 0 && k < n {
						want = c.model(src[at+k*c.bytes:])
					}
					if !alike(got, want) {
						t.Fatalf("%s of %d numbers from byte %d: element %d is %v, want %v", c.name, n, at, i-at%9, got, want)
					}
				}
			}
			for n := range 70 {
				check(n*511, n)
			}
			for at := range 33 {
				check(1000*at+at, 37)
			}
			check(1<<17, block+1)
			check(1<<15+1, block-1)
		}
	})
}

// Every number of binary16, with the same bits at every level.
func TestHalf(t *testing.T) {
	src, want := make([]byte, 2<<16), make([]float64, 1<<16)
	for u := range want {
		binary.LittleEndian.PutUint16(src[2*u:], uint16(u))
		want[u] = asm.Half(uint16(u))
		if !alike(want[u], modelHalf(uint16(u))) {
			t.Fatalf("Half(%#x) is %v, want %v", u, want[u], modelHalf(uint16(u)))
		}
	}
	eachLevel(t, func(t *testing.T) {
		dst := make([]float64, len(want))
		asm.FromHalf(dst, src)
		for u, v := range dst {
			if math.Float64bits(v) != math.Float64bits(want[u]) {
				t.Fatalf("number %#x is %#x, want %#x", u, math.Float64bits(v), math.Float64bits(want[u]))
			}
		}
	})
}

func TestConvertPanics(t *testing.T) {
	for _, c := range conversions {
		if text := tier.Panic(func() { c.do(make([]float64, 5), make([]byte, 5*c.bytes-1)) }); text != "asm: "+c.name+": src has 4 numbers, want at least 5" {
			t.Errorf("%s: panic %q", c.name, text)
		}
		c.do(nil, nil)
	}
}
