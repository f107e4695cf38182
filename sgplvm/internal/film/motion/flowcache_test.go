package motion

import (
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// A pair of frames is asked for once while it is kept, the first ones and the last ones are, and no more than may be.
func TestFlowCache(t *testing.T) {
	const kept = lastKept + 2
	const pixels = maxFlowBytes / 16 / kept
	asked, room := 0, make([]float32, pixels)
	find := func(k int) func() PairFlow {
		return func() PairFlow {
			asked++
			f := opticalflow.Flow{Width: k, Right: room, Down: room}
			return PairFlow{There: f, Back: f}
		}
	}
	c := &Cache{}
	ask := func(k, want int) {
		t.Helper()
		if f := c.Flows(k, k+1, find(k)); f.There.Width != k || asked != want {
			t.Fatalf("pair %d: the flow of %d, asked %d times, want %d", k, f.There.Width, asked, want)
		}
		if len(c.pairs) > kept || len(c.order) != len(c.pairs) || c.bytes != 16*pixels*len(c.pairs) {
			t.Fatalf("%d pairs, %d in order, %d bytes", len(c.pairs), len(c.order), c.bytes)
		}
	}
	for k := range kept {
		ask(k, k+1)
	}
	for k := range kept {
		ask(k, kept)
	}
	ask(kept, kept+1) // the third one goes
	for _, k := range []int{0, 1, 3, kept - 1, kept} {
		ask(k, kept+1)
	}
	ask(2, kept+2) // and the fourth one
	for _, k := range []int{0, 1, 4, kept, 2} {
		ask(k, kept+2)
	}
	ask(3, kept+3)
	asked = 8
	if f := c.Flows(1, 9, find(6)); f.There.Width != 6 || asked != 9 {
		t.Errorf("the flow of %d from a frame to another one, asked %d times", f.There.Width, asked)
	}
	asked = 8
	var none *Cache
	if none.Flows(1, 2, find(7)); asked != 9 {
		t.Error("no cache, and nothing was asked")
	}
}

// A spline is made once for each sharpening while it is kept; the one that nobody asked for the longest goes first.
func TestSplineCache(t *testing.T) {
	type key struct {
		frame int
		part  float64
	}
	made := 0
	c := &Cache{}
	ask := func(k int, part float64, want int) {
		t.Helper()
		m := Kept(c, key{k, part}, func() SharpPicture {
			made++
			return SharpPicture{Image: frame.Image[float32]{Width: k, Height: int(part)}}
		})
		if m.Width != k || float64(m.Height) != part || made != want || len(c.kept) > lastKept {
			t.Fatalf("frame %d, part %v: that of %d and %d, %d made, want %d, %d kept", k, part, m.Width, m.Height, made, want, len(c.kept))
		}
	}
	for k := range lastKept {
		ask(k/2, float64(k%2), k+1)
	}
	ask(0, 0, lastKept)
	ask(9, 0, lastKept+1) // instead of frame 0, part 1
	ask(0, 0, lastKept+1)
	ask(1, 0, lastKept+1)
	ask(0, 1, lastKept+2)
	if Kept(c, key{2, -1}, func() SharpPicture { return SharpPicture{Image: frame.Image[float32]{Width: 7}} }).Width != 7 {
		t.Error("the spline of another filter")
	}
}

// Any number of goroutines may ask.
func TestFlowCacheConcurrent(t *testing.T) {
	c := &Cache{}
	var all sync.WaitGroup
	for g := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := range 50 {
				want := (g + k) % 7
				if f := c.Flows(want, 0, func() PairFlow { return PairFlow{There: opticalflow.Flow{Width: want}} }); f.There.Width != want {
					t.Errorf("pair %d: the flow of %d", want, f.There.Width)
				}
			}
		}()
	}
	all.Wait()
	if len(c.pairs) != 7 {
		t.Errorf("%d pairs, want 7", len(c.pairs))
	}
}
