package fuzz

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// Source is a stream of pseudo-random choices and values, the same for the same seed or bytes. It is not safe for concurrent use.
//
// Choices (Uint64, IntN, Size, Bool, Bits) decide about shapes and structure. A source made from bytes spends the bytes on them
// and, when they have run out, always makes the first choice, 0. Values (Float64, NormFloat64) fill matrices and come from a
// generator that the first eight bytes seed, so that a short input still gives matrices without accidental structure.
//
// Whatever a source was made from, [Source.Bytes] is an input that makes the same choices and values again.
type Source struct {
	values  *rand.Rand
	choices *rand.Rand // nil: choices are made by bytes
	bytes   []byte     // what is left of the input

	lock   sync.Mutex // of the next two, which are read while a trial hangs
	made   []byte     // the seed, and the choices made so far as an input would make them
	needed int        // length of an input that makes the same choices of sizes

	orders []int // that sizes are drawn from, instead of a range
	most   int   // largest size, instead of the caller's, if above 0
	least  int   // smallest size
	plain  bool  // whether every layout is the plain one, whatever is drawn
	cap    int   // above which no size goes, while a counterexample shrinks; below 0: none
}

// New returns the source of the given seed. Its generators are PCG-DXSM (math/rand/v2), one for values and one for choices.
func New(seed uint64) *Source {
	s := newSource(seed)
	s.choices = rand.New(rand.NewPCG(seed, 0xbf58476d1ce4e5b9))
	return s
}

func newSource(seed uint64) *Source {
	return &Source{
		values: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)),
		made:   binary.LittleEndian.AppendUint64(nil, seed),
		needed: 8,
		cap:    -1,
	}
}

// FromBytes returns the source whose choices are made by data, as a native fuzz target receives it. data is not changed and may
// be empty.
func FromBytes(data []byte) *Source {
	var seed [8]byte
	n := copy(seed[:], data)
	s := newSource(binary.LittleEndian.Uint64(seed[:]))
	s.bytes = data[n:]
	return s
}

// Bytes returns an input of which [FromBytes] makes a source that repeats everything drawn so far: what a corpus keeps of a seed.
// It belongs to the same [Source.Orders], [Source.Most] and [Source.Least], if those were set.
func (s *Source) Bytes() []byte {
	s.lock.Lock()
	defer s.lock.Unlock()
	data := slices.Clone(s.made)
	return append(data, make([]byte, max(0, s.needed-len(data)))...)
}

// Orders makes every size come from the given list, whatever a law would draw by itself: the block sizes and cut-overs of an
// implementation, and their neighbours. An order that is listed twice comes twice as often. It returns s.
func (s *Source) Orders(orders ...int) *Source {
	s.orders = orders
	return s
}

// Most makes every size one from 0 to most, whatever a law would draw by itself; 0 leaves the choice to the law. It returns s.
func (s *Source) Most(most int) *Source {
	s.most = most
	return s
}

// Least makes every size least or more, for what cannot have matrices without rows or columns. It returns s.
func (s *Source) Least(least int) *Source {
	s.least = least
	return s
}

// Uint64 returns any number of 64 bits; eight bytes of an input.
func (s *Source) Uint64() uint64 {
	var v uint64
	if s.choices == nil {
		v = s.take(8)
	} else {
		v = s.choices.Uint64()
	}
	s.keep(v, 8)
	return v
}

// take spends up to n bytes and returns them as a little-endian number.
func (s *Source) take(n int) uint64 {
	var b [8]byte
	n = copy(b[:n], s.bytes)
	s.bytes = s.bytes[n:]
	return binary.LittleEndian.Uint64(b[:])
}

// keep remembers a choice as the n bytes that would make it.
func (s *Source) keep(v uint64, n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	s.lock.Lock()
	s.made = append(s.made, b[:n]...)
	s.lock.Unlock()
}

// IntN returns an integer from 0 to n-1; one byte of an input where n is at most 256, else as many as n needs. It panics unless n
// is positive.
func (s *Source) IntN(n int) int { return s.choose(n, n) }

// choose returns an integer from 0 to at most n-1, kept as one of 0 … kept-1.
func (s *Source) choose(n, kept int) int {
	if n <= 0 {
		panic(fmt.Sprintf("fuzz: IntN: no integer from 0 to %d", n-1))
	}
	var v int
	if s.choices == nil {
		v = int(s.take(width(kept)) % uint64(n))
	} else {
		v = s.choices.IntN(n)
	}
	s.keep(uint64(v), width(kept))
	return v
}

// width is how many bytes an integer from 0 to n-1 takes.
func width(n int) int {
	w := 1
	for w < 8 && uint64(n-1)>>(8*w) != 0 {
		w++
	}
	return w
}

// Size returns a dimension from 0 to most, or as [Source.Orders] and [Source.Most] say. Made by bytes, it is at most the number
// of bytes that were left, unless it comes from a list.
func (s *Source) Size(most int) int {
	if s.orders != nil {
		return s.orders[s.IntN(len(s.orders))]
	}
	if s.most > 0 {
		most = s.most
	}
	limit := most
	if s.cap >= 0 {
		limit = min(most, s.cap)
	}
	at, left := len(s.made), len(s.bytes)
	n := limit
	if s.cap >= 0 && s.choices.IntN(2) == 0 { // the order that is tried, rather than one below it
		s.keep(uint64(n), width(most+1))
	} else {
		n = s.choose(limit+1, most+1)
	}
	if s.choices == nil {
		n = min(n, left)
	}
	s.lock.Lock()
	s.needed = max(s.needed, at+n)
	s.lock.Unlock()
	return max(n, s.least)
}

// few is Size where [Source.Orders] and [Source.Most] have no say: for what grows with a high power of the dimension, as
// Kronecker products do.
func (s *Source) few(most int) int {
	orders, limit := s.orders, s.most
	s.orders, s.most = nil, 0
	n := s.Size(most)
	s.orders, s.most = orders, limit
	return n
}

// some is Size, and 1 at least.
func (s *Source) some(most int) int { return max(s.Size(most), 1) }

// Bool returns true or false; false when the bytes have run out.
func (s *Source) Bool() bool { return s.IntN(2) == 1 }

// Bits returns a float64 of any bit pattern: subnormal, infinite and NaN included.
func (s *Source) Bits() float64 { return math.Float64frombits(s.Uint64()) }

// Float64 returns a value uniformly distributed in [0, 1).
func (s *Source) Float64() float64 { return s.values.Float64() }

// NormFloat64 returns a value of the standard normal distribution.
func (s *Source) NormFloat64() float64 { return s.values.NormFloat64() }

// Perm returns a permutation of 0 … n-1.
func (s *Source) Perm(n int) []int { return s.values.Perm(n) }
