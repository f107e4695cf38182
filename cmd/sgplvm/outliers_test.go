package main

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// A broken value of a row to be filled in, and of a table to be learned, counts as missing: a note names it, results are those of the
// row without it, and -keep-outliers keeps it.
func TestOutliers(t *testing.T) {
	workFolder(t)
	steps(t, 80)
	training, rows := measured(60, 1), measured(8, 2)
	writeArray(t, "table.npy", npy.New(training, 60, 5))
	mustRun(t, strings.Fields("train -data table.npy -out whole -config steps80.json")...)
	training[7*5+1] = -9999
	writeArray(t, "brokentable.npy", npy.New(training, 60, 5))
	if o := sgplvmRun(strings.Fields("train -data brokentable.npy -out spoilt -config steps80.json")...); o.code != 0 ||
		!strings.HasPrefix(o.stderr, "sgplvm: warning: 1 value lies far outside what the others say and counts as missing: -9999 of example 7, point 0, channel 1 (") {
		t.Errorf("train: %+v", o)
	}
	clean := slices.Clone(rows)
	rows[3*5+2], clean[3*5+2] = 1e6, math.NaN()
	writeArray(t, "broken.npy", npy.New(rows, 8, 5))
	writeArray(t, "gaps.npy", npy.New(clean, 8, 5))
	said := strings.TrimSuffix(mustRun(t, strings.Fields("impute -model whole -data gaps.npy -out want.npy")...), "\n")
	if !regexp.MustCompile(`^values here and there: \d+ missing, filled in by the model; \d+ observed ones that were hidden for a test have an error of .*; (by [a-z ]+ the error is|better: [a-z ]+, with an error of) [0-9.]+$`).MatchString(said) {
		t.Errorf("impute says %q", said)
	}
	want := shaped(t, "want.npy", 8, 5)
	for _, command := range []string{"impute", "fill"} {
		o := sgplvmRun(strings.Fields(command + " -model whole -data broken.npy -out filled.npy")...)
		if o.code != 0 || !strings.HasPrefix(o.stderr, "sgplvm: 1 value lies far outside what the others say and counts as missing: 1e+06 of example 3, point 0, channel 2 (") ||
			!strings.HasSuffix(o.stderr, "; -keep-outliers keeps such values\n") {
			t.Errorf("%s: %+v", command, o)
		}
		if got := shaped(t, "filled.npy", 8, 5); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", command, got, want)
		}
		if !strings.Contains(o.stdout, said) {
			t.Errorf("%s says %q, expected %q in it", command, o.stdout, said)
		}
		if out := mustRun(t, strings.Fields(command+" -model whole -data gaps.npy -out filled.npy -json")...); !strings.Contains(out, `"by": "the model"`) || !strings.Contains(out, `"simplest": "`) {
			t.Errorf("%s -json: %s", command, out)
		}
		mustRun(t, strings.Fields(command+" -model whole -data broken.npy -out filled.npy -keep-outliers")...)
		if got := shaped(t, "filled.npy", 8, 5); got[3*5+2] != 1e6 {
			t.Errorf("%s -keep-outliers: %v", command, got[3*5+2])
		}
	}
}
