package selection

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// A blendTrial is a model that keeps its training residuals, and examples that it has not seen, in truth
// and as they are to be filled in, NaN where missing.
type blendTrial struct {
	model *predict.Posterior
	cases []*Case
}

// A blendParameter is something about a blend, with its candidates in order.
type blendParameter struct {
	values []float64
	start  int
	set    func(b *field.Blend, v float64)
}

// blendParameters of the direct prediction, and how missing points are divided. Tests change them.
var blendParameters = []blendParameter{
	{[]float64{4, 8, 16, 32, 64}, 2, func(b *field.Blend, v float64) { b.Neighbours = v }},
	{[]float64{0.1, 0.3, 0.5, 0.7, 0.9}, 2, func(b *field.Blend, v float64) { b.Shrinkage = v }},
	{[]float64{2.8, 4, 5.6, 8, 11, 22}, 2, func(b *field.Blend, v float64) { b.Taper = v }},
}

// blendParts are the divisions of missing points that are tried, and how near to a part observed values count.
var blendParts = []struct {
	parts int
	reach float64
}{{2, 6}, {4, 6}}

// blendGain is by how many nats a value a blend must be better than a simpler one.
const blendGain = 0.002

// newBlendSearch returns a search for the blend that fills in the examples of the trials best.
// Errors: those of Model.Infer, trials that cannot be filled in.
func newBlendSearch(ctx context.Context, trials []blendTrial, rounds int, o field.InferOptions) (*blendSearch, error) {
	o.KeepOutliers = true
	s := &blendSearch{trials: trials, rounds: rounds, o: o, direct: trials[0].model.Options().Residuals.Rows > 0}
	for _, t := range trials {
		for _, c := range t.cases {
			missing, err := t.model.Missing(field.Observed{Values: c.values(t.model)})
			if err != nil {
				return nil, err
			}
			s.gap, s.seen = s.gap+missing.Gap, s.seen+missing.Seen
			s.count++
		}
	}
	return s, s.infer(ctx)
}

// blendSearch is a search for a blend.
type blendSearch struct {
	trials []blendTrial
	rounds int // of the walk
	o      field.InferOptions
	gap    float64 // sum over examples
	seen   float64 // sum over examples
	count  int
	direct bool               // there are direct predictions
	latent []field.Latent     // of every example
	with   []field.Prediction // by the latent variables
	shown  []field.Prediction // directly, by the blend that was shared last
}

// search returns the best blend and its score: the mean negative log density after the best inflation, and the error. It walks along the
// parameters of the direct prediction for all missing points together, then divides these. Errors: those of Model.Impute.
func (s *blendSearch) search(ctx context.Context) (field.Blend, float64, error) {
	best := field.Blend{Gap: s.gap / float64(s.count), Seen: s.seen / float64(s.count), Parts: 1, Inflation: 1}
	index := make([]int, len(blendParameters))
	for k, p := range blendParameters {
		index[k] = p.start
		p.set(&best, p.values[p.start])
	}
	if last := blendParts[len(blendParts)-1]; s.rounds == 0 && s.direct {
		best.Parts, best.Reach = last.parts, last.reach // the division that is chosen most often
	}
	var err error
	if s.with, err = s.fill(ctx, best); err != nil {
		return best, 0, err
	}
	best, least, err := s.share(ctx, best)
	if err == nil && s.direct && s.rounds > 0 {
		best, least, err = s.walked(ctx, best, least, index)
	}
	for _, division := range blendParts {
		if err != nil || best.Share == 0 || s.rounds == 0 || !s.direct {
			return best, least, err
		}
		b, score := best, 0.0
		b.Parts, b.Reach = division.parts, division.reach
		if b, score, err = s.share(ctx, b); err == nil && score < least-blendGain {
			best, least = b, score
		}
	}
	return best, least, err
}

// casesToWalk is the number of cases of each round of a walk.
const casesToWalk = 10

