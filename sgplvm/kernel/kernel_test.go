package kernel_test

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

func TestValidate(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	simple := func(kind kernel.Kind, variance float64, scale ...float64) kernel.Kernel {
		return kernel.Kernel{Kind: kind, Variance: variance, LengthScale: scale}
	}
	rbf := simple(kernel.RBF, 0, 1)
	for _, c := range []struct {
		kernel kernel.Kernel
		want   string // in the message; "": none
	}{
		{simple(kernel.RBF, 1, 1), ""},
		{simple(kernel.Matern12, 1e-300, 1, 2), ""},
		{simple("quadratic", 1, 1, 2), ""},
		{simple(kernel.White, 1), ""},
		{kernel.Kernel{Kind: kernel.Product, Variance: 1, Terms: []kernel.Kernel{rbf, rbf}}, ""},
		{kernel.Kernel{Kind: kernel.Sum, Variance: 1, Terms: []kernel.Kernel{rbf, simple(kernel.White, 0)}, Weights: []float64{0.25, 0.75}}, ""},
		{simple("cosine", 1, 1), `unknown kernel "cosine", expected one of [matern12 matern32 matern52 rbf white`},
		{simple("", 1, 1), `""`},
		{simple(kernel.Kind(strings.Repeat("x", 1e6)), 1, 1), `…"`},
		{simple(kernel.RBF, 0, 1), "rbf kernel: variance 0"},
		{simple(kernel.RBF, -1, 1), "variance -1"},
		{simple(kernel.RBF, nan, 1), "variance NaN"},
		{simple(kernel.RBF, inf, 1), "variance +Inf"},
		{simple(kernel.White, 1, 1), "white kernel: 1 length scales"},
		{simple(kernel.Matern32, 1), "0 length scales for 2 dimensions"},
		{simple(kernel.Matern32, 1, 1, 1, 1), "3 length scales for 2 dimensions"},
		{simple(kernel.Matern32, 1, 1, 0), "length scale 0 of dimension 1"},
		{simple(kernel.Matern52, 1, nan), "length scale NaN of dimension 0"},
		{simple(kernel.Matern52, 1, inf), "length scale +Inf of dimension 0"},
		{kernel.Kernel{Kind: kernel.Periodic, Variance: 1, Period: 1, LengthScale: []float64{1}}, "periodic kernel: points of 2 dimensions"},
		{kernel.Kernel{Kind: kernel.Sum, Variance: 1, LengthScale: []float64{1}, Terms: []kernel.Kernel{rbf, rbf}, Weights: []float64{0.5, 0.5}}, "sum kernel: 1 length scales"},
		{kernel.Kernel{Kind: kernel.Product, Variance: 1, Terms: []kernel.Kernel{rbf, simple(kernel.RBF, 0)}}, "0 length scales"},
		{kernel.Kernel{Kind: kernel.Product, Variance: 1, Terms: []kernel.Kernel{rbf, simple("cosine", 0)}}, `unknown kernel "cosine"`},
	} {
		checkError(t, c.kernel, c.kernel.Validate(2), c.want)
	}
}

func TestValidateTime(t *testing.T) {
	rbf := kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{1}}
	two := []kernel.Kernel{rbf, rbf}
	for _, c := range []struct {
		kernel kernel.Kernel
		want   string
	}{
		{rbf, ""},
		{parsed(t, "oscillator(2)+periodic(3,1)").Complete(1, 1), ""},
		{kernel.Kernel{Kind: kernel.RBF}, "rbf kernel: 0 length scales"},
		{kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{0}}, "length scale 0"},
		{kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{1, 2}}, "2 length scales for 1 dimensions"},
		{kernel.Kernel{Kind: kernel.Matern12, LengthScale: []float64{math.Inf(1)}}, "length scale +Inf"},
		{kernel.Kernel{Kind: kernel.Periodic, LengthScale: []float64{1}}, "period 0"},
		{kernel.Kernel{Kind: kernel.White}, "white kernels have no place in time"},
		{kernel.Kernel{Kind: kernel.Product, Terms: []kernel.Kernel{rbf, {Kind: kernel.White}}}, "white kernels have no place in time"},
		{kernel.Kernel{Kind: "cosine"}, `unknown time kernel "cosine"`},
		{kernel.Kernel{Kind: kernel.Kind(strings.Repeat("\xff", 1e6)), Terms: two}, `unknown time kernel "\xff`},
		{kernel.Kernel{Kind: kernel.Sum, Terms: two[:1], Weights: []float64{1}}, "1 terms of sum"},
		{kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{1}, Terms: make([]kernel.Kernel, 2)}, "2 terms of rbf"},
		{kernel.Kernel{Kind: kernel.Sum, Terms: two}, "0 weights for 2 terms"},
		{kernel.Kernel{Kind: kernel.Sum, Terms: two, Weights: []float64{1, 1}}, "weights add up to 2"},
		{kernel.Kernel{Kind: kernel.Sum, Terms: two, Weights: []float64{2, -1}}, "weight -1"},
		{kernel.Kernel{Kind: kernel.Sum, Terms: two, Weights: []float64{math.NaN(), 1}}, "weight NaN"},
	} {
		checkError(t, c.kernel, c.kernel.ValidateTime(), c.want)
	}
}

