package selection

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/compare"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// blendOf returns the best blend of some trials.
func blendOf(ctx context.Context, trials []blendTrial, rounds int, o field.InferOptions) (field.Blend, error) {
	s, err := newBlendSearch(ctx, trials, rounds, o)
	if err != nil {
		return field.Blend{}, err
	}
	b, _, err := s.search(ctx)
	return b, err
}

// A blend is found by some of the cases, at even steps, and is better by all than the one from which the search starts.
func TestBlendIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("fills in many examples")
	}
	ctx := t.Context()
	s := newSearch(t, correlated(160, 6, 5), training.Settings{Effort: field.EffortNormal, LatentDims: 2, Training: steps(6)})
	j, err := s.thinnedFolds(1)
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.given.Or(s.learnedNoise())
	models, err := j.models(ctx, cfg, 0, len(j.folds))
	if err != nil {
		t.Fatal(err)
	}
	moved := false
	for kind := range j.kinds {
		trial := blendTrial{model: models[0]}
		for i := range j.Cases {
			if j.Cases[i].kind == kind {
				trial.cases = append(trial.cases, &j.Cases[i])
			}
		}
		all := blendSearch{trials: []blendTrial{trial}, rounds: 1, direct: true, count: len(trial.cases)}
		all.with, all.latent = make([]field.Prediction, all.count), make([]field.Latent, all.count)
		for k := range all.latent {
			all.latent[k].Start = k
		}
		some := all.thinned()
		if some.count != casesToWalk || all.count != 2*casesToWalk {
			t.Fatalf("%d of %d cases", some.count, all.count)
		}
		for k, c := range some.trials[0].cases {
			if c != trial.cases[2*k] || some.latent[k].Start != 2*k {
				t.Errorf("case %d is another than %d", k, 2*k)
			}
		}
		start, err := blendOf(ctx, all.trials, 0, field.InferOptions{}.Or(cfg.Infer))
		if err != nil {
			t.Fatal(err)
		}
		if start.Parts != 4 || start.Reach != 6 {
			t.Errorf("pattern %d: found without a walk: %+v, expected four parts and a reach of 6", kind, start)
		}
		found, err := blendOf(ctx, all.trials, 1, field.InferOptions{}.Or(cfg.Infer))
		if err != nil {
			t.Fatal(err)
		}
		moved = moved || found.Neighbours != start.Neighbours || found.Shrinkage != start.Shrinkage || found.Taper != start.Taper
		if err := all.infer(ctx); err != nil {
			t.Fatal(err)
		}
		scores := []float64{}
		for _, b := range []field.Blend{start, found} {
			if all.with, err = all.fill(ctx, field.Blend{Parts: 1, Inflation: 1}); err != nil {
				t.Fatal(err)
			}
			_, score, err := all.share(ctx, b)
			if err != nil {
				t.Fatal(err)
			}
			scores = append(scores, score)
			drawn := func(share float64) float64 { // what the share of b minimises
				whole := b
				whole.Share, whole.Inflation = 1, 1
				direct, err := all.fill(ctx, whole)
				if err != nil {
					t.Fatal(err)
				}
				score, _ := all.score(direct, share)
				return score + 0.5*(share-0.5)*(share-0.5)/float64(all.count)
			}
			if least := drawn(b.Share); math.Abs(least-score) > 1e-9 || drawn(max(0, b.Share-0.1)) < least-1e-9 || drawn(min(1, b.Share+0.1)) < least-1e-9 {
				t.Errorf("pattern %d: a share of %v has the score %v, expected %v, less %v, more %v", kind, b.Share, score, least, drawn(b.Share-0.1), drawn(b.Share+0.1))
			}
		}
		if !(scores[1] <= scores[0]) {
			t.Errorf("pattern %d: found %+v of score %v, from %+v of score %v", kind, found, scores[1], start, scores[0])
		}
	}
	if !moved {
		t.Error("the search stays where it starts")
	}
}

