package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Numbers of every form are those that package strconv reads, to the bit, with either decimal sign and with thousands apart.
func TestParse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		v := math.Float64frombits(r.Uint64())
		if r.IntN(2) == 0 {
			v = r.NormFloat64() * math.Pow(10, float64(r.IntN(20)-10))
		}
		if v-v != 0 {
			continue
		}
		text := strconv.FormatFloat(v, "efg"[r.IntN(3)], r.IntN(20)-1, 64)
		want, _ := strconv.ParseFloat(text, 64)
		for _, f := range formats {
			s := strings.Replace(text, ".", string(f.decimal), 1)
			got, ok := f.parse(s)
			if !ok || got.value != want {
				t.Fatalf("%q by %q: %v, %v, want %v", s, f, got, ok, want)
			}
		}
	}
	for _, c := range []struct {
		f    format
		text string
		want float64
	}{
		{format{'.', ',', ""}, "1,234,567.5", 1234567.5}, {format{',', '.', ""}, "-1.234,25", -1234.25}, {format{'.', ' ', ""}, "12\u00a0345", 12345}, {format{',', ' ', ""}, "1\u202f234,5", 1234.5},
		{format{'.', '\'', ""}, "1'234.5", 1234.5}, {format{'.', 0, ""}, "\u22123", -3}, {format{'.', 0, ""}, "+.5", .5}, {format{'.', 0, ""}, "5.", 5}, {format{'.', 0, ""}, "1.5D+03", 1500}, {format{'.', 0, ""}, "0.1e-2", .001},
	} {
		if n, ok := c.f.parse(c.text); !ok || n.value != c.want {
			t.Errorf("%q: %v, %v", c.text, n, ok)
		}
	}
	for _, text := range []string{"", "-", ".", "e5", "1e", "1e+", "1.2.3", "1,2", "0x10", "1_000", "inf", "nan", "1 2", "--1", "1e400", "12a"} {
		if n, ok := (format{'.', 0, ""}).parse(text); ok {
			t.Errorf("%q is %v", text, n)
		}
	}
	for _, text := range []string{"1,23", "1,2345", "0,123", ",123", "12,34,567"} {
		if n, ok := (format{'.', ',', ""}).parse(text); ok {
			t.Errorf("%q is %v", text, n)
		}
	}
}

// Written numbers have the decimal sign, and no sign of zero.
func TestNumberText(t *testing.T) {
	f := format{',', 0, ""}
	got := fmt.Sprint(f.sign(strconv.FormatFloat(-0.01, 'f', 1, 64)), " ", f.exact(1.5e-7), " ", f.exact(-2.5), " ", f.exact(1e20))
	if want := "0,0 1,5e-07 -2,5 1e+20"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A unit is what stands behind a number, never a part of it.
func TestUnitOf(t *testing.T) {
	for s, want := range map[string]string{"4.8e+06": "", "1E-3": "", "-3.2 m/s": "m/s", "1 234kg": "kg", "7°C": "°C", "12:30": "", "abc": "", "2024-05-01": ""} {
		if got := unitOf(s); got != want {
			t.Errorf("%q has the unit %q, want %q", s, got, want)
		}
	}
}
