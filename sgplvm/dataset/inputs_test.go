package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Inputs are read as tables of text are: by separators, decimal signs, rows of units, forms of dates, marks and encodings of their own. Columns are found by the names of an
// emulator, or in their order with a note where one side has no names; a column that only counts the runs is left out with a note, and a word among numbers refused by its line.
func TestInputTables(t *testing.T) {
	for _, c := range []struct {
		text, columns string
		like          []string
		want          string // columns: name, values; or an error
		note          string
	}{
		{text: ",freq,amp\n0,2,1.5\n1,3,2.5\n", like: []string{"column 1", "amp", "freq"}, want: "column 1 [0 1]; amp [1.5 2.5]; freq [2 3]"},
		{text: ",freq,amp\n0,2,1.5\n1,3,2.5\n", want: "freq [2 3]; amp [1.5 2.5]", note: "column 1 counts the runs and is no input"},
		{text: "run,a\n1,5\n2,7\n3,8\n", want: "a [5 7 8]", note: `column "run" counts the runs`},
		{text: "run,a\n1,5\n2,7\n3,8\n", columns: "run,a", want: "run [1 2 3]; a [5 7 8]"},
		{text: "run,a\n1,5\n2,7\n3,8\n", like: []string{"a"}, want: "a [5 7 8]"},
		{text: "run,a\n1,5\n3,7\n4,8\n", want: "run [1 3 4]; a [5 7 8]"},
		{text: "a;b\n1,5;2\n-2,25;3\n", want: "a [1.5 -2.25]; b [2 3]"},
		{text: "\uFEFFa\tb\n# remark\n1.5\t2\n2\t3\n", want: "a [1.5 2]; b [2 3]"},
		{text: "a,b\nm,s\n1.5,2\n2,NA\n", want: "a [1.5 2]; b [2 NaN]"},
		{text: "day;kind\n31.01.1970;steel\n02.02.1970;wood\n", want: "day [30 32]; kind [steel wood]"},
		{text: "kind\nsteel\nwood\nsteel\n", want: "kind [steel wood steel]"},
		{text: "kind,day\nwood,1970-01-03\n", like: []string{"day", "kind"}, want: "day [2]; kind [wood]"},
		{text: "a,empty\n1,\n2,\n", want: "a [1 2]", note: `column "empty" has no value`},
		{text: "1,5\n2,7\n", like: []string{"x", "y"}, want: "x [1 2]; y [5 7]", note: "columns are taken in their order"},
		{text: "p,q\n1.5,5\n2,7\n", like: []string{"", ""}, want: " [1.5 2];  [5 7]", note: "columns are taken in their order"},
		{text: "a,a\n1,2\n2,3\n", want: `two columns "a"`},
		{text: "a,b\n1,2\n2,three\n3,4\n4,5\n", want: `line 3, column "b": found "three", expected a number`},
		{text: "a,b\n1,2\n2,3\n", like: []string{"a", "c"}, want: `no column "c"`},
		{text: "a,b\n1,2\n2,3\n", columns: "a,z", want: `no column "z"`},
	} {
		path := filepath.Join(t.TempDir(), "in.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		var like []sgplvm.EmulatorInput
		for _, name := range c.like {
			like = append(like, sgplvm.EmulatorInput{Name: name})
		}
		in, err := dataset.LoadInputs(path, c.columns, like)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: %v, expected %s", c.text, err, c.want)
			}
			continue
		}
		var got []string
		for _, q := range in.Columns {
			if q.Labels != nil {
				got = append(got, fmt.Sprint(q.Name, " ", q.Labels))
			} else {
				got = append(got, fmt.Sprint(q.Name, " ", q.Numbers))
			}
		}
		if all := strings.Join(got, "; "); all != c.want {
			t.Errorf("%q: %s, expected %s", c.text, all, c.want)
		}
		if notes := strings.Join(in.Notes, "; "); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
			t.Errorf("%q: notes %q, expected %s", c.text, notes, c.note)
		}
	}
}
