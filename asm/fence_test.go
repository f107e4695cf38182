//go:build (linux || darwin) && (amd64 || arm64)

package asm_test

import (
	"os"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/mat"
)

// fence returns as many pages as n numbers need, between two pages that may not
// be touched.
func fence(t *testing.T, n int) []float64 {
	t.Helper()
	page := os.Getpagesize()
	size := (8*n + page - 1) / page * page
	b, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(b) })
	if err := syscall.Mprotect(b[page:page+size], syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(&b[page])), size/8)
}

// faults reports whether f touches a page that may not be touched.
func faults(f func()) (yes bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch v := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			yes = true
		default:
			panic(v)
		}
	}()
	f()
	return false
}

// flush returns n numbers of a fenced piece, at its end or at its start.
func flush(piece []float64, n int, atEnd bool) []float64 {
	if atEnd {
		piece = piece[len(piece)-n:]
	}
	return piece[:n:n]
}

// The fences work.
func TestFence(t *testing.T) {
	piece := fence(t, 1)
	for _, offset := range []int{-8, 8 * len(piece)} {
		if !faults(func() { piece[0] = *(*float64)(unsafe.Add(unsafe.Pointer(&piece[0]), offset)) }) {
			t.Fatalf("no fence at %d", offset)
		}
	}
	if faults(func() { piece[0], piece[len(piece)-1] = 1, 1 }) {
		t.Fatal("the piece itself faults")
	}
}

// No vector kernel touches what is outside its slices, where these end or begin
// with a page.
func TestVectorFences(t *testing.T) {
	const longest = 300
	s := fuzz.New(21)
	pieces := make([][]float64, 5)
	for i := range pieces {
		pieces[i] = fence(t, 8*longest)
		copy(pieces[i], fuzz.Normal(s, len(pieces[i]), 1).Data)
	}
	sizes := append([]int{255, 256, 257}, make([]int, 70)...)
	for n := range 70 {
		sizes[3+n] = n
	}
	eachLevel(t, func(t *testing.T) {
		for _, k := range vectors {
			for _, n := range sizes {
				lengths := k.sizes(n)
				for sides := range 1 << len(lengths) {
					v := make([][]float64, len(lengths))
					for i := range v {
						v[i] = flush(pieces[i], lengths[i], sides>>i&1 == 1)
					}
					if faults(func() { k.do(v) }) {
						t.Fatalf("%s of %d numbers, sides %05b: touches what is outside", k.name, n, sides)
					}
				}
			}
		}
	})
}

// Nor does the tile, for any number of rows and columns and any depth.
func TestGemmTileFences(t *testing.T) {
	s := fuzz.New(22)
	const deepest, widest = 257, 24
	pieces := make([][]float64, 3)
	for i := range pieces {
		pieces[i] = fence(t, deepest*widest)
		copy(pieces[i], fuzz.Normal(s, len(pieces[i]), 1).Data)
	}
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		for m := range mr + 1 {
			for n := range nr + 1 {
				for at, k := range depths {
					if testing.Short() && k > 33 && (m+n)%5 != 0 {
						continue
					}
					ldc := n + []int{0, 1, 7}[at%3]
					length := 0
					if m > 0 && n > 0 {
						length = (m-1)*ldc + n
					}
					for _, sides := range []int{0, 7, 1 + (m+n+at)%6} {
						a := flush(pieces[0], k*mr, sides&1 != 0)
						b := flush(pieces[1], k*nr, sides&2 != 0)
						c := flush(pieces[2], length, sides&4 != 0)
						if faults(func() { asm.GemmTile(k, 1e-9, a, b, c, ldc, m, n) }) {
							t.Fatalf("%d×%d×%d, ldc=%d, sides %03b: touches what is outside", m, k, n, ldc, sides)
						}
					}
				}
			}
		}
	})
}

// Nor does a transposition.
func TestTransposeFences(t *testing.T) {
	s := fuzz.New(23)
	src, dst := fence(t, 4096), fence(t, 4096)
	copy(src, fuzz.Normal(s, len(src), 1).Data)
	eachLevel(t, func(t *testing.T) {
		for rows := 1; rows < 26; rows++ {
			for k := 1; k < 20; k++ {
				for sides := range 4 {
					lds, ldd := k+rows%3, rows+k%3
					from := flush(src, (rows-1)*lds+k, sides&1 != 0)
					to := flush(dst, (k-1)*ldd+rows, sides&2 != 0)
					if faults(func() { asm.Transpose(to, ldd, from, lds, rows, k) }) {
						t.Fatalf("%d×%d, rows %d and %d apart, sides %02b: touches what is outside", rows, k, lds, ldd, sides)
					}
				}
			}
		}
	})
}

// What a kernel reads may be memory that cannot be written.
func TestReadOnlyOperands(t *testing.T) {
	const n = 77
	protect := func(piece []float64, how int) {
		b := unsafe.Slice((*byte)(unsafe.Pointer(&piece[0])), 8*len(piece))
		if err := syscall.Mprotect(b, how); err != nil {
			t.Fatal(err)
		}
	}
	eachLevel(t, func(t *testing.T) {
		s := fuzz.New(24)
		for _, k := range vectors {
			v := make([][]float64, 0, 5)
			for _, size := range k.sizes(n) {
				piece := fence(t, size)
				v = append(v, piece[:size])
				copy(v[len(v)-1], fuzz.Normal(s, size, 1).Data)
				if len(v) > k.writes {
					protect(piece, syscall.PROT_READ)
				}
			}
			if faults(func() { k.do(v) }) {
				t.Errorf("%s writes what it should only read", k.name)
			}
		}
		mr, nr := asm.Tile()
		a, b := fence(t, n*mr), fence(t, n*nr)
		protect(a, syscall.PROT_READ)
		protect(b, syscall.PROT_READ)
		if faults(func() { asm.GemmTile(n, 1, a, b, mat.New(mr, nr).Data, nr, mr, nr) }) {
			t.Error("GemmTile writes what it should only read")
		}
	})
}
