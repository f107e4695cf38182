package data_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

func scaledOf(t *testing.T, source field.Source) *data.Scaled {
	t.Helper()
	s, err := data.NewScaled(source)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Mean and standard deviation of every channel against 200 bits. The sums are formed around the first value,
// so that an offset costs no digits of the deviation.
func TestScaler(t *testing.T) {
	y := normals(1, 17*6, 4)
	for i := range y.Rows {
		y.Row(i)[1] += 1e9
		y.Row(i)[2] = -7
		y.Row(i)[3] *= 1e-200
	}
	s := scaledOf(t, field.MatrixSource(y, 17)).Scaler
	for c := range y.Cols {
		exact := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
		n := exact(float64(y.Rows))
		mean, square := exact(0), exact(0)
		for i := range y.Rows {
			mean.Add(mean, exact(y.At(i, c)))
		}
		mean.Quo(mean, n)
		for i := range y.Rows {
			d := exact(0).Sub(exact(y.At(i, c)), mean)
			square.Add(square, d.Mul(d, d))
		}
		deviation, _ := square.Sqrt(square.Quo(square, n)).Float64()
		if deviation == 0 {
			deviation = 1 // a constant channel keeps its unit
		}
		middle, _ := mean.Float64()
		// The mean errs by a rounding of the largest value, the deviation by 2·√n roundings and the mean's error.
		if err := math.Abs(s.Mean[c] - middle); !(err <= 0x1p-52*(math.Abs(middle)+4*deviation)) {
			t.Errorf("channel %d: mean %v, want %v", c, s.Mean[c], middle)
		}
		if err := math.Abs(s.Scale[c]/deviation - 1); !(err <= 32*0x1p-52) {
			t.Errorf("channel %d: deviation %v, want %v", c, s.Scale[c], deviation)
		}
	}
	if s.Mean[2] != -7 || s.Scale[2] != 1 {
		t.Errorf("constant channel: mean %v, deviation %v", s.Mean[2], s.Scale[2])
	}
}

// A channel beyond the range of a float64 is refused by name.
func TestScalerRange(t *testing.T) {
	for name, values := range map[string][]float64{
		"overflow":  {1.7e308, -1.7e308, 1.7e308, -1.7e308},
		"underflow": {0, 1e-310, 0, 1e-310},
	} {
		y := mat.New(4, 2)
		for i, v := range values {
			y.Set(i, 1, v)
		}
		_, err := data.NewScaled(field.MatrixSource(y, 2))
		var config *field.ConfigError
		if !errors.As(err, &config) || config.Field != "Data" || !strings.Contains(err.Error(), "channel 1: standard deviation") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Read, ScaleChannel and Apply put values into the model's units with the same bits.
func TestRead(t *testing.T) {
	y := normals(2, 7*5, 3)
	s := scaledOf(t, field.MatrixSource(y, 7))
	if s.Size() != 15 || s.Examples != 7 || s.Points != 5 || s.Channels != 3 {
		t.Errorf("%d values, %d examples of %d points and %d channels", s.Size(), s.Examples, s.Points, s.Channels)
	}
	want := mat.New(y.Rows, y.Cols)
	for i := range y.Rows {
		for c := range y.Cols {
			want.Set(i, c, (y.At(i, c)-s.Scaler.Mean[c])/s.Scaler.Scale[c])
		}
	}
	before := y.Clone()
	compare.SameBits(t, "Apply", s.Scaler.Apply(y).Data, want.Data)
	got, raw := make([]float64, 4*15), make([]float64, 4*15)
	if err := errors.Join(s.Read(got, 2, 6), s.ReadRaw(raw, 2, 6)); err != nil {
		t.Fatal(err)
	}
	compare.SameBits(t, "Read", got, want.Data[2*15:6*15])
	compare.SameBits(t, "ReadRaw", raw, y.Data[2*15:6*15])
	compare.SameBits(t, "the source", y.Data, before.Data)
	for c := range 3 {
		one, column := make([]float64, 20), make([]float64, 20)
		s.Scaler.ScaleChannel(one, raw, c)
		for i := range column {
			column[i] = want.At(10+i, c)
		}
		compare.SameBits(t, "ScaleChannel", one, column)
	}
	tier.Panics(t, "sgplvm: 59 numbers for examples 2 to 5 of 15 values", func() { s.Read(got[:59], 2, 6) })
}

// Slabs hold every example once, in order, and may be overwritten.
func TestEachSlab(t *testing.T) {
	y := normals(3, 11*4, 2)
	for _, size := range []int{1, 8, 17, 30, 1000} {
		s := scaledOf(t, field.MatrixSource(y, 11))
		data.WithParts(size, 1, func() {
			for range 2 { // what is overwritten is not the data
				var all []float64
				err := s.EachSlab(func(slab []float64, from int) error {
					if from*8 != len(all) || len(slab) > max(8, size) {
						t.Errorf("slabs of %d numbers: %d numbers from example %d, had %d", size, len(slab), from, len(all))
					}
					all = append(all, slab...)
					clear(slab)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				compare.SameBits(t, fmt.Sprintf("slabs of %d numbers", size), all, y.Data)
			}
			if err := s.EachSlab(func([]float64, int) error { return errSource }); err != errSource {
				t.Errorf("error %v of the body", err)
			}
		})
	}
}

// The Gram matrix of bands is that of the whole, and no more than an eighth of the data or about what may be
// held are read at a time, 4½ times in all.
func TestGram(t *testing.T) {
	for _, n := range []int{1, 2, 7, 8, 9, 16, 17, 33} {
		for _, hold := range []int{1, 10, 30, 100, 1 << 20} {
			data.WithParts(1, hold, func() {
				y := normals(uint64(n), n*5, 2)
				source := &counting{Source: field.MatrixSource(y, n)}
				s := &data.Scaled{Source: source, Examples: n, Points: 5, Channels: 2, Scaler: data.Scaler{Mean: []float64{1, -2}, Scale: []float64{2, 0.5}}}
				got, err := s.Gram()
				if err != nil {
					t.Fatal(err)
				}
				whole, want := mat.NewDense(n, 10, s.Scaler.Apply(y).Data), mat.New(n, n)
				mat.Mul(want, 1, whole, whole.T(), 0)
				compare.Near(t, fmt.Sprintf("%d examples, %d numbers held", n, hold), got.Data, want.Data, 1e-14) // sums of 10 numbers, relative to the largest
				if most := max((n+7)/8, min(n, hold/10+1)); source.most > most || 2*source.total > 9*n {
					t.Errorf("%d examples, %d numbers held: %d examples at a time, %d in all", n, hold, source.most, source.total)
				}
			})
		}
	}
}

// Whichever read fails, the caller is told which examples it was to give, and nothing more is read.
func TestReadErrors(t *testing.T) {
	y := normals(4, 5*12, 1)
	data.WithParts(24, 24, func() {
		for name, call := range map[string]func(source field.Source) error{
			"NewScaled": func(source field.Source) error { _, err := data.NewScaled(source); return err },
			"Gram": func(source field.Source) error {
				s := &data.Scaled{Source: source, Examples: 5, Points: 12, Channels: 1, Scaler: data.Scaler{Mean: []float64{0}, Scale: []float64{1}}}
				_, err := s.Gram()
				return err
			},
		} {
			for failAt := 1; ; failAt++ {
				source := &counting{Source: field.MatrixSource(y, 5), failAt: failAt}
				err := call(source)
				if source.calls < failAt {
					if failAt < 6 || err != nil {
						t.Errorf("%s: %d reads; error %v", name, source.calls, err)
					}
					break
				}
				var read *field.ReadError
				if !errors.As(err, &read) || !errors.Is(err, errSource) || read.From < 0 || read.To > 5 || read.From >= read.To || source.calls > failAt {
					t.Errorf("%s: read %d of %d fails: error %v", name, failAt, source.calls, err)
				} else if want := fmt.Sprintf("sgplvm: reading examples %d to %d: the disk is gone", read.From, read.To-1); err.Error() != want {
					t.Errorf("message %q, expected %q", err, want)
				}
			}
		}
	})
}

// The first infinite value is named wherever the slabs begin.
func TestRefusesNonFinite(t *testing.T) {
	data.WithParts(24, 24, func() {
		for at := range 59 {
			for _, bad := range []float64{math.Inf(-1), math.Inf(1)} {
				y := make([]float32, 60)
				y[at], y[59] = float32(bad), float32(math.Inf(1))
				_, err := data.NewScaled(field.NewSource(y, 5, 6, 2))
				var value *field.ValueError
				if !errors.As(err, &value) {
					t.Fatalf("value %d: error %v", at, err)
				}
				want := &field.ValueError{Example: at / 12, Point: at / 2 % 6, Channel: at % 2, Value: bad, Want: "a finite number"}
				if err.Error() != want.Error() {
					t.Errorf("value %d: error %q, want %q", at, err, want)
				}
			}
		}
	})
}

// Errors say where and give the cause.
func TestErrors(t *testing.T) {
	config := &field.ConfigError{Field: "Times", Err: errSource}
	if config.Error() != "sgplvm: Times: the disk is gone" || !errors.Is(config, errSource) {
		t.Errorf("%v", config)
	}
	const want = "example 3, point 4, channel 1: value +Inf, expected a finite number"
	if got := (&field.ValueError{Example: 3, Point: 4, Channel: 1, Value: math.Inf(1), Want: "a finite number"}).Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The Gram matrix holds, beside itself, two bands of an eighth of the data, or all of few data.
func TestGramMemory(t *testing.T) {
	const n, points = 64, 1 << 12
	source := field.NewSource(make([]uint8, n*points), n, points, 1)
	s := &data.Scaled{Source: source, Examples: n, Points: points, Channels: 1, Scaler: data.Scaler{Mean: []float64{0}, Scale: []float64{1}}}
	for hold, numbers := range map[int]int{1 << 20: n * points, 1 << 10: n * points / 4} {
		data.WithParts(points, hold, func() {
			least := math.Inf(1)
			for range 5 { // a pool of matrix products may lose its buffers at any moment
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if _, err := s.Gram(); err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				least = min(least, float64(after.TotalAlloc-before.TotalAlloc))
			}
			if limit := 8*float64(n*n+numbers) + 1<<18; least > limit {
				t.Errorf("holding %d numbers: %.0f bytes, expected at most %.0f", hold, least, limit)
			}
		})
	}
}

// Mean and deviation are those of what was observed, to the bit those of a source of these values alone, and nothing
// is taken for a value that was not.
func TestScalerWithHoles(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	nan := math.NaN()
	for range 20 {
		y := make([]float64, 7*5*2)
		var own [2][]float64
		missing := 0
		for i := range y {
			y[i] = 1e6 + rng.NormFloat64()
			if i > 3 && rng.IntN(3) == 0 || i == 0 {
				y[i] = nan
				missing++
				continue
			}
			own[i%2] = append(own[i%2], y[i])
		}
		data.WithParts(20, 20, func() {
			s, err := data.NewScaled(field.NewSource(y, 7, 5, 2))
			if err != nil {
				t.Fatal(err)
			}
			if s.Missing != missing || !s.Holes() {
				t.Errorf("%d values missing, expected %d", s.Missing, missing)
			}
			for c, values := range own {
				alone, err := data.NewScaled(field.NewSource(values, len(values), 1, 1))
				if err != nil {
					t.Fatal(err)
				}
				compare.SameBits(t, "mean", s.Scaler.Mean[c:c+1], alone.Scaler.Mean)
				compare.NearOne(t, "deviation", s.Scaler.Scale[c], alone.Scaler.Scale[0], 1e-14)
			}
		})
	}
	for name, y := range map[string][]float64{
		"all 6 values are missing":            {nan, nan, nan, nan, nan, nan},
		"channel 1: all 3 values are missing": {1, nan, 2, nan, 3, nan},
	} {
		channels := 1 + strings.Count(name, "channel")
		_, err := data.NewScaled(field.NewSource(y, 3, 2/channels, channels))
		if _, err2 := data.Check(field.NewSource(y, 3, 2/channels, channels)); err == nil || err2 == nil || err.Error() != err2.Error() || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: errors %v and %v", name, err, err2)
		}
	}
}
