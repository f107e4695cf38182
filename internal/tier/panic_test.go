package tier

import "testing"

// A panic's text is returned, and wanted as a whole or by its parts; a call that returns has none.
func TestPanic(t *testing.T) {
	boom, still := func() { panic("op: 2×3 and 4×5") }, func() {}
	if Panic(boom) != "op: 2×3 and 4×5" || Panic(still) != "" {
		t.Errorf("panics %q and %q", Panic(boom), Panic(still))
	}
	for name, wants := range map[string]func(t testing.TB){
		"another text":  func(t testing.TB) { Panics(t, "op: 2×3", boom) },
		"no panic":      func(t testing.TB) { Panics(t, "op", still) },
		"another part":  func(t testing.TB) { PanicsWith(t, boom, "2×3", "6×7") },
		"part of none":  func(t testing.TB) { PanicsWith(t, still, "op") },
		"any, not none": func(t testing.TB) { PanicsWith(t, still) },
	} {
		failed := &recorder{TB: t}
		if wants(failed); !failed.errors {
			t.Errorf("%s passes", name)
		}
	}
	Panics(t, "op: 2×3 and 4×5", boom)
	PanicsWith(t, boom, "op", "4×5")
}

// recorder is a test that only remembers that it failed.
type recorder struct {
	testing.TB
	errors bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.errors = true }
