package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
)

// Options are how examples are filled in; see sgplvm.InferOptions.
type Options struct {
	Candidates, Iterations, Starts int

	// Brief is not in files: where refinement corrects x afterwards, one candidate is moved by few steps.
	Brief bool

	NoiseStrength                 float64 // +Inf: the noise is that of training
	Degrees                       float64 // of freedom; 0: infinitely many
	LocalBandwidth, LocalStrength float64 // a negative bandwidth: the noise is that of all
	FirstOrder, LatentOnly        bool
	Moments                       bool // not in files: the Gaussian with the moments under q(x) is conditioned, as Atkinson and Zabaras (2018) have it

	// Fast trades a little accuracy for time: training examples
	// of weights below MinWeight do not count for the noise (0: those of the full model), and what similar examples say of a part of the missing points
	// is given PartNeighbours observed ones near it (0: all). Of training examples at most MaxExamples count for one covariance, the
	// heaviest (0: all).
	Fast           bool
	MinWeight      float64
	PartNeighbours int
	MaxExamples    int

	// Limits of conditioning: observed points up to which all are used at once, missing ones predicted together beyond that,
	// observed ones near these that are used, and multiplications beyond which that is left out.
	Exact, Group, Neighbours int
	Work                     float64

	Blends []Blend
}

// most bounds every size in a file, so that products of two are within range on 32 bits for what fits into one.
const most = 1 << 24

func (o *Options) validate() string {
	for _, v := range []int{o.Candidates, o.Iterations, o.Starts, o.Exact, o.Group, o.Neighbours} {
		if v < 1 || v > most {
			return text.Sprintf("an option of %d, expected 1 to %d", v, most)
		}
	}
	if !(o.NoiseStrength > 0 && o.Degrees >= 0 && o.LocalStrength >= 0 && o.Work >= 0 && o.MinWeight >= 0 && o.MinWeight < 1) || math.IsInf(o.Degrees, 0) || o.LocalBandwidth-o.LocalBandwidth != 0 || math.IsInf(o.LocalStrength, 0) {
		return "options out of range"
	}
	return CheckBlends(o.Blends)
}

// A Blend says how a model that keeps its training residuals mixes two predictions of what an
// example misses: that of the latent variables, and the direct one, of training examples like it
// (docs/math.md, "A mixture with training examples like it"). The direct prediction takes missing points in parts,
// each with the training examples that are like this one near that part.
type Blend struct {
	// Gap is the distance of missing points from observed ones for which the blend was chosen: its
	// mean, in mean spacings. Of several blends an example takes the one whose Gap and Seen are most like its own.
	Gap float64 `json:"gap,omitzero"`

	// Seen is the share of observed values for which the blend was chosen. 0: any; the gap decides.
	Seen float64 `json:"seen,omitzero"`

	// Share is the weight of the direct prediction, 0 to 1.
	Share float64 `json:"share,omitzero"`

	// Neighbours is the effective number of training examples that the direct prediction takes.
	Neighbours float64 `json:"neighbours,omitzero"`

	// Shrinkage is how far their covariance is drawn to that of all training examples, 0 to 1.
	Shrinkage float64 `json:"shrinkage,omitzero"`

	// Taper is the distance, in mean spacings, over which the covariance of these examples is believed.
	Taper float64 `json:"taper,omitzero"`

	// WideTaper is the same for what the latent variables make of all training examples. 0: any distance.
	WideTaper float64 `json:"wideTaper,omitzero"`

	// Reach is how near to a part, in mean spacings, observed values count for likeness: the deviation of a
	// Gaussian. 0: all of them alike.
	Reach float64 `json:"reach,omitzero"`

	// Parts is the number of parts, a power of two.
	Parts int `json:"parts,omitzero"`

	// Damping is how much of the factors by which variances follow an example's own residuals is held back, 0
	// to 1: the factors count to the power of 1 − Damping.
	Damping float64 `json:"damping,omitzero"`

	// Inflation is the factor of all variances.
	Inflation float64 `json:"inflation,omitzero"`
}

// CheckBlends returns why one of some blends has numbers that mean nothing, or "".
func CheckBlends(blends []Blend) string {
	for i := range blends {
		if why := blends[i].check(); why != "" {
			return why
		}
	}
	return ""
}

// check returns why a blend has numbers that mean nothing, or "".
func (b *Blend) check() string {
	for _, v := range []float64{b.Gap, b.Seen, b.Share, b.Neighbours, b.Shrinkage, b.Taper, b.WideTaper, b.Reach, b.Damping, b.Inflation} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return text.Sprintf("a blend with the number %v, expected finite ones, 0 or more", v)
		}
	}
	switch {
	case b.Seen > 1 || b.Share > 1 || b.Shrinkage > 1 || b.Damping > 1:
		return text.Sprintf("a blend with seen %v, share %v, shrinkage %v and damping %v, expected 1 at most", b.Seen, b.Share, b.Shrinkage, b.Damping)
	case b.Share > 0 && !(b.Neighbours >= 1 && b.Taper > 0 && b.Shrinkage > 0):
		return text.Sprintf("a blend with %v neighbours, taper %v and shrinkage %v, expected at least 1 and positive numbers", b.Neighbours, b.Taper, b.Shrinkage)
	case b.Parts < 1 || b.Parts&(b.Parts-1) != 0 || b.Parts > 1<<16:
		return text.Sprintf("a blend of %d parts, expected a power of two", b.Parts)
	case !(b.Inflation > 0):
		return text.Sprintf("a blend with variances times %v, expected a positive factor", b.Inflation)
	}
	return ""
}

// NearestBlend returns the number of the blend that is for values missing in a way most like that of an example, in d dimensions.
func NearestBlend(blends []Blend, missing infer.Missing, d int) (nearest int) {
	far := math.Inf(1)
	for i := range blends {
		if u := infer.Unlike(infer.Missing{Gap: blends[i].Gap, Seen: blends[i].Seen}, missing, d); u < far {
			nearest, far = i, u
		}
	}
	return nearest
}

// taperFactor is what squared distances are multiplied by in the exponent of a blend's taper C.
func (b *Blend) taperFactor() float64 { return 1 / (b.Taper * b.Taper) }

// wideFactor is that of C′; 0: there is none.
func (b *Blend) wideFactor() float64 {
	if b.WideTaper > 0 {
		return 1 / (b.WideTaper * b.WideTaper)
	}
	return 0
}

// A Way is how missing values were conditioned on observed ones: not at all, on all of them, or each on those nearest to it.
type Way int

// The ways.
const (
	Unconditioned Way = iota
	Exactly
	Locally
)
