package main

import (
	"context"

	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// halved are the frames of a film with half the pixels each way: means of two by two pixels, and
// of those that there are at the end of an odd side.
type halved struct {
	film          sgplvm.Source
	width, height int // of its frames
}

// size returns the width and the height of a frame.
func (h halved) size() (width, height int) { return (h.width + 1) / 2, (h.height + 1) / 2 }

func (h halved) Dims() (frames, points, channels int) {
	frames, _, channels = h.film.Dims()
	width, height := h.size()
	return frames, width * height, channels
}

func (h halved) ReadExamples(dst []float64, from, to int) error {
	_, points, channels := h.Dims()
	width, _ := h.size()
	frame := make([]float64, h.width*h.height*channels)
	for i := from; i < to; i++ {
		if err := h.film.ReadExamples(frame, i, i+1); err != nil {
			return err
		}
		small := dst[(i-from)*points*channels : (i-from+1)*points*channels]
		clear(small)
		for row := range h.height {
			rows := min(2, h.height-row/2*2)
			for column := range h.width {
				per := 1 / float64(rows*min(2, h.width-column/2*2))
				at, whole := (row/2*width+column/2)*channels, (row*h.width+column)*channels
				for c, v := range frame[whole : whole+channels] {
					small[at+c] += per * v
				}
			}
		}
	}
	return nil
}

// shrunk returns a film halved, as often as it takes for it to have at most mostShrunk numbers, in
// memory, with the layout of its frames.
func shrunk(ctx context.Context, film sgplvm.Source, layout dataset.Layout) (sgplvm.Source, dataset.Layout, error) {
	for more := true; more; {
		h := halved{film, layout.Width, layout.Height}
		layout.Width, layout.Height = h.size()
		film = h
		n, points, channels := film.Dims()
		more = n*points*channels > mostShrunk && points > 1
	}
	small, err := held(ctx, film)
	return small, layout, err
}
