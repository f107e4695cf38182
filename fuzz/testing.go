package fuzz

import "testing"

// Test tries every law that applies to x, each as a subtest. In short mode it
// draws a tenth as often.
func Test(t *testing.T, x Library, o Options) {
	t.Helper()
	o = o.defaults()
	if testing.Short() {
		o.Draws = max(1, o.Draws/10)
	}
	for _, l := range Laws() {
		if !l.Applies(x) {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			if v := l.Try(x, o); v.Failure != nil {
				t.Error(v.Failure)
			}
		})
	}
}

// Target makes a native fuzz target of every law that applies to x. The first
// byte of an input chooses the law, the rest is for [FromBytes].
func Target(f *testing.F, x Library) {
	f.Helper()
	var laws []Law
	for _, l := range Laws() {
		if l.Applies(x) {
			laws = append(laws, l)
		}
	}
	for i := range laws {
		f.Add(append([]byte{byte(i)}, seedBytes(uint64(i))...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		if broken := laws[int(data[0])%len(laws)].Run(x, FromBytes(data[1:])); broken != nil {
			t.Fatal(broken)
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

// seedBytes returns an input of 64 bytes.
func seedBytes(seed uint64) []byte {
	s := New(seed)
	data := make([]byte, 64)
	for i := range data {
		data[i] = byte(s.IntN(256))
	}
	return data
}
