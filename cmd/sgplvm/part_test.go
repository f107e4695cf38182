package main

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// roughFilm draws a film of random curves in time (Ornstein and Uhlenbeck's process), each the
// weight of one pattern.
func roughFilm(n, width, height int) []float64 {
	rng := rand.New(rand.NewPCG(3, 4))
	values := make([]float64, n*width*height)
	keep := math.Exp(-1. / 4)
	for p := range 6 {
		for q := range 4 {
			weight := rng.NormFloat64()
			for i := range n {
				for j := range width * height {
					x, y := (float64(j%width)+0.5)/float64(width), (float64(j/width)+0.5)/float64(height)
					values[i*width*height+j] += weight / float64(1+p+q) * math.Cos(math.Pi*float64(p)*x) * math.Cos(math.Pi*float64(q)*y)
				}
				weight = keep*weight + math.Sqrt(1-keep*keep)*rng.NormFloat64()
			}
		}
	}
	for i := range values {
		values[i] += 0.02 * rng.NormFloat64()
	}
	return values
}

// The commands take the kernel of the time part that is given.
func TestTimePart(t *testing.T) {
	if testing.Short() {
		t.Skip("some trainings and estimates of motion")
	}
	t.Chdir(t.TempDir())
	const n, width, height = 40, 16, 10
	writeArray(t, "film.npy", npy.New(roughFilm(n, width, height), n, height, width))
	steps(t, 40, `"latentKernel": "rbf+time"`, `"latentDims": 4`, `"motion": "off"`)
	steps(t, 41, `"latentKernel": "rbf+time"`, `"latentDims": 4`, `"latentTime": "matern52"`, `"motion": "off"`)
	for _, c := range []struct {
		args, want string
	}{
		{"train -data film.npy -film -config steps41.json -out film.model", ` \+ time, variance \S+, matern52\(\S+\)\n`},
		{"train -data film.npy -film -config steps40.json -out film.model", ` \+ time, variance \S+, matern32\(\S+\)\n`},
	} {
		mustRun(t, strings.Fields(c.args)...)
		out := mustRun(t, "info", "-model", "film.model")
		if !regexp.MustCompile(c.want).MatchString(out) {
			t.Errorf("%s: want %s\n%s", c.args, c.want, out)
		}
	}
}
