package motion

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sort"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Lost is what each training frame loses where it is brought to reference coordinates and back: two
// samplings between pixels blur what is as fine as they are. A prediction, made in reference
// coordinates, gets it back from the training frames next to it in time (AddLost), each
// of which is thereby sampled but once. It keeps 8 bits for each value of the frames.
type Lost struct {
	width, height, channels int
	step                    []float64 // of each frame's numbers
	values                  [][]int8  // step·values[j]: y_j(s) − R_j(φ_j⁻¹(s)), R_j the registered frame
}

// Lost measures what the frames that Fit was given lose; without motion that is nothing. Errors:
// *sgplvm.ReadError, ctx.Err(). It panics if the sizes do not fit.
func (m *Motion) Lost(ctx context.Context, src sgplvm.Source) (*Lost, error) {
	n, points, channels := src.Dims()
	if n != m.frames || points != m.width*m.height {
		panic(fmt.Sprintf("motion: Lost: %d frames of %d points for the motion of %d frames of %d×%d pixels", n, points, m.frames, m.width, m.height))
	}
	l := &Lost{width: m.width, height: m.height, channels: channels}
	if m.Still() {
		return l, nil
	}
	l.step, l.values = make([]float64, n), make([][]int8, n)
	raw, still, back := mat.New(points, channels), mat.New(points, channels), mat.New(points, channels)
	registered := m.Register(src)
	for _, s := range m.sequences {
		for p, i := range s.frames {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := src.ReadExamples(raw.Data, i, i+1); err != nil {
				return nil, &sgplvm.ReadError{From: i, To: i + 1, Err: err}
			}
			if err := registered.ReadExamples(still.Data, i, i+1); err != nil {
				return nil, &sgplvm.ReadError{From: i, To: i + 1, Err: err}
			}
			own := Field{Across: m.lattice.across, Down: m.lattice.down, Mean: s.d.Row(p), aspect: m.lattice.aspect}
			own.Carry(Frame{Width: m.width, Height: m.height, Mean: back}, Frame{Width: m.width, Height: m.height, Mean: still})
			mat.Add(back, raw, -1, back)
			l.step[i], l.values[i] = rounded(back.Data)
		}
	}
	return l, nil
}

// rounded returns numbers of 8 bits, and their unit.
func rounded(v []float64) (step float64, values []int8) {
	for _, x := range v {
		step = max(step, math.Abs(x)/math.MaxInt8)
	}
	values = make([]int8, len(v))
	if step > 0 {
		for i, x := range v {
			values[i] = int8(math.RoundToEven(x / step))
		}
	}
	return step, values
}

// AddLost adds to the mean of a frame, carried to a time by its field, what the training frames before
// and after that time lost, by linear interpolation in time between the two, or what the nearest
// lost beyond the ends; but is a training frame that is not used, −1 for none. Errors: *OptionError for an
// unknown sequence. It panics if the channels differ.
func (m *Motion) AddLost(f Frame, l *Lost, field Field, at sgplvm.Instant, but int) error {
	f.check("a frame to write")
	if l.channels != f.Mean.Cols || len(l.values) != 0 && len(l.values) != m.frames {
		panic(fmt.Sprintf("motion: AddLost: what %d frames of %d channels lost for mean %d×%d and %d frames", len(l.values), l.channels, f.Mean.Rows, f.Mean.Cols, m.frames))
	}
	s, err := m.sequence(at.Sequence)
	if err != nil || m.Still() || len(l.values) == 0 {
		return err
	}
	for _, n := range s.around(at.Time, but) {
		m.addLost(f, l, field, s, n)
	}
	return nil
}

// A neighbour is a frame of a sequence and its weight in an interpolation.
type neighbour struct {
	place  int
	weight float64
}

