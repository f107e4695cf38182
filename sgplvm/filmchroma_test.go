package sgplvm

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
)

// colours gives the frames of a scene chroma that moves with them; pixels share it in pairs along a row, or do not.
func colours(times []float64, scale int, shared bool) []float64 {
	grey := scene(times, scale)
	rgb := make([]float64, 0, 3*len(grey))
	for k, y := range grey {
		n := filmWidth * filmHeight * scale * scale
		t, row, column := times[k/n], k%n/(filmWidth*scale), k%(filmWidth*scale)
		x := (float64(column)+0.5)/float64(scale) - 3*math.Sin(t/2)
		chroma := func(x float64) (u, v float64) {
			w := (float64(row)+0.5)/float64(scale) - 2*math.Cos(t/3)
			return 60 * math.Sin(0.45*x+0.2*w), 50 * math.Cos(0.5*x-0.3*w)
		}
		u, v := chroma(x)
		if shared {
			side := (1 - 2*float64(column%2)) / float64(scale)
			u2, v2 := chroma(x + side)
			u, v = (u+u2)/2, (v+v2)/2
		}
		g := y - 0.299*u - 0.114*v
		rgb = append(rgb, g+u, g, g+v)
	}
	return rgb
}

// Chroma that pixels of a film share is predicted in finer pixels as if they did not, but for pairs of their own, and shared by those of training, also after the model was written and read.
func TestFilmChroma(t *testing.T) {
	if testing.Short() {
		t.Skip("motions and models to learn")
	}
	ctx, times := context.Background(), evenly(10)
	film := func(shared bool) *Model {
		d := Data{Source: NewSource(colours(times, 1, shared), len(times), filmWidth*filmHeight, 3), Grid: pixelsOf(filmWidth, filmHeight, 1), Times: times, Film: true}
		m, _, err := Fit(ctx, d, Config{Effort: EffortNone, LatentDims: 2, LatentKernel: "rbf+time", Training: TrainingConfig{Iterations: 15}})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m, plain := film(true), film(false)
	if a, b := m.Summary().Motion, plain.Summary().Motion; !strings.Contains(a, ", chroma of 2×1 pixels interpolated") || strings.Contains(b, "chroma") {
		t.Errorf("the films are %q and %q", a, b)
	}
	between := []float64{3.5, 6.5}
	truth := colours(between, 2, false)
	mean, variance := predictFilm(t, m, between, 2)
	best, _ := predictFilm(t, plain, between, 2)
	// What pixels of training have in common at best, in finer pixels.
	var steps []float64
	for k := range truth {
		pixel, c := k/3, k%3
		first := pixel - pixel%(2*filmWidth)%4
		var u, v [3]float64
		for side := range 4 {
			for d := range 3 {
				u[d] += truth[3*(first+side)+d] / 4
			}
		}
		copy(v[:], truth[3*pixel:])
		y := func(p [3]float64) float64 { return 0.299*p[0] + 0.587*p[1] + 0.114*p[2] }
		steps = append(steps, u[c]+y(v)-y(u))
	}
	unpacked := colours(between, 2, true)
	if a, b, limit := distance(mean, unpacked), distance(best, truth), distance(steps, truth); !(a*a < b*b+limit*limit/4) {
		t.Errorf("error %v, without shared chroma %v; that of chroma which pixels share is %v", a, b, limit)
	}
	shares := func(name string, frame []float64, shared bool) {
		t.Helper()
		var most float64
		for k := 0; k+5 < len(frame); k += 6 {
			most = max(most, math.Abs(frame[k]-frame[k+1]-frame[k+3]+frame[k+4]), math.Abs(frame[k+2]-frame[k+1]-frame[k+5]+frame[k+4]))
		}
		if (most < 1e-9) != shared {
			t.Errorf("%s: chroma differs by up to %v within pairs, shared: %v", name, most, shared)
		}
	}
	coarse, _ := predictFilm(t, m, between, 1)
	shares("predicted", coarse, true)
	shares("predicted in finer pixels", mean, true)
	same, _ := predictFilm(t, plain, between, 1)
	shares("of a film without", same, false)
	for _, noise := range []bool{false, true} {
		s, err := m.Sample(ctx, m.TrainingLatent(3), nil, SampleOptions{Count: 1, Noise: noise})
		if err != nil {
			t.Fatal(err)
		}
		shares("drawn", s.Y[0].Clone().Data, true)
	}
	again := loaded(t, saved(t, m))
	mean2, variance2 := predictFilm(t, again, between, 2)
	if coarse2, _ := predictFilm(t, again, between, 1); !slices.Equal(mean2, mean) || !slices.Equal(variance2, variance) || !slices.Equal(coarse2, coarse) {
		t.Error("the film in the file predicts other bits")
	}
}
