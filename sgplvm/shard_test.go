package sgplvm

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/update"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// partsOf returns the files of all parts of examples.
func partsOf(t *testing.T, m *Model, d Data, count int) (files [][]byte) {
	t.Helper()
	for i := range count {
		var b bytes.Buffer
		if err := m.Shard(t.Context(), sourceOf(d), ShardPart{Index: i + 1, Count: count}, "drawn", &b, nil); err != nil {
			t.Fatal(err)
		}
		files = append(files, b.Bytes())
	}
	return files
}

// reduced opens files, the last first, and reduces them.
func reduced(t *testing.T, m *Model, files [][]byte) (*Model, RoundReport, error) {
	t.Helper()
	var all []*Shard
	for _, file := range files {
		s, err := OpenShard(bytes.NewReader(file))
		if err != nil {
			return nil, RoundReport{}, err
		}
		all = append([]*Shard{s}, all...)
	}
	return m.Reduce(t.Context(), all)
}

// Any number of parts, in any order, gives the same bits; rounds raise the bound, and predictions of other examples become better.
func TestRounds(t *testing.T) {
	all, test := spots(130, 7, 2), spots(40, 7, 3)
	for name := range updating() {
		t.Run(name, func(t *testing.T) {
			m := spotModel(t, name)
			one, r, err := reduced(t, m, partsOf(t, m, all, 1))
			if err != nil {
				t.Fatal(err)
			}
			for _, count := range []int{3, 300} {
				if other, _, err := reduced(t, m, partsOf(t, m, all, count)); err != nil || !bytes.Equal(saved(t, one), saved(t, other)) {
					t.Errorf("%d parts: other bits, %v", count, err)
				}
			}
			if r.Examples != 130 || r.Rounds != 1 || r.Rise != 0 {
				t.Errorf("%+v", r)
			}
			before, first := filledError(t, m, test), filledError(t, one, test)
			next := loaded(t, saved(t, one))
			for round := 2; round < 4; round++ {
				if next, r, err = reduced(t, next, partsOf(t, next, all, 2)); err != nil {
					t.Fatal(err)
				}
				t.Logf("%+v", r)
				if !(r.Rise > 0) || r.Rounds != round {
					t.Errorf("round %d: %+v", round, r)
				}
				next = loaded(t, saved(t, next))
			}
			last := filledError(t, next, test)
			t.Logf("error %.4g, %.4g, %.4g", before, first, last)
			if !(first < before && last < before) {
				t.Errorf("error %.4g at first, then %.4g and %.4g", before, first, last)
			}
		})
	}
}

// Parts that are damaged, missing, there twice, or of something else are refused by name.
func TestPartsRefused(t *testing.T) {
	d := spots(20, 5, 1)
	cfg := updating()["white noise"]
	cfg.Inducing, cfg.Training = 8, steps(5)
	m := modelOf(t, firstOf(fit(t, d, cfg)))
	files, four := partsOf(t, m, d, 3), partsOf(t, m, d, 4)
	other, _, err := m.Update(t.Context(), sourceOf(spots(3, 5, 2)), 1)
	if err != nil {
		t.Fatal(err)
	}
	more := partsOf(t, m, spots(21, 5, 1), 3)
	damaged := bytes.Clone(files[1])
	damaged[len(damaged)-100] ^= 1
	for _, c := range []struct {
		m     *Model
		files [][]byte
		want  string
	}{
		{m, nil, "no part"},
		{m, [][]byte{files[0], files[2]}, "part 2 of 3 is missing"},
		{m, [][]byte{files[0], files[1], files[2], files[1]}, "part 2 of 3 is there twice"},
		{m, [][]byte{files[0], four[1], files[2]}, "of 3 is"},
		{m, [][]byte{files[0], more[1], files[2]}, "is of 21 examples"},
		{other, files, "another model"},
		{m, [][]byte{files[0], damaged, files[2]}, "checksum"},
		{m, [][]byte{files[0][:len(files[0])-9]}, "damaged"},
		{m, [][]byte{nil}, "begins with"},
		{m, [][]byte{saved(t, m)}, "begins with"},
	} {
		_, _, err := reduced(t, c.m, c.files)
		if part := (*PartError)(nil); !errors.As(err, &part) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, expected something about %q", err, c.want)
		}
	}
	if _, _, err := reduced(t, m, files); err != nil {
		t.Error(err)
	}
}

// A model that keeps residuals keeps those of all examples of the parts, or of so many as may be, spread evenly; none of which values were filled in.
func TestKeptExamples(t *testing.T) {
	defer func(bytes int) { update.KeptBytes = bytes }(update.KeptBytes)
	all, absent := spots(130, 7, 2), 20
	all.Y.Data[absent*49+3] = math.NaN()
	m := spotModel(t, "learned covariance")
	for _, most := range []int{1000, 65, 5} {
		update.KeptBytes = most * 49 * 8
		next, _, err := reduced(t, m, partsOf(t, m, all, 3))
		if err != nil {
			t.Fatal(err)
		}
		most = min(130, max(30, most))
		kept, scaler, at := next.posterior.Kept(), next.posterior.Scaler(), 0
		for i := range kept.Rows {
			for ; at < 130; at++ {
				row := all.Y.Data[at*49 : (at+1)*49]
				if k := slices.IndexFunc(row, func(v float64) bool { return v == v }); math.Abs(scaler.Mean[0]+scaler.Scale[0]*kept.At(i, k)-row[k]) < 1e-12 {
					break
				}
			}
			first, _ := work.Block(i, most, 130)
			if _, last := work.Block(min(i+1, most-1), most, 130); at == absent || at < first || at >= last { // one stretch may have none
				t.Errorf("at most %d: row %d is example %d", most, i, at)
			}
			at++
		}
		if kept.Rows != most && kept.Rows != most-1 || most == 130 && kept.Rows != 129 {
			t.Errorf("%d examples, expected %d but for the one with a hole", kept.Rows, most)
		}
	}
}
