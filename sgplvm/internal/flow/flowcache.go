package flow

import (
	"sync"

	"github.com/seed-08962ecc/kronfield/internal/opticalflow"
)

// mostFlowBytes is about how many bytes of flows are kept.
const mostFlowBytes = 1 << 27

// A flowCache keeps the dense flows between pairs of training frames that were estimated first, and the last one: films are
// gone through from the beginning again, and of more pairs than can be kept the last ones would be gone each time before they are
// asked for. It is nil where nothing is to be kept, and safe for concurrent use.
type flowCache struct {
	mutex sync.Mutex
	pairs map[[2]int][2]opticalflow.Flow // there and back
	order [][2]int                       // the oldest first
	bytes int
}

// flows returns what find does for a pair of frames, or what it did when it was asked last.
func (c *flowCache) flows(a, b int, find func() [2]opticalflow.Flow) [2]opticalflow.Flow {
	if c == nil {
		return find()
	}
	key := [2]int{a, b}
	c.mutex.Lock()
	f, known := c.pairs[key]
	c.mutex.Unlock()
	if known {
		return f
	}
	f = find()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if _, known := c.pairs[key]; known {
		return f
	}
	if c.pairs == nil {
		c.pairs = map[[2]int][2]opticalflow.Flow{}
	}
	c.bytes += bytesOf(f)
	for n := len(c.order); c.bytes > mostFlowBytes && n > 0; n-- {
		c.bytes -= bytesOf(c.pairs[c.order[n-1]])
		delete(c.pairs, c.order[n-1])
		c.order = c.order[:n-1]
	}
	c.pairs[key], c.order = f, append(c.order, key)
	return f
}

func bytesOf(f [2]opticalflow.Flow) int { return 2 * 2 * 4 * len(f[0].Right) }
