package reference

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// LiveBytes returns what the last garbage collection found live.
func LiveBytes() float64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}

// PeakHeap returns the most that any garbage collection found live while f ran and after it, in bytes
// above base.
func PeakHeap(base float64, f func()) float64 {
	var peak float64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			peak = max(peak, LiveBytes())
			select {
			case <-done:
				return
			case <-time.After(100 * time.Microsecond):
			}
		}
	}()
	f()
	runtime.GC()
	close(done)
	<-ended
	return max(peak, LiveBytes()) - base
}
