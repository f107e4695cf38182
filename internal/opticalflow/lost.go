package opticalflow

// What moves by itself and far is lost on the way down the levels: where it is small, a coarse level shows what is around it, and from there steps do
// not reach it. So patches that fit badly on a coarse level try all whole pixels, as the whole picture does on the coarsest one. A patch of little or
// repeated structure fits in many places. What it finds therefore counts only where neighbours have found the same.

// Of lost patches: on how many levels they are looked for; which part of its variance a patch misses if it is lost, and which part of that at most where
// it is found, half of the deviation both; how many of its eight neighbours have found the same, to a pixel each way, and at what part of the
// side all look at most.
const (
	lostLevels  = 3
	lostPart    = 0.25
	lostSupport = 2
	lostReach   = 4
)

// A place is where a lost patch was found: a displacement in whole pixels.
type place struct {
	u, v  int
	found bool
}

// findLost looks for the lost ones of patches, of which so many are in a row, and improves those that it finds.
func findLost(a, b Picture, patches []patch, across int) {
	places := make([]place, len(patches))
	for k := range patches {
		if p := &patches[k]; p.within(b) && p.cost > lostPart*p.variance(a) {
			places[k] = p.everywhere(a, b)
		}
	}
	for k, at := range places {
		if p := &patches[k]; at.found && support(places, k, across) >= lostSupport {
			p.u, p.v = float32(at.u), float32(at.v)
			p.cost = p.distance(a, b, p.u, p.v)
			p.improve(a, b)
		}
	}
}

// support returns how many neighbours of place k have found the same.
func support(places []place, k, across int) (n int) {
	at := places[k]
	for y := max(k/across-1, 0); y <= min(k/across+1, len(places)/across-1); y++ {
		for x := max(k%across-1, 0); x <= min(k%across+1, across-1); x++ {
			if q := places[y*across+x]; q.found && y*across+x != k && max(q.u-at.u, at.u-q.u, q.v-at.v, at.v-q.v) <= 1 {
				n++
			}
		}
	}
	return n
}

// within tells whether the patch, displaced, lies in the second picture: what leaves it is not lost.
func (p *patch) within(b Picture) bool {
	x, y := float32(p.x)+p.u, float32(p.y)+p.v
	return x >= 0 && y >= 0 && x <= float32(b.Width-patchSide) && y <= float32(b.Height-patchSide)
}

// everywhere tries all displacements by whole pixels within the second picture.
func (p *patch) everywhere(a, b Picture) (best place) {
	least, right, down := lostPart*p.cost, a.Width/lostReach, a.Height/lostReach
	for v := max(-down, -p.y); v <= min(down, b.Height-patchSide-p.y); v++ {
		for u := max(-right, -p.x); u <= min(right, b.Width-patchSide-p.x); u++ {
			if c := p.wholeDistance(a, b, u, v, least); c < least {
				least, best = c, place{u, v, true}
			}
		}
	}
	return best
}

// wholeDistance is distance of a displacement by whole pixels within the second picture, or no less than least: it ends where the rows so far,
// each less its own mean, have as much.
func (p *patch) wholeDistance(a, b Picture, u, v int, least float32) float32 {
	var sum, square, within float32
	for j := range patchSide {
		own, other := a.row(p.y + j)[p.x:][:patchSide], b.row(p.y + v + j)[p.x+u:][:patchSide]
		var s, q float32
		for i, x := range own {
			d := other[i] - x
			s += d
			q += float32(d * d)
		}
		sum, square = sum+s, square+q
		if within += q - float32(s*s)/patchSide; within > least*(patchSide*patchSide) {
			return least
		}
	}
	return spread(sum, square)
}

// variance returns that of what the first picture shows of the patch.
func (p *patch) variance(a Picture) float32 {
	var sum, square float32
	for j := range patchSide {
		for _, v := range a.row(p.y + j)[p.x:][:patchSide] {
			sum += v
			square += float32(v * v)
		}
	}
	return spread(sum, square)
}

// spread returns the variance of the numbers of a patch, given their sum and that of their squares.
func spread(sum, square float32) float32 {
	const n = patchSide * patchSide
	return (square - float32(sum*sum)/n) / n
}
