package dataset_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Inputs are found by their names, also beside an index without one; decimal commas are numbers; two columns of one name are refused.
func TestInputTables(t *testing.T) {
	for _, c := range []struct {
		text, want string
		like       []string
		numbers    []float64 // of the first row
	}{
		{text: ",freq,amp\n0,2,1.5\n1,3,2.5\n", like: []string{"column 1", "amp", "freq"}, numbers: []float64{0, 1.5, 2}},
		{text: "a;b\n1,5;2\n-2,25;3\n", numbers: []float64{1.5, 2}},
		{text: "a,b\n1.5,2\n2,3\n", numbers: []float64{1.5, 2}},
		{text: "a,a\n1,2\n2,3\n", want: `two columns "a"`},
	} {
		path := filepath.Join(t.TempDir(), "in.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		var like []sgplvm.EmulatorInput
		for _, name := range c.like {
			like = append(like, sgplvm.EmulatorInput{Name: name})
		}
		in, err := dataset.LoadInputs(path, like)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: %v, expected %s", c.text, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		for q, want := range c.numbers {
			if got := in.Columns[q]; len(got.Numbers) != 2 || got.Numbers[0] != want {
				t.Errorf("%q: column %d is %+v, expected %v first", c.text, q, got, want)
			}
		}
	}
}
