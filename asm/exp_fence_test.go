//go:build (linux || darwin) && (amd64 || arm64)

package asm_test

import (
	"os"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"github.com/seed-08962ecc/kronfield/fuzz"
)

// fence returns a page of numbers between two pages that may not be touched.
func fence(t *testing.T) []float64 {
	t.Helper()
	size := os.Getpagesize()
	b, err := syscall.Mmap(-1, 0, 3*size, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(b) })
	if err := syscall.Mprotect(b[size:2*size], syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(&b[size])), size/8)
}

// faults reports whether f touches a page that may not be touched.
func faults(f func()) (yes bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		_, yes = recover().(interface{ Addr() uintptr })
	}()
	f()
	return false
}

// No kernel reads or writes outside its slices, where these end or begin with
// a page.
func TestElementaryFences(t *testing.T) {
	s := fuzz.New(28)
	var page [4][]float64
	for i := range page {
		page[i] = fence(t)
		copy(page[i], arguments(s, len(page[i])))
	}
	for _, offset := range []int{-8, 8 * len(page[0])} {
		if !faults(func() { page[1][0] = *(*float64)(unsafe.Add(unsafe.Pointer(&page[0][0]), offset)) }) {
			t.Fatalf("no fence at %d", offset)
		}
	}
	everyLevel(func(level string) {
		for _, k := range elementaries {
			for n := range 68 {
				for sides := range 1 << 4 {
					var v [4][]float64
					for i, p := range page {
						from := 0
						if sides>>i&1 == 1 {
							from = len(p) - n
						}
						v[i] = p[from : from+n]
					}
					if faults(func() { k.do(v[3], [3][]float64(v[:3])) }) {
						t.Fatalf("%s of %d numbers at %s, sides %04b: touches what is outside", k.name, n, level, sides)
					}
				}
			}
		}
	})
}
