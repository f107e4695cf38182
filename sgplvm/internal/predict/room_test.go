package predict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

// What is filled in in a room, one example after the other in the same storage, has the bits of what is filled in in storage of its own.
func TestRooms(t *testing.T) {
	for seed := range uint64(compare.Sizes(30)) {
		m, obs, rng := blendCase(t, 900+seed)
		o := InferOptions{Blends: []Blend{anyBlend(rng, 0.2), anyBlend(rng, 0.7)}}
		if seed%3 == 0 {
			o = InferOptions{NoiseStrength: 10}
		}
		if seed%3 == 1 {
			m = modelOf(t, reference.RandomShape(46000+seed))
			o = InferOptions{DegreesOfFreedom: 5}
		}
		var p Prediction
		var l Latent
		for k := range 8 {
			values := reference.Masked(rng, m.grid.Len(), m.channels(), 0.1+0.1*float64(k), false)
			obs.Values = m.ref.UserValues(values)
			inferred, err := m.Infer(t.Context(), obs, o)
			if err != nil {
				t.Fatal(err)
			}
			want, err := m.ImputeGiven(t.Context(), obs, inferred, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.ImputeTo(t.Context(), &p, &l, obs, o); err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("seed %d, example %d", seed, k)
			compare.SameBits(t, what+": latent variables", slices.Concat(l.Mu, l.S), slices.Concat(inferred.Mu, inferred.S))
			compare.SameBits(t, what+": predicted", slices.Concat(p.Mean.Data, p.Variance.Data), slices.Concat(want.Mean.Data, want.Variance.Data))
			if l.Bound != inferred.Bound || l.Start != inferred.Start || p.Conditioning != want.Conditioning || p.Noise != want.Noise {
				t.Errorf("%s: %v and %v, want %v and %v", what, l, p, inferred, want)
			}
			obs.Values = p.Mean // a result may be what is filled in next
			observed := p.Mean.Clone()
			if err := m.ImputeTo(t.Context(), &p, &l, obs, o); err != nil {
				t.Fatal(err)
			}
			compare.SameBits(t, what+": observed values", p.Mean.Data, observed.Data)
		}
	}
}

// Examples of one grid of one factor and of unknown time allocate nothing, once the rooms are large enough.
func TestImputeAllocations(t *testing.T) {
	if compare.Race {
		t.Skip("pools lose what they keep")
	}
	for seed := range uint64(6) {
		m, obs, rng := blendCase(t, 950+seed)
		o := InferOptions{Blends: []Blend{anyBlend(rng, 0.2), anyBlend(rng, 0.7)}}
		if seed%3 == 0 {
			o.Blends = nil
		}
		var p Prediction
		var l Latent
		run := func() {
			if err := m.ImputeTo(t.Context(), &p, &l, obs, o); err != nil {
				t.Fatal(err)
			}
		}
		run()
		run()
		if n := testing.AllocsPerRun(20, run); n != 0 {
			t.Errorf("seed %d: %v allocations, want none", seed, n)
		}
	}
}

// A room lends zeros, never twice before it is taken back, and goes on where it is too small.
func TestRoomLends(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	r := new(room)
	for range 20 {
		r.begin()
		var all []mat.Matrix
		for k := range 30 {
			var before loan
			if k%7 == 0 {
				before = r.mark()
			}
			a := r.matrix(rng.IntN(20), rng.IntN(20))
			for _, v := range a.Data {
				if v != 0 {
					t.Fatal("lends numbers of others")
				}
			}
			a.Fill(float64(1 + k))
			if places := r.list(5); len(places) != 0 || cap(places) != 5 {
				t.Fatalf("a list of %d places, room for %d, want 0 and 5", len(places), cap(places))
			}
			if k%7 == 0 {
				r.release(before)
				continue
			}
			all = append(all, a)
			for _, b := range all {
				if len(b.Data) > 0 && b.Data[0] != b.Data[len(b.Data)-1] {
					t.Fatal("lends the same numbers twice")
				}
			}
		}
	}
}
