package asm_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/fuzz"
	"github.com/seed-08962ecc/kronfield/internal/tier"
)

// An elementary kernel is one of exp's or ln's family, as a function of up to
// three slices.
type elementary struct {
	name   string
	inputs int
	do     func(dst []float64, in [2][]float64) float64
	writes bool                             // whether it writes dst
	sum    func(dst, x []float64) []float64 // the terms of the sum that it returns, or nil
}

const shift = -0.3 // c of ExpAdd

var elementaries = []elementary{
	{"Exp", 1, func(dst []float64, in [2][]float64) float64 { asm.Exp(dst, in[0]); return 0 }, true, nil},
	{"ExpAdd", 2, func(dst []float64, in [2][]float64) float64 { asm.ExpAdd(dst, in[0], shift, in[1]); return 0 }, true, nil},
	{"ExpSqrt", 1, func(dst []float64, in [2][]float64) float64 {
		asm.ExpSqrt(dst, in[0], 5, 1.5, -2.5, 0.5)
		return 0
	}, true, nil},
	{"Log", 1, func(dst []float64, in [2][]float64) float64 { asm.Log(dst, in[0]); return 0 }, true, nil},
	{"SumLog", 1, func(_ []float64, in [2][]float64) float64 { return asm.SumLog(in[0]) }, false,
		func(_, x []float64) []float64 {
			logs := make([]float64, len(x))
			asm.Log(logs, x)
			return logs
		}},
}

// everyLevel calls f with each level in use that runs here, generic first.
func everyLevel(f func(level string)) {
	for _, level := range asm.Levels() {
		func() {
			defer asm.SetLevel(level)()
			f(level)
		}()
	}
}

// laneSum adds numbers as SumLog says.
func laneSum(x []float64) float64 {
	var total float64
	for i, first := 0, true; i < len(x); first = false {
		var lane [8]float64
		for j := range min(1024, len(x)-i) {
			lane[j%8] += x[i+j]
		}
		i += 1024
		for apart := 4; apart > 0; apart /= 2 {
			for j := range apart {
				lane[j] += lane[j+apart]
			}
		}
		if first {
			total = lane[0]
		} else {
			total += lane[0]
		}
	}
	return total
}

func sameNumber(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// arguments returns n numbers on which exp or ln may slip: near the ends of
// their ranges, near multiples of ½·ln 2 and near 1, any bits, and special ones.
func arguments(s *fuzz.Source, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		switch s.IntN(6) {
		case 0:
			x[i] = math.Float64frombits(s.Uint64())
		case 1:
			x[i] = special[s.IntN(len(special))]
		case 2:
			x[i] = 760 * (2*s.Float64() - 1)
		case 3:
			x[i] = near(float64(s.IntN(4400)-2200)*(0.5*math.Ln2), s.IntN(9)-4)
		case 4:
			x[i] = near(math.Ldexp([]float64{1, math.Sqrt2}[s.IntN(2)], s.IntN(2098)-1074), s.IntN(9)-4)
		case 5:
			x[i] = 1 + math.Ldexp(s.Float64()-0.5, -s.IntN(50))
		}
	}
	return x
}

// near returns the number that comes so many ulps after x, away from 0.
func near(x float64, ulps int) float64 {
	if x == 0 {
		return float64(ulps) * math.SmallestNonzeroFloat64
	}
	return math.Float64frombits(math.Float64bits(x) + uint64(ulps))
}

// Every kernel gives the same bits at every level, in whole registers and in
// the rest of a slice, at every offset from them, in place of each of its
// arguments; it writes nothing else.
func TestElementaryBits(t *testing.T) {
	s := fuzz.New(21)
	long := []int{255, 256, 257, 1023, 1024, 1025, 2055}
	for _, k := range elementaries {
		for n := range 68 + len(long) {
			if n >= 68 {
				n = long[n-68]
			}
			for offset := range 8 {
				if n > 67 && offset%4 != 1 {
					continue
				}
				var in [2][]float64
				for j := range k.inputs {
					in[j] = arguments(s, n)
				}
				want := make([]float64, n)
				wantSum := math.NaN()
				everyLevel(func(level string) {
					name := fmt.Sprintf("%s of %d numbers at %s", k.name, n, level)
					var g [2]vector
					var v [2][]float64
					for j := range k.inputs {
						g[j] = guard(in[j], (offset+3*j+3)%8)
						v[j] = g[j].v
					}
					dst := guard(slices.Repeat([]float64{7}, n+offset%2), offset)
					sum := k.do(dst.v, v)
					if level == "generic" {
						copy(want, dst.v)
						wantSum = sum
					}
					equal(t, name, dst.v, want)
					if offset%2 == 1 && dst.v[n] != 7 {
						t.Errorf("%s: the element behind the end is %g", name, dst.v[n])
					}
					if !sameNumber(sum, wantSum) {
						t.Errorf("%s: sum is %v, want %v", name, sum, wantSum)
					}
					if k.sum != nil {
						if w := laneSum(k.sum(dst.v[:n], v[0])); !sameNumber(sum, w) {
							t.Errorf("%s: sum is %v, lane by lane %v", name, sum, w)
						}
					}
					for j := range k.inputs {
						same(t, name+", argument", v[j], in[j])
					}
					for j := range k.inputs {
						if k.writes {
							k.do(v[j], v)
							equal(t, name+", in place", v[j], want)
							copy(v[j], in[j])
						}
						g[j].check(t, name)
					}
					dst.check(t, name)
				})
			}
		}
	}
}

