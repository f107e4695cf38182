package mixture

import "github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"

// edges are how values go on across the outermost pixels of training on each side, left, right, top and bottom: cameras and codecs leave dark or light lines there, which stay where contents
// move. In finer pixels a value half a pixel of training further out than the middle of the outermost one is larger by twice a side's number times what that pixel
// has more than the next one inwards; in the middle nothing changes, so that means over outermost pixels stay.
type edges [4]float64

// eachEdge calls body for every value of a picture of a size that lies in the outermost pixels of another one, of its means, with the side, its place, and what the side's number is multiplied by.
func eachEdge(fine frame.Size, coarse frame.Image[float64], body func(side, place int, x float64)) {
	n, across, down := coarse.Channels, float64(coarse.Width)/float64(fine.Width), float64(coarse.Height)/float64(fine.Height)
	at := func(side, pixel, outermost, next int, outwards float64) {
		for c := range n {
			body(side, pixel*n+c, 4*outwards*(coarse.Data[outermost*n+c]-coarse.Data[next*n+c]))
		}
	}
	for y := range fine.Height {
		row := min(int(down*(float64(y)+0.5)), coarse.Height-1) * coarse.Width
		for x := 0; across*(float64(x)+0.5) < 1; x++ {
			outwards, last := 0.5-across*(float64(x)+0.5), row+coarse.Width-1
			at(0, y*fine.Width+x, row, row+1, outwards)
			at(1, (y+1)*fine.Width-1-x, last, last-1, outwards)
		}
	}
	for x := range fine.Width {
		column, w := min(int(across*(float64(x)+0.5)), coarse.Width-1), coarse.Width
		for y := 0; down*(float64(y)+0.5) < 1; y++ {
			outwards, last := 0.5-down*(float64(y)+0.5), (coarse.Height-1)*w+column
			at(2, y*fine.Width+x, column, column+w, outwards)
			at(3, (fine.Height-1-y)*fine.Width+x, last, last-w, outwards)
		}
	}
}

// An edgeLaw learns edges from frames that are halved and enlarged again.
type edgeLaw struct {
	products, squares [len(edges{})]float64 // of what was missed and of what a side's number multiplies, in units of the channels' energies
}

// add takes in a frame in pixels of training, given the filter of halved ones and the energies of the channels.
func (l *edgeLaw) add(truth frame.Image[float64], filter Sharpening, energy []float64) {
	enlarged := frame.NewImage[float64](truth.Width, truth.Height, truth.Channels)
	frame.Resize(frame.FrameOf(enlarged), frame.FrameOf(sharpened(HalfOf(truth), filter, 1)))
	eachEdge(enlarged.Size(), HalfOf(enlarged), func(side, place int, x float64) {
		if s := energy[place%truth.Channels]; s > 0 {
			l.products[side] += x * (truth.Data[place] - enlarged.Data[place]) / s
			l.squares[side] += x * x / s
		}
	})
}

// edges returns what was learned, by linear regression.
func (l *edgeLaw) edges() (e edges) {
	for side, s := range l.squares {
		if s > 0 {
			e[side] = max(l.products[side]/s, 0)
		}
	}
	return e
}
