// Command sgplvm-edge fills in examples by the compiled model inside it. It is an example of a program for small machines:
// static, without reflection, with all of its memory allocated once.
//
//	sgplvm-edge < frames.csv > filled.csv
//	sgplvm-edge raw < frames > filled
//
// Frames come from the standard input, one after the other, and each is answered at once:
//
//   - lines of CSV, the values of a frame each, of which missing ones are empty or nan; or
//   - a .npy array of 4- or 8-byte floating-point numbers or bytes, a frame a row, NaN missing; or
//   - with raw, numbers of 4 bytes, the lowest first, NaN missing.
//
// A filled frame goes to the standard output, and behind its values a score: the mean square of what was observed, in units of
// what was expected, near 1 for a frame like those of training. CSV is answered by CSV, arrays and raw numbers by raw ones.
//
// The model is drawn faces of 8×10 pixels. For another one put its file in the place of model.edge:
//
//	sgplvm compile -model MODEL -type f16 -out cmd/sgplvm-edge/model.edge
//	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -trimpath -ldflags='-s -w' ./cmd/sgplvm-edge
package main

import (
	_ "embed"
	"io"
	"os"

	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

//go:embed model.edge
var file []byte

func main() {
	if len(os.Args) > 2 || len(os.Args) == 2 && os.Args[1] != "raw" {
		os.Stderr.WriteString("usage: sgplvm-edge [raw] < frames > filled\n")
		os.Exit(2)
	}
	if err := run(file, os.Stdin, os.Stdout, len(os.Args) == 2); err != nil {
		os.Stderr.WriteString("sgplvm-edge: " + err.Error() + "\n")
		os.Exit(1)
	}
}

// run fills in all frames of in.
func run(file []byte, in io.Reader, out io.Writer, raw bool) error {
	m, err := edge.Open(file)
	if err != nil {
		return err
	}
	n := m.Points() * m.Channels()
	frames, err := newFrames(in, n, raw)
	if err != nil {
		return err
	}
	results := newResults(out, n, frames.csv())
	w := m.NewWorkspace(0)
	values, filled, seen := make([]float64, n), make([]float64, n), make([]bool, n)
	for number := 0; ; number++ {
		err := frames.next(values)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			for i, v := range values {
				seen[i] = v == v
			}
			err = w.Fill(filled, nil, values, seen)
		}
		if err != nil {
			return &frameError{number, err}
		}
		if err := results.write(filled, w.Surprise(nil)); err != nil {
			return err
		}
	}
}
