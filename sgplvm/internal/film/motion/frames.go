package motion

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// Frames are the training frames themselves, of which predictions are made beside the model's. They are kept with 16 bits a value: exactly if they are whole numbers
// over a range below 2¹⁶, as those of pictures, else to 2⁻¹⁷ of their range.
type Frames struct {
	Head
	content []byte // as Encode returns it
	values  []byte // the end of it: (y − Least)/Step of each value, frame by frame, the lower byte first
	Cache   *Cache // of flows and splines
}

// Head is what comes first where Frames are written, as a line of JSON text.
type Head struct {
	Width, Height, Channels, Frames int // no frames where they are not needed
	Least, Step                     float64
}

// Keep keeps frames of width×height pixels. Errors: *field.ConfigError, *field.ReadError, *field.ValueError, ctx.Err().
func Keep(ctx context.Context, src field.Source, width, height int) (*Frames, error) {
	n, points, channels := src.Dims()
	if width < 1 || width > frame.MaxSide || height < 1 || height > frame.MaxSide || width*height != points || n < 1 || channels < 1 {
		return nil, &field.ConfigError{Field: "frames", Err: fmt.Errorf("%d frames of %d channels, %d×%d pixels for %d points, expected one frame of one channel at least, and 1 to %d pixels each way", n, channels, width, height, points, frame.MaxSide)}
	}
	head := Head{Width: width, Height: height, Channels: channels, Step: 1, Frames: n}
	least, most, whole := math.Inf(1), math.Inf(-1), true
	var bad *field.ValueError
	if err := frame.Each(ctx, src, func(i int, frame []float64) {
		for k, v := range frame {
			if v-v != 0 && bad == nil {
				bad = &field.ValueError{Example: i, Point: k / channels, Channel: k % channels, Value: v, Want: "a finite number"}
			}
			least, most = min(least, v), max(most, v)
			whole = whole && v == math.Trunc(v)
		}
	}); err != nil {
		return nil, err
	}
	if bad != nil {
		return nil, bad
	}
	head.Least = least
	if most > least && !(whole && most-least <= math.MaxUint16) {
		head.Step = most/math.MaxUint16 - least/math.MaxUint16
	}
	f, err := newFrames(head)
	if err != nil {
		return nil, err
	}
	err = frame.Each(ctx, src, func(i int, frame []float64) {
		to := f.frame(i)
		for k, v := range frame {
			binary.LittleEndian.PutUint16(to[2*k:], uint16(math.RoundToEven(min((v-least)/head.Step, math.MaxUint16))))
		}
	})
	return f, err
}

// newFrames returns frames without values yet.
func newFrames(head Head) (*Frames, error) {
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	f := &Frames{Head: head, content: make([]byte, len(text)+1+2*head.Frames*head.size()), Cache: new(Cache)}
	copy(f.content, append(text, '\n'))
	f.values = f.content[len(text)+1:]
	return f, nil
}

// Variances returns the variance of each channel over all frames.
func (f *Frames) Variances() []float64 {
	sums, squares := make([]float64, f.Channels), make([]float64, f.Channels)
	for i := range f.Frames {
		for k, v := range f.Picture(i).Data {
			sums[k%f.Channels] += float64(v)
			squares[k%f.Channels] += float64(v) * float64(v)
		}
	}
	n := float64(f.Frames * f.Width * f.Height)
	for c, s := range sums {
		sums[c] = frame.Square(f.Step) * max(squares[c]/n-frame.Square(s/n), 0)
	}
	return sums
}

// size returns how many values a frame has.
func (h Head) size() int { return h.Width * h.Height * h.Channels }

// frame returns the values of frame i.
func (f *Frames) frame(i int) []byte {
	n := 2 * f.size()
	return f.values[i*n : (i+1)*n]
}

// Dims and ReadExamples are those of field.Source: the frames in the units that they were given in.
func (f *Frames) Dims() (examples, points, channels int) {
	return f.Frames, f.Width * f.Height, f.Channels
}

// ReadExamples is documented with Dims.
func (f *Frames) ReadExamples(dst []float64, from, to int) error {
	f.decode(dst, f.values[2*f.size()*from:2*f.size()*to])
	return nil
}

// decode sets dst to values in the units that they were given in.
func (f *Frames) decode(dst []float64, values []byte) {
	for k := range dst {
		dst[k] = f.Least + f.Step*float64(binary.LittleEndian.Uint16(values[2*k:]))
	}
}

// Picture returns a frame, less a constant and over the step.
func (f *Frames) Picture(i int) frame.Image[float32] {
	p := frame.NewImage[float32](f.Width, f.Height, f.Channels)
	values := f.frame(i)
	for k := range p.Data {
		p.Data[k] = float32(binary.LittleEndian.Uint16(values[2*k:]))
	}
	return p
}

// Values returns a frame, in the units that it was given in.
func (f *Frames) Values(i int) frame.Image[float64] {
	m := frame.NewImage[float64](f.Width, f.Height, f.Channels)
	f.decode(m.Data, f.frame(i))
	return m
}

// FlowsBetween returns the flows from a frame to a later one and back, which are estimated once.
func (f *Frames) FlowsBetween(a, b int) PairFlow {
	return f.Cache.Flows(a, b, func() PairFlow { return FlowsBetween(f.Picture(a), f.Picture(b)) })
}

// Check is that of Part.
func (f *Frames) Check(s frame.Shape) error {
	if f.Width != s.Width || f.Height != s.Height || f.Channels != s.Channels || f.Frames != 0 && f.Frames != len(s.At) {
		return frame.BadPart("originals", "%d frames of %d×%d pixels and %d channels, expected %d of %d×%d and %d", f.Frames, f.Width, f.Height, f.Channels, len(s.At), s.Width, s.Height, s.Channels)
	}
	return nil
}

// Encode returns a line of JSON text, and then two bytes for each value, the lower one first, frame by
// frame: what f itself holds.
func (f *Frames) Encode() ([]byte, error) { return f.content, nil }

// Decode is that of Part. It keeps content.
func (f *Frames) Decode(content []byte) error {
	head, values, _ := bytes.Cut(content, []byte{'\n'})
	var t Head
	if err := json.Unmarshal(head, &t); err != nil {
		return frame.BadPart("originals", "%v", err)
	}
	if err := frame.CheckNumbers("originals", "size of frames", 1, frame.MaxSide, float64(t.Width), float64(t.Height), float64(t.Channels)); err != nil {
		return err
	}
	if size := t.size(); len(values)%(2*size) != 0 || len(values)/(2*size) != t.Frames {
		return frame.BadPart("originals", "%d bytes for %d frames, expected two for each of %d×%d pixels and %d channels", len(values), t.Frames, t.Width, t.Height, t.Channels)
	}
	if t.Least-t.Least != 0 || !(t.Step > 0) || math.IsInf(t.Step*math.MaxUint16, 0) {
		return frame.BadPart("originals", "least value %v and unit %v, expected a finite number and a positive one", t.Least, t.Step)
	}
	*f = Frames{t, content, values, new(Cache)}
	return nil
}
