package mat

import (
	"errors"
	"math"
	"math/bits"
	"runtime"
	"sync/atomic"
)

// Tasks is work that is divided into numbered parts.
type Tasks interface {
	// Do does part i. Parts may be done in any order, several at a time.
	Do(i int)
}

// Parallel calls body(i) once for every 0 ≤ i < n; see Run.
//
//go:noinline
func Parallel(n int, body func(i int)) { Run(n, taskFunc(body)) }

type taskFunc func(i int)

func (f taskFunc) Do(i int) { f(i) }

// Run calls t.Do(i) once for every 0 ≤ i < n, several at a time when processors
// are free, and returns when all calls have returned. The caller takes part;
// helpers are persistent goroutines shared by the whole process, calls may nest,
// and nothing is allocated in steady state. Results must not depend on the order
// of the calls: let part i write only what belongs to i. A panic in a part
// reaches the caller, when the parts already begun have ended.
//
// The caller does parts from the first on and half of the helpers from the last one
// back, so that in a next call of the same shape most parts find their data in the
// cache of the processor that they were in. A helper that has nothing to do looks for
// work for up to a millisecond before it sleeps, half as long after each time that it
// found none, and a caller does so for its helpers' ends, since waking a goroutine
// takes longer than many a part.
//
//go:noinline
func Run(n int, t Tasks) { run(n, t, false) }

// RunInOrder is Run for parts that may wait for others with smaller numbers: a part is
// begun only when all before it are.
func RunInOrder(n int, t Tasks) { run(n, t, true) }

func run(n int, t Tasks, inOrder bool) {
	processors := runtime.GOMAXPROCS(0)
	if n <= 1 || processors == 1 {
		for i := range n {
			t.Do(i)
		}
		return
	}
	j := jobs.Take()
	if j.ended == nil {
		j.ended = make(chan struct{}, 1)
	}
	j.tasks, j.n, j.inOrder = t, int64(n), inOrder
	j.begun.Store(0)
	for range min(n, processors) - 1 {
		if !j.invite(processors) {
			break
		}
	}
	j.work(false)
	j.withdraw()
	j.await()
	failure := j.failure.Swap(nil)
	j.tasks = nil
	jobs.Give(j)
	if failure != nil {
		panic(failure.value)
	}
}

// A job is one call of Run: the numbers below n are handed out by begun, which counts
// parts from the first on in its lower 32 bits and from the last one back in the
// upper ones.
type job struct {
	tasks   Tasks
	n       int64
	inOrder bool
	begun   atomic.Int64
	helpers atomic.Int64  // helpers that have not ended, and sleeping if the caller sleeps
	ended   chan struct{} // wakes the caller
	failure atomic.Pointer[failure]
}

type failure struct{ value any }

// errExited stands for a part that ended its goroutine.
var errExited = errors.New("mat: a parallel part called runtime.Goexit")

const (
	sleeping = 1 << 32
	maxLooks = 1 << 19 // how often a goroutine looks for something before it sleeps, at most
	fewLooks = 1 << 13 // at least
	patience = 1 << 12 // looks after which it lets others run
)

var (
	jobs Pool[job]

	// A helper that sleeps waits here; an invitation that cannot be delivered at
	// once is dropped and the caller does the work.
	invitations = make(chan *job)
	helperCount atomic.Int64
	numbers     atomic.Uint64 // of the helpers that have one, by bits

	// Where a helper finds its next job. Nothing is there while it works, looking
	// while it looks for one, and asleep while it sleeps.
	places          [64]atomic.Pointer[job]
	looking, asleep = new(job), new(job)
)

// invite asks a helper to join, one that has nothing to do or is about to end its work,
// and starts one if there are fewer than the other processors. It reports whether one
// may join.
func (j *job) invite(processors int) bool {
	j.helpers.Add(1)
	for _, state := range [...]*job{looking, nil} {
		for i := range places {
			if places[i].Load() == state && numbers.Load()>>i&1 != 0 && places[i].CompareAndSwap(state, j) {
				return true
			}
		}
	}
	select {
	case invitations <- j:
		return true
	default:
	}
	if count := helperCount.Load(); count < int64(processors-1) && helperCount.CompareAndSwap(count, count+1) {
		go help(j)
		return true
	}
	j.helpers.Add(-1)
	return false
}

// withdraw takes back invitations that no helper has found.
func (j *job) withdraw() {
	for i := range places {
		if places[i].Load() == j && places[i].CompareAndSwap(j, nil) {
			j.helpers.Add(-1)
		}
	}
}

// help is a helper's life.
func help(j *job) {
	i := takeNumber()
	defer func() { // only if a part ends the goroutine
		numbers.And(^(1 << i))
		helperCount.Add(-1)
	}()
	looks := maxLooks
	for {
		j.assist(i%2 == 0)
		var slept bool
		if j, slept = nextJob(i, looks); slept {
			looks = max(looks/2, fewLooks)
		} else {
			looks = min(2*looks, maxLooks)
		}
	}
}

// takeNumber returns a helper's number, that of its place; there is none from 64 on.
func takeNumber() int {
	for {
		taken := numbers.Load()
		i := bits.TrailingZeros64(^taken)
		if i == len(places) || numbers.CompareAndSwap(taken, taken|1<<i) {
			return i
		}
	}
}

// nextJob waits for the next job of helper i, and says whether it slept after so many looks.
func nextJob(i, looks int) (*job, bool) {
	if i == len(places) {
		return <-invitations, true
	}
	place := &places[i]
	for look := 1; ; look++ {
		if look%patience == 0 {
			runtime.Gosched()
		}
		switch at := place.Load(); {
		case at == looking && look < looks:
		case at == looking || at == nil && look >= looks:
			if place.CompareAndSwap(at, asleep) {
				j := <-invitations
				place.Store(nil)
				return j, true
			}
		case at == nil:
			place.CompareAndSwap(nil, looking)
		default:
			if place.CompareAndSwap(at, nil) {
				return at, false
			}
		}
	}
}

func (j *job) assist(back bool) {
	defer func() {
		if j.helpers.Add(-1) == sleeping {
			j.ended <- struct{}{}
		}
	}()
	j.work(back && !j.inOrder)
}

// await waits until all helpers have ended.
func (j *job) await() {
	for look := 1; look < maxLooks; look++ {
		if j.helpers.Load() == 0 {
			return
		}
		if look%patience == 0 {
			runtime.Gosched()
		}
	}
	if j.helpers.Add(sleeping) > sleeping {
		<-j.ended
	}
	j.helpers.Store(0)
}

// work does parts until none is left, from the last one back or from the first on. A
// panic is kept for the caller.
func (j *job) work(back bool) {
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
		j.begun.Store(j.n) // no further parts
	}()
	for {
		step := int64(1)
		if back {
			step = 1 << 32
		}
		begun := j.begun.Add(step)
		first, last := begun&math.MaxUint32, begun>>32
		if first+last > j.n {
			break
		}
		i := first - 1
		if back {
			i = j.n - last
		}
		j.tasks.Do(int(i))
	}
	done = true
}