// The same arguments give the same bits on every machine: the digest of the
// results is a constant.
func TestElementaryDigest(t *testing.T) {
	s := fuzz.New(22)
	var in [2][]float64
	for j := range in {
		in[j] = arguments(s, 5000)
	}
	want := map[string]string{
		"Exp":     "472c9d273c6290e2",
		"ExpAdd":  "5592c375ae7cb941",
		"ExpSqrt": "22f018d897e28162",
		"Log":     "83eb4cf344619edf",
		"SumLog":  "bcc3b4fd845816a4",
	}
	everyLevel(func(level string) {
		for _, k := range elementaries {
			dst := make([]float64, len(in[0]))
			sum := k.do(dst, in)
			if k.name == "SumLog" {
				sum = asm.SumLog(absolute(in[0]))
			}
			var b bytes.Buffer
			for _, v := range append(dst, sum) {
				if v != v {
					v = math.NaN()
				}
				if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
					t.Fatal(err)
				}
			}
			if got := fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))[:16]; got != want[k.name] {
				t.Errorf("%s at %s: digest %s, want %s", k.name, level, got, want[k.name])
			}
		}
	})
}

// absolute returns |x| where that is positive and finite, and 1 elsewhere.
func absolute(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = 1
		if v = math.Abs(v); v > 0 && v <= math.MaxFloat64 {
			y[i] = v
		}
	}
	return y
}

// Values that are known exactly, alone and among others.
func TestElementarySpecial(t *testing.T) {
	inf, nan, negZero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	payload := math.Float64frombits(0xfff0_dead_beef_0001) // signalling
	const tiny, huge = math.SmallestNonzeroFloat64, math.MaxFloat64
	for _, c := range []struct {
		kernel  string
		x, want float64
	}{
		{"Exp", 0, 1}, {"Exp", negZero, 1}, {"Exp", tiny, 1}, {"Exp", -tiny, 1}, {"Exp", 0x1p-54, 1}, {"Exp", -0x1p-55, 1},
		{"Exp", inf, inf}, {"Exp", -inf, 0}, {"Exp", nan, nan}, {"Exp", payload, nan}, {"Exp", huge, inf}, {"Exp", -huge, 0},
		{"Exp", near(709.782712893384, 1), inf}, {"Exp", 710, inf}, {"Exp", 1024, inf}, {"Exp", 1025, inf}, {"Exp", 1e10, inf},
		{"Exp", -745.1332191019411, tiny}, {"Exp", near(-745.1332191019411, 1), 0}, {"Exp", -746, 0}, {"Exp", near(-746, 1), 0},
		{"Exp", -1024, 0}, {"Exp", -1025, 0}, {"Exp", -1e10, 0},
		{"ExpSqrt", 0, 1.5}, {"ExpSqrt", inf, 0}, {"ExpSqrt", 1e300, 0}, {"ExpSqrt", huge, 0}, {"ExpSqrt", -1, nan},
		{"ExpSqrt", -inf, nan}, {"ExpSqrt", nan, nan}, {"ExpSqrt", payload, nan}, {"ExpSqrt", negZero, 1.5},
		{"Log", 1, 0}, {"Log", 0, -inf}, {"Log", negZero, -inf}, {"Log", inf, inf}, {"Log", -inf, nan}, {"Log", -1, nan},
		{"Log", -tiny, nan}, {"Log", -huge, nan}, {"Log", nan, nan}, {"Log", payload, nan}, {"Log", -payload, nan},
		{"Log", 2, math.Ln2}, {"Log", 0.5, -math.Ln2}, {"Log", 0x1p512, 512 * math.Ln2}, {"Log", 0x1p-1024, -1024 * math.Ln2},
	} {
		k := elementaries[slices.IndexFunc(elementaries, func(k elementary) bool { return k.name == c.kernel })]
		everyLevel(func(level string) {
			for at := range 19 {
				x, dst := slices.Repeat([]float64{0.75}, 19), make([]float64, 19)
				k.do(dst, [2][]float64{x})
				other := dst[0]
				x[at] = c.x
				k.do(dst, [2][]float64{x})
				for i, got := range dst {
					want := other
					if i == at {
						want = c.want
					}
					if !sameNumber(got, want) {
						t.Errorf("%s at %s: of %v, element %d, is %v, want %v", c.kernel, level, x[i], i, got, want)
					}
				}
			}
		})
	}
}

