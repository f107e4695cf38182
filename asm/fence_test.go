//go:build (linux || darwin) && (amd64 || arm64)

package asm_test

import (
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
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

// emulated reports whether qemu runs the program. Its masked loads of AVX2 touch the
// whole vector, unlike a processor's.
func emulated() bool {
	name, err := os.ReadFile("/proc/self/comm")
	return err == nil && strings.HasPrefix(string(name), "qemu-")
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

// Nor does the product of panels, for any number of rows and columns, any depth and
// any layout, although it fetches ahead.
func TestGemmPanelFences(t *testing.T) {
	s := fuzz.New(22)
	const most = 257*700 + 3
	pieces := make([][]float64, 3)
	for i := range pieces {
		pieces[i] = fence(t, most)
		copy(pieces[i], fuzz.Normal(s, len(pieces[i]), 1).Data)
	}
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		masked := 0
		if emulated() && asm.Level() == "avx2" {
			masked = 3
		}
		for m := range 2*mr + 2 {
			for n := range nr + 1 {
				for at, k := range depths {
					if testing.Short() && k > 33 && (m+n)%5 != 0 {
						continue
					}
					p := draw(s, m, n, k)
					p.alpha, p.beta = 1e-9, float64(at%2)
					if m*n == 0 {
						continue
					}
					rsa, csa, stepa := p.order.strides(m, k)
					needA, needB, needC := 0, 0, (m-1)*(n+p.gapC)+n
					for i := range m {
						needA = max(needA, i/mr*stepa+i%mr*rsa+(k-1)*csa+1)
					}
					if k > 0 {
						needB = (k-1)*p.ldb() + n
					} else {
						needA = 0
					}
					for _, sides := range []int{0, 7, 1 + (m+n+at)%6} {
						a := flush(pieces[0], needA, sides&1 != 0)
						b := flush(pieces[1], needB+masked, sides&2 != 0)[:needB]
						c := flush(pieces[2], needC+masked, sides&4 != 0)[:needC]
						if faults(func() { p.do(a, b, c) }) {
							t.Fatalf("%v, sides %03b: touches what is outside", p, sides)
						}
					}
				}
			}
		}
	})
}

// Nor does substitution.
func TestSolvePanelFences(t *testing.T) {
	s := fuzz.New(25)
	triangle, panel := fence(t, 8*8*21), fence(t, 6*8*24)
	copy(triangle, fuzz.Normal(s, len(triangle), 1).Data)
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		for tiles := range 7 {
			for sides := range 8 {
				l := flush(triangle, mr*mr*tiles*(tiles+1)/2, sides&1 != 0)
				x := flush(panel, tiles*mr*nr, sides&2 != 0)
				clear(x)
				if faults(func() { asm.SolvePanel(sides&4 != 0, tiles, l, x) }) {
					t.Fatalf("%d tiles, upper and sides %03b: touches what is outside", tiles, sides)
				}
			}
		}
	})
}

// Nor does the copying of rows.
func TestCopyRowsFences(t *testing.T) {
	const most = 40
	src, dst := fence(t, most*most), fence(t, most*most)
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		for rows := 1; rows < 10; rows++ {
			for n := 1; n <= max(mr, nr); n++ {
				for sides := range 4 {
					lds, ldd := n+rows%3, n+(rows+n)%4
					from := flush(src, (rows-1)*lds+n, sides&1 != 0)
					to := flush(dst, (rows-1)*ldd+n, sides&2 != 0)
					if faults(func() { asm.CopyRows(to, ldd, from, lds, rows, n, 8*n) }) {
						t.Fatalf("%d×%d, rows %d and %d apart, sides %02b: touches what is outside", rows, n, lds, ldd, sides)
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
		// Where a matrix is read only, what is fetched behind it is as well.
		mr, nr := asm.Tile()
		a, b := fence(t, n*(2*mr+1)), fence(t, n*nr)
		x, y := fence(t, 6*mr*mr), fence(t, n*nr)
		for _, piece := range [][]float64{a, b, x} {
			protect(piece, syscall.PROT_READ)
		}
		for _, beta := range []float64{0, 1} {
			for m := 1; m <= 2*mr+1; m++ {
				if faults(func() { asm.GemmPanel(n, 1, a, n, 1, n*mr, b, nr, beta, y, nr, m, nr) }) {
					t.Errorf("GemmPanel of %d rows, beta %g, writes what it should only read", m, beta)
				}
			}
		}
		if faults(func() { asm.SolvePanel(false, 3, x, y); asm.SolvePanel(true, 3, x, y) }) {
			t.Error("SolvePanel writes what it should only read")
		}
		if faults(func() { asm.CopyRows(y, nr, b, nr, n, nr, n*nr) }) {
			t.Error("CopyRows writes what it should only read")
		}
	})
}
