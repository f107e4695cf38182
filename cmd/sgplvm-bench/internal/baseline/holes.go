package baseline

import (
	"context"
	"fmt"
)

// Complete fills in what is missing in pictures. Its parameters, and one factor of all variances, are those
// that predict hidden observed values best. Errors: *SizeError, *ValueError, ctx.Err(), or one
// that says which matrix could not be factored. It panics for an unknown kind.
func Complete(ctx context.Context, kind HoleKind, d Incomplete, o HoleOptions) (Completion, error) {
	if err := d.check(); err != nil {
		return Completion{}, err
	}
	if o.Most < 0 {
		return Completion{}, &SizeError{"values to judge by", o.Most, "at least 1"}
	}
	if o.Most == 0 {
		o.Most = 1500
	}
	switch kind {
	case DINEOF, SoftImpute, PPCAEM, GaussianEM:
		if p := d.Pictures.Cols; kind == GaussianEM && p > largest {
			return Completion{}, &SizeError{"values of a picture", p, fmt.Sprintf("at most %d for %s, which needs matrices of all pairs", largest, kind)}
		}
		return completeColumns(ctx, kind, d, o)
	case OptimalInter:
		return completeKriging(ctx, d, o)
	case Cubic:
		return completeCubic(ctx, d, o)
	}
	panic(fmt.Sprintf("baseline: Complete: kind %q, expected one of %v", kind, HoleKinds))
}
