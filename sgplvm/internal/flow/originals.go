package flow

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Originals are the training frames themselves, from which a prediction gets back what it lost
// on its way through reference coordinates (Motion.Restore). They are kept with 16 bits a value: exactly if
// they are whole numbers over less than 2¹⁶, as those of pictures, else to 2⁻¹⁷ of their range.
type Originals struct {
	width, height, channels int
	least, step             float64
	values                  [][]uint16 // of each frame: (y − least)/step
}

// Originals keeps the frames that Fit was given; none without motion. Errors: *data.ReadError,
// ctx.Err(). It panics if the sizes do not fit.
func (m *Motion) Originals(ctx context.Context, src data.Source) (*Originals, error) {
	n, points, channels := src.Dims()
	if n != m.frames || points != m.width*m.height {
		panic(fmt.Sprintf("motion: Originals: %d frames of %d points for the motion of %d frames of %d×%d pixels", n, points, m.frames, m.width, m.height))
	}
	o := &Originals{width: m.width, height: m.height, channels: channels, step: 1}
	if m.Still() {
		return o, nil
	}
	frame := make([]float64, points*channels)
	read := func(visit func(i int)) error {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := src.ReadExamples(frame, i, i+1); err != nil {
				return &data.ReadError{From: i, To: i + 1, Err: err}
			}
			visit(i)
		}
		return nil
	}
	least, most, whole := math.Inf(1), math.Inf(-1), true
	if err := read(func(int) {
		for _, v := range frame {
			least, most = min(least, v), max(most, v)
			whole = whole && v == math.Trunc(v)
		}
	}); err != nil {
		return nil, err
	}
	o.least = least
	if most > least && !(whole && most-least <= math.MaxUint16) {
		o.step = most/math.MaxUint16 - least/math.MaxUint16
	}
	o.values = make([][]uint16, n)
	err := read(func(i int) {
		o.values[i] = make([]uint16, len(frame))
		for k, v := range frame {
			o.values[i][k] = uint16(math.RoundToEven(min((v-least)/o.step, math.MaxUint16)))
		}
	})
	return o, err
}

// picture returns a frame, less a constant and over the step.
func (o *Originals) picture(i int) image[float32] {
	p := newImage[float32](o.width, o.height, o.channels)
	for k, v := range o.values[i] {
		p.data[k] = float32(v)
	}
	return p
}

// Restore adds to the mean of a frame, carried to a time by its field, what it would show if it were
// the linear interpolation in time of the training frames before and after, each as it is and
// where its contents have gone in between (path.go), less what that of the registered frames shows: detail
// which two samplings have blurred, and edges that have been blended where they should have moved.
// Beyond the ends it is the nearest frame that counts. but is a training frame that is not used, −1
// for none. Errors: *OptionError for an unknown sequence. It panics if the channels differ.
func (m *Motion) Restore(f Frame, o *Originals, field Field, at data.Instant, but int) error {
	f.check("a frame to write")
	if o.channels != f.Mean.Cols || len(o.values) != 0 && len(o.values) != m.frames {
		panic(fmt.Sprintf("motion: Restore: %d originals of %d channels for mean %d×%d and %d frames", len(o.values), o.channels, f.Mean.Rows, f.Mean.Cols, m.frames))
	}
	s, err := m.sequence(at.Sequence)
	if err != nil || m.Still() || len(o.values) == 0 {
		return err
	}
	for _, n := range s.around(at.Time, but) {
		if n.weight > 0 {
			m.restore(f, o, field, s, n)
		}
	}
	return nil
}

// restore adds what a neighbour shows, at the places which its displacement and its offset give to
// the contents, less what it shows registered.
func (m *Motion) restore(f Frame, o *Originals, field Field, s sequence, n neighbour) {
	original := o.picture(s.frames[n.place])
	original.toSpline()
	registered := newImage[float32](o.width, o.height, o.channels)
	own := newFlow(m.lattice, o.width, o.height).of(s.d.Row(n.place))
	warp(registered, original, own)
	registered.toSpline()
	offset := m.offsetFlow(n, o.width, o.height)
	scale := n.weight * o.step
	to := field.flow(f.Width, f.Height)
	ratioX, ratioY := float64(o.width)/float64(f.Width), float64(o.height)/float64(f.Height)
	mat.Parallel(f.Height, func(y int) {
		shown, blurred := make([]float64, o.channels), make([]float64, o.channels)
		var du, dv float64
		for x := range f.Width {
			rx, ry := to.inverse(float64(x), float64(y), du, dv)
			du, dv = rx-float64(x), ry-float64(y)
			sx, sy := ratioX*(rx+0.5)-0.5, ratioY*(ry+0.5)-0.5
			sample(blurred, registered, sx, sy)
			ou, ov := offset.at(sx, sy)
			sx, sy = sx+ou, sy+ov
			u, v := own.at(sx, sy)
			sample(shown, original, sx+u, sy+v)
			at := y*f.Width + x
			for c, d := range shown {
				f.Mean.Set(at, c, f.Mean.At(at, c)+scale*(d-blurred[c]))
			}
		}
	})
}

// originalsHead is what comes first where Originals are written, as a line of JSON text.
type originalsHead struct {
	Width, Height, Channels, Frames int
	Least, Step                     float64
}

// MarshalBinary writes a line of JSON text, and then two bytes for each value, the lower one first,
// frame by frame.
func (o *Originals) MarshalBinary() ([]byte, error) {
	head, err := json.Marshal(originalsHead{o.width, o.height, o.channels, len(o.values), o.least, o.step})
	if err != nil {
		return nil, err
	}
	content := make([]byte, 0, len(head)+1+2*len(o.values)*o.width*o.height*o.channels)
	content = append(append(content, head...), '\n')
	for _, frame := range o.values {
		for _, v := range frame {
			content = binary.LittleEndian.AppendUint16(content, v)
		}
	}
	return content, nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Errors: *FormatError.
func (o *Originals) UnmarshalBinary(content []byte) error {
	head, values, _ := bytes.Cut(content, []byte{'\n'})
	var t originalsHead
	if err := json.Unmarshal(head, &t); err != nil {
		return &FormatError{"originals", err}
	}
	const most = 1 << 10
	if t.Width < 1 || t.Height < 1 || t.Channels < 1 || t.Width > maxSide || t.Height > maxSide || t.Channels > most {
		return formatError("originals", "frames of %d×%d pixels and %d channels", t.Width, t.Height, t.Channels)
	}
	size := t.Width * t.Height * t.Channels
	if len(values)%(2*size) != 0 || len(values)/(2*size) != t.Frames {
		return formatError("originals", "%d bytes for %d frames, expected two for each of %d×%d pixels and %d channels", len(values), t.Frames, t.Width, t.Height, t.Channels)
	}
	if t.Least-t.Least != 0 || !(t.Step > 0) || math.IsInf(t.Step*math.MaxUint16, 0) {
		return formatError("originals", "least value %v and unit %v, expected a finite number and a positive one", t.Least, t.Step)
	}
	r := Originals{width: t.Width, height: t.Height, channels: t.Channels, least: t.Least, step: t.Step}
	for i := range t.Frames {
		frame := make([]uint16, size)
		for k := range frame {
			frame[k] = binary.LittleEndian.Uint16(values[2*(i*size+k):])
		}
		r.values = append(r.values, frame)
	}
	*o = r
	return nil
}
