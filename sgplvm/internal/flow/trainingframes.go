package flow

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// TrainingFrames are the training frames themselves, of which a prediction takes the motion-compensated
// residual (Motion.AddResidual). They are kept with 16 bits a value: exactly if they are whole numbers
// over a range below 2¹⁶, as those of pictures, else to 2⁻¹⁷ of their range.
type TrainingFrames struct {
	framesHead
	content []byte // as Encode returns it
	values  []byte // the end of it: (y − Least)/Step of each value, frame by frame, the lower byte first
	cache   *flowCache
}

// framesHead is what comes first where TrainingFrames are written, as a line of JSON text.
type framesHead struct {
	Width, Height, Channels, Frames int // no frames where they are not needed
	Least, Step                     float64
}

// TrainingFrames keeps the frames that Fit was given. Errors: *data.ReadError,
// ctx.Err(). It panics if the sizes do not fit.
func (m *Motion) TrainingFrames(ctx context.Context, src data.Source) (*TrainingFrames, error) {
	n, points, channels := src.Dims()
	m.mustFit("TrainingFrames", n, points)
	head := framesHead{Width: m.width, Height: m.height, Channels: channels, Step: 1}
	least, most, whole := math.Inf(1), math.Inf(-1), true
	if err := eachFrame(ctx, src, func(_ int, frame []float64) {
		for _, v := range frame {
			least, most = min(least, v), max(most, v)
			whole = whole && v == math.Trunc(v)
		}
	}); err != nil {
		return nil, err
	}
	head.Frames, head.Least = n, least
	if most > least && !(whole && most-least <= math.MaxUint16) {
		head.Step = most/math.MaxUint16 - least/math.MaxUint16
	}
	f, err := newTrainingFrames(head)
	if err != nil {
		return nil, err
	}
	err = eachFrame(ctx, src, func(i int, frame []float64) {
		to := f.frame(i)
		for k, v := range frame {
			binary.LittleEndian.PutUint16(to[2*k:], uint16(math.RoundToEven(min((v-least)/head.Step, math.MaxUint16))))
		}
	})
	return f, err
}

// newTrainingFrames returns frames without values yet.
func newTrainingFrames(head framesHead) (*TrainingFrames, error) {
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	f := &TrainingFrames{framesHead: head, content: make([]byte, len(text)+1+2*head.Frames*head.size()), cache: new(flowCache)}
	copy(f.content, append(text, '\n'))
	f.values = f.content[len(text)+1:]
	return f, nil
}

// Variances returns the variance of each channel over all frames.
func (f *TrainingFrames) Variances() []float64 {
	sums, squares := make([]float64, f.Channels), make([]float64, f.Channels)
	for i := range f.Frames {
		for k, v := range f.picture(i).data {
			sums[k%f.Channels] += float64(v)
			squares[k%f.Channels] += float64(v) * float64(v)
		}
	}
	n := float64(f.Frames * f.Width * f.Height)
	for c, s := range sums {
		sums[c] = square(f.Step) * max(squares[c]/n-square(s/n), 0)
	}
	return sums
}

// size returns how many values a frame has.
func (h framesHead) size() int { return h.Width * h.Height * h.Channels }

// frame returns the values of frame i.
func (f *TrainingFrames) frame(i int) []byte {
	n := 2 * f.size()
	return f.values[i*n : (i+1)*n]
}

// Dims and ReadExamples are those of data.Source: the frames in the units that they were given in.
func (f *TrainingFrames) Dims() (examples, points, channels int) {
	return f.Frames, f.Width * f.Height, f.Channels
}

// ReadExamples is documented with Dims.
func (f *TrainingFrames) ReadExamples(dst []float64, from, to int) error {
	values := f.values[2*f.size()*from : 2*f.size()*to]
	for k := range dst {
		dst[k] = f.Least + f.Step*float64(binary.LittleEndian.Uint16(values[2*k:]))
	}
	return nil
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

// picture returns a frame, less a constant and over the step.
func (f *TrainingFrames) picture(i int) image[float32] {
	p := newImage[float32](f.Width, f.Height, f.Channels)
	values := f.frame(i)
	for k := range p.data {
		p.data[k] = float32(binary.LittleEndian.Uint16(values[2*k:]))
	}
	return p
}

// flowsBetween returns the flows from a frame to a later one and back, which are estimated once.
func (f *TrainingFrames) flowsBetween(a, b int) pairFlow {
	return f.cache.flows(a, b, func() pairFlow { return flowsBetween(f.picture(a), f.picture(b)) })
}

// halved returns the frames of half as many pixels each way, to a quarter of the step if that is possible.
func (f *TrainingFrames) halved() *TrainingFrames {
	finer := 4.
	for k := 1; k < len(f.values); k += 2 {
		if f.values[k] >= 1<<6 { // the higher byte
			finer = 1
			break
		}
	}
	head := framesHead{Width: f.Width / 2, Height: f.Height / 2, Channels: f.Channels, Frames: f.Frames, Least: f.Least, Step: f.Step / finer}
	h := &TrainingFrames{framesHead: head, values: make([]byte, 2*f.Frames*head.size()), cache: new(flowCache)}
	small := newImage[float64](h.Width, h.Height, h.Channels)
	for i := range f.Frames {
		downsample(small, f.picture(i))
		to := h.frame(i)
		for k, v := range small.data {
			binary.LittleEndian.PutUint16(to[2*k:], uint16(math.RoundToEven(finer*v)))
		}
	}
	return h
}

// Check is that of Part.
func (f *TrainingFrames) Check(s Shape) error {
	if f.Width != s.Width || f.Height != s.Height || f.Channels != s.Channels || f.Frames != 0 && f.Frames != len(s.At) {
		return badPart("originals", "%d frames of %d×%d pixels and %d channels, expected %d of %d×%d and %d", f.Frames, f.Width, f.Height, f.Channels, len(s.At), s.Width, s.Height, s.Channels)
	}
	return nil
}

// Encode returns a line of JSON text, and then two bytes for each value, the lower one first, frame by
// frame: what f itself holds.
func (f *TrainingFrames) Encode() ([]byte, error) { return f.content, nil }

// maxChannels bounds the channels of frames that are read.
const maxChannels = 1 << 10

// Decode is that of Part. It keeps content.
func (f *TrainingFrames) Decode(content []byte) error {
	head, values, _ := bytes.Cut(content, []byte{'\n'})
	var t framesHead
	if err := json.Unmarshal(head, &t); err != nil {
		return badPart("originals", "%v", err)
	}
	if t.Width < 1 || t.Height < 1 || t.Channels < 1 || t.Width > maxSide || t.Height > maxSide || t.Channels > maxChannels {
		return badPart("originals", "frames of %d×%d pixels and %d channels", t.Width, t.Height, t.Channels)
	}
	if size := t.size(); len(values)%(2*size) != 0 || len(values)/(2*size) != t.Frames {
		return badPart("originals", "%d bytes for %d frames, expected two for each of %d×%d pixels and %d channels", len(values), t.Frames, t.Width, t.Height, t.Channels)
	}
	if t.Least-t.Least != 0 || !(t.Step > 0) || math.IsInf(t.Step*math.MaxUint16, 0) {
		return badPart("originals", "least value %v and unit %v, expected a finite number and a positive one", t.Least, t.Step)
	}
	*f = TrainingFrames{t, content, values, new(flowCache)}
	return nil
}
