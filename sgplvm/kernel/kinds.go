package kernel

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed-08962ecc/kronfield/internal/text"
)

// Kind names a covariance function, in flags and in files.
type Kind string

// String returns the name.
func (k Kind) String() string { return string(k) }

// The kinds of this package, for unit variance. r = ‖(x−x′)/ℓ‖ is the scaled distance, Δ a
// difference of two numbers.
const (
	Matern12 Kind = "matern12" // exp(−r)
	Matern32 Kind = "matern32" // (1 + √3r)·exp(−√3r)
	Matern52 Kind = "matern52" // (1 + √5r + 5r²/3)·exp(−√5r)
	RBF      Kind = "rbf"      // exp(−r²/2)
	White    Kind = "white"    // 1 where all coordinates are equal, else 0
	Periodic Kind = "periodic" // exp(−2·sin²(πΔ/p)/ℓ²)
	Sum      Kind = "sum"      // Σ w_i·k_i, Σ w_i = 1
	Product  Kind = "product"  // Π k_i
)

// Function is a stationary covariance function k(r) of the scaled distance r, with
// k(0) = 1. A caller's own kernel implements it; see Register.
//
// Both methods work in place on squared distances r², which are between 0 and 1e300, and
// must give finite numbers. They are called from several goroutines.
type Function interface {
	// Values sets r2[j] to variance·k(r).
	Values(r2 []float64, variance float64)
	// Slopes sets r2[j] to −variance·k′(r)/r, the factor in every derivative:
	// ∂k/∂ℓ_q = (−k′/r)·(x_q−y_q)²/ℓ_q³ and ∂k/∂y_q = (−k′/r)·(x_q−y_q)/ℓ_q².
	// Where k has a kink at r = 0, the slope there is 0.
	Slopes(r2 []float64, variance float64)
}

// farthest is a squared scaled distance at which every covariance of this package but the
// periodic one is 0 in float64. Larger ones are cut to it, since ∞·exp(−∞) is NaN, as it is of variances above 1e250.
const farthest = 1e100

// StateSpace is a Function whose process in time is Markov: it is the first component of a
// stationary linear system driven by white noise (Hartikainen and Särkkä, 2010).
type StateSpace interface {
	Function
	// System returns the s×s matrix F of the system, row by row, and the covariance b of its
	// state, s numbers, with the state's first component, so that b[0] = 1. With
	// A(Δ) = exp(F·σ), σ = rate·Δ/ℓ, the covariance function is the first component of
	// A(Δ)·b. The slices are only read.
	System() (rate float64, f, b []float64)
}

// row is a line of the table of kinds.
type row struct {
	kind     Kind
	function Function
	scaled   bool // has length scales
}

// table are the kinds of one function: those of this package, then the callers', by name.
// It is replaced as a whole.
var (
	table       atomic.Pointer[[]row]
	registering sync.Mutex
)

// own are the rows of this package. A new kernel is one of them, its name above and a file of its own.
var own = []row{
	{Matern12, matern(1), true},
	{Matern32, matern(2), true},
	{Matern52, matern(3), true},
	{RBF, rbf{}, true},
	{White, white{}, false},
}

func init() { table.Store(&own) }

// Register adds a caller's own covariance function, which can then be used as a
// Kernel.Kind, and in Parse by its name: lower-case letters, digits and underscores, at
// most 32, of which the first is a letter. If f is a StateSpace, it serves as one in time.
// Register is meant for init functions. It panics if the name is taken or not such a name,
// or if f is not 1 at distance 0.
func Register(kind Kind, f Function) {
	if name, _ := identifier(string(kind)); name == "" || name != string(kind) || len(name) > 32 {
		panic(text.Sprintf("kernel: Register: %s is not a name of at most 32 lower-case letters, digits and underscores", quoted(string(kind))))
	}
	if f == nil {
		panic(text.Sprintf("kernel: Register: no function for %q", kind))
	}
	at0 := []float64{0}
	if f.Values(at0, 1); !(math.Abs(at0[0]-1) <= 1e-9) {
		panic(text.Sprintf("kernel: Register: %q is %v at distance 0, expected 1", kind, at0[0]))
	}
	if s, ok := f.(StateSpace); ok {
		rate, f, b := s.System()
		if len(b) == 0 || len(f) != len(b)*len(b) || !(math.Abs(b[0]-1) <= 1e-9) || !(rate > 0) {
			panic(text.Sprintf("kernel: Register: the system of %q has rate %v, %d numbers in F and b = %v, expected a positive rate, s² numbers in F and s in b, of which the first is 1", kind, rate, len(f), b))
		}
	}
	registering.Lock()
	defer registering.Unlock()
	if lookup(kind) != nil || slices.Contains(composed, kind) {
		panic(text.Sprintf("kernel: Register: the name %q is taken", kind))
	}
	rows := append(slices.Clone(*table.Load()), row{kind, f, true})
	slices.SortFunc(rows[len(own):], func(a, b row) int { return cmp.Compare(a.kind, b.kind) })
	table.Store(&rows)
}

// names returns kinds as texts.
func names(kinds []Kind) []string {
	var all []string
	for _, k := range kinds {
		all = append(all, string(k))
	}
	return all
}

// composed are the kinds that are not one function of the distance.
var composed = []Kind{Periodic, Sum, Product}

// Kinds lists the kinds that are one function of the distance: those of this package, then
// registered ones by name.
func Kinds() []Kind {
	var all []Kind
	for _, r := range *table.Load() {
		all = append(all, r.kind)
	}
	return all
}

// lookup returns the row of a kind, nil if there is none.
func lookup(kind Kind) *row {
	rows := *table.Load()
	for i := range rows {
		if rows[i].kind == kind {
			return &rows[i]
		}
	}
	return nil
}

// identifier cuts a name off the beginning of s; it is empty if there is none.
func identifier(s string) (name, rest string) {
	n := 0
	for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || n > 0 && (s[n] == '_' || s[n] >= '0' && s[n] <= '9')) {
		n++
	}
	return s[:n], s[n:]
}

// quoted quotes the beginning of a text that may be long or hostile.
func quoted(s string) string {
	const most = 40
	if len(s) <= most {
		return strconv.Quote(s)
	}
	return strings.TrimSuffix(strconv.Quote(s[:most]), `"`) + `…"`
}
