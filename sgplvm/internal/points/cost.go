package points

import "github.com/seed-08962ecc/kronfield/chol"

// beginning is about what a program takes beside its models: the runtime's room, and code that is read when it is first run.
const beginning = 1_350_000

// Bytes returns what a program takes at most for the model beside its file: while it is opened, which leaves some for the collector.
func (m *Model) Bytes() int {
	c := m.c
	numbers := m.c.P.numbers() + len(m.y.data)/8 + (2+len(m.fitted))*len(m.spread) + len(m.points)
	for _, v := range [][]float64{c.Mean, c.Scale, c.RBF, c.Linear, c.Bias, c.Z, c.Coord, c.Mu, c.S, c.Latent, c.Lambda, c.Coordinates} {
		numbers += len(v)
	}
	for _, x := range []points{m.tapered, m.spacings, m.trainingSpacings, m.scaled} {
		numbers += len(x.x.Data)
	}
	if c.Whitened {
		numbers += len(m.structure.data)/8 + noiseRows*(2*m.features+c.Points)
	}
	if m.kept() {
		numbers += min(examplesTogether, c.Examples)*(c.Inducing+m.values()) + c.Inducing*c.Inducing
	}
	numbers += len(m.shares) * c.Inducing * c.Inducing
	for f := range m.b {
		numbers += len(m.b[f].Data) + len(m.squares[f].Data)
	}
	return beginning + 8*numbers
}

// What products of matrices pack, so many columns at most, and triangles up to an order.
const (
	productDepth  = 320
	solveTriangle = 288
)

// untouched returns how many numbers above the diagonal of a matrix of which the lower triangle counts are on pages of their own, which take nothing.
func untouched(order int) int {
	const page = 512
	beyond := max(0, order-page)
	return beyond * beyond / 2
}

// Bytes returns what the workspace takes, but for some kilobytes, factors and what products pack included.
func (w *Workspace) Bytes() int {
	m, r, o, given := w.m, &w.room, &w.m.c.Options, w.most
	depth, unused := m.features, len(r.nearMissing)/4       // as a rule most of the examples count
	if !o.FirstOrder && !o.LatentOnly && given <= o.Exact { // the latent uncertainty has a number for each dimension, not for each inducing point
		unused += len(r.spreads) + (len(r.po)+len(r.left))/max(m.c.Inducing, m.c.Latents)*max(0, m.c.Inducing-m.c.Latents)
	}
	if groups := given > o.Exact; groups {
		given = min(given, o.Neighbours)
		limit := len(r.z) // rooms are of the most that are used at once
		unused += (len(r.cross) + len(r.near)) / limit * (limit - given)
		if m.structured() {
			unused += untouched(w.most) // of Σ_OO
		} else {
			unused += len(r.coo) - given*given
		}
	}
	square := given * given
	factors, panels := 0, chol.InverseDiagonalRoom(given) // the factor of C_OO is in its place
	if together := w.held.together; m.structured() {
		factors, panels = factors+w.most*together-untouched(together), max(panels, together*together/2)
	}
	ints := len(w.seen)*w.most + 7*m.c.Points
	if m.byPlaces(w.most) {
		depth = m.features / m.sizes[0]
		unused += len(r.observed)/max(r.step, depth)*max(0, r.step-depth) + len(r.missing) - min(together, m.c.Points)*depth
	} else if w.most == m.c.Points {
		unused += len(r.missing)
	}
	if w.most == m.c.Points { // nothing is given anything
		unused += len(r.nearMissing)*3/4 + len(r.cross) + len(r.fitted) + len(r.fittedMissing)
	}
	columns := w.most
	if m.kept() {
		columns = m.c.Points // of training examples, while the file is opened
	}
	packed := max(min(productDepth, depth)*w.most, min(productDepth, m.c.Inducing)*columns, min(square, solveTriangle*solveTriangle)/2) // they share their room
	return 8 * (w.floats + factors + panels + packed + ints - unused)
}

// steps is how often a run of L-BFGS evaluates L* on average, for Multiplications.
const steps = 30

// Multiplications returns about how many an example takes of which so many points are observed, in all channels.
func (m *Model) Multiplications(seen int) float64 {
	c := m.c
	n, o, dy := float64(c.Points), float64(seen), float64(c.Channels)
	k, d, j := float64(c.Inducing), float64(c.Latents), float64(m.features)
	missing := n - o
	starts := float64(c.Examples)
	if m.kept() {
		starts = min(starts, float64(c.Options.Starts))
	}
	total := dy*o*k*k/2 + k*k*k + k*j + k*k*(d+4)/2*(starts+2*steps*float64(c.Options.Candidates))
	switch {
	case m.shaped():
		block := o
		if c.Options.Fast {
			block = min(o, noiseTogether)
		}
		total += o*block*block/2 + o*block/2*dy*k
	case m.structured():
		total += o*o*o/6 + o*o/2*(j+dy*k)
	default:
		total += o * j
	}
	if c.Options.LatentOnly {
		return total + n*j
	}
	exact := min(o, float64(c.Options.Exact))
	near := min(o, float64(c.Options.Neighbours))
	if o <= float64(c.Options.Exact) {
		near = o
	}
	depth := 0.0 // of the noise's covariance
	if m.kept() {
		depth = dy * float64(m.maxExamples())
	}
	condition := func(depth float64) float64 {
		return near*near/2*depth + near*near*near/6 + near*near*near/2 + missing*near*depth + missing*near*near/2
	}
	if m.byPlaces(seen) { // not j for each two points
		total += 2 * m.placesWork(seen)
		j /= float64(m.sizes[0])
	}
	total += exact*exact/2*(j+depth) + exact*exact*exact/6 + condition(j+depth) + missing*k*k + n*float64(m.features)
	groups := 0.0
	if few := float64(c.Options.PartNeighbours); few > 0 {
		near, groups = min(near, few), 2*o/few
	}
	for _, b := range c.Options.Blends {
		if b.Share > 0 && m.kept() {
			total += max(groups, float64(b.Parts))*(near*near/2*(dy*k+depth)+2*near*near*near/3) + missing*near*(dy*k+depth+near/2)
			break
		}
	}
	return total
}
