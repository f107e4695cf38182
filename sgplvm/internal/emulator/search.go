package emulator

import "context"

// Choose returns the choices that predict best together, with their weights. quick leaves out kernels of single modes. told hears of every candidate and
// the best so far.
func (j *Judge) Choose(ctx context.Context, quick bool, told func(candidate, best *Verdict)) (*Mixture, error) {
	var best *Verdict
	var pool []*Verdict
	try := func(c Choice, components int, bar float64) (bool, error) {
		v, err := j.try(ctx, best, c, components)
		if err != nil || v == nil {
			return false, err
		}
		pool = append(pool, v)
		won := best == nil || v.better(best) > bar
		if won {
			best = v
		}
		told(v, best)
		return won, nil
	}
	if j.in.Gram.Rows == 0 {
		if _, err := try(Choice{Single: true}, 0, 0); err != nil {
			return nil, err
		}
	} else if err := ladder(len(j.of), func(components int) (bool, error) { return try(Choice{Single: true}, components, winBar) }); err != nil {
		return nil, err
	}
	components := best.Components
	pool = []*Verdict{best}
	folds, err := j.at(components)
	if err != nil {
		return nil, err
	}
	for _, c := range candidates(folds[0].x.Cols, quick) {
		if _, err := try(c, components, 0); err != nil {
			return nil, err
		}
	}
	return j.mix(pool)
}

// candidates are those after one length scale for all inputs.
func candidates(d int, quick bool) []Choice {
	list := []Choice{{Linear: true}}
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
		if !quick && d <= fewInputs {
			list = append(list, Choice{Form: form, Near: 0.3}, Choice{Form: form, Near: 1})
		}
	}
	return list
}

// ladder tries doubled numbers of components until they are worse, and then those between.
func ladder(n int, try func(int) (bool, error)) error {
	best, last := 0, 0
	for c := 8; c < 2*n && c <= 128; c *= 2 {
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
