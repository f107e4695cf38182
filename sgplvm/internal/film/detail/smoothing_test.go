package detail

import (
	"strings"
	"testing"
)

// A file keeps how frames are averaged, and one without it leaves them as they are.
func TestSmoothingFile(t *testing.T) {
	d := &Detail{Width: 64, Height: 48, Smoothing: Smoothing{0.03, 2}}
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	read := new(Detail)
	if err := read.Decode(text); err != nil || read.Smoothing != d.Smoothing {
		t.Errorf("%s: %+v, %v", text, read.Smoothing, err)
	}
	if err := read.Decode([]byte(`{"Width":64,"Height":48}`)); err != nil || read.Smoothing != (Smoothing{}) {
		t.Errorf("without it: %+v, %v", read.Smoothing, err)
	}
	if text, err = read.Encode(); err != nil || strings.Contains(string(text), "Smoothing") {
		t.Errorf("without it: %s, %v", text, err)
	}
	for _, bad := range []string{`[0.1]`, `[0.1,1,1]`, `[0,1]`, `[-0.1,1]`, `[1.1,1]`, `[0.1,0]`, `[0.1,5]`, `[0.1,1.5]`} {
		if err := read.Decode([]byte(`{"Width":64,"Height":48,"Smoothing":` + bad + `}`)); err == nil || !strings.HasPrefix(err.Error(), "film: attached detail: smoothing") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
