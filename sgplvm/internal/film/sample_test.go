package film

import (
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/mixture"
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// What finer pixels of a drawing show has the variance that a prediction adds for them.
func TestDrawnDetail(t *testing.T) {
	const width, height, variance = 40, 30, 25
	finer := new(mixture.Detail)
	if err := finer.Decode([]byte(`{"Width":40,"Height":30,"Energy":[4],"Laplacian":[4],"A":-0.5,"Gamma":0.1}`)); err != nil {
		t.Fatal(err)
	}
	f := &Film{shape: frame.Shape{Width: width, Height: height, Channels: 1}, detail: finer}
	d := &drawing{Model: &Model{Film: f}, width: 2 * width, height: 2 * height, draw: -1}
	expected, drawn := f.room(d.width, d.height, true), f.room(d.width, d.height, true)
	expected.Variance.Fill(variance)
	d.addDetail(drawn, d.finer(expected), 0)
	var square float64
	for _, v := range drawn.Mean.Data {
		square += v * v / float64(len(drawn.Mean.Data))
	}
	finer.AddTo(expected)
	if want := expected.Variance.At(0, 0) - variance; math.Abs(square-want) > 0.1*want {
		t.Errorf("mean square %v, want %v", square, want)
	}
}
