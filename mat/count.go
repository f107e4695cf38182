//go:build count

package mat

import (
	"slices"
	"time"
)

const counting = true

// Processors are the numbers of processors that Counted tells of.
var Processors = [...]int{2, 4, 8, 16}

var counted struct {
	level  int           // of nested calls of Run
	saved  time.Duration // by which calls of Run within the part at work would be shorter, were their parts done at once
	inside time.Duration
	on     [len(Processors)]time.Duration
}

// Counted returns how long outermost calls of Run have taken since the program began, with the parts done one
// after the other, and how long they would have taken on so many processors, without what it costs to share
// them out: parts are begun in order, and where there are fewer than processors, those within a part are
// shared too. It is there with the build tag count, with which all parts are done by the caller, and
// Run is called by one goroutine at a time.
func Counted() (one time.Duration, several [len(Processors)]time.Duration) {
	return counted.inside, counted.on
}

// runCounted is Run by the caller alone, with a stop watch.
func runCounted(n int, t Tasks) {
	outside := counted.saved
	counted.level++
	var parts []time.Duration
	var work, span time.Duration
	for i := range n {
		counted.saved = 0
		begin := time.Now()
		t.Do(i)
		took := time.Since(begin)
		parts = append(parts, took)
		work += took
		span = max(span, took-counted.saved)
	}
	counted.level--
	counted.saved = outside + work - span
	if counted.level > 0 {
		return
	}
	counted.saved = 0
	counted.inside += work
	for i, p := range Processors {
		counted.on[i] += max(span, shared(parts, p))
	}
}

// shared returns how long parts take on p processors.
func shared(parts []time.Duration, p int) time.Duration {
	if len(parts) == 0 {
		return 0
	}
	if len(parts) < p {
		return slices.Max(parts) * time.Duration(len(parts)) / time.Duration(p)
	}
	ends := make([]time.Duration, p)
	for _, took := range parts {
		first := 0
		for i, end := range ends {
			if end < ends[first] {
				first = i
			}
		}
		ends[first] += took
	}
	return slices.Max(ends)
}
