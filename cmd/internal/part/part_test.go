package part

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// The slices of all parts are all examples, each once, in order, of lengths that differ by one at most.
func TestSlice(t *testing.T) {
	for _, n := range []int{0, 1, 7, 965, math.MaxInt32 - 4} {
		for _, count := range []int{1, 2, 7, 100} {
			at := 0
			for i := range count {
				from, to := (Part{i + 1, count}).Slice(n)
				if from != at || to-from < n/count || to-from > n/count+1 {
					t.Errorf("part %d of %d of %d examples is %d to %d, after %d", i+1, count, n, from, to, at)
				}
				at = to
			}
			if at != n {
				t.Errorf("%d parts have %d of %d examples", count, at, n)
			}
		}
	}
	if from, to := (Part{}).Slice(5); from != 0 || to != 5 {
		t.Errorf("no part has %d to %d of 5", from, to)
	}
}

// What is no part is refused, and what is one is read as it is written.
func TestParse(t *testing.T) {
	for _, s := range []string{"1/1", "3/100", "1000000/1000000"} {
		if p, err := Parse(s); err != nil || p.String() != s {
			t.Errorf("%s: %v, %v", s, p, err)
		}
	}
	for _, s := range []string{"", "3", "0/3", "4/3", "-1/3", "1/1000001", "01/3", "1/3/3", " 1/3", "auto"} {
		if _, err := Parse(s); err == nil {
			t.Errorf("%q is a part", s)
		}
	}
}

// Number and count are found as each scheduler's documentation says; what does not fit together is refused, and so is an environment without a scheduler.
func TestAuto(t *testing.T) {
	for _, s := range schedulers {
		for _, name := range []string{s.index, s.min, s.max, s.step, s.count} {
			if name != "" {
				t.Setenv(name, "")
			}
		}
	}
	for _, c := range []struct {
		environment string
		count       int
		want        string // a part, or words of the error
	}{
		{"", 0, "no scheduler"},
		{"", 4, "no scheduler"},
		{"SLURM_ARRAY_TASK_ID=14 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=20 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=6", 0, "3/6"},
		{"SLURM_ARRAY_TASK_ID=20 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=20 SLURM_ARRAY_TASK_STEP=2", 6, "6/6"},
		{"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=2", 0, "Slurm runs 2 of 5 tasks"},
		{"SLURM_ARRAY_TASK_ID=15 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=20 SLURM_ARRAY_TASK_STEP=2", 0, "none of 6 parts of Slurm"},
		{"SLURM_ARRAY_TASK_ID=x SLURM_ARRAY_TASK_MAX=20", 0, "whole number"},
		{"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=3", 5, "-parts 5, and Slurm has 4 tasks"},
		{"SGE_TASK_ID=undefined SGE_TASK_FIRST=undefined SGE_TASK_LAST=undefined", 0, "no scheduler"},
		{"SGE_TASK_ID=7 SGE_TASK_FIRST=1 SGE_TASK_LAST=10 SGE_TASK_STEPSIZE=3", 0, "3/4"},
		{"PBS_ARRAY_INDEX=3", 4, "3/4"},
		{"PBS_ARRAY_INDEX=3", 0, "PBS does not say"},
		{"PBS_ARRAYID=5", 4, "none of 4 parts of Torque"},
		{"AWS_BATCH_JOB_ARRAY_INDEX=0 AWS_BATCH_JOB_ARRAY_SIZE=9", 0, "1/9"},
		{"JOB_COMPLETION_INDEX=99", 100, "100/100"},
		{"JOB_COMPLETION_INDEX=0", 0, "Kubernetes does not say"},
		{"JOB_COMPLETION_INDEX=0 PBS_ARRAY_INDEX=1", 3, "PBS and Kubernetes"},
	} {
		for v := range strings.FieldsSeq(c.environment) {
			name, value, _ := strings.Cut(v, "=")
			os.Setenv(name, value)
		}
		p, err := Auto(c.count)
		if got := fmt.Sprint(p, err); err == nil && p.String() != c.want || err != nil && !strings.Contains(got, c.want) {
			t.Errorf("%s, %d parts: %v, expected %s", c.environment, c.count, got, c.want)
		}
		for v := range strings.FieldsSeq(c.environment) {
			name, _, _ := strings.Cut(v, "=")
			os.Setenv(name, "")
		}
	}
}
