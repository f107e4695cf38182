package main

import (
	"errors"
	"io"
	"strconv"

	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

// rate is that of false alarms, of frames and of their cumulative sum each.
const rate = 0.01

// A watch writes a line for each alarm of a stream, and for each sensor of which the fault is another than before.
type watch struct {
	out    io.Writer
	alarm  edge.Alarm
	faults [2][]edge.Fault // at present and before
	line   []byte
}

// newWatch returns that of a model which was compiled with examples that were held back.
func newWatch(m *edge.Model, out io.Writer) (*watch, error) {
	a, ok := m.Alarm(rate)
	if !ok {
		return nil, errors.New("the model has no alarms, expected one of compile -held")
	}
	n := m.Points() * m.Channels()
	return &watch{out, a, [2][]edge.Fault{make([]edge.Fault, n), make([]edge.Fault, n)}, make([]byte, 0, 256)}, nil
}

// frame writes what is wrong with the last frame.
func (w *watch) frame(number int, s *edge.Stream) error {
	level, sum := s.Raised(w.alarm)
	if level {
		off, index := s.Patch()
		w.begin(number).text("unlike training, level ").number(s.Level()).text(" above ").number(w.alarm.Level)
		w.text("; farthest off are values around ").integer(index).text(", by ").number(off).text(" deviations\n")
		if err := w.write(); err != nil {
			return err
		}
	}
	if sum {
		w.begin(number).text("changed for long, sum ").number(s.Sum()).text(" above ").number(w.alarm.Sum).text("\n")
		if err := w.write(); err != nil {
			return err
		}
		s.Acknowledge()
	}
	now, before := w.faults[0], w.faults[1]
	s.Faults(now)
	for k, f := range now {
		if f != before[k] {
			w.begin(number).text("value ").integer(k).text(" is ").text(f.String()).text("\n")
			if err := w.write(); err != nil {
				return err
			}
		}
	}
	w.faults = [2][]edge.Fault{before, now}
	return nil
}

func (w *watch) begin(number int) *watch {
	w.line = w.line[:0]
	return w.text("frame ").integer(number).text(": ")
}

// text adds a text to the line. Copies of it where it is called would take bytes.
//
//go:noinline
func (w *watch) text(s string) *watch {
	w.line = append(w.line, s...)
	return w
}

func (w *watch) integer(v int) *watch {
	w.line = strconv.AppendInt(w.line, int64(v), 10)
	return w
}

func (w *watch) number(v float64) *watch {
	w.line = strconv.AppendFloat(w.line, v, 'g', 3, 64)
	return w
}

func (w *watch) write() error {
	_, err := w.out.Write(w.line)
	return err
}
