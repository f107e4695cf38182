package training

import (
	"slices"
	"sync"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// mostFlowBytes is about how many bytes of flows are kept, and mostSplines how many splines: those of the two frames around a time, plain, sharpened and
// enlarged, and what the next one asks for. lastFlows is how many pairs of frames a time has in common with the next.
const mostFlowBytes, mostSplines, lastFlows = 1 << 27, 8, 8

// A Cache keeps the dense flows between pairs of training frames that were estimated first, and the last ones: films are
// gone through from the beginning again, and of more pairs than can be kept the last ones would be gone each time before they are
// asked for. It keeps the splines of frames that were asked for last, too, since what is predicted for a time asks for them more than once. It is
// nil where nothing is to be kept, and safe for concurrent use.
type Cache struct {
	mutex   sync.Mutex
	pairs   map[[2]int]motion.PairFlow
	order   [][2]int // the oldest first
	bytes   int
	splines []keptSpline // the one that was asked for last at the end
}

// A keptSpline is what is sampled of a frame, however it is sharpened and enlarged: the key tells all.
type keptSpline struct {
	key     any
	picture SharpPicture
}

// Spline returns what find returns for a key, or returned lately. It is only to be read.
func (c *Cache) Spline(key any, find func() SharpPicture) SharpPicture {
	if c == nil {
		return find()
	}
	s := keptSpline{key: key}
	c.mutex.Lock()
	at := slices.IndexFunc(c.splines, func(k keptSpline) bool { return k.key == key })
	if at >= 0 {
		s = c.splines[at]
		c.splines = append(slices.Delete(c.splines, at, at+1), s)
	}
	c.mutex.Unlock()
	if at >= 0 {
		return s.picture
	}
	s.picture = find()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if len(c.splines) == mostSplines {
		c.splines = slices.Delete(c.splines, 0, 1)
	}
	c.splines = append(c.splines, s)
	return s.picture
}

// Flows returns what find does for a pair of frames, or what it did when it was asked last.
func (c *Cache) Flows(a, b int, find func() motion.PairFlow) motion.PairFlow {
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
		c.pairs = map[[2]int]motion.PairFlow{}
	}
	c.bytes += bytesOf(f)
	for c.bytes > mostFlowBytes && len(c.order) > 0 {
		out := max(len(c.order)-lastFlows, 0)
		c.bytes -= bytesOf(c.pairs[c.order[out]])
		delete(c.pairs, c.order[out])
		c.order = slices.Delete(c.order, out, out+1)
	}
	c.pairs[key], c.order = f, append(c.order, key)
	return f
}

func bytesOf(f motion.PairFlow) int { return 2 * 2 * 4 * len(f.There.Right) }