// thinned returns the search on some of the cases, at even steps.
func (s *blendSearch) thinned() *blendSearch {
	some := &blendSearch{rounds: s.rounds, o: s.o, direct: s.direct}
	step, k := max(1, s.count/(casesToWalk*s.rounds)), 0
	for _, t := range s.trials {
		trial := blendTrial{model: t.model}
		for _, c := range t.cases {
			if k%step == 0 {
				trial.cases, some.latent, some.with = append(trial.cases, c), append(some.latent, s.latent[k]), append(some.with, s.with[k])
			}
			k++
		}
		some.trials = append(some.trials, trial)
		some.count += len(trial.cases)
	}
	return some
}

// walked walks on some of the cases. The result must be better on all of them.
func (s *blendSearch) walked(ctx context.Context, best field.Blend, least float64, index []int) (field.Blend, float64, error) {
	some := s.thinned()
	if some.count == s.count {
		return s.walk(ctx, best, least, index)
	}
	start, from, err := some.share(ctx, best)
	if err != nil {
		return best, least, err
	}
	found, _, err := some.walk(ctx, start, from, index)
	if err != nil {
		return best, least, err
	}
	found, score, err := s.share(ctx, found)
	if err != nil || !(score < least) {
		return best, least, err
	}
	return found, score, nil
}

// walk changes one parameter after the other while that helps.
func (s *blendSearch) walk(ctx context.Context, best field.Blend, least float64, index []int) (field.Blend, float64, error) {
	for range s.rounds {
		moved := false
		for k, p := range blendParameters {
			for _, step := range []int{1, -1} {
				for {
					next := index[k] + step
					if next < 0 || next >= len(p.values) {
						break
					}
					b := best
					p.set(&b, p.values[next])
					b, score, err := s.share(ctx, b)
					if err != nil {
						return best, least, err
					}
					if !(score < least-blendGain/4) {
						break
					}
					best, least, index[k], moved = b, score, next, true
				}
			}
		}
		if !moved {
			break
		}
	}
	return best, least, nil
}

// share returns a blend with the best share and inflation, and its score.
func (s *blendSearch) share(ctx context.Context, b field.Blend) (field.Blend, float64, error) {
	b.Share, b.Inflation = 1, 1
	direct := s.with
	if s.direct {
		var err error
		if direct, err = s.fill(ctx, b); err != nil {
			return b, 0, err
		}
	}
	s.shown = direct
	b, least := s.shared(b, direct)
	return b, least, nil
}

// shared is share for given direct predictions.
func (s *blendSearch) shared(b field.Blend, direct []field.Prediction) (field.Blend, float64) {
	shares := 1
	if s.direct {
		shares = 11
	}
	best, least := b, 0.0
	for k := range shares {
		b.Share = float64(k) / 10
		score, inflation := s.score(direct, b.Share)
		score += shareStrength / float64(s.count) * (b.Share - 0.5) * (b.Share - 0.5)
		if k == 0 || score < least-shareGain {
			best, least = b, score
			best.Inflation = inflation
		}
	}
	return best, least
}

// shareStrength is the weight of the squared distance of a share from a half, in nats a value of one example: few examples tell little about shares.
const shareStrength = 0.5

// shareGain is more than rounding: of equally good shares the least wins.
const shareGain = 1e-9

// score returns the sum of the mean negative log density of the mixture with s.with and the logarithm of its root mean square error, and its variance inflation.
func (s *blendSearch) score(direct []field.Prediction, share float64) (score, inflation float64) {
	var logs, chi, squares, values float64
	s.mixed(direct, share, func(_, _ int, r, v float64) {
		logs += 0.5 * math.Log(v)
		chi += r * r / v
		squares += r * r
		values++
	})
	if values == 0 {
		return 0, 1
	}
	inflation = validation.Inflation(chi/values, float64(s.count))
	return 0.5*math.Log(max(squares/values, math.SmallestNonzeroFloat64)) + logs/values + 0.5*math.Log(2*math.Pi*inflation) + 0.5*chi/values/inflation, inflation
}

