package picture

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Picture is a picture to be drawn: the values of its pixels, the rows one after
// the other, the channels of a pixel side by side. Three channels are red, green
// and blue; of any other number the first one is drawn in grey. A pixel with a
// NaN in a channel that is drawn is missing.
type Picture struct {
	dataset.Layout
	Values []float64 // Points()·Channels numbers
	Own    Levels    // black and white on a sheet, where they are not the sheet's
}

// Of returns a frame for drawing.
func Of(f *dataset.Frames, frame int) Picture {
	return Picture{Layout: f.Layout, Values: f.Values(frame)}
}

// check panics if the picture does not hold as many values as its layout says.
func (p Picture) check() {
	if p.Width < 0 || p.Height < 0 || p.Channels < 1 || len(p.Values) != p.Points()*p.Channels {
		panic(fmt.Sprintf("picture: a picture of %d values for %s pixels and %d channels", len(p.Values), dataset.FormatGrid(p.Width, p.Height), p.Channels))
	}
}

// place names a value by its index.
func (p Picture) place(i int) string {
	point := i / p.Channels
	return fmt.Sprintf("row %d, column %d, channel %d", point/p.Width, point%p.Width, i%p.Channels)
}

// level maps low…high to 0…top, rounded and clamped. NaN is 0.
func level(v, low, high, top float64) uint16 {
	t := math.Round((v - low) / (high - low) * top)
	if !(t > 0) {
		return 0
	}
	return uint16(min(t, top))
}
