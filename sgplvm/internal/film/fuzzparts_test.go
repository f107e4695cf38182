package film_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/chroma"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/mixture"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// FuzzParts reads any bytes as each part of a film: what is refused is so in one line, and leaves the part what it was; what
// is taken is written and read again alike, and can be used.
func FuzzParts(f *testing.F) {
	for part, text := range []string{
		`{"width":4,"height":2,"sequences":[{"label":0,"examples":[1,0],"times":[0,1]}]}`,
		"{\"Width\":4,\"Height\":2,\"Channels\":1,\"Frames\":2,\"Least\":0,\"Step\":1}\n0a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p",
		`{"Width":4,"Height":2,"Energy":[0.5],"Laplacian":[0.5],"Ratio":[0.7],"A":-1,"Gamma":0.5,"Sharpening":[0.1,0.2,0.1,0]}`,
		`{"Scale":[2],"Unit":1,"Inside":[0.25,0.25,0.25,0.25],"Laws":[[1,1,1,1]],"Outside":{"Weights":[0.5,0,0.5,0],"Factor":2},"Gap":1}`,
		`{"Across":{"Shared":true,"Odd":true,"Near":0.2,"Far":-0.03,"Missed":0.02},"Down":{"Shared":false,"Odd":false,"Near":0,"Far":0}}`,
		`{"Channels":[{"Least":0,"Most":255},{"Least":3,"Most":9}]}`,
	} {
		f.Add(byte(part), []byte(text))
	}
	f.Fuzz(func(t *testing.T, which byte, content []byte) {
		if len(content) > 1<<13 {
			return
		}
		parts := func() []frame.Part {
			return []frame.Part{new(motion.Motion), new(motion.Frames), new(mixture.Detail), new(mixture.Mixture), new(chroma.Chroma), new(frame.Limits)}
		}
		k := int(which) % len(parts())
		p, empty, again := parts()[k], parts()[k], parts()[k]
		before, _ := empty.Encode()
		if err := p.Decode(content); err != nil {
			if text := err.Error(); !strings.HasPrefix(text, "film: attached ") || len(text) > 400 || strings.ContainsAny(text, "\n\r") {
				t.Errorf("error %q", text)
			}
			if after, _ := p.Encode(); !bytes.Equal(before, after) {
				t.Errorf("what was refused made %q of %q", after, before)
			}
			return
		}
		first, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Decode(first); err != nil {
			t.Fatalf("%q, written as %q: %v", content, first, err)
		}
		if second, err := again.Encode(); err != nil || !bytes.Equal(first, second) {
			t.Errorf("%q is written as %q, and then as %q, error %v", content, first, second, err)
		}
		use(t, p)
	})
}

// use asks a part for all that it says, of pictures of a few pixels.
func use(t *testing.T, p frame.Part) {
	picture := func(width, height, channels int) frame.Frame {
		f := frame.New(width, height, channels)
		for i := range f.Mean.Data {
			f.Mean.Data[i], f.Variance.Data[i] = math.Sin(float64(i)), 1
		}
		return f
	}
	finite := func(f frame.Frame) {
		t.Helper()
		for i, v := range f.Variance.Data {
			if m := f.Mean.Data[i]; m-m != 0 || !(v >= 0) {
				t.Fatalf("number %d of a frame is %v with variance %v", i, m, v)
			}
		}
	}
	switch p := p.(type) {
	case *motion.Motion:
		_ = p.String()
		p.LeftOut(0).Neighbours()
	case *motion.Frames:
		if n, points, channels := p.Dims(); n > 0 {
			values := make([]float64, points*channels)
			if err := p.ReadExamples(values, n-1, n); err != nil {
				t.Error(err)
			}
			p.Variances()
		}
	case *mixture.Detail:
		for channels := 1; channels < 4; channels++ {
			if w, h := 8, 6; p.Check(frame.Shape{Width: 4, Height: 3, Channels: channels}) == nil {
				f := picture(w, h, channels)
				p.AddTo(f)
				finite(f)
				p.Sharpened(picture(4, 3, channels), w)
			}
		}
	case *mixture.Mixture:
		_ = p.String()
	case *chroma.Chroma:
		_ = p.String()
		for channels := 1; channels < 4; channels++ {
			if p.Check(frame.Shape{Channels: channels}) == nil {
				f := picture(3, 5, channels)
				p.Repeat(f, 2, 2)
				p.AddVariance(f, 2, 2)
				finite(f)
			}
		}
	case *frame.Limits:
		for channels := 1; channels < 4; channels++ {
			if p.Check(frame.Shape{Channels: channels}) == nil {
				f := picture(3, 5, channels)
				p.Bound(f)
				p.Clip(f)
				finite(f)
			}
		}
	}
}