// scores returns the scores of the blend that was shared last.
func (s *blendSearch) scores(b field.Blend) []caseScore {
	c, all := make([]caseScore, s.count), make([]validation.Tally, s.count)
	scale := s.trials[0].model.Scaler().Scale
	s.mixed(s.shown, b.Share, func(k, channel int, r, v float64) { all[k].Add(r, v*b.Inflation, scale[channel]) })
	for k := range all {
		c[k].Loss, c[k].Chi, c[k].Square = all[k].Means()
	}
	return c
}

// mixed calls body with the error and the variance of each hidden value in the mixture of s.with and direct predictions.
func (s *blendSearch) mixed(direct []field.Prediction, share float64, body func(example, channel int, r, v float64)) {
	at := 0
	for _, t := range s.trials {
		channels := len(t.model.Scaler().Mean)
		for _, example := range t.cases {
			a, b := s.with[at], direct[at]
			for j := range example.seen {
				if !example.hidden(j) {
					continue
				}
				p, c := j/channels, j%channels
				d := b.Mean.At(p, c) - a.Mean.At(p, c)
				v := (1-share)*a.Variance.At(p, c) + share*(b.Variance.At(p, c)+(1-share)*d*d)
				body(at, c, example.truth[j]-a.Mean.At(p, c)-share*d, v)
			}
			at++
		}
	}
}

// infer finds the latent posteriors of all examples.
func (s *blendSearch) infer(ctx context.Context) error {
	s.latent = make([]field.Latent, s.count)
	return s.each(ctx, func(t blendTrial, obs field.Observed, k int) (err error) {
		s.latent[k], err = t.model.Infer(ctx, obs, s.o)
		return err
	})
}

// fill predicts all examples.
func (s *blendSearch) fill(ctx context.Context, b field.Blend) ([]field.Prediction, error) {
	o := s.o
	o.Blends = []field.Blend{b}
	all := make([]field.Prediction, s.count)
	return all, s.each(ctx, func(t blendTrial, obs field.Observed, k int) (err error) {
		all[k], err = t.model.ImputeGiven(ctx, obs, s.latent[k], o)
		return err
	})
}

// each calls body for all examples of all trials, in parallel; k is the number of the example.
func (s *blendSearch) each(ctx context.Context, body func(t blendTrial, obs field.Observed, k int) error) error {
	first := 0
	for _, t := range s.trials {
		failures := make([]error, len(t.cases))
		mat.Parallel(len(t.cases), func(i int) {
			if ctx.Err() == nil {
				obs, err := t.cases[i].observed(t.model)
				if failures[i] = err; err == nil {
					failures[i] = body(t, obs, first+i)
				}
			}
		})
		if err := ctx.Err(); err != nil {
			return err
		}
		if i := slices.IndexFunc(failures, func(err error) bool { return err != nil }); i >= 0 {
			return fmt.Errorf("choice of a blend, example %d: %w", first+i, failures[i])
		}
		first += len(t.cases)
	}
	return nil
}

// A mixture has a blend for each usual pattern of missing values, or one for the known masks.
type mixture struct {
	Blends []field.Blend
	Cases  []caseScore // what these make of a validator's cases; empty where that is to be found
}

// add adds the blend of a pattern, which a search has shared last. At quick effort its scores are those of the predictions that it was found with.
func (m *mixture) add(b field.Blend, j *Folds, kind int, s *blendSearch) {
	m.Blends = append(m.Blends, b)
	if j.rounds > 0 {
		return
	}
	if m.Cases == nil {
		m.Cases = make([]caseScore, len(j.Cases))
	}
	of, k := s.scores(b), 0
	for i := range j.Cases {
		if j.Cases[i].kind == kind {
			m.Cases[i] = of[k]
			k++
		}
	}
}

