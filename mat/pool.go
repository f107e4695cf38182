package mat

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// A Pool keeps objects for the next call, so that steady state allocates nothing.
// Its zero value is empty; any number of goroutines may use it.
//
// An object that nobody took while the garbage collector ran idleCollections
// times is dropped, so that what a pool holds is bounded by what was in use
// lately. Between two collections the program allocates about as much as it holds
// (GOGC), so to make an object again costs little beside that; and a program that
// allocates nothing loses nothing but what it left untouched for minutes, since
// the runtime collects every two. A sync.Pool does the same after two collections,
// but it keeps objects by processor and allocates where another one gives them back.
type Pool[T any] struct{ shelf }

// Take returns the object given last, as it was, or a new zero one.
func (p *Pool[T]) Take() *T {
	if x, found := p.find().(*T); found {
		return x
	}
	return new(T)
}

// Give keeps x, which the caller must not use any more.
func (p *Pool[T]) Give(x *T) { p.give(x) }

// A shelf is a Pool of pointers to anything: one piece of code for pools of all types, which small programs have few bytes for.
type shelf struct {
	mutex  sync.Mutex
	free   []idle // the object given last at the end
	listed bool   // in pools.list

	dropped func(x any) // told of every object that is dropped, if not nil
}

// idle is an object that waits, and the collections there had been when it was given.
type idle struct {
	object any
	since  uint32
}

// idleCollections is how many collections of garbage an object stays for.
const idleCollections = 5

// find returns the object given last, nil if there is none.
func (p *shelf) find() (x any) {
	p.mutex.Lock()
	if n := len(p.free); n > 0 {
		x = p.free[n-1].object
		p.free[n-1] = idle{}
		p.free = p.free[:n-1]
	}
	p.mutex.Unlock()
	return x
}

func (p *shelf) give(x any) {
	p.mutex.Lock()
	p.free = append(p.free, idle{x, pools.collections.Load()})
	list := !p.listed
	p.listed = true
	p.mutex.Unlock()
	if list { // not under the mutex: sweep takes the two in the other order
		pools.add(p)
	}
}

// sweep drops what has been idle for too long. It reports whether anything is left; if
// not, the shelf counts as not listed.
func (p *shelf) sweep(collections uint32) (left bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	old := 0 // those given first are first
	for old < len(p.free) && collections-p.free[old].since >= idleCollections {
		old++
	}
	if p.dropped != nil {
		for _, x := range p.free[:old] {
			p.dropped(x.object)
		}
	}
	p.free = slices.Delete(p.free, 0, old)
	p.listed = len(p.free) > 0
	return p.listed
}

// pools are those that hold something. They are swept after every collection.
var pools poolList

type poolList struct {
	collections atomic.Uint32
	watch       sync.Once
	mutex       sync.Mutex
	list        []*shelf
}

func (l *poolList) add(p *shelf) {
	l.watch.Do(func() { sweepAfterCollection(new(collected)) })
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.list = append(l.list, p)
}

// sweep counts a collection and takes pools that have become empty off the list.
func (l *poolList) sweep() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	now := l.collections.Add(1)
	l.list = slices.DeleteFunc(l.list, func(p *shelf) bool { return !p.sweep(now) })
}

// collected is unreachable as soon as it is made: the runtime calls its finalizer after
// the next collection, and that makes the same object wait for the one after.
type collected struct{ _ *collected } // with a pointer, so that it shares no block with others

func sweepAfterCollection(c *collected) {
	runtime.SetFinalizer(c, func(c *collected) {
		pools.sweep()
		sweepAfterCollection(c)
	})
}