func checkError(t *testing.T, k kernel.Kernel, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%v: %v", k, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 500):
		t.Errorf("%.100q: error %.500v, expected one about %s", k.Kind, err, want)
	}
}

// A clone shares nothing, and differs as soon as one number does.
func TestCloneAndEqual(t *testing.T) {
	k := parsed(t, "0.5*rbf(1,2)*matern12(3)+0.5*(0.25*periodic(2,1)+0.75*white)")
	k.Variance = 2
	before := k.Clone()
	if diff := cmp.Diff(k, before); diff != "" || !k.Equal(before) {
		t.Errorf("a clone differs (-kernel +clone):\n%s", diff)
	}
	_, values := parameters(&k, true)
	for i, p := range values {
		at := *p
		*p = 7
		if k.Equal(before) || before.Equal(k) {
			t.Errorf("equal although parameter %d differs", i)
		}
		*p = at
	}
	k.Zero()
	if diff := cmp.Diff(before, before.Clone()); diff != "" || k.Equal(before) {
		t.Errorf("the clone has changed:\n%s", diff)
	}
	for _, text := range []string{"rbf(1)", "rbf(1,1)", "rbf", "matern12(1)", "rbf(1)*rbf(1)", "rbf(1)+rbf(1)", "rbf(1)+rbf(1)+rbf(1)"} {
		for _, other := range []string{"rbf(1)", "rbf(1,1)", "rbf", "matern12(1)", "rbf(1)*rbf(1)", "rbf(1)+rbf(1)", "rbf(1)+rbf(1)+rbf(1)"} {
			if parsed(t, text).Equal(parsed(t, other)) != (text == other) {
				t.Errorf("%s and %s: Equal is wrong", text, other)
			}
		}
	}
}

// constant is a Function of a given value.
type constant float64

func (c constant) Values(r2 []float64, _ float64) {
	for j := range r2 {
		r2[j] = float64(c)
	}
}

func (constant) Slopes(r2 []float64, _ float64) { clear(r2) }

// brokenSystem is a StateSpace whose matrix has the wrong size.
type brokenSystem struct{ constant }

func (brokenSystem) System() (rate float64, f, b []float64) {
	return 1, []float64{-1, 0}, []float64{1, 0}
}

func TestRegister(t *testing.T) {
	for want, f := range map[string]func(){
		`"rbf" is taken`:              func() { kernel.Register(kernel.RBF, constant(1)) },
		`"periodic" is taken`:         func() { kernel.Register(kernel.Periodic, constant(1)) },
		`"sum" is taken`:              func() { kernel.Register(kernel.Sum, constant(1)) },
		`"quadratic" is taken`:        func() { kernel.Register("quadratic", constant(1)) },
		`"" is not a name`:            func() { kernel.Register("", constant(1)) },
		`"1a" is not a name`:          func() { kernel.Register("1a", constant(1)) },
		`"a b" is not a name`:         func() { kernel.Register("a b", constant(1)) },
		`"Rbf" is not a name`:         func() { kernel.Register("Rbf", constant(1)) },
		`…" is not a name`:            func() { kernel.Register(kernel.Kind(strings.Repeat("a", 1000)), constant(1)) },
		`no function for "none"`:      func() { kernel.Register("none", nil) },
		`"none" is 2 at distance 0`:   func() { kernel.Register("none", constant(2)) },
		`"none" is NaN at distance 0`: func() { kernel.Register("none", constant(math.NaN())) },
		`the system of "none" has`:    func() { kernel.Register("none", brokenSystem{1}) },
	} {
		if got := tier.Panic(f); !strings.HasPrefix(got, "kernel: Register: ") || !strings.Contains(got, want) || len(got) > 300 {
			t.Errorf("panic %q, expected one about %s", got, want)
		}
	}
	got := slices.DeleteFunc(kernel.Kinds(), func(kind kernel.Kind) bool { return strings.HasPrefix(string(kind), "concurrent") })
	if diff := cmp.Diff(simple, got); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
}

// One of many goroutines gets the name, while others read; -race looks on.
func TestRegisterConcurrently(t *testing.T) {
	name := kernel.Kind("concurrent")
	for slices.Contains(kernel.Kinds(), name) { // from a run before, with -count
		name += "_"
	}
	var group sync.WaitGroup
	var lock sync.Mutex
	registered := 0
	for range 8 {
		group.Go(func() {
			text := tier.Panic(func() { kernel.Register(name, constant(1)) })
			kernel.Kinds()
			lock.Lock()
			defer lock.Unlock()
			if text == "" {
				registered++
			}
		})
	}
	group.Wait()
	if registered != 1 {
		t.Errorf("%d registrations of one name", registered)
	}
}