// blends returns a mixture for the models that a configuration learns.
func (j *Folds) blends(ctx context.Context, cfg training.Settings) (found mixture, err error) {
	models, err := j.models(ctx, cfg, 0, len(j.folds))
	if err != nil {
		return mixture{}, err
	}
	var looser mixture
	var gain float64 // of it, summed over examples
	for p := range j.kinds {
		trials := j.trials(models, p)
		if len(trials) == 0 {
			continue
		}
		s, err := newBlendSearch(ctx, trials, j.rounds, field.InferOptions{}.Or(cfg.Infer))
		if err != nil {
			return mixture{}, err
		}
		b, least, err := s.search(ctx)
		if err != nil {
			return mixture{}, err
		}
		found.add(b, j, p, s)
		if j.rounds == 0 && j.many && s.direct {
			b.Shrinkage = looseShrinkage
			b, score, err := s.share(ctx, b)
			if err != nil {
				return mixture{}, err
			}
			looser.add(b, j, p, s)
			gain += (least - score) * float64(s.count)
		}
	}
	if gain > blendGain*float64(len(j.Cases)) {
		return looser, nil
	}
	return found, nil
}

// looseShrinkage is tried for many examples under all patterns together: too few are held out to walk under each.
const looseShrinkage = 0.1

// trials returns the cases of a pattern with the models that have not seen them.
func (j *Folds) trials(models []*predict.Posterior, kind int) (trials []blendTrial) {
	for f, m := range models {
		t := blendTrial{model: m}
		for i := range j.Cases {
			if c := &j.Cases[i]; c.Fold == f && c.kind == kind {
				t.cases = append(t.cases, c)
			}
		}
		if len(t.cases) > 0 {
			trials = append(trials, t)
		}
	}
	return trials
}

// blended makes the stage about blends; for models that keep no training residuals, about inflations of their variances.
func (s *Search) blended(j *Folds, best incumbent) (incumbent, error) {
	if s.ended() || !best.scored() || !j.inflated {
		return best, nil
	}
	name, said := "mixture with similar examples", sharesText
	if best.settings.Residual.Local != field.On || best.settings.Infer.LocalBandwidth < 0 {
		name, said = "factors of variances", factorsText
	}
	found, err := measured(s, name, best, func() (mixture, error) { return j.blends(s.ctx, best.settings) })
	list := found.Blends
	if list == nil {
		return best, err
	}
	j.inflated = false // from here on by the blends
	mixed := best.settings
	mixed.Infer.Blends = atSpacing(list, j.scale())
	if found.Cases != nil {
		j.scored.put(mixed.String(), found.Cases)
	}
	best.Scores = validation.Scores{}
	q := searchStage{name: name, sure: validation.SureErrors, candidates: []option{
		{"none", func(*training.Settings) {}},
		{said(list), func(c *training.Settings) { *c = mixed }},
	}}
	if slices.ContainsFunc(list, func(b field.Blend) bool { return b.Share > 0 }) { // shares may be nought, and are not: that stands
		slices.Reverse(q.candidates)
	}
	return s.try(j, best, q)
}

// measured returns what find finds for the incumbent, once in a run. If it fails, the incumbent stays, and the failure is recorded as that of a candidate.
func measured[T any](s *Search, name string, best incumbent, find func() (T, error)) (none T, err error) {
	stop := s.run.Timing("model selection: " + name)
	found, err := validatedOnce(s.ctx, s.run.Journal, name+" of "+best.settings.String(), find)
	stop()
	if err == nil {
		return found, nil
	}
	if unread := (*field.ReadError)(nil); errors.As(err, &unread) {
		return none, err
	}
	if !s.ended() {
		s.Stages = append(s.Stages, field.SelectionStage{Name: name, Candidates: []field.Candidate{
			{Name: "none", Score: validation.Mean(best.Losses), RMSE: validation.Mean(best.Errors), Chosen: true}, {Name: "some", Failure: err.Error()}}})
	}
	return none, s.outer.Err()
}

// WholeExamples is the weight, in examples, of the variances found at some points, against those of few examples at all points.
const WholeExamples = 4

