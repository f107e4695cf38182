package flow

import (
	"sync"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
)

// A pair of frames is asked for once while it is kept, the last one goes first, and no more is kept than may be.
func TestFlowCache(t *testing.T) {
	const pixels = mostFlowBytes / 16 / 4 // four pairs
	asked := 0
	find := func(k int) func() pairFlow {
		return func() pairFlow {
			asked++
			f := opticalflow.Flow{Width: k, Right: make([]float32, pixels), Down: make([]float32, pixels)}
			return pairFlow{there: f, back: f}
		}
	}
	c := &flowCache{}
	for _, step := range []struct{ k, asked int }{{1, 1}, {2, 2}, {1, 2}, {3, 3}, {4, 4}, {1, 4}, {5, 5}, {2, 5}, {1, 5}, {5, 5}, {4, 6}, {5, 7}} {
		if f := c.flows(step.k, step.k+1, find(step.k)); f.there.Width != step.k || asked != step.asked {
			t.Fatalf("pair %d: the flow of %d, asked %d times, want %d", step.k, f.there.Width, asked, step.asked)
		}
		if len(c.pairs) > 4 || len(c.order) != len(c.pairs) || c.bytes != 16*pixels*len(c.pairs) {
			t.Fatalf("%d pairs, %d in order, %d bytes", len(c.pairs), len(c.order), c.bytes)
		}
	}
	if f := c.flows(1, 9, find(6)); f.there.Width != 6 || asked != 8 {
		t.Errorf("the flow of %d from a frame to another one, asked %d times", f.there.Width, asked)
	}
	var none *flowCache
	if none.flows(1, 2, find(7)); asked != 9 {
		t.Error("no cache, and nothing was asked")
	}
}

// A spline is made once for each sharpening while it is kept; the one that nobody asked for the longest goes first.
func TestSplineCache(t *testing.T) {
	made := 0
	c := &flowCache{}
	for _, step := range []struct {
		frame int
		part  float64
		made  int
	}{{1, 0, 1}, {1, 1, 2}, {2, 0, 3}, {2, 1, 4}, {1, 0, 4}, {3, 0, 5}, {1, 0, 5}, {1, 1, 6}, {2, 1, 6}, {3, 0, 6}, {2, 0, 7}} {
		m := c.spline(sharpenedFrame{step.frame, sharpening{1}, step.part}, func() image[float32] {
			made++
			return image[float32]{width: step.frame, height: int(step.part)}
		})
		if m.width != step.frame || float64(m.height) != step.part || made != step.made || len(c.splines) > mostSplines {
			t.Fatalf("frame %d, part %v: that of %d and %d, %d made, want %d, %d kept", step.frame, step.part, m.width, m.height, made, step.made, len(c.splines))
		}
	}
	if c.spline(sharpenedFrame{2, sharpening{2}, 0}, func() image[float32] { return image[float32]{width: 7} }).width != 7 {
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