// around returns the frames before and after a time and their weights in linear interpolation.
func (s sequence) around(t float64, but int) []neighbour {
	after := sort.SearchFloat64s(s.times, t)
	before := after - 1
	if after < len(s.times) && s.frames[after] == but {
		after++
	}
	if before >= 0 && s.frames[before] == but {
		before--
	}
	switch {
	case before < 0 && after == len(s.times):
		return nil
	case before < 0:
		return []neighbour{{after, 1}}
	case after == len(s.times):
		return []neighbour{{before, 1}}
	}
	w := 0.5
	if span := s.times[after] - s.times[before]; span > 0 {
		w = (t - s.times[before]) / span
	}
	return []neighbour{{before, 1 - w}, {after, w}}
}

// addLost adds what a neighbour lost, at the places which its displacement gives to the contents.
func (m *Motion) addLost(f Frame, l *Lost, field Field, s sequence, n neighbour) {
	i := s.frames[n.place]
	lost := newImage[float32](l.width, l.height, l.channels)
	for k, v := range l.values[i] {
		lost.data[k] = float32(v)
	}
	lost.toSpline()
	scale := n.weight * l.step[i]
	to, from := field.flow(f.Width, f.Height), newFlow(m.lattice, l.width, l.height).of(s.d.Row(n.place))
	ratioX, ratioY := float64(l.width)/float64(f.Width), float64(l.height)/float64(f.Height)
	mat.Parallel(f.Height, func(y int) {
		v := make([]float64, l.channels)
		var du, dv float64
		for x := range f.Width {
			rx, ry := to.inverse(float64(x), float64(y), du, dv)
			du, dv = rx-float64(x), ry-float64(y)
			sx, sy := ratioX*(rx+0.5)-0.5, ratioY*(ry+0.5)-0.5
			u, w := from.at(sx, sy)
			sample(v, lost, sx+u, sy+w)
			at := y*f.Width + x
			for c, d := range v {
				f.Mean.Set(at, c, f.Mean.At(at, c)+scale*d)
			}
		}
	})
}

// lostHead is what comes first where a Lost is written, as a line of JSON text.
type lostHead struct {
	Width, Height, Channels int
	Step                    []float64 `json:",omitempty"`
}

// MarshalBinary writes a line of JSON text, and then a byte for each value, frame by frame.
func (l *Lost) MarshalBinary() ([]byte, error) {
	head, err := json.Marshal(lostHead{l.width, l.height, l.channels, l.step})
	if err != nil {
		return nil, err
	}
	content := make([]byte, 0, len(head)+1+len(l.values)*l.width*l.height*l.channels)
	content = append(append(content, head...), '\n')
	for _, frame := range l.values {
		for _, v := range frame {
			content = append(content, byte(v))
		}
	}
	return content, nil
}

// UnmarshalBinary reads what MarshalBinary wrote. Errors: *FormatError.
func (l *Lost) UnmarshalBinary(content []byte) error {
	head, values, _ := bytes.Cut(content, []byte{'\n'})
	var t lostHead
	if err := json.Unmarshal(head, &t); err != nil {
		return &FormatError{"lost", err}
	}
	const most = 1 << 10
	if t.Width < 1 || t.Height < 1 || t.Channels < 1 || t.Width > maxSide || t.Height > maxSide || t.Channels > most {
		return formatError("lost", "frames of %d×%d pixels and %d channels", t.Width, t.Height, t.Channels)
	}
	size := t.Width * t.Height * t.Channels
	if len(values)%size != 0 || len(values)/size != len(t.Step) {
		return formatError("lost", "%d bytes for %d frames, expected one for each of %d×%d pixels and %d channels", len(values), len(t.Step), t.Width, t.Height, t.Channels)
	}
	r := Lost{width: t.Width, height: t.Height, channels: t.Channels, step: t.Step}
	for i, step := range t.Step {
		if !(step >= 0) || math.IsInf(step, 0) {
			return formatError("lost", "unit %v of frame %d, expected 0 or more", step, i)
		}
		frame := make([]int8, size)
		for k, b := range values[i*size : (i+1)*size] {
			frame[k] = int8(b)
		}
		r.values = append(r.values, frame)
	}
	*l = r
	return nil
}