// rescaleAtAllPoints finds the inflation of variances at all points after a search at some: it does not know how rough fields are between those, nor how much
// surer a model is that sees all points. At quick effort no covariance of all points is learned for that.
func (s *Search) rescaleAtAllPoints(some *Folds, best incumbent) (incumbent, error) {
	costly := s.given.Effort == field.EffortQuick && best.settings.Residual.Rounds > 0
	if some.scale() == 1 || s.ended() || !best.scored() || s.given.Infer.Blends != nil || costly {
		return best, nil
	}
	under := len(completion.Patterns)
	if s.quick() {
		under = fewPatterns
	}
	j, err := s.wholeFolds(minHeldOut, under)
	if err != nil {
		return best, err
	}
	j.inflated = false
	const name = "factors of variances at all points"
	found, err := measured(s, name, best, func() (mixture, error) { return j.factors(s.ctx, best.settings) })
	list := found.Blends
	if list == nil {
		return best, err
	}
	mixed := best.settings
	mixed.Infer.Blends = list
	j.scored.put(mixed.String(), found.Cases)
	return s.try(j, incumbent{settings: best.settings}, searchStage{name: name, sure: validation.SureErrors, candidates: []option{
		{"as some points say", func(*training.Settings) {}},
		{factorsText(list), func(c *training.Settings) { *c = mixed }},
	}})
}

// factors returns the blends of a configuration (without blends one for each pattern) with the inflation that the cases of each pattern ask for, and the scores of the cases.
func (j *Folds) factors(ctx context.Context, cfg training.Settings) (found mixture, err error) {
	all, err := j.losses(ctx, cfg)
	if err != nil {
		return found, err
	}
	m, err := j.folds[0].model(ctx, cfg)
	if err != nil {
		return found, err
	}
	gap, share := make([]float64, len(j.Cases)), make([]float64, len(j.Cases))
	for i := range j.Cases {
		missing, err := m.Missing(field.Observed{Values: j.Cases[i].values(m)})
		if err != nil {
			return found, err
		}
		gap[i], share[i] = missing.Gap, missing.Seen
	}
	found = mixture{Blends: slices.Clone(cfg.Infer.Blends), Cases: make([]caseScore, len(j.Cases))}
	known := len(found.Blends) == j.kinds
	if !known {
		found.Blends = make([]field.Blend, j.kinds)
	}
	factors := make([]float64, j.kinds)
	for kind := range found.Blends {
		var chi, gaps, seen, count float64
		for i := range j.Cases {
			if j.Cases[i].kind == kind {
				chi, gaps, seen, count = chi+all[i].Chi, gaps+gap[i], seen+share[i], count+1
			}
		}
		b := &found.Blends[kind]
		if !known {
			*b = field.Blend{Gap: gaps / max(1, count), Seen: seen / max(1, count), Parts: 1, Inflation: 1}
		}
		factors[kind] = shrunkToOne(chi/max(1, count), count)
		b.Inflation *= factors[kind]
	}
	dimensions := data.Joined(m.Grid()).Cols
	for i := range j.Cases {
		f := factors[predict.NearestBlend(found.Blends, gap[i], share[i], dimensions)]
		found.Cases[i] = caseScore{all[i].Loss + 0.5*(math.Log(f)+all[i].Chi*(1/f-1)), all[i].Chi / f, all[i].Square}
	}
	return found, nil
}

// shrunkToOne shrinks a factor of variances to 1, found on so many examples, with the weight WholeExamples. A factor below 1 is averaged as its inverse, so that
// a factor and its inverse shrink alike.
func shrunkToOne(factor, examples float64) float64 {
	if factor < 1 {
		return 1 / shrunkToOne(1/max(factor, minFactor), examples)
	}
	return (examples*factor + WholeExamples) / (examples + WholeExamples)
}

// minFactor is the least inflation, up or down, that is worth a change.
const minFactor = 1e-6

// sharesText says how large the shares of similar examples are.
func sharesText(list []field.Blend) string {
	text := "shares"
	for _, b := range list {
		text += fmt.Sprintf(" %.0f %%", 100*b.Share)
	}
	return text
}

// factorsText says by what variances are multiplied.
func factorsText(list []field.Blend) string {
	text := "factors"
	for _, b := range list {
		text += fmt.Sprintf(" %.2g", b.Inflation)
	}
	return text
}
