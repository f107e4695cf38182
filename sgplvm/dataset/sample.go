package dataset

import (
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// OpenSample opens count of the examples of what [OpenWith] opens, or all where there are no more, and reads no others of .npy and NetCDF files and of
// folders: one at random of each count-th part of all, so that they are spread over all files. The seed decides. Times are left out. Errors: [*Error].
func OpenSample(path string, count int, seed uint64, o SetOptions) (*Training, error) {
	slice := func(from, to int) (*Frames, error) {
		o.Slice = func(int) (int, int) { return from, to }
		return LoadWith(path, o)
	}
	s, err := slice(0, 0)
	if err != nil {
		return nil, err
	}
	total := s.Whole()
	count = min(count, total)
	if IsText(path) { // which is read as a whole each time
		if s, err = slice(0, total); err != nil {
			return nil, err
		}
	}
	rng := rand.New(rand.NewPCG(seed, 31))
	var values []float64
	for k := range count {
		from, to := k*total/count, (k+1)*total/count
		at, one := from+rng.IntN(to-from), s
		if s.Count == 0 {
			if one, err = slice(at, at+1); err != nil {
				return nil, err
			}
			at = 0
		}
		values = append(values, one.Values(at)...)
	}
	sample := *s
	sample.Count, sample.all, sample.First = count, 0, 0
	sample.Type, sample.Film, sample.Times, sample.Files, sample.text = npy.Float64, false, nil, nil, nil
	sample.Shape = append([]int{count}, s.Shape[1:]...)
	sample.values = npy.New(values, sample.Shape...)
	return sample.training(), nil
}
