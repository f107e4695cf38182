package sgplvm_test

import (
	"bytes"
	"context"
	"go/format"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
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

// What README says of the library is in a function that runs.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Skip("not inside the module: ", err)
	}
	_, code, ok := strings.Cut(string(readme), "\n```go\n")
	if !ok {
		t.Fatal("README.md has no Go code")
	}
	code, rest, _ := strings.Cut(code, "```\n")
	if strings.Contains(rest, "```go") {
		t.Error("README.md has more Go code than this test compiles")
	}
	own, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(own), "\t// README\n")
	if len(parts) != 3 {
		t.Fatalf("%d parts of readme_test.go, expected 3", len(parts))
	}
	formatted, err := format.Source([]byte(parts[1]))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll("\n"+string(formatted), "\n\t", "\n")[1:]
	if diff := cmp.Diff(want, code); diff != "" {
		t.Errorf("README.md (-compiled +written):\n%s", diff)
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
	if _, err := sgplvm.Load(&file); err != nil {
		t.Error(err)
	}
}
