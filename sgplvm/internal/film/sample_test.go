package film

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// What finer pixels of a drawing show has the variance that a prediction adds for them, what its mean lacks included.
func TestDrawnDetail(t *testing.T) {
	const width, height, variance = 40, 30, 25
	finer := new(detail.Detail)
	if err := finer.Decode([]byte(`{"Width":40,"Height":30,"Energy":[4],"A":-0.5,"Gamma":1,"Lost":0.5,"Noise":[2]}`)); err != nil {
		t.Fatal(err)
	}
	f := &Film{shape: frame.Shape{Width: width, Height: height, Channels: 1}, detail: finer}
	d := &drawing{Model: &Model{Film: f}, width: 2 * width, height: 2 * height, draw: -1}
	expected, drawn := f.room(d.width, d.height, true), f.room(d.width, d.height, true)
	expected.Variance.Fill(variance)
	d.addDetail(drawn, d.finer(expected, detail.Unresolved{}), 0, motion.Field{})
	var square float64
	for _, v := range drawn.Mean.Data {
		square += v * v / float64(len(drawn.Mean.Data))
	}
	finer.AddTo(expected, detail.Unresolved{})
	const noise = 3 * 2
	if want := expected.Variance.At(0, 0) - variance - noise; math.Abs(square-want) > 0.1*want {
		t.Errorf("mean square %v, want %v", square, want)
	}
	// Noise is added to what is there, another one to each frame.
	var first, second, both float64
	a, b := f.room(d.width, d.height, true), f.room(d.width, d.height, true)
	d.addNoise(a, 0, 0)
	d.addNoise(b, 0, 1)
	for k, v := range a.Mean.Data {
		w := b.Mean.Data[k]
		first, second, both = first+v*v/float64(len(a.Mean.Data)), second+w*w/float64(len(a.Mean.Data)), both+v*w/float64(len(a.Mean.Data))
	}
	if math.Abs(first-noise) > 0.1*noise || math.Abs(second-noise) > 0.1*noise || math.Abs(both) > 0.1*noise {
		t.Errorf("noise of variances %v and %v and covariance %v between frames, want %v", first, second, both, noise)
	}
}
