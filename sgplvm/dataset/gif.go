package dataset

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"os"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// maxAnimation is the largest number of values in an animation: frames × pixels × channels. The
// length of a file sets no bound, since a few bytes may stand for a whole picture.
const maxAnimation = 1 << 30

// isGIF tells whether a regular file begins as a GIF does.
func isGIF(path string) bool { return string(begin(path, 4)) == "GIF8" }

// readGIF reads the pictures of an animation as a viewer shows them, n×h×w or n×h×w×3, tells which pixels are holes (nil: none), and returns
// their times in seconds.
func readGIF(path string) (a *npy.Array, holes []bool, times []float64, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, nil, &Error{Path: path, Err: err}
	}
	defer file.Close()
	a, holes, times, bad := decodeGIF(file)
	if bad != nil {
		bad.Path = path
		return nil, nil, nil, bad
	}
	return a, holes, times, nil
}

func decodeGIF(r io.ReadSeeker) (a *npy.Array, holes []bool, times []float64, bad *Error) {
	fail := func(bad *Error) (*npy.Array, []bool, []float64, *Error) { return nil, nil, nil, bad }
	config, err := gif.DecodeConfig(bufio.NewReader(r))
	if err != nil {
		return fail(&Error{Err: err, Want: "a whole GIF"})
	}
	size := Layout{Width: config.Width, Height: config.Height, Channels: 1}
	if bad := size.check(); bad != nil {
		return fail(&Error{Found: bad.found, Want: bad.want})
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return fail(&Error{Err: err})
	}
	film, err := gif.DecodeAll(bufio.NewReader(r))
	if err != nil {
		return fail(&Error{Err: err, Want: "a whole GIF"})
	}
	shape := []int{len(film.Image), size.Height, size.Width}
	if coloured(film.Image) {
		size.Channels = 3
		shape = append(shape, 3)
	}
	if n := int64(size.size()); n > maxAnimation/int64(len(film.Image)) {
		return fail(&Error{Found: fmt.Sprintf("%d frames of %d values", len(film.Image), n), Want: fmt.Sprintf("at most %d values in all", maxAnimation)})
	}
	data := make([]uint8, len(film.Image)*size.size())
	holes = compose(data, film, size)
	return npy.New(data, shape...), holes, gifTimes(film.Delay), nil
}

// gifTimes returns when each frame appears, in seconds. Viewers show a frame with a delay of
// less than 0.02 s for 0.1 s.
func gifTimes(delays []int) []float64 {
	times := make([]float64, len(delays))
	hundredths := 0
	for i, d := range delays {
		times[i] = float64(hundredths) / 100
		if d < 2 {
			d = 10
		}
		hundredths += d
	}
	return times
}

// coloured tells whether any pixel of the frames is not grey.
func coloured(frames []*image.Paletted) bool {
	for _, p := range frames {
		var used [256]bool
		for _, i := range p.Pix {
			used[i] = true
		}
		for i, c := range p.Palette {
			if r, g, b, _ := c.RGBA(); used[i] && (r != g || g != b) {
				return true
			}
		}
	}
	return false
}

// compose draws the frames one over the other as their disposals say and copies the levels
// of each picture, of the given size, to dst. It returns which pixels are transparent; nil: none.
func compose(dst []uint8, film *gif.GIF, size Layout) (holes []bool) {
	points := size.Points()
	canvas, before := make([]color.RGBA, points), []color.RGBA(nil)
	for i, p := range film.Image {
		disposal := byte(gif.DisposalNone)
		if i < len(film.Disposal) {
			disposal = film.Disposal[i]
		}
		if disposal == gif.DisposalPrevious {
			before = append(before[:0], canvas...)
		}
		var palette [256]color.RGBA
		for k, c := range p.Palette {
			palette[k] = color.RGBAModel.Convert(c).(color.RGBA)
		}
		r := p.Rect
		for y := r.Min.Y; y < r.Max.Y; y++ {
			row := canvas[y*size.Width+r.Min.X : y*size.Width+r.Max.X]
			for x, index := range p.Pix[(y-r.Min.Y)*p.Stride:][:len(row)] {
				if c := palette[index]; c.A != 0 {
					row[x] = c
				}
			}
		}
		picture := dst[i*size.size() : (i+1)*size.size()]
		for k, c := range canvas {
			if c.A == 0 {
				if holes == nil {
					holes = make([]bool, len(film.Image)*points)
				}
				holes[i*points+k] = true
			}
			if size.Channels == 1 {
				picture[k] = c.R
			} else {
				picture[3*k], picture[3*k+1], picture[3*k+2] = c.R, c.G, c.B
			}
		}
		switch disposal {
		case gif.DisposalBackground:
			for y := r.Min.Y; y < r.Max.Y; y++ {
				clear(canvas[y*size.Width+r.Min.X : y*size.Width+r.Max.X])
			}
		case gif.DisposalPrevious:
			copy(canvas, before)
		}
	}
	return holes
}
