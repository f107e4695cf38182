package sgplvm_test

import (
	"bytes"
	"context"
	"errors"
	"go/format"
	"iter"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

// fitAndImpute holds the library section of README between two marks; TestReadme compares them.
func fitAndImpute(ctx context.Context, n int, y mat.Matrix, grid sgplvm.Grid, half mat.Matrix, file *bytes.Buffer) error {
	// README
	d := sgplvm.Data{Examples: n, Y: y, Grid: grid}
	m, report, err := sgplvm.Fit(ctx, d, sgplvm.Config{})
	if err != nil {
		return err // report says how far training came
	}
	filled, latent, err := m.Impute(ctx, sgplvm.Observed{Values: half}, sgplvm.InferOptions{})
	if err != nil {
		return err
	}
	// filled.Mean, filled.Variance: a row a point; latent.Mu, latent.S: what the picture is
	err = m.Save(file)
	// README
	_, _, _ = report, filled, latent
	return err
}

// A frame is what a device sees at a time.
type frame struct {
	Time   float64
	Values []float64
	Seen   []bool
}

// stream holds README's section on devices between two marks.
func stream(file []byte, frames iter.Seq[frame], filled, variance []float64, faults []edge.Fault, report func(level float64, faults []edge.Fault)) error {
	// README
	m, err := edge.Open(file)
	if err != nil {
		return err
	}
	s, err := m.NewWorkspace(0).NewStream(edge.StreamOptions{})
	if err != nil {
		return err // its examples have no times
	}
	alarm, ok := m.Alarm(0.01) // one false alarm in 100 frames; compile -held
	for frame := range frames {
		if err := s.Fill(frame.Time, filled, variance, frame.Values, frame.Seen); err != nil {
			return err
		}
		if odd, drifted := s.Raised(alarm); ok && (odd || drifted) {
			s.Faults(faults) // sensors that spike, drift or are stuck
			report(s.Level(), faults)
		}
	}
	// README
	return nil
}

// What README and the comment of package edge say of the library is in functions that run.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Skip("not inside the module: ", err)
	}
	own, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	edgeDoc, err := os.ReadFile("edge/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(own), "\t// README\n")
	blocks := strings.Split(string(readme), "\n```go\n")[1:]
	if len(parts) != 2*len(blocks)+1 {
		t.Fatalf("%d parts of readme_test.go for %d pieces of Go code in README.md", len(parts), len(blocks))
	}
	for k, block := range blocks {
		code, _, _ := strings.Cut(block, "```\n")
		formatted, err := format.Source([]byte(parts[2*k+1]))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.ReplaceAll("\n"+string(formatted), "\n\t", "\n")[1:]
		if diff := cmp.Diff(want, code); diff != "" {
			t.Errorf("README.md (-compiled +written):\n%s", diff)
		}
		if lines := "//\t" + strings.ReplaceAll(strings.TrimSpace(code), "\n", "\n//\t"); k == len(blocks)-1 && !bytes.Contains(edgeDoc, []byte(lines)) {
			t.Errorf("edge/doc.go does not have\n%s", lines)
		}
	}

	const n, side = 8, 5
	grid := sgplvm.Grid{mat.New(side, 1), mat.New(side, 1)}
	y := mat.New(n*side*side, 1)
	for i := range side {
		grid[0].Set(i, 0, float64(i))
		grid[1].Set(i, 0, float64(i))
	}
	for i := range y.Data {
		y.Data[i] = math.Sin(float64(i/(side*side)) + 0.3*float64(i%side) + 0.2*float64(i/side%side))
	}
	half := y.Slice(0, side*side, 0, 1).Clone()
	for i := range side {
		half.Data[i] = math.NaN()
	}
	var file bytes.Buffer
	if err := fitAndImpute(t.Context(), n, y, grid, half, &file); err != nil {
		t.Fatal(err)
	}
	m, err := sgplvm.Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := m.Compile(sgplvm.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var none *edge.StreamError
	if err := stream(compiled, nil, nil, nil, nil, nil); !errors.As(err, &none) {
		t.Errorf("a stream of a model without times: %v", err)
	}
}
