package mat

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// Tasks is work that is divided into numbered parts.
type Tasks interface {
	// Do does part i. Parts may be done in any order, several at a time.
	Do(i int)
}

// Parallel calls body(i) once for every 0 ≤ i < n; see Run.
func Parallel(n int, body func(i int)) { Run(n, taskFunc(body)) }

type taskFunc func(i int)

func (f taskFunc) Do(i int) { f(i) }

// Run calls t.Do(i) once for every 0 ≤ i < n, several at a time when processors
// are free, and returns when all calls have returned. The caller takes part;
// helpers are persistent goroutines shared by the whole process, calls may nest,
// and nothing is allocated in steady state. Results must not depend on the order
// of the calls: let part i write only what belongs to i. A panic in a part
// reaches the caller, when the parts already begun have ended.
func Run(n int, t Tasks) {
	processors := runtime.GOMAXPROCS(0)
	if n <= 1 || processors == 1 {
		for i := range n {
			t.Do(i)
		}
		return
	}
	j := jobs.take()
	j.tasks, j.n = t, int64(n)
	j.next.Store(0)
	for range min(n, processors) - 1 {
		if !j.invite(processors) {
			break
		}
	}
	j.work()
	j.helpers.Wait()
	failure := j.failure.Swap(nil)
	j.tasks = nil
	jobs.give(j)
	if failure != nil {
		panic(failure.value)
	}
}

// A job is one call of Run: the numbers below n are handed out by next.
type job struct {
	tasks   Tasks
	n       int64
	next    atomic.Int64
	helpers sync.WaitGroup
	failure atomic.Pointer[failure]
}

type failure struct{ value any }

// errExited stands for a part that ended its goroutine.
var errExited = errors.New("mat: a parallel part called runtime.Goexit")

var (
	jobs freeList[job]

	// An idle helper waits here; a busy one does not, so an invitation that
	// cannot be delivered at once is dropped and the caller does the work.
	invitations = make(chan *job)
	helperCount atomic.Int64
)

// invite asks an idle helper to join, and starts a helper if there are fewer
// than the other processors. It reports whether one joins.
func (j *job) invite(processors int) bool {
	j.helpers.Add(1)
	select {
	case invitations <- j:
		return true
	default:
	}
	if c := helperCount.Load(); c < int64(processors-1) && helperCount.CompareAndSwap(c, c+1) {
		go help(j)
		return true
	}
	j.helpers.Done()
	return false
}

// help is a helper's life.
func help(j *job) {
	defer helperCount.Add(-1) // only if a part ends the goroutine
	for {
		j.assist()
		j = <-invitations
	}
}

func (j *job) assist() {
	defer j.helpers.Done()
	j.work()
}

// work does parts until none is left. A panic is kept for the caller.
func (j *job) work() {
	done := false
	defer func() {
		if done {
			return
		}
		f := &failure{recover()}
		if f.value == nil {
			f.value = errExited
		}
		j.failure.CompareAndSwap(nil, f)
		j.next.Store(j.n) // no further parts
	}()
	for i := j.next.Add(1) - 1; i < j.n; i = j.next.Add(1) - 1 {
		j.tasks.Do(int(i))
	}
	done = true
}
