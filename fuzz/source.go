package fuzz

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
)

// Source is a stream of pseudo-random choices and values, the same for the
// same seed or bytes. It is not safe for concurrent use.
//
// Choices (Uint64, IntN, Size, Bool, Bits) decide about shapes and structure.
// A source made from bytes spends the bytes on them and, when they have run
// out, always makes the first choice, 0. Values (Float64, NormFloat64) fill
// matrices and come from a generator that the first eight bytes seed, so that
// a short input still gives matrices without accidental structure.
type Source struct {
	values *rand.Rand
	bytes  []byte // what is left of the input
	spent  bool   // whether choices are made by bytes
}

// New returns the source of the given seed. Its generator is PCG-DXSM
// (math/rand/v2).
func New(seed uint64) *Source {
	return &Source{values: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
}

// FromBytes returns the source whose choices are made by data, as a native
// fuzz target receives it. data is not changed and may be empty.
func FromBytes(data []byte) *Source {
	var seed [8]byte
	n := copy(seed[:], data)
	s := New(binary.LittleEndian.Uint64(seed[:]))
	s.bytes, s.spent = data[n:], true
	return s
}

// Uint64 returns any number of 64 bits; eight bytes of an input.
func (s *Source) Uint64() uint64 {
	if s.spent {
		return s.take(8)
	}
	return s.values.Uint64()
}

// take spends up to n bytes and returns them as a little-endian number.
func (s *Source) take(n int) uint64 {
	var b [8]byte
	n = copy(b[:n], s.bytes)
	s.bytes = s.bytes[n:]
	return binary.LittleEndian.Uint64(b[:])
}

// IntN returns an integer from 0 to n-1; one byte of an input where n is at
// most 256, else as many as n needs. It panics unless n is positive.
func (s *Source) IntN(n int) int {
	if n <= 0 {
		panic(fmt.Sprintf("fuzz: IntN: no integer from 0 to %d", n-1))
	}
	if !s.spent {
		return s.values.IntN(n)
	}
	width := 1
	for width < 8 && uint64(n-1)>>(8*width) != 0 {
		width++
	}
	return int(s.take(width) % uint64(n))
}

// Size returns a dimension from 0 to most. Made by bytes, it is at most the
// number of bytes that were left.
func (s *Source) Size(most int) int {
	left := len(s.bytes)
	n := s.IntN(most + 1)
	if s.spent {
		n = min(n, left)
	}
	return n
}

// Bool returns true or false; false when the bytes have run out.
func (s *Source) Bool() bool { return s.IntN(2) == 1 }

// Bits returns a float64 of any bit pattern: subnormal, infinite and NaN
// included.
func (s *Source) Bits() float64 { return math.Float64frombits(s.Uint64()) }

// Float64 returns a value uniformly distributed in [0, 1).
func (s *Source) Float64() float64 { return s.values.Float64() }

// NormFloat64 returns a value of the standard normal distribution.
func (s *Source) NormFloat64() float64 { return s.values.NormFloat64() }

// Perm returns a permutation of 0 … n-1.
func (s *Source) Perm(n int) []int { return s.values.Perm(n) }
