package reference

import (
	"encoding/json"
	"testing"
)

// Views are models over one q(X); testdata/views.py says what its keys are.
type Views struct {
	Views []*Case
	Bound float64
	Mu, S Rows // derivatives
}

// TwoViews reads testdata/views/two.json.
func TwoViews(t testing.TB) (v Views) {
	t.Helper()
	text, err := files.ReadFile("testdata/views/two.json")
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}
