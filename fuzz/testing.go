package fuzz

import (
	"path/filepath"
	"runtime"
	"testing"
)

// Test tries every law that applies to x, each as a subtest. In short mode it draws a tenth as often.
func Test(t *testing.T, x Library, o Options) {
	t.Helper()
	o = o.defaults()
	if testing.Short() {
		o.Draws = max(1, o.Draws/10)
	}
	for _, l := range x.applying() {
		t.Run(l.Name, func(t *testing.T) {
			t.Helper()
			if v := l.Try(x, o); v.Failure != nil {
				v.Failure.report(t)
			}
		})
	}
}

// Target makes a native fuzz target of [Library.Try].
func Target(f *testing.F, x Library) {
	f.Helper()
	f.Add([]byte{})
	laws := x.applying()
	for k := range laws {
		s := New(uint64(k))
		s.keep(uint64(k), 1)
		for range 55 {
			s.IntN(256)
		}
		f.Add(s.Bytes())
	}
	_, file, line, _ := runtime.Caller(1) // which t.Helper does not find behind f.Fuzz
	OneOf(f, func(t *testing.T, s *Source) {
		if broken := laws[s.IntN(len(laws))].Run(x, s); broken != nil {
			t.Fatalf("%s:%d: %v", filepath.Base(file), line, broken)
		}
	})
}

// OneOf makes a native fuzz target of laws of one's own. The source that is made of an input chooses one first.
func OneOf(f *testing.F, laws ...func(t *testing.T, s *Source)) {
	f.Helper()
	f.Fuzz(oneOf(laws))
}

func oneOf(laws []func(t *testing.T, s *Source)) func(t *testing.T, data []byte) {
	return func(t *testing.T, data []byte) {
		s := FromBytes(data)
		laws[s.IntN(len(laws))](t, s)
	}
}
