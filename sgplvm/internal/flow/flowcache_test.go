package flow

import (
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
)

// A pair of frames is asked for once while it is kept, the first ones and the last ones are, and no more than may be.
func TestFlowCache(t *testing.T) {
	const kept = lastFlows + 2
	const pixels = mostFlowBytes / 16 / kept
	asked, room := 0, make([]float32, pixels)
	find := func(k int) func() pairFlow {
		return func() pairFlow {
			asked++
			f := opticalflow.Flow{Width: k, Right: room, Down: room}
			return pairFlow{there: f, back: f}
		}
	}
	c := &flowCache{}
	ask := func(k, want int) {
		t.Helper()
		if f := c.flows(k, k+1, find(k)); f.there.Width != k || asked != want {
			t.Fatalf("pair %d: the flow of %d, asked %d times, want %d", k, f.there.Width, asked, want)
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
	if f := c.flows(1, 9, find(6)); f.there.Width != 6 || asked != 9 {
		t.Errorf("the flow of %d from a frame to another one, asked %d times", f.there.Width, asked)
	}
	asked = 8
	var none *flowCache
	if none.flows(1, 2, find(7)); asked != 9 {
		t.Error("no cache, and nothing was asked")
	}
}

// A spline is made once for each sharpening while it is kept; the one that nobody asked for the longest goes first.
func TestSplineCache(t *testing.T) {
	made := 0
	c := &flowCache{}
	ask := func(frame int, part float64, want int) {
		t.Helper()
		m := c.spline(sharpenedFrame{frame, sharpening{1}, part}, func() sharpPicture {
			made++
			return sharpPicture{image: image[float32]{width: frame, height: int(part)}}
		})
		if m.width != frame || float64(m.height) != part || made != want || len(c.splines) > mostSplines {
			t.Fatalf("frame %d, part %v: that of %d and %d, %d made, want %d, %d kept", frame, part, m.width, m.height, made, want, len(c.splines))
		}
	}
	for k := range mostSplines {
		ask(k/2, float64(k%2), k+1)
	}
	ask(0, 0, mostSplines)
	ask(9, 0, mostSplines+1) // instead of frame 0, part 1
	ask(0, 0, mostSplines+1)
	ask(1, 0, mostSplines+1)
	ask(0, 1, mostSplines+2)
	if c.spline(sharpenedFrame{2, sharpening{2}, 0}, func() sharpPicture { return sharpPicture{image: image[float32]{width: 7}} }).width != 7 {
		t.Error("the spline of another filter")
	}
}

// Any number of goroutines may ask.
func TestFlowCacheConcurrent(t *testing.T) {
	c := &flowCache{}
	var all sync.WaitGroup
	for g := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := range 50 {
				want := (g + k) % 7
				if f := c.flows(want, 0, func() pairFlow { return pairFlow{there: opticalflow.Flow{Width: want}} }); f.there.Width != want {
					t.Errorf("pair %d: the flow of %d", want, f.there.Width)
				}
			}
		}()
	}
	all.Wait()
	if len(c.pairs) != 7 {
		t.Errorf("%d pairs, want 7", len(c.pairs))
	}
}
