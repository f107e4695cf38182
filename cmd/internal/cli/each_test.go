package cli

import (
	"bytes"
	"sync/atomic"
	"testing"
	"time"
)

// The first example is done alone, all of them once.
func TestEach(t *testing.T) {
	for _, count := range []int{0, 1, 5} {
		var begun, early atomic.Int64
		var ended atomic.Bool
		done := make([]atomic.Int64, count)
		another := make(chan struct{}, count)
		e := &Environment{Stderr: new(bytes.Buffer)}
		err := e.Each(t.Context(), "picture", "filled", "f.npy", 0, count, func(i int) error {
			begun.Add(1)
			done[i].Add(1)
			if i > 0 {
				if !ended.Load() {
					early.Add(1)
				}
				another <- struct{}{}
				return nil
			}
			select { // another that begins meanwhile would do so soon
			case <-another:
			case <-time.After(100 * time.Millisecond):
			}
			ended.Store(true)
			return nil
		})
		if err != nil || early.Load() > 0 || begun.Load() != int64(count) {
			t.Errorf("%d of %d begun, %d before the first was done, error %v", begun.Load(), count, early.Load(), err)
		}
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Errorf("example %d of %d was done %d times", i, count, n)
			}
		}
	}
}
