package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
)

// Options are how examples are filled in; see sgplvm.InferOptions.
type Options struct {
	Candidates, Iterations, Starts int

	// Thorough says that no search for x is brief: candidates or iterations were given.
	Thorough bool

	// Direct is not in files: where similar examples tell alone what is missing, nothing else is made, Surprise neither.
	Direct bool

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

	Blends []field.Blend
}

// most bounds every size in a file, so that products of two are within range on 32 bits for what fits into one.
const most = 1 << 24

func (o *Options) validate() string {
	for _, v := range []int{o.Candidates, o.Iterations, o.Starts, o.Exact, o.Group, o.Neighbours} {
		if v < 1 || v > most {
			return text.Sprintf("an option of %d, expected 1 to %d", v, most)
		}
	}
	if !(o.Degrees >= 0 && o.LocalStrength >= 0 && o.Work >= 0 && o.MinWeight >= 0 && o.MinWeight < 1) || math.IsInf(o.Degrees, 0) || o.LocalBandwidth-o.LocalBandwidth != 0 || math.IsInf(o.LocalStrength, 0) {
		return "options out of range"
	}
	return CheckBlends(o.Blends)
}

// CheckBlends returns why one of some blends has numbers that mean nothing, or "".
func CheckBlends(blends []field.Blend) string {
	for i := range blends {
		if why := checkBlend(&blends[i]); why != "" {
			return why
		}
	}
	return ""
}

// checkBlend returns why a blend has numbers that mean nothing, or "".
func checkBlend(b *field.Blend) string {
	for _, v := range []float64{b.Gap, b.Seen, b.Share, b.Neighbours, b.Shrinkage, b.Taper, b.Reach, b.Inflation} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return text.Sprintf("a blend with the number %v, expected finite ones, 0 or more", v)
		}
	}
	switch {
	case b.Seen > 1 || b.Share > 1 || b.Shrinkage > 1:
		return text.Sprintf("a blend with seen %v, share %v and shrinkage %v, expected 1 at most", b.Seen, b.Share, b.Shrinkage)
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
func NearestBlend(blends []field.Blend, missing infer.Missing, d int) (nearest int) {
	far := math.Inf(1)
	for i := range blends {
		if u := infer.Unlike(infer.Missing{Gap: blends[i].Gap, Seen: blends[i].Seen}, missing, d); u < far {
			nearest, far = i, u
		}
	}
	return nearest
}

// taperFactor is what squared distances are multiplied by in the exponent of a blend's taper C.
func taperFactor(b *field.Blend) float64 { return 1 / (b.Taper * b.Taper) }

// A Way is how missing values were conditioned on observed ones: not at all, on all of them, or each on those nearest to it.
type Way int

// The ways.
const (
	Unconditioned Way = iota
	Exactly
	Locally
)
