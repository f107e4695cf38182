package emulator

import (
	"context"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
)

// Options steer Fit.
type Options struct {
	Quick   bool // leave out kernels of single modes, and most forms
	Seed    uint64
	Told    func(candidate *Scored) // hears of every candidate that was compared
	Left    func(time.Duration)     // hears once about how much time is left; nil: nobody does
	Stop    func() bool             // ends the comparison when it returns true; the best so far counts
	Journal *journal.Journal        // keeps what was done; nil: none does
}

// foretell tells how much time is left, given that of the first candidate: measured on three simulators of 50, 150 and 300 runs, the others took together so many times as
// much in the median, and a few that are left out at once made a third of it in the least.
func (o *Options) foretell(first time.Duration, d int) {
	left := 3.
	for _, c := range sharedCandidates(d, o.Quick) {
		switch {
		case c.simple():
		case c.Form == Product:
			left += 3
		default:
			left++
		}
	}
	if !o.Quick && d <= fewInputs {
		left += 45
	}
	if o.Left != nil {
		o.Left(time.Duration(left * float64(first)))
		o.Left = nil
	}
}

// Choose returns the choice that predicts best.
func (j *Validator) Choose(ctx context.Context, o Options) (best *Scored, err error) {
	var pool []*Scored
	try := func(c Choice, components int, bar float64) (bool, error) {
		if best != nil && o.Stop != nil && o.Stop() {
			return false, nil
		}
		begin, replaying := time.Now(), o.Journal.Replaying()
		v, err := j.try(ctx, best, c, components)
		if err != nil || v == nil {
			return false, err
		}
		if best == nil && !replaying {
			folds, err := j.at(ctx, components)
			if err != nil {
				return false, err
			}
			o.foretell(time.Since(begin), folds[0].x.Cols)
		}
		pool = append(pool, v)
		won := best == nil || v.better(best) > bar
		if won {
			best = v
		}
		if o.Told != nil {
			o.Told(v)
		}
		return won, nil
	}
	if j.in.Gram.Rows == 0 {
		if _, err := try(Choice{Single: true}, 0, 0); err != nil {
			return nil, err
		}
	} else if err := ascend(j.gram.Rows, func(components int) (bool, error) { return try(Choice{Single: true}, components, winBar) }); err != nil {
		return nil, err
	}
	components := best.Components
	pool = []*Scored{best}
	folds, err := j.at(ctx, components)
	if err != nil {
		return nil, err
	}
	d := folds[0].x.Cols
	for _, c := range sharedCandidates(d, o.Quick) {
		if _, err := try(c, components, 0); err != nil {
			return nil, err
		}
	}
	if !o.Quick && d <= fewInputs {
		for _, c := range nearCandidates(pool, best, j.gram.Rows) {
			if _, err := try(c, components, 0); err != nil {
				return nil, err
			}
		}
	}
	return best, nil
}

// sharedCandidates are kernels that all modes share, after one length scale for all of d inputs.
func sharedCandidates(d int, quick bool) []Choice {
	list := []Choice{{Mean: true}, {Linear: true}}
	for _, form := range []Form{RBF, Matern52, Product} {
		if form == Product && (d == 1 || d > fewInputs) {
			continue
		}
		if !quick && form != RBF {
			list = append(list, Choice{Form: form, Single: true})
		}
		if d > 1 && (!quick || form != Matern52) {
			list = append(list, Choice{Form: form})
		}
	}
	return list
}

// nearCandidates are kernels of single modes near those shared ones that are not much worse than the best; of few runs also very near.
func nearCandidates(pool []*Scored, best *Scored, runs int) (list []Choice) {
	forms := map[Form]bool{}
	for _, v := range pool {
		if !v.Choice.simple() && !forms[v.Choice.Form] && v.ratio(best) <= maxWorse {
			forms[v.Choice.Form] = true
			if runs < 80 {
				list = append(list, Choice{Form: v.Choice.Form, Near: 0.3})
			}
			list = append(list, Choice{Form: v.Choice.Form, Near: 1})
		}
	}
	return list
}

// ascend tries doubled numbers of components until they are worse, and then those between.
func ascend(n int, try func(int) (bool, error)) error {
	best, last := 0, 0
	for c := firstComponents; c < 2*n && c <= 128; c *= 2 {
		won, err := try(c)
		if err != nil {
			return err
		}
		if won {
			best = c
		} else if c > 2*best {
			break
		}
		last = c
	}
	for _, c := range []int{3 * best / 2, 3 * best / 4} {
		if c <= last {
			if won, err := try(c); err != nil || won {
				return err
			}
		}
	}
	return nil
}