// A sum has a NaN or an infinity exactly where one of its terms has.
func TestElementarySums(t *testing.T) {
	everyLevel(func(level string) {
		for n := 1; n < 20; n++ {
			for at := range n {
				for _, v := range []float64{math.NaN(), math.Inf(1)} {
					x := slices.Repeat([]float64{1}, n)
					x[at] = v
					if got := asm.SumLog(x); !sameNumber(got, v) {
						t.Errorf("%s: %v as logarithm %d of %d: sum %v", level, v, at, n, got)
					}
				}
			}
		}
	})
}

// samplesOf is how many arguments each region of an accuracy test has.
func samplesOf() int {
	if testing.Short() {
		return 2000
	}
	return 30000
}

// The error of Exp is below 0.95 units of the last place, of a subnormal
// result too. The bound from the roundings one by one is 1.03, attained only if
// all were worst at once; the largest error of 4·10⁷ random arguments is 0.92.
func TestExpAccuracy(t *testing.T) {
	s := fuzz.New(23)
	n := samplesOf()
	for _, region := range []struct {
		name string
		at   func(i int) float64
	}{
		{"one period", func(i int) float64 { return 0.36 * (2*float64(i)/float64(n) - 1) }},
		{"normal results", func(int) float64 { return -708 + 1417.7*s.Float64() }},
		{"near multiples of half ln 2", func(i int) float64 { return near(float64(i%4150-2150)*(0.5*math.Ln2), i%9-4) }},
		{"near 0", func(i int) float64 { return (2*s.Float64() - 1) * math.Ldexp(1, -i%1080) }},
		{"overflow", func(i int) float64 { return near(709.782712893384, i-n/2) }},
		{"subnormal results", func(int) float64 { return -708 - 37.5*s.Float64() }},
		{"underflow", func(i int) float64 { return near(-745.1332191019412, i-n/2) }},
		{"any bits", func(int) float64 {
			for {
				if x := math.Float64frombits(s.Uint64()); math.Abs(x) < 1000 {
					return x
				}
			}
		}},
	} {
		t.Run(region.name, func(t *testing.T) {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i] = region.at(i)
			}
			asm.Exp(y, x)
			var e errors
			for i, v := range x {
				m, k := trueExp(v)
				e.add(v, ulps(y[i], m, k))
			}
			t.Log(&e)
			most := 0.95
			if runtime.GOARCH == "wasm" {
				most = 1 // that of math.Exp
			}
			if !(e.worst < most) {
				t.Errorf("error %v units at %v (%x)", e.worst, e.at, e.at)
			}
		})
	}
}

// The error of Log is below 0.8 units of the last place.
func TestLogAccuracy(t *testing.T) {
	s := fuzz.New(24)
	n := samplesOf()
	for _, region := range []struct {
		name string
		at   func(i int) float64
	}{
		{"one period", func(i int) float64 { return 0.7 + 0.72*float64(i)/float64(n) }},
		{"small results", func(int) float64 { return math.Exp(6*s.Float64() - 3) }},
		{"near 1", func(i int) float64 { return 1 + (s.Float64()-0.5)*math.Ldexp(1, -i%50) }},
		{"next to 1", func(i int) float64 { return near(1, i-n/2) }},
		{"near powers of 2", func(i int) float64 { return near(math.Ldexp(1, i%2090-1070), i%9-4) }},
		{"near powers of 2 times √2", func(i int) float64 { return near(math.Ldexp(math.Sqrt2, i%2090-1070), i%9-4) }},
		{"subnormal", func(int) float64 { return math.Float64frombits(1 + s.Uint64()>>(12+s.IntN(52))) }},
		{"any bits", func(int) float64 { return absolute([]float64{math.Float64frombits(s.Uint64())})[0] }},
	} {
		t.Run(region.name, func(t *testing.T) {
			x, y := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i] = region.at(i)
			}
			asm.Log(y, x)
			var e errors
			for i, v := range x {
				if v == 1 {
					continue // TestElementarySpecial
				}
				m := trueLog(v)
				if m.hi < 0 {
					m.hi, m.lo, y[i] = -m.hi, -m.lo, -y[i]
				}
				e.add(v, ulps(y[i], m, 0))
			}
			t.Log(&e)
			if !(e.worst < 0.8) {
				t.Errorf("error %v units at %v (%x)", e.worst, e.at, e.at)
			}
		})
	}
}

