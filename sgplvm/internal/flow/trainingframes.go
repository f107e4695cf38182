package flow

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// TrainingFrames are the training frames themselves, of which a prediction takes the motion-compensated
// residual (Motion.AddResidual). They are kept with 16 bits a value: exactly if they are whole numbers
// over a range below 2¹⁶, as those of pictures, else to 2⁻¹⁷ of their range.
type TrainingFrames struct {
	width, height, channels int
	least, step             float64
	values                  [][]uint16 // of each frame: (y − least)/step
}

// TrainingFrames keeps the frames that Fit was given; none without motion. Errors: *data.ReadError,
// ctx.Err(). It panics if the sizes do not fit.
func (m *Motion) TrainingFrames(ctx context.Context, src data.Source) (*TrainingFrames, error) {
	n, points, channels := src.Dims()
	m.mustFit("TrainingFrames", n, points)
	f := &TrainingFrames{width: m.width, height: m.height, channels: channels, step: 1}
	if m.Still() {
		return f, nil
	}
	least, most, whole := math.Inf(1), math.Inf(-1), true
	if err := eachFrame(ctx, src, func(_ int, frame []float64) {
		for _, v := range frame {
			least, most = min(least, v), max(most, v)
			whole = whole && v == math.Trunc(v)
		}
	}); err != nil {
		return nil, err
	}
	f.least = least
	if most > least && !(whole && most-least <= math.MaxUint16) {
		f.step = most/math.MaxUint16 - least/math.MaxUint16
	}
	f.values = make([][]uint16, n)
	err := eachFrame(ctx, src, func(i int, frame []float64) {
		f.values[i] = make([]uint16, len(frame))
		for k, v := range frame {
			f.values[i][k] = uint16(math.RoundToEven(min((v-least)/f.step, math.MaxUint16)))
		}
	})
	return f, err
}

// eachFrame calls visit with every frame of a source, which it may not keep.
func eachFrame(ctx context.Context, src data.Source, visit func(i int, frame []float64)) error {
	n, points, channels := src.Dims()
	frame := make([]float64, points*channels)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := src.ReadExamples(frame, i, i+1); err != nil {
			return &data.ReadError{From: i, To: i + 1, Err: err}
		}
		visit(i, frame)
	}
	return nil
}

// mustFit panics unless the motion is that of as many frames of as many points.
func (m *Motion) mustFit(caller string, frames, points int) {
	if frames != m.frames || points != m.width*m.height {
		panic(fmt.Sprintf("flow: %s: %d frames of %d points for the motion of %d frames of %d×%d pixels", caller, frames, points, m.frames, m.width, m.height))
	}
}

// picture returns a frame, less a constant and over the step.
func (f *TrainingFrames) picture(i int) image[float32] {
	p := newImage[float32](f.width, f.height, f.channels)
	for k, v := range f.values[i] {
		p.data[k] = float32(v)
	}
	return p
}

// Check is that of Part.
func (f *TrainingFrames) Check(s Shape) error {
	if f.width != s.Width || f.height != s.Height || f.channels != s.Channels || len(f.values) != 0 && len(f.values) != len(s.At) {
		return badPart("originals", "%d frames of %d×%d pixels and %d channels, expected %d of %d×%d and %d", len(f.values), f.width, f.height, f.channels, len(s.At), s.Width, s.Height, s.Channels)
	}
	return nil
}

// framesHead is what comes first where TrainingFrames are written, as a line of JSON text.
type framesHead struct {
	Width, Height, Channels, Frames int
	Least, Step                     float64
}

// MarshalBinary writes a line of JSON text, and then two bytes for each value, the lower one first,
// frame by frame.
func (f *TrainingFrames) MarshalBinary() ([]byte, error) {
	head, err := json.Marshal(framesHead{f.width, f.height, f.channels, len(f.values), f.least, f.step})
	if err != nil {
		return nil, err
	}
	content := make([]byte, 0, len(head)+1+2*len(f.values)*f.width*f.height*f.channels)
	content = append(append(content, head...), '\n')
	for _, frame := range f.values {
		for _, v := range frame {
			content = binary.LittleEndian.AppendUint16(content, v)
		}
	}
	return content, nil
}

// maxChannels bounds the channels of frames that are read.
const maxChannels = 1 << 10

// UnmarshalBinary reads what MarshalBinary wrote, and reports what is wrong in it.
func (f *TrainingFrames) UnmarshalBinary(content []byte) error {
	head, values, _ := bytes.Cut(content, []byte{'\n'})
	var t framesHead
	if err := json.Unmarshal(head, &t); err != nil {
		return badPart("originals", "%v", err)
	}
	if t.Width < 1 || t.Height < 1 || t.Channels < 1 || t.Width > maxSide || t.Height > maxSide || t.Channels > maxChannels {
		return badPart("originals", "frames of %d×%d pixels and %d channels", t.Width, t.Height, t.Channels)
	}
	size := t.Width * t.Height * t.Channels
	if len(values)%(2*size) != 0 || len(values)/(2*size) != t.Frames {
		return badPart("originals", "%d bytes for %d frames, expected two for each of %d×%d pixels and %d channels", len(values), t.Frames, t.Width, t.Height, t.Channels)
	}
	if t.Least-t.Least != 0 || !(t.Step > 0) || math.IsInf(t.Step*math.MaxUint16, 0) {
		return badPart("originals", "least value %v and unit %v, expected a finite number and a positive one", t.Least, t.Step)
	}
	r := TrainingFrames{width: t.Width, height: t.Height, channels: t.Channels, least: t.Least, step: t.Step}
	for i := range t.Frames {
		frame := make([]uint16, size)
		for k := range frame {
			frame[k] = binary.LittleEndian.Uint16(values[2*(i*size+k):])
		}
		r.values = append(r.values, frame)
	}
	*f = r
	return nil
}
