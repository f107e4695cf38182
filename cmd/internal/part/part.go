package part

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"strconv"
	"strings"
)

// A Part is one of Count parts of the work, by its number from 1. The zero value is no part: all the work.
type Part struct{ Index, Count int }

// Most is how many parts there may be.
const Most = 1_000_000

// Parse reads 3/100. Errors: text that is none.
func Parse(s string) (p Part, err error) {
	i, n, _ := strings.Cut(s, "/")
	p.Index, _ = strconv.Atoi(i)
	p.Count, _ = strconv.Atoi(n)
	if !p.valid() || p.String() != s {
		return Part{}, fmt.Errorf("expected auto, or a number from 1 and a count of at most %d, as 3/100", Most)
	}
	return p, nil
}

func (p Part) valid() bool { return 1 <= p.Index && p.Index <= p.Count && p.Count <= Most }

func (p Part) String() string { return fmt.Sprintf("%d/%d", p.Index, p.Count) }

// Slice returns which of n examples are of the part: from ≤ i < to. The slices of all parts follow each other, and their lengths differ by one at most;
// of no part it is all.
func (p Part) Slice(n int) (from, to int) {
	if p.Count == 0 {
		return 0, n
	}
	cut := func(k int) int {
		high, low := bits.Mul64(uint64(n), uint64(k))
		q, _ := bits.Div64(high, low, uint64(p.Count))
		return int(q)
	}
	return cut(p.Index - 1), cut(p.Index)
}

// schedulers are the variables in which schedulers tell a task its number, with the first, the last and the step between neighbours, or how many there are. first
// is the number of the first task where no variable has it.
var schedulers = []struct {
	name, index, min, max, step, count string
	first                              int
}{
	{"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP", "SLURM_ARRAY_TASK_COUNT", 1},
	{"Grid Engine", "SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE", "", 1},
	{"PBS", "PBS_ARRAY_INDEX", "", "", "", "", 1},
	{"Torque", "PBS_ARRAYID", "", "", "", "", 1},
	{"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "", "", "", "AWS_BATCH_JOB_ARRAY_SIZE", 0},
	{"Kubernetes", "JOB_COMPLETION_INDEX", "", "", "", "", 0},
}

// Auto finds the part in the environment of a scheduler's task; count is how many parts there are, 0 where the scheduler tells. Errors: no scheduler, two of them, or
// numbers that do not fit together.
func Auto(count int) (Part, error) {
	var found []string
	var p Part
	for _, s := range schedulers {
		if v := os.Getenv(s.index); v == "" || v == "undefined" { // the word of Grid Engine
			continue
		}
		found = append(found, s.name)
		var bad error
		number := func(name string, otherwise int) int {
			text := os.Getenv(name)
			if name == "" || text == "" {
				return otherwise
			}
			n, err := strconv.Atoi(text)
			if err != nil || n < 0 || n > 1<<31-1 {
				bad = fmt.Errorf("%s=%q, expected a whole number", name, text)
			}
			return n
		}
		first, step := number(s.min, s.first), max(1, number(s.step, 1))
		index, n := number(s.index, 0)-first, number(s.count, 0)
		if last := number(s.max, -1); last >= 0 {
			if all := (last-first)/step + 1; n > 0 && n != all {
				return p, fmt.Errorf("%s runs %d of %d tasks: say which part this is, as 3/100", s.name, n, all)
			} else {
				n = all
			}
		}
		switch {
		case bad != nil:
			return p, bad
		case n == 0 && count == 0:
			return p, fmt.Errorf("%s does not say how many parts there are: -parts does", s.name)
		case n > 0 && count > 0 && n != count:
			return p, fmt.Errorf("-parts %d, and %s has %d tasks", count, s.name, n)
		}
		p = Part{index/step + 1, max(n, count)}
		if index%step != 0 || !p.valid() {
			return Part{}, fmt.Errorf("%s=%s is none of %d parts of %s", s.index, os.Getenv(s.index), p.Count, s.name)
		}
	}
	switch len(found) {
	case 0:
		return p, errors.New("no scheduler in the environment (Slurm, PBS, Grid Engine, AWS Batch, Kubernetes): say which part this is, as 3/100")
	case 1:
		return p, nil
	}
	return Part{}, fmt.Errorf("%s in the environment: say which part this is, as 3/100", strings.Join(found, " and "))
}