// Where little is to be done for many examples, all patterns have the looser shrinkage if it is better for them together, and none if not.
func TestLooseShrinkage(t *testing.T) {
	ctx, loose := t.Context(), map[bool]int{}
	for seed := range 8 {
		s := newSearch(t, correlated(24, 6, 5+seed), training.Settings{Effort: field.EffortQuick, LatentDims: 2, Training: steps(6)})
		j, err := s.thinnedFolds(1)
		if err != nil {
			t.Fatal(err)
		}
		cfg := s.given.Or(s.learnedNoise())
		tight, err := j.blends(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		want := tight.Blends
		models, err := j.models(ctx, cfg, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		gain, looser := 0.0, slices.Clone(want)
		for kind := range looser {
			if b := want[kind]; b.Shrinkage != 0.5 {
				t.Errorf("of few examples: %+v", b)
			}
			search, err := newBlendSearch(ctx, j.trials(models, kind), 0, field.InferOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, before, err := search.search(ctx)
			if err != nil {
				t.Fatal(err)
			}
			looser[kind].Shrinkage = 0.1
			var after float64
			if looser[kind], after, err = search.share(ctx, looser[kind]); err != nil {
				t.Fatal(err)
			}
			gain += (before - after) * float64(search.count) / float64(len(j.Cases))
		}
		if gain > 0.002 {
			want = looser
		}
		loose[gain > 0.002]++
		j.many = true
		got, err := j.blends(ctx, cfg)
		if err != nil || !slices.Equal(got.Blends, want) {
			t.Errorf("seed %d: error %v, %+v, expected %+v", seed, err, got.Blends, want)
		}
	}
	if len(loose) < 2 {
		t.Errorf("chosen %v: always the same", loose)
	}
}

// Where little is to be tried a mixture is validated by the predictions that it was found with, which are those that each pattern's blend makes of its cases;
// otherwise it is validated afresh.
func TestMixtureValidatedOnce(t *testing.T) {
	ctx := t.Context()
	for _, many := range []bool{false, true} {
		s := newSearch(t, correlated(24, 6, 5), training.Settings{Effort: field.EffortQuick, LatentDims: 2, Training: steps(6)})
		j, err := s.thinnedFolds(1)
		if err != nil {
			t.Fatal(err)
		}
		j.many = many
		cfg := s.given.Or(s.learnedNoise())
		found, err := j.blends(ctx, cfg)
		if err != nil || len(found.Blends) != len(completion.Patterns) {
			t.Fatalf("%d blends, error %v", len(found.Blends), err)
		}
		j.inflated = false
		for kind, b := range found.Blends {
			cfg.Infer.Blends = []field.Blend{b}
			want, err := j.losses(ctx, cfg)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range j.Cases {
				for name, pair := range map[string][2]float64{"loss": {found.Cases[i].Loss, want[i].Loss}, "chi": {found.Cases[i].Chi, want[i].Chi}, "square": {found.Cases[i].Square, want[i].Square}} {
					if c.kind == kind && !(math.Abs(pair[0]-pair[1]) < 1e-9*(1+math.Abs(pair[1]))) {
						t.Errorf("many %v, case %d: %s %v, expected %v", many, i, name, pair[0], pair[1])
					}
				}
			}
		}
		j.rounds, cfg.Infer.Blends = 1, nil
		if found, err = j.blends(ctx, cfg); err != nil || found.Cases != nil {
			t.Errorf("of a walk: %+v, error %v", found.Cases, err)
		}
	}
}

// What a quick search mixes is validated once: nothing is filled in again.
func TestQuickFillsInNoMixture(t *testing.T) {
	s := newSearch(t, correlated(24, 6, 5), training.Settings{Effort: field.EffortQuick, LatentDims: 2, Training: steps(6)})
	j, err := s.thinnedFolds(1)
	if err != nil {
		t.Fatal(err)
	}
	best := incumbent{settings: s.given.Or(s.learnedNoise())}
	if best.Scores, err = j.validate(t.Context(), best.settings, func(validation.Scores) bool { return false }); err != nil {
		t.Fatal(err)
	}
	found, err := j.blends(t.Context(), best.settings)
	if err != nil {
		t.Fatal(err)
	}
	mixed := best.settings
	mixed.Infer.Blends = found.Blends
	if _, err = s.blended(j, best); err != nil {
		t.Fatal(err)
	}
	got, known := j.scored.get(mixed.String())
	if !known || !slices.Equal(got, found.Cases) {
		t.Errorf("scored by %v, expected %v", got, found.Cases)
	}
}

// A quick search fills in fewer of few examples.
func TestQuickHoldsOutFewOfFew(t *testing.T) {
	for n, want := range map[int]int{60: 8, 199: 8, 200: 12} {
		s := newSearch(t, correlated(n, 6, 5), training.Settings{Effort: field.EffortQuick, LatentDims: 2, Training: steps(6)})
		j, err := s.thinnedFolds(1)
		if err != nil {
			t.Fatal(err)
		}
		if got := j.examples(); got != want || j.many != (n >= 200) {
			t.Errorf("%d examples: %d held out, many %v, expected %d", n, got, j.many, want)
		}
	}
}

// A factor that few examples tell is drawn to 1, and its inverse as much.
func TestDrawnToOne(t *testing.T) {
	for _, c := range []struct{ factor, examples, want float64 }{{1, 7, 1}, {4, 6, 2.8}, {0.25, 6, 1 / 2.8}, {3, 0, 1}, {0, 6, 10 / (6/minFactor + 4)}} {
		if got := shrunkToOne(c.factor, c.examples); math.Abs(got-c.want) > 1e-12*c.want {
			t.Errorf("%v of %v examples: %v, expected %v", c.factor, c.examples, got, c.want)
		}
	}
}

// At all points, few examples tell by what factors variances are to be multiplied, for each pattern. Blends keep the rest of what they are.
func TestFactorsAtAllPoints(t *testing.T) {
	ctx := context.Background()
	s := newSearch(t, waves(24), training.Settings{Effort: field.EffortNormal, LatentDims: 2, Training: steps(12)})
	j, err := s.wholeFolds(minHeldOut, len(completion.Patterns))
	if err != nil {
		t.Fatal(err)
	}
	if j.scale() != 1 || len(j.folds) != 1 || j.folds[0].data.Grid.Len() != 20 || j.examples() != 6 || len(j.Cases) != 6*len(completion.Patterns) {
		t.Fatalf("%d folds of %d points, %d cases of %d examples", len(j.folds), j.folds[0].data.Grid.Len(), len(j.Cases), j.examples())
	}
	j.inflated = false
	cfg := s.given.Or(s.whiteNoise())
	for range 2 {
		found, err := j.factors(ctx, cfg)
		list := found.Blends
		if err != nil || len(list) != len(completion.Patterns) {
			t.Fatalf("%d blends, error %v", len(list), err)
		}
		all, err := j.losses(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		for kind, b := range list {
			want := field.Blend{Parts: 1, Inflation: 1}
			if len(cfg.Infer.Blends) > 0 {
				want = cfg.Infer.Blends[kind]
			} else if want.Gap, want.Seen = b.Gap, b.Seen; !(b.Gap > 0 && b.Seen > 0) {
				t.Errorf("pattern %d: a gap of %v", kind, b.Gap)
			}
			var chi, count float64
			for i, c := range all {
				if j.Cases[i].kind == kind {
					chi += c.Chi
					count++
				}
			}
			if want.Inflation *= shrunkToOne(chi/count, count); math.Abs(b.Inflation-want.Inflation) > 1e-12*want.Inflation {
				t.Errorf("pattern %d: a factor of %v, expected %v", kind, b.Inflation, want.Inflation)
			}
			if want.Inflation = b.Inflation; b != want {
				t.Errorf("pattern %d: %+v, expected %+v", kind, b, want)
			}
		}
		cfg.Infer.Blends = list
		again, err := j.losses(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range found.Cases {
			compare.Near(t, "scores with factors", []float64{c.Loss, c.Chi, c.Square}, []float64{again[i].Loss, again[i].Chi, again[i].Square}, 1e-9)
		}
	}
}

// A search that has seen all points or has its blends given asks for no more factors, nor does a quick one whose models take long to learn.
func TestAtAllPointsIsAsked(t *testing.T) {
	for name, cfg := range map[string]training.Settings{
		"all points":  {Effort: field.EffortNormal},
		"quick":       {Effort: field.EffortQuick},
		"blend given": {Effort: field.EffortNormal, Infer: field.InferOptions{Blends: []field.Blend{}}},
	} {
		s := newSearch(t, waves(24), cfg)
		j, err := s.thinnedFolds(1)
		if err != nil {
			t.Fatal(err)
		}
		if name != "all points" {
			j.folds[0].scale = 0.5
		}
		best := incumbent{Scores: validation.Scores{Losses: []float64{1}, Errors: []float64{1}}}
		best.settings.Residual.Rounds = 1
		if got, err := s.rescaleAtAllPoints(j, best); err != nil || len(s.Stages) > 0 || len(got.settings.Infer.Blends) > 0 {
			t.Errorf("%s: %v asked, error %v", name, s.Stages, err)
		}
	}
	for _, effort := range []field.Effort{field.EffortNormal, field.EffortQuick} {
		s := newSearch(t, waves(24), training.Settings{Effort: effort, LatentDims: 2, Training: steps(12)})
		j, err := s.thinnedFolds(1)
		if err != nil {
			t.Fatal(err)
		}
		j.folds[0].scale = 0.5
		best := incumbent{s.given.Or(s.whiteNoise()), validation.Scores{Losses: []float64{1}, Errors: []float64{1}}}
		if _, err := s.rescaleAtAllPoints(j, best); err != nil || len(s.Stages) != 1 || len(s.Stages[0].Candidates) != 2 {
			t.Errorf("%s: %+v asked, error %v", effort, s.Stages, err)
		}
	}
}
