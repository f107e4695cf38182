package mat

import "sync"

// A Pool keeps objects for the next call, so that steady state allocates nothing.
// Unlike a sync.Pool it never forgets one. Its zero value is empty; any number of
// goroutines may use it.
type Pool[T any] struct {
	mutex sync.Mutex
	free  []*T
}

// Take returns the object given last, as it was, or a new zero one.
func (p *Pool[T]) Take() *T {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if n := len(p.free); n > 0 {
		x := p.free[n-1]
		p.free = p.free[:n-1]
		return x
	}
	return new(T)
}

// Give keeps x, which the caller must not use any more.
func (p *Pool[T]) Give(x *T) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.free = append(p.free, x)
}
