package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// An Animation gathers pictures of one size, in 8 bits a sample, for the GIF file at Path.
type Animation struct {
	Path   string
	layout dataset.Layout
	frames [][]uint8 // rgb or grey levels
	keep   [][]bool  // pixels of each frame whose colours stay, nil: none

	Approximated bool // by Save: there are too many colours
}

// Add adds a picture of one or three channels. Values from low to high become levels from 0
// to 255, rounded and clamped. Where seen has values (nil: nowhere, NaN: not there) their pixels' colours stay, if they are no more than 255 in
// all. NaN, other numbers of channels and another size than that of the pictures before are errors: [*dataset.Error].
func (a *Animation) Add(p Picture, seen []float64, low, high float64) error {
	p.check()
	if !(high > low) {
		panic(fmt.Sprintf("picture: Animation: values from %v to %v", low, high))
	}
	frame := len(a.frames)
	place := fmt.Sprintf("frame %d", frame)
	if p.Channels != 1 && p.Channels != 3 {
		return &dataset.Error{Path: a.Path, Place: place, Found: quote.Counted(p.Channels, "channel"), Want: "1 (grey) or 3 (red, green, blue)"}
	}
	if frame == 0 {
		a.layout = p.Layout
	}
	if p.Layout != a.layout {
		of := func(l dataset.Layout) string {
			return dataset.FormatGrid(l.Width, l.Height) + " pixels and " + quote.Counted(l.Channels, "channel")
		}
		return &dataset.Error{Path: a.Path, Place: place, Found: of(p.Layout), Want: of(a.layout) + " as in frame 0"}
	}
	levels := make([]uint8, len(p.Values))
	for i, v := range p.Values {
		if math.IsNaN(v) {
			return &dataset.Error{Path: a.Path, Place: place + ", " + p.place(i), Found: "NaN", Want: "a number"}
		}
		levels[i] = uint8(level(v, low, high, 255))
	}
	var keep []bool
	for i := 0; i < len(seen); i += p.Channels {
		keep = append(keep, !slices.ContainsFunc(seen[i:i+p.Channels], math.IsNaN))
	}
	a.frames, a.keep = append(a.frames, levels), append(a.keep, keep)
	return nil
}

// MaxAnimation is the largest number of values in an animation that package dataset reads: frames ×
// pixels × channels.
const MaxAnimation = 1 << 30

// MostRate is the highest frame rate of a GIF, in frames a second. Viewers play faster ones
// more slowly.
const MostRate = 50

// Save writes the pictures as an endless animation, of which number i is shown from times[i] to times[i+1] in seconds, as
// [files.WriteAtomic] does; times are rounded to hundredths of a second, and the errors do not add up.
// Grey pictures keep their levels, and coloured ones of no more than 256 colours in all keep
// their colours. Others get a palette of 256 colours for all frames, by Lloyd's
// iterations, with errors diffused after Floyd and Steinberg (1976). The same pictures give the same bytes. Errors: [*dataset.Error]. It panics
// unless there is a picture, and a time for the beginning of each and the end of the last.
func (a *Animation) Save(times []float64) error {
	if len(a.frames) == 0 || len(times) != len(a.frames)+1 {
		panic(fmt.Sprintf("picture: Animation: %d frames, %d times", len(a.frames), len(times)))
	}
	q := a.quantizer()
	a.Approximated = q.nearest != nil
	palette := make(color.Palette, len(q.colours))
	for i, c := range q.colours {
		palette[i] = color.RGBA{c[0], c[1], c[2], 255}
	}
	film := &gif.GIF{Config: image.Config{ColorModel: palette, Width: a.layout.Width, Height: a.layout.Height}}
	for i, levels := range a.frames {
		p := image.NewPaletted(image.Rect(0, 0, a.layout.Width, a.layout.Height), palette)
		q.draw(p.Pix, levels, a.keep[i], a.layout.Width)
		film.Image = append(film.Image, p)
		film.Delay = append(film.Delay, int(math.Round(100*times[i+1])-math.Round(100*times[i])))
	}
	return files.WriteAtomic(a.Path, func(w io.Writer) error { return gif.EncodeAll(w, film) })
}
