package mat

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel calls body(i) once for every 0 ≤ i < n, several at a time when
// processors are free, and returns when all calls have returned. The caller
// takes part; helpers are persistent goroutines shared by the whole process,
// and calls may nest. Results must not depend on the order of the calls: let
// body(i) write only what belongs to i. A panic in body reaches the caller.
func Parallel(n int, body func(i int)) {
	if n <= 1 || runtime.GOMAXPROCS(0) == 1 {
		for i := range n {
			body(i)
		}
		return
	}
	j := jobs.Get().(*job)
	j.body, j.n = body, int64(n)
	j.next.Store(0)
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		if !j.invite() {
			break
		}
	}
	j.run()
	j.helpers.Wait()
	failure := j.failure.Swap(nil)
	j.body = nil
	jobs.Put(j)
	if failure != nil {
		panic(failure.value)
	}
}

// A job is one call of Parallel: indices below n are handed out by next.
type job struct {
	body    func(i int)
	n       int64
	next    atomic.Int64
	helpers sync.WaitGroup
	failure atomic.Pointer[failure]
}

type failure struct{ value any }

var (
	jobs = sync.Pool{New: func() any { return new(job) }}

	// An idle helper waits here; a busy one does not, so an invitation that
	// cannot be delivered at once is dropped and the caller does the work.
	invitations = make(chan *job)
	helperCount atomic.Int64
)

// invite asks an idle helper to join, and starts a helper if there are fewer
// than processors. It reports whether one joins.
func (j *job) invite() bool {
	j.helpers.Add(1)
	select {
	case invitations <- j:
		return true
	default:
	}
	if c := helperCount.Load(); c < int64(runtime.GOMAXPROCS(0)-1) && helperCount.CompareAndSwap(c, c+1) {
		go help(j)
		return true
	}
	j.helpers.Done()
	return false
}

func help(j *job) {
	for {
		j.run()
		j.helpers.Done()
		j = <-invitations
	}
}

func (j *job) run() {
	defer func() {
		if v := recover(); v != nil {
			j.failure.CompareAndSwap(nil, &failure{v})
			j.next.Store(j.n) // no further calls
		}
	}()
	for {
		i := j.next.Add(1) - 1
		if i >= j.n {
			return
		}
		j.body(int(i))
	}
}
