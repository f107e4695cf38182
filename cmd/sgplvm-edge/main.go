// Command sgplvm-edge fills in examples by the compiled model inside it. It is an example of a program for small machines:
// static, without reflection, with all of its memory allocated once.
//
//	sgplvm-edge [raw] [times] [scores] [alarms] < frames.csv > filled.csv 2> alarms.txt
//
// Frames come from the standard input, one after the other, and each is answered at once:
//
//   - lines of CSV, the values of a frame each, of which missing ones are empty or nan; or
//   - a .npy array of 4- or 8-byte floating-point numbers or bytes, a frame a row, NaN missing; or
//   - with raw, numbers of 4 bytes, the lowest first, NaN missing.
//
// Frames are those of a stream where the model's examples have times: what was seen of earlier ones helps. They are as far apart as those of training;
// with times, the time of each frame stands before its values. A frame of which nothing was seen is predicted. Values that disagree with all others are replaced.
//
// A filled frame goes to the standard output, and behind its values a score: the mean square of what was observed, in units of
// what was expected, near 1 for a frame like those of training. Of a stream that is what was expected before the frame was seen. With scores, how
// many standard deviations each value was from what was expected follows. What was not observed has no score: nothing, or −3.4·10³⁸ among raw numbers. CSV is answered by CSV, arrays and raw numbers by raw ones.
//
// With alarms, frames unlike those of training, a change for long and sensors that spike, drift or are stuck are told on the standard error, a line each:
//
//	frame 30: unlike training, level 19.9 above 1.7; farthest off are values around 27, by 15.7 deviations
//	frame 44: value 44 is stuck
//	frame 78: changed for long, sum 5.35 above 4.49
//
// Of frames like those of training one in a hundred raises the first alarm and one the second, or as few as the examples that were held back can tell: the model is one of compile -held, which the faces' is not.
//
// The model is drawn faces of 8×10 pixels that move, those of which sgplvm demo learns. Where times.npy has 0, 1, 3, 4, 5, 7, … for the 72 of 96 frames and
// faces.json {"latentDims": 6, "inducing": 20}, it was made by
//
//	sgplvm demo -grid 8x10 -out faces
//	sgplvm train -data faces/train.npy -times times.npy -config faces.json -effort none -out MODEL
//	sgplvm compile -model MODEL -type f16 -out cmd/sgplvm-edge/model.edge
//
// For another model compile that. With -fast the first answer comes sooner where there are many points.
//
//	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -trimpath -ldflags='-s -w' ./cmd/sgplvm-edge
package main

import (
	_ "embed"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

//go:embed model.edge
var file []byte

// options are the words of the command line.
type options struct {
	raw, times, scores bool
	alarms             io.Writer // nil: none
}

// little is below how many bytes of a model one processor alone fills in.
const little = 3 << 20

// leaveToOne has one processor do the work of a small model: others would come when it is done, and look for more for a while.
func leaveToOne(model []byte) {
	if len(model) < little {
		runtime.GOMAXPROCS(1)
	}
}

func main() {
	leaveToOne(file)
	debug.SetGCPercent(-1) // frames allocate nothing: there is nothing to collect, and the first answer comes sooner
	var o options
	for _, word := range os.Args[1:] {
		switch word {
		case "raw":
			o.raw = true
		case "times":
			o.times = true
		case "scores":
			o.scores = true
		case "alarms":
			o.alarms = os.Stderr
		default:
			os.Stderr.WriteString("usage: sgplvm-edge [raw] [times] [scores] [alarms] < frames > filled\n")
			os.Exit(2)
		}
	}
	if err := run(file, os.Stdin, os.Stdout, o); err != nil {
		os.Stderr.WriteString("sgplvm-edge: " + err.Error() + "\n")
		os.Exit(1)
	}
}

// run fills in all frames of in.
func run(file []byte, in io.Reader, out io.Writer, o options) error {
	m, err := edge.Open(file)
	if err != nil {
		return err
	}
	n, before := m.Points()*m.Channels(), 0
	if o.times {
		before = 1
	}
	frames, err := newFrames(in, before+n, o.raw)
	if err != nil {
		return err
	}
	filler, err := newFiller(m, o.times || o.alarms != nil)
	if err != nil {
		return err
	}
	if o.alarms != nil {
		if filler.watch, err = newWatch(m, o.alarms); err != nil {
			return err
		}
	}
	results := newResults(out, n, frames.csv())
	read, filled, seen := make([]float64, before+n), make([]float64, n), make([]bool, n)
	var scores []float64
	if o.scores {
		scores = make([]float64, n)
	}
	for number := 0; ; number++ {
		err := frames.next(read)
		if err == io.EOF {
			return nil
		}
		values := read[before:]
		if err == nil {
			for i, v := range values {
				seen[i] = v == v
			}
			time := float64(number) * m.About().Spacing
			if o.times {
				time = read[0]
			}
			err = filler.fill(time, filled, values, seen)
		}
		if err == nil && filler.watch != nil {
			err = filler.watch.frame(number, filler.s)
		}
		if err != nil {
			return &frameError{number, err}
		}
		if err := results.write(filled, filler.score(scores), scores); err != nil {
			return err
		}
	}
}

// A filler fills in frames of a stream, or each by itself.
type filler struct {
	w *edge.Workspace
	s *edge.Stream // nil: each by itself

	watch *watch // nil: nobody wants to know
}

// newFiller returns one of a stream where the model has streams. Where times are given it must.
func newFiller(m *edge.Model, times bool) (filler, error) {
	w := m.NewWorkspace(0)
	s, err := w.NewStream(edge.StreamOptions{})
	if err != nil && times {
		return filler{}, err
	}
	return filler{w: w, s: s}, nil
}

func (f filler) fill(time float64, dst, values []float64, seen []bool) error {
	if f.s == nil {
		return f.w.Fill(dst, nil, values, seen)
	}
	return f.s.Fill(time, dst, nil, values, seen)
}

// score returns that of the last frame, and sets scores to those of its values.
func (f filler) score(scores []float64) float64 {
	if f.s == nil {
		return f.w.Surprise(scores)
	}
	return f.s.Surprise(scores)
}
