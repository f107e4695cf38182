package edge

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// contents returns a small model of two channels and six points, whose examples have times.
func contents() *points.Contents {
	p, b := mat.New(12, 2), mat.New(6, 2)
	for i := range p.Data {
		p.Data[i], b.Data[i%12] = math.Sin(float64(i)), math.Cos(float64(i))
	}
	return &points.Contents{Label: "6", Points: 6, Channels: 2, Latents: 1, Inducing: 2, Examples: 1, Mean: []float64{1, 2}, Scale: []float64{2, 3}, RBF: []float64{1, 1},
		Z: []float64{0, 1}, Coord: []float64{1, 0, 0, 1}, Mu: []float64{0}, S: []float64{1}, Beta: 4, Precision: 4, Latent: []float64{1, 2}, Lambda: []float64{1, 2},
		P: points.NewTable(p), Factors: []points.Factor{{B: points.NewTable(b)}}, Coordinates: []float64{0, 1, 2, 3, 4, 5}, Spacings: []float64{1}, TrainingSpacings: []float64{1},
		Lengths: []float64{1}, Time: points.Time{Kernel: "matern12", Systems: []kernel.System{{Generator: mat.NewDense(1, 1, []float64{-1}), Output: []float64{1}, Input: []float64{1}}}, Spacing: 1},
		Options: points.Options{Candidates: 1, Iterations: 20, Starts: 1, LocalBandwidth: 0.7, LocalStrength: 1, Exact: 100, Group: 4, Neighbours: 4, Work: 1e9}}
}

func opened(t *testing.T, c *points.Contents) *Model {
	t.Helper()
	m, err := Open(points.Encode(c))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Files of another version and files that are none are told apart, by typed errors with the place.
func TestOpenErrors(t *testing.T) {
	file := points.Encode(contents())
	file[8]++
	var version *VersionError
	if _, err := Open(file); !errors.As(err, &version) || version.Got != points.Version+1 || version.Want != points.Version {
		t.Errorf("another version: %v", err)
	}
	file[8]--
	file[len(file)-1]++
	var format *FormatError
	if _, err := Open(file); !errors.As(err, &format) || format.Offset != 24 || !strings.Contains(err.Error(), "byte 24: the checksum") {
		t.Errorf("a damaged file: %v", err)
	}
}

// A kernel in time that is none, as a file may have it, ends in an error and not in latent variances without end.
func TestWildTime(t *testing.T) {
	c := contents()
	c.Time.Systems[0].Generator.Data[0] = 1e3
	c.Time.Ends = []points.End{{Sequence: 7, State: []float64{1, 0}}}
	s, err := opened(t, c).NewWorkspace(0).NewStream(StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Continue(7); err != nil {
		t.Fatal(err)
	}
	var value *ValueError
	if err := s.Predict(9, make([]float64, 12), nil); !errors.As(err, &value) {
		t.Errorf("a latent mean of %v: %v", s.latent.mean, err)
	}
}

// Frames that cannot be used are refused by name, and results stay as they were.
func TestBadFrames(t *testing.T) {
	m, n := opened(t, contents()), 12
	good := make([]float64, n)
	with := func(i int, v float64) []float64 {
		values := append([]float64{}, good...)
		values[i] = v
		return values
	}
	hidden := make([]bool, n)
	for name, c := range map[string]struct {
		most   int
		dst    []float64
		values []float64
		mask   []bool
		want   string
	}{
		"short frame":         {0, make([]float64, n), good[1:], nil, "11 values, expected 12"},
		"short mask":          {0, make([]float64, n), good, hidden[1:], "11 elements of a mask, expected 12"},
		"short result":        {0, make([]float64, n-1), good, nil, "11 values of a result, expected 12"},
		"NaN without a mask":  {0, make([]float64, n), with(3, math.NaN()), nil, "value 3 is NaN"},
		"infinite":            {0, make([]float64, n), with(4, math.Inf(-1)), nil, "value 4 is -Inf"},
		"far off":             {0, make([]float64, n), with(5, 1e200), nil, "value 5 is 1e+200"},
		"more than there may": {2, make([]float64, n), good, nil, "6 observed values of a channel, expected 2"},
	} {
		w := m.NewWorkspace(c.most)
		for i := range c.dst {
			c.dst[i] = 7
		}
		err := w.Fill(c.dst, nil, c.values, c.mask)
		var length *LengthError
		var value *ValueError
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &length) && !errors.As(err, &value) {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
		for _, v := range c.dst {
			if v != 7 {
				t.Errorf("%s: the result was written", name)
				break
			}
		}
	}
	w := m.NewWorkspace(0)
	if err := w.Fill(good, nil, with(3, math.NaN()), hidden); err != nil {
		t.Errorf("NaN that the mask hides: %v", err)
	}
	if err := w.Predict(good, nil, make([]float64, 1), []float64{-1}); err == nil {
		t.Error("a negative variance was taken")
	}
}

// A stream goes on for long: nothing is allocated, and what it knows at the end does not depend on what was long before.
func TestLongStream(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	c := contents()
	c.RBF[0] = 1e-9 // the part in time alone, of which the filter forgets
	c.Time.Variance, c.Time.Part, c.Time.Inducing, c.Time.Labels = 0.5, "0.5*matern32(3)+0.5*matern12(20)*periodic(7,1)", []float64{0, 1}, []float64{0, 0}
	m := opened(t, c)
	const frames = 4000
	end := func(skipped int) (mean, variance []float64) {
		s, err := m.NewWorkspace(0).NewStream(StreamOptions{Believe: true, Lag: 1})
		if err != nil {
			t.Fatal(err)
		}
		values, filled, mask := make([]float64, 12), make([]float64, 12), make([]bool, 12)
		next := func(k int) {
			for i := range values {
				values[i] = 1 + math.Sin(float64(k)*0.3+float64(i)) + 0.3*math.Sin(float64(k*k%97+i))
				mask[i] = (k+i)%5 > 0
			}
			if err := s.Fill(float64(k), filled, nil, values, mask); err != nil {
				t.Fatal(err)
			}
		}
		for k := skipped; k < frames; k++ {
			next(k)
		}
		if n := testing.AllocsPerRun(10, func() { next(frames) }); n > 0 {
			t.Errorf("a frame allocates %v times", n)
		}
		mean, variance = make([]float64, 12), make([]float64, 12)
		if err := s.Predict(float64(frames+1), mean, variance); err != nil {
			t.Fatal(err)
		}
		return mean, variance
	}
	mean, variance := end(0)
	late, lateVariance := end(frames - 1500)
	for i := range mean {
		if math.Abs(mean[i]-late[i]) > 1e-6 || math.Abs(variance[i]-lateVariance[i]) > 1e-6 {
			t.Errorf("value %d: %v and %v after %d frames, %v and %v after 1500", i, mean[i], variance[i], frames, late[i], lateVariance[i])
		}
	}
}
