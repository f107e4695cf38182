package baseline

import (
	"context"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
)

// firstError returns that of a context, or the first of a list.
func firstError(ctx context.Context, failures []error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

func checkNoInf(pictures mat.Matrix) error {
	for i := range pictures.Rows {
		for j := range pictures.Cols {
			if v := pictures.At(i, j); math.IsInf(v, 0) {
				return &ValueError{"picture", i, j, v, "a finite number, or NaN for a missing one"}
			}
		}
	}
	return nil
}

// A group is some pictures with one pattern.
type group struct {
	pattern  pattern
	pictures []int
}

// byPattern divides pictures into groups of at most size.
func byPattern(pictures mat.Matrix, size int) []group {
	var groups []group
	open := map[string]int{} // the last group with a pattern
	for i := range pictures.Rows {
		key := make([]byte, pictures.Cols)
		observed := make([]bool, pictures.Cols)
		for j := range observed {
			if observed[j] = !math.IsNaN(pictures.At(i, j)); observed[j] {
				key[j] = 1
			}
		}
		g, found := open[string(key)]
		if !found || len(groups[g].pictures) == size {
			g = len(groups)
			groups = append(groups, group{pattern: patternOf(observed)})
			open[string(key)] = g
		}
		groups[g].pictures = append(groups[g].pictures, i)
	}
	return groups
}
