package motion

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
)

// A text gives the same motion back.
func TestJSON(t *testing.T) {
	times := drawn.Times(7, 0.04)
	film := drawn.Film(drawn.Times(7, 1), drawn.Width, drawn.Height, 1, drawn.Bending)
	for _, m := range []*Motion{mustFit(t, film, times, 1, nil, quick()), mustFit(t, make([]float64, len(film)), times, 1, nil, quick())} {
		text, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		var back Motion
		if err := back.Decode(text); err != nil {
			t.Fatal(err)
		}
		again, err := back.Encode()
		if err != nil || !bytes.Equal(text, again) {
			t.Errorf("another text, error %v", err)
		}
		if d := cmp.Diff(m, &back, cmp.AllowUnexported(Motion{}, Lattice{}, Sequence{}), cmpopts.EquateNaNs()); d != "" {
			t.Errorf("read back (-want +got):\n%s", d)
		}
	}
}

// Whatever is wrong in a text is refused by name.
func TestTextRefused(t *testing.T) {
	const good = `{"format":1,"width":4,"height":2,"across":2,"down":2,"process":{"kernel":"matern32","lengthScale":2,"noise":0.01},` +
		`"covariance":[1,1,1,1,0,0,0,0,1,1,1,1],"sequences":[{"label":0,"frames":[1,0],"times":[0,1],"displacements":[[0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0.1]]}],` +
		`"chosen":{"across":2,"down":2,"strength":1,"error":0.5},"trials":null}`
	if err := new(Motion).Decode([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{`"format":1`, `"format":2`, "format: 2, expected 1"},
		{`"width":4`, `"width":0`, "width, height: 0×2 pixels"},
		{`"width":4`, `"width":1000000`, "1000000×2 pixels"},
		{`"height":2`, `"height":-2`, "4×-2 pixels"},
		{`"width":4`, `"width":1e99`, "number 1e99"},
		{`"across":2`, `"across":1`, "across, down: 1×2 nodes"},
		{`"down":2,"process"`, `"down":1000000000,"process"`, "2×1000000000 nodes"},
		{`"across":2,"down":2,"process"`, `"across":0,"down":0,"process"`, "2 frames, 2 times and 2 displacements"},
		{`matern32`, `rbf`, `unknown kernel "rbf"`},
		{`"lengthScale":2`, `"lengthScale":0`, "length scale 0"},
		{`"noise":0.01`, `"noise":0`, "noise 0"},
		{`{"kernel":"matern32","lengthScale":2,"noise":0.01}`, `null`, "process: missing"},
		{`[1,1,1,1,0`, `[1,1,1,0`, "11 numbers, expected 12"},
		{`[1,1,1,1,0`, `[1,1,-1,1,0`, "of node 2 is no covariance"},
		{`[1,1,1,1,0`, `[1,1e300,1,1,0`, "of node 1 is no covariance"},
		{`[1,1,1,1,0`, `[1,1,1,1,1.1`, "of node 0 is no covariance"},
		{`"frames":[1,0]`, `"frames":[1,1]`, "frame 1, expected each of 2 once"},
		{`"frames":[1,0]`, `"frames":[2,0]`, "frame 2, expected each of 2 once"},
		{`"frames":[1,0]`, `"frames":[-1,0]`, "frame -1, expected each of 2 once"},
		{`"frames":[1,0]`, `"frames":[0]`, "1 frames, 2 times and 2 displacements"},
		{`"times":[0,1]`, `"times":[1,0]`, "the times do not increase"},
		{`"label":0`, `"label":3000000000`, "3000000000"},
		{`0,0,0.1]`, `0,0.1]`, "frame 1 has 7 displacements, expected 8"},
		{`0,0,0.1]`, `0,0,0.9]`, "frame 1 is displaced by more than 4 widths or stretched by 0.7 or more"},
		{`0,0,0.1]`, `0,0,1e200]`, "frame 1 is displaced by more than 4 widths"},
		{`[{"label":0`, `[],"x":[{"label":0`, "sequences: no frames"},
		{good, `{`, "syntax"},
	} {
		text := strings.Replace(good, c[0], c[1], 1)
		m := Motion{Width: 77}
		err := m.Decode([]byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), "film: attached motion: ") || !strings.Contains(err.Error(), c[2]) || m.Width != 77 {
			t.Errorf("%s for %s: error %v, expected %q", c[1], c[0], err, c[2])
		}
	}
}
