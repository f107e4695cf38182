package mat

// Tuning is the tuning struct, for tests in package mat_test.
type Tuning struct{ MC, KC, NC, Direct, Clash, LongK, LongMN, Bands, Triangle, Solve, Narrow, Parallel, Scattered int }

// SetTuning sets the tuning constants and returns the former ones.
func SetTuning(t Tuning) (former Tuning) {
	former = Tuning{tune.mc, tune.kc, tune.nc, tune.direct, tune.clash, tune.longK, tune.longMN, tune.bands, tune.triangle, tune.solve, tune.narrow, tune.parallel, tune.scattered}
	tune = tuning{t.MC, t.KC, t.NC, t.Direct, t.Clash, t.LongK, t.LongMN, t.Bands, t.Triangle, t.Solve, t.Narrow, t.Parallel, t.Scattered}
	return former
}

// PackA and PackB pack a block into the panels of the register tile.
var (
	PackA = packA
	PackB = packB
)

// BlockRows returns how many rows of A a block has.
var BlockRows = blockRows

// IdleCollections is how many collections of garbage a pool keeps an idle object for.
const IdleCollections = idleCollections

// MostKept is how many numbers lent buffers that were given back may have in all.
const MostKept = maxKept

// Kept returns how many numbers the buffers have that wait for a borrower.
func Kept() int { return int(kept.Load()) }

// Collections returns how often the pools were swept.
func Collections() uint32 { return pools.collections.Load() }

// FillKept sets all numbers of the buffers that wait for a borrower to v.
func FillKept(v float64) {
	for i := range scratch {
		p := &scratch[i]
		p.mutex.Lock()
		for _, x := range p.free {
			p := x.object.(*[]float64)
			buffer := (*p)[:cap(*p)]
			for j := range buffer {
				buffer[j] = v
			}
		}
		p.mutex.Unlock()
	}
}
