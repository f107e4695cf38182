package engine

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// CheckFilling tells how well a model fills in n examples that it has filled in, with the same options; outliers among them are missing.
func CheckFilling(ctx context.Context, m *sgplvm.Model, n int, observed func(i int) sgplvm.Observed, outliers []sgplvm.Outlier, o sgplvm.InferOptions) ([]sgplvm.FillCheck, error) {
	return m.CheckFilling(ctx, n, func(i int) sgplvm.Observed {
		obs := observed(i)
		for _, v := range outliers {
			if v.Example == i {
				obs.Values = obs.Values.Clone()
				obs.Values.Set(v.Point, v.Channel, math.NaN())
			}
		}
		return obs
	}, o)
}

// PrintKinds says how well values were filled in, by the way in which they were missing.
func PrintKinds(w io.Writer, checks []sgplvm.FillCheck) error {
	var s lines
	s.kinds(checks)
	_, err := io.WriteString(w, s.String())
	return err
}

// kinds says of each way in which values are missing what fills them in, and how well that did with observed values that were hidden for a test.
func (s *lines) kinds(list []sgplvm.FillCheck) {
	for _, k := range list {
		line := fmt.Sprintf("%s: %d missing, filled in by %s", k.Kind, k.Missing, k.By)
		if k.Kind == "" {
			line = "test"
		}
		if k.Values > 0 {
			of := "root mean square" + map[bool]string{true: ", in standard deviations of the columns"}[k.Deviations]
			line += fmt.Sprintf("; %d observed ones that were hidden for a test have an error of %.4g (%s), %.0f %% of them lie within their 90 %% intervals",
				k.Values, k.RMSE, of, 100*k.Coverage)
			switch {
			case k.Simplest == "" || k.Simplest == k.By:
			case k.SimplestRMSE < k.RMSE:
				line += fmt.Sprintf("; better: %s, with an error of %.4g", k.Simplest, k.SimplestRMSE)
			default:
				line += fmt.Sprintf("; by %s the error is %.4g", k.Simplest, k.SimplestRMSE)
			}
		}
		s.text("%s", line)
	}
}

// transforms prints what the model was learned from in place of values, and why.
func (s *lines) transforms(c *sgplvm.Completion) {
	if c.Transforms == nil {
		return
	}
	var names []string
	other := 0
	for _, name := range c.Transforms {
		if name != "identity" {
			if other++; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	w := c.TransformCheck
	s.text("learned from transforms of the values y of %d of %s: %s; principal components fill in hidden values with a %s of %.3g standard deviations, %.3g without",
		other, quote.Counted(len(c.Transforms), "channel"), quote.Some(names, 3), w.Score, w.With, w.Without)
}
