package data

import (
	"context"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// halved are pictures with half the pixels each way: means of two by two pixels, and of those that
// there are at the end of an odd side.
type halved struct {
	pictures      field.Source
	width, height int // of the pictures
}

// size returns the width and the height of a halved picture.
func (h halved) size() (width, height int) { return (h.width + 1) / 2, (h.height + 1) / 2 }

func (h halved) Dims() (pictures, points, channels int) {
	pictures, _, channels = h.pictures.Dims()
	width, height := h.size()
	return pictures, width * height, channels
}

func (h halved) ReadExamples(dst []float64, from, to int) error {
	_, points, channels := h.Dims()
	width, _ := h.size()
	picture := make([]float64, h.width*h.height*channels)
	for i := from; i < to; i++ {
		if err := h.pictures.ReadExamples(picture, i, i+1); err != nil {
			return err
		}
		small := dst[(i-from)*points*channels : (i-from+1)*points*channels]
		clear(small)
		for row := range h.height {
			rows := min(2, h.height-row/2*2)
			for column := range h.width {
				per := 1 / float64(rows*min(2, h.width-column/2*2))
				to, from := (row/2*width+column/2)*channels, (row*h.width+column)*channels
				for c, v := range picture[from : from+channels] {
					small[to+c] += per * v
				}
			}
		}
	}
	return nil
}

// Downsample halves the sides of pictures, once and then as often as it takes for all to have at
// most so many numbers or one pixel each. It returns them in memory, with their size.
func Downsample(ctx context.Context, pictures field.Source, width, height, most int) (small field.Source, smallWidth, smallHeight int, err error) {
	for more := true; more; {
		h := halved{pictures, width, height}
		width, height = h.size()
		pictures = h
		n, points, channels := pictures.Dims()
		more = n*points*channels > most && points > 1
	}
	small, err = InMemory(ctx, pictures)
	return small, width, height, err
}