// ExpSqrt against the formula in doubled precision. √(s·x) is off by ε·r, its
// exponential by that and one unit, and so are the product and, with
// positive coefficients, the polynomial.
func TestExpSqrtAccuracy(t *testing.T) {
	s := fuzz.New(25)
	for _, c := range [][4]float64{{1, 1, 0, 0}, {3, 2, 2, 0}, {5, 0.7, 0.7, 0.7 / 3}} {
		x := make([]float64, samplesOf()/3)
		for i := range x {
			x[i] = math.Exp(30*s.Float64() - 20)
		}
		y := make([]float64, len(x))
		asm.ExpSqrt(y, x, c[0], c[1], c[2], c[3])
		var worst float64
		for i, v := range x {
			square := double{v, 0}.mul(double{c[0], 0})
			q := math.Sqrt(square.hi)
			r := double{q, 0}.add(square.add(double{q, 0}.mul(double{-q, 0})).div(double{2 * q, 0}))
			m, k := trueExp(-r.hi)
			m = m.mul(double{1, -r.lo})
			p := double{c[3], 0}.mul(r).add(double{c[2], 0}).mul(r).add(double{c[1], 0}).mul(m)
			if k < -1000 {
				continue // subnormal results: TestElementaryBits
			}
			diff := double{math.Ldexp(y[i], -k), 0}.add(double{-p.hi, -p.lo})
			worst = max(worst, math.Abs(diff.hi)/(p.hi*fuzz.Eps*(r.hi+4)))
		}
		t.Logf("%v: %.3f of the bound", c, worst)
		if !(worst < 1) {
			t.Errorf("%v: %.3g of the bound", c, worst)
		}
	}
}

// A slice that is shorter than x panics with the operation's name, although
// the array behind it may be long enough.
func TestElementaryShort(t *testing.T) {
	long, short := make([]float64, 9), make([]float64, 9)[:8]
	for want, f := range map[string]func(){
		"asm: Exp: dst has 8 numbers, want at least 9":     func() { asm.Exp(short, long) },
		"asm: ExpAdd: dst has 8 numbers, want at least 9":  func() { asm.ExpAdd(short, long, 0, long) },
		"asm: ExpAdd: u has 8 numbers, want at least 9":    func() { asm.ExpAdd(long, long, 0, short) },
		"asm: ExpSqrt: dst has 8 numbers, want at least 9": func() { asm.ExpSqrt(short, long, 1, 1, 1, 1) },
		"asm: Log: dst has 8 numbers, want at least 9":     func() { asm.Log(short, long) },
	} {
		tier.Panics(t, want, f)
	}
}

// The kernels leave the processor's rounding and its treatment of subnormal
// numbers as they were.
func TestElementaryControlWord(t *testing.T) {
	everyLevel(func(level string) {
		x := slices.Repeat([]float64{-740}, 21)
		for _, k := range elementaries {
			k.do(make([]float64, len(x)), [2][]float64{x, x})
			half, third := x[0]/-740*0x1p-1074, x[0]/-740/3
			if half != math.SmallestNonzeroFloat64 || third != 1./3 {
				t.Fatalf("after %s at %s: 2^−1074 is %g, 1/3 is %v", k.name, level, half, third)
			}
		}
	})
}

// FuzzElementary compares every level with generic Go, for any bits.
func FuzzElementary(f *testing.F) {
	s := fuzz.New(26)
	for n := range 20 {
		var b []byte
		for _, v := range arguments(s, n) {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x := make([]float64, len(b)/8)
		for i := range x {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		n := len(x) / 2
		in := [2][]float64{x[:n], x[n : 2*n]}
		for _, k := range elementaries {
			want, wantSum := make([]float64, n), 0.
			everyLevel(func(level string) {
				got := make([]float64, n)
				sum := k.do(got, in)
				if level == "generic" {
					want, wantSum = got, sum
				}
				equal(t, k.name+" at "+level, got, want)
				if !sameNumber(sum, wantSum) {
					t.Errorf("%s at %s: sum %v, want %v", k.name, level, sum, wantSum)
				}
			})
		}
	})
}
