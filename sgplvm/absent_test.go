package sgplvm

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
)

// instantsOfRuns are steps of sequences: an example where a letter is o, a missing one where it is x.
func instantsOfRuns(sequences ...string) (at, missing []Instant) {
	for s, text := range sequences {
		for k, letter := range text {
			if i := (Instant{Sequence: s, Time: float64(k)}); letter == 'o' {
				at = append(at, i)
			} else {
				missing = append(missing, i)
			}
		}
	}
	return at, missing
}

// Examples are held out in runs as long as those that are missing, at the beginning or the end of a sequence where these are, and elsewhere between others. None is in
// two folds, and the same random numbers hold out the same.
func TestLikeAbsent(t *testing.T) {
	for name, c := range map[string]struct {
		sequences []string
		runs      []string // that may be held out, as they lie: o is held out, . another example, | an end of a sequence
		held      int      // in the first fold
	}{
		"between":       {[]string{strings.Repeat("o", 12) + "x" + strings.Repeat("o", 15) + "xxx" + strings.Repeat("o", 14)}, []string{".o.", ".ooo."}, 4},
		"at the end":    {[]string{strings.Repeat("o", 30) + "xxxx"}, []string{".oooo|"}, 4},
		"at both":       {[]string{"xx" + strings.Repeat("o", 40) + "x"}, []string{"|oo.", ".o|"}, 3},
		"two sequences": {[]string{strings.Repeat("o", 9) + "xx" + strings.Repeat("o", 9), strings.Repeat("o", 20)}, []string{".oo."}, 2},
		"at most":       {[]string{strings.Repeat("ox", 6) + strings.Repeat("o", 12)}, nil, 3},
		"cut short":     {[]string{strings.Repeat(strings.Repeat("o", 18)+"xxxxx", 3) + strings.Repeat("o", 18)}, []string{".ooooo.", ".oo."}, 12},
		"many":          {[]string{strings.Repeat("oox", 1500)}, nil, completion.MaxWhole},
	} {
		at, missing := instantsOfRuns(c.sequences...)
		mixed := rand.New(rand.NewPCG(1, 74)).Perm(len(at)) // examples are in no order
		inOrder := slices.Clone(at)
		for i, k := range mixed {
			at[i] = inOrder[k]
		}
		for seed := range uint64(10) {
			folds := completion.HoldOutRuns(rand.New(rand.NewPCG(seed, 75)), at, missing, 2)
			again := completion.HoldOutRuns(rand.New(rand.NewPCG(seed, 75)), at, missing, 2)
			if !slices.EqualFunc(folds, again, slices.Equal) {
				t.Errorf("%s, seed %d: %v, once more %v", name, seed, folds, again)
			}
			held := make([]bool, len(at))
			for f, out := range folds {
				if len(out) != c.held && f == 0 || len(out) > max(1, min(len(at)/completion.WholeShare, completion.MaxWhole)) || !slices.IsSorted(out) {
					t.Errorf("%s, seed %d: %d of %d examples held out, expected %d: %v", name, seed, len(out), len(at), c.held, out)
				}
				for _, i := range out {
					if held[i] {
						t.Errorf("%s, seed %d: example %d is held out twice", name, seed, i)
					}
					held[i] = true
				}
			}
			if c.runs == nil {
				continue
			}
			for _, got := range runsHeld(inOrder, mixed, folds, missing) {
				if !slices.Contains(c.runs, got) {
					t.Errorf("%s, seed %d: a run %s, expected one of %v", name, seed, got, c.runs)
				}
			}
		}
	}
	at, _ := instantsOfRuns("ooo")
	if folds := completion.HoldOutRuns(rand.New(rand.NewPCG(1, 1)), at, nil, 3); len(folds) > 0 {
		t.Errorf("where none is missing %v are held out", folds)
	}
}

// runsHeld returns the runs that are held out as they lie, missing examples left out at the ends of sequences and marked x elsewhere.
func runsHeld(inOrder []Instant, mixed []int, folds [][]int, missing []Instant) (runs []string) {
	for _, out := range folds {
		text, last := "|", 0
		for k, a := range inOrder {
			if a.Sequence != last {
				text, last = text+"||", a.Sequence
			}
			if slices.Contains(missing, Instant{Sequence: a.Sequence, Time: a.Time - 1}) && text[len(text)-1] != '|' {
				text += "x"
			}
			if slices.Contains(out, slices.Index(mixed, k)) {
				text += "o"
			} else {
				text += "."
			}
		}
		text += "|"
		for from := 1; from < len(text)-1; from++ {
			if text[from] != 'o' {
				continue
			}
			to := from
			for text[to] == 'o' {
				to++
			}
			runs = append(runs, text[from-1:to+1])
			from = to
		}
	}
	return runs
}
