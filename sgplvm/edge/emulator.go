package edge

import (
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

// An Emulator predicts outputs from inputs, of a compiled emulator. It does not change, and any number of goroutines may use it, each with room of its own.
type Emulator struct{ c *points.Emulator }

// An EmulatorAbout is what a compiled emulator tells about itself.
type EmulatorAbout struct {
	Label            string
	Points, Channels int
	Inputs           []string  // numbers of the input, in their order; a category is name=level, 1 or 0
	Low, High        []float64 // their range over the runs
	Field            int       // values of an input field, which follow them
}

// OpenEmulator returns the emulator in a file, of which it keeps views. Errors: *VersionError, *FormatError.
func OpenEmulator(file []byte) (*Emulator, error) {
	c, err := points.DecodeEmulator(file)
	if err != nil {
		return nil, refused(err)
	}
	return &Emulator{c}, nil
}

// About returns what the emulator tells about itself. The slices are the emulator's.
func (e *Emulator) About() EmulatorAbout {
	c := e.c
	return EmulatorAbout{c.Label, c.Points, c.Channels, c.Names, c.Low, c.High, c.Inputs() - len(c.Names)}
}

// An EmulatorWorkspace has all room that predicting takes, for one goroutine at a time.
type EmulatorWorkspace struct {
	c    *points.Emulator
	room *points.EmulatorRoom
}

// NewWorkspace returns room for predictions.
func (e *Emulator) NewWorkspace() *EmulatorWorkspace { return &EmulatorWorkspace{e.c, e.c.NewRoom()} }

// Predict sets dst and deviation, of Points·Channels values each, to means and standard deviations of the output for an input; NaN where no run has a value. deviation may be nil. It allocates nothing.
// Errors: *LengthError, *ValueError.
func (w *EmulatorWorkspace) Predict(dst, deviation, input []float64) error {
	n := len(w.c.Centre)
	switch {
	case len(dst) != n:
		return &LengthError{"values of a result", len(dst), n}
	case deviation != nil && len(deviation) != n:
		return &LengthError{"deviations of a result", len(deviation), n}
	case len(input) != w.c.Inputs():
		return &LengthError{"numbers of an input", len(input), w.c.Inputs()}
	}
	for i, v := range input {
		switch {
		case !(math.Abs(v) <= farOff):
			return &ValueError{i, v, "a finite number within ±1e100"}
		case i < len(w.c.Logs) && w.c.Logs[i] > 0 && v <= 0:
			return &ValueError{i, v, "a positive number, whose logarithm counts"}
		}
	}
	w.room.Predict(dst, deviation, input)
	for i, v := range deviation {
		deviation[i] = math.Sqrt(v)
	}
	return nil
}
