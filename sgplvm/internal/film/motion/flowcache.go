package motion

import (
	"slices"
	"sync"
)

// maxFlowBytes is about how many bytes of flows are kept, and lastKept how many splines, the last ones asked for, and how many flows beside the first ones: what a time has in common with the next.
const maxFlowBytes, lastKept = 1 << 26, 12

// A Cache keeps the dense flows between pairs of training frames that were estimated first, and the last ones: films are
// gone through from the beginning again, and of more pairs than can be kept the last ones would be gone each time before they are
// asked for. It keeps what else is made of frames and was asked for last, too, since what is predicted for a time asks for it more than once. It is
// nil where nothing is to be kept, and safe for concurrent use.
type Cache struct {
	mutex sync.Mutex
	pairs map[[2]int]PairFlow
	order [][2]int // the oldest first
	bytes int
	kept  []kept // what was asked for last at the end
}

// A kept value is what is made of frames, a spline however these are sharpened and enlarged or what paths show at a moment: the key, of a type of its own for each kind, tells all.
type kept struct{ key, value any }

// Kept returns what find returns for a key, or returned lately. It is only to be read.
func Kept[T any](c *Cache, key any, find func() T) T {
	if c == nil {
		return find()
	}
	c.mutex.Lock()
	at := slices.IndexFunc(c.kept, func(k kept) bool { return k.key == key })
	if at >= 0 {
		k := c.kept[at]
		c.kept = append(slices.Delete(c.kept, at, at+1), k)
		c.mutex.Unlock()
		return k.value.(T)
	}
	c.mutex.Unlock()
	value := find()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.kept) == lastKept {
		c.kept = slices.Delete(c.kept, 0, 1)
	}
	c.kept = append(c.kept, kept{key, value})
	return value
}

// Flows returns what find does for a pair of frames, or what it did when it was asked last.
func (c *Cache) Flows(a, b int, find func() PairFlow) PairFlow {
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
		c.pairs = map[[2]int]PairFlow{}
	}
	c.bytes += bytesOf(f)
	for c.bytes > maxFlowBytes && len(c.order) > 0 {
		out := max(len(c.order)-lastKept, 0)
		c.bytes -= bytesOf(c.pairs[c.order[out]])
		delete(c.pairs, c.order[out])
		c.order = slices.Delete(c.order, out, out+1)
	}
	c.pairs[key], c.order = f, append(c.order, key)
	return f
}

// bytesOf returns the bytes of flows there and back, 16 a pixel.
func bytesOf(f PairFlow) int { return 16 * len(f.There.Right) }

// CacheMemory returns how many bytes a Cache of frames takes at most: flows of each frame with the next three, and pictures in pixels twice as fine.
func CacheMemory(frames, points, channels int) float64 {
	return min(maxFlowBytes, 3*16*float64(frames)*float64(points)) + lastKept*4*4*float64(points)*float64(channels)
}
