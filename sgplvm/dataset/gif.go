package dataset

import (
	"bufio"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"math"
	"os"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// MostFilm is the largest number of values in an animation: frames × pixels × channels. The
// length of a file sets no bound, since a few bytes may stand for a whole picture.
const MostFilm = 1 << 30

// isGIF tells whether a regular file begins as a GIF does.
func isGIF(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var start [4]byte
	_, err = io.ReadFull(file, start[:])
	return err == nil && string(start[:]) == "GIF8"
}

// readGIF reads the pictures of an animation as a viewer shows them, n×h×w or n×h×w×3, and
// their times in seconds.
func readGIF(path string) (*npy.Array, []float64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, &Error{Path: path, Err: err}
	}
	defer file.Close()
	a, times, bad := decodeGIF(file)
	if bad != nil {
		bad.Path = path
		return nil, nil, bad
	}
	return a, times, nil
}

func decodeGIF(r io.ReadSeeker) (*npy.Array, []float64, *Error) {
	config, err := gif.DecodeConfig(bufio.NewReader(r))
	if err != nil {
		return nil, nil, &Error{Err: err, Want: "a whole GIF"}
	}
	size := Layout{Width: config.Width, Height: config.Height, Channels: 1}
	if bad := size.check(); bad != nil {
		return nil, nil, &Error{Found: bad.found, Want: bad.want}
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, nil, &Error{Err: err}
	}
	film, err := gif.DecodeAll(bufio.NewReader(r))
	if err != nil {
		return nil, nil, &Error{Err: err, Want: "a whole GIF"}
	}
	shape := []int{len(film.Image), size.Height, size.Width}
	if coloured(film.Image) {
		size.Channels = 3
		shape = append(shape, 3)
	}
	if n := int64(size.size()); n > MostFilm/int64(len(film.Image)) {
		return nil, nil, &Error{Found: fmt.Sprintf("%d frames of %d values", len(film.Image), n), Want: fmt.Sprintf("at most %d values in all", MostFilm)}
	}
	data := make([]uint8, len(film.Image)*size.size())
	if bad := compose(data, film, size); bad != nil {
		return nil, nil, bad
	}
	return npy.New(data, shape...), gifTimes(film.Delay), nil
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
// of each picture, of the given size, to dst.
func compose(dst []uint8, film *gif.GIF, size Layout) *Error {
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
				return &Error{Place: fmt.Sprintf("frame %d, row %d, column %d", i, k/size.Width, k%size.Width), Found: "a transparent pixel",
					Want: "opaque pictures"}
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
	return nil
}

// An Animation gathers pictures of one size, in 8 bits a sample, for a GIF file.
type Animation struct {
	path   string
	layout Layout
	frames [][]uint8 // rgb or grey levels
}

// NewAnimation returns an animation without pictures for the file at path.
func NewAnimation(path string) *Animation { return &Animation{path: path} }

// Add adds a picture of one or three channels. Values from low to high become levels from 0
// to 255, rounded and clamped. NaN, other numbers of channels and another size than that of the
// pictures before are errors: [*Error].
func (a *Animation) Add(p Picture, low, high float64) error {
	p.check()
	if !(high > low) {
		panic(fmt.Sprintf("dataset: Animation: values from %v to %v", low, high))
	}
	frame := len(a.frames)
	fail := func(place, found, want string) error {
		return &Error{Path: a.path, Place: place, Found: found, Want: want}
	}
	place := fmt.Sprintf("frame %d", frame)
	if p.Channels != 1 && p.Channels != 3 {
		return fail(place, counted(p.Channels, "channel"), "1 (grey) or 3 (red, green, blue)")
	}
	if frame == 0 {
		a.layout = p.Layout
	}
	if p.Layout != a.layout {
		of := func(l Layout) string {
			return FormatGrid(l.Width, l.Height) + " pixels and " + counted(l.Channels, "channel")
		}
		return fail(place, of(p.Layout), of(a.layout)+" as in frame 0")
	}
	levels := make([]uint8, len(p.Values))
	for i, v := range p.Values {
		if math.IsNaN(v) {
			return fail((&Form{Layout: p.Layout}).place(frame, i), "NaN", "a number")
		}
		levels[i] = uint8(level(v, low, high, 255))
	}
	a.frames = append(a.frames, levels)
	return nil
}

// MostRate is the highest frame rate of a GIF, in frames a second. Viewers play faster ones
// more slowly.
const MostRate = 50

// Save writes the pictures as an endless animation of rate frames a second, as
// [WriteFileAtomic] does; times are rounded to hundredths of a second, and the errors do not add up.
// Grey pictures keep their levels, and coloured ones of no more than 256 colours in all keep
// their colours. Others get a palette of 256 colours for all frames, by variance cut (Wu,
// Graphics Gems II, 1991) and Lloyd's iterations, with errors diffused after Floyd and Steinberg
// (1976). The same pictures give the same bytes. Errors: [*Error]. It panics unless there is a
// picture and 0.01 ≤ rate ≤ MostRate.
func (a *Animation) Save(rate float64) error {
	if len(a.frames) == 0 || !(rate >= 0.01 && rate <= MostRate) {
		panic(fmt.Sprintf("dataset: Animation: %d frames, %v a second", len(a.frames), rate))
	}
	q := a.quantizer()
	palette := make(color.Palette, len(q.colours))
	for i, c := range q.colours {
		palette[i] = color.RGBA{c[0], c[1], c[2], 255}
	}
	film := &gif.GIF{Config: image.Config{ColorModel: palette, Width: a.layout.Width, Height: a.layout.Height}}
	for i, levels := range a.frames {
		p := image.NewPaletted(image.Rect(0, 0, a.layout.Width, a.layout.Height), palette)
		q.draw(p.Pix, levels, a.layout.Width)
		film.Image = append(film.Image, p)
		film.Delay = append(film.Delay, int(math.Round(100*float64(i+1)/rate)-math.Round(100*float64(i)/rate)))
	}
	return WriteFileAtomic(a.path, func(w io.Writer) error { return gif.EncodeAll(w, film) })
}
