package engine

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// OutputGrid is the points of a prediction: the training grid, another resolution of it, or points
// from a file.
type OutputGrid struct {
	Points sgplvm.Grid
	Layout dataset.Layout // of pictures; 0 pixels where the points are no grid
	shape  []int          // of one field: height×width or points, ×channels if there are several
}

// NewOutputGrid reads the flags -points and -grid of a command, of which one may be given.
func NewOutputGrid(command, path string, m *sgplvm.Model, points, grid string) (OutputGrid, error) {
	g := OutputGrid{Points: m.Grid(), Layout: dataset.Layout{Channels: m.Channels()}}
	var err error
	switch {
	case Table(m):
		if points != "" || grid != "" {
			return OutputGrid{}, cli.Usagef("%s: -points or -grid with a model of a table, expected neither", command)
		}
		g.shape = []int{m.Channels()}
		return g, nil
	case points != "":
		if g.Points, err = loadPoints(command, "points", m, points); err != nil {
			return OutputGrid{}, err
		}
	case grid != "":
		g.Layout = cli.Layout(grid, m.Channels())
		if Moves(m) { // whose frames have pixels, no points
			return PixelGrid(command, path, m, grid)
		}
		if g.Points, err = dataset.Cover(m.Grid(), g.Layout.Width, g.Layout.Height); err != nil {
			return OutputGrid{}, cli.Usagef("%s: -grid %s: %v", command, grid, err)
		}
	default:
		if g.Layout.Width, g.Layout.Height, err = pictureSize(path, m); err != nil {
			return OutputGrid{}, err
		}
		if n := g.Layout.Points(); n > 0 && n != g.Points.Len() {
			return OutputGrid{}, fmt.Errorf("%s: attribute %s: pictures of %d points, expected %d", path, attributeGrid, n, g.Points.Len())
		}
	}
	g.setShape()
	return g, nil
}

// PixelGrid returns the pixels of pictures of the size that the flag -grid gives, by default that of
// the training pictures: those of another resolution cover the area of the training pictures.
func PixelGrid(command, path string, m *sgplvm.Model, grid string) (OutputGrid, error) {
	if scattered(m) {
		return OutputGrid{}, cli.Usagef("%s: a model of scattered points, expected one of pictures", command)
	}
	if Table(m) {
		return OutputGrid{}, cli.Usagef("%s: a model of a table, expected one of pictures", command)
	}
	g, err := NewOutputGrid(command, path, m, "", "")
	if err != nil {
		return OutputGrid{}, err
	}
	if space := m.Grid(); g.Layout.Points() == 0 && len(space) == 2 {
		g.Layout.Width, g.Layout.Height = space[1].Rows, space[0].Rows
	}
	if g.Layout.Points() == 0 {
		return OutputGrid{}, fmt.Errorf("%s: a model that does not say how large its pictures are, expected the attribute %s", path, attributeGrid)
	}
	if grid != "" {
		trained := g.Layout
		g.Layout = cli.Layout(grid, trained.Channels)
		if g.Points, err = dataset.Pixels(m.Grid(), trained, g.Layout.Width, g.Layout.Height); err != nil {
			return OutputGrid{}, cli.Usagef("%s: -grid %s: %v", command, grid, err)
		}
	}
	g.setShape()
	return g, nil
}

func (g *OutputGrid) setShape() {
	g.shape = []int{g.Points.Len()}
	if g.Layout.Points() > 0 {
		g.shape = []int{g.Layout.Height, g.Layout.Width}
	}
	if g.Layout.Channels > 1 {
		g.shape = append(g.shape, g.Layout.Channels)
	}
}

// loadPoints loads the points that a flag of a command names, for a model.
func loadPoints(command, flag string, m *sgplvm.Model, path string) (sgplvm.Grid, error) {
	g, err := dataset.LoadPoints(path)
	if err != nil {
		return nil, err
	}
	if n := len(m.Grid()); n != 1 {
		return nil, cli.Usagef("%s: -%s with a model of %d spatial factors, expected one: trained with joint factors or with -points", command, flag, n)
	}
	if got, want := g[0].Cols, m.Grid()[0].Cols; got != want {
		return nil, fmt.Errorf("%s: points of dimension %d, expected %d, the model's", path, got, want)
	}
	return g, nil
}

// FieldFlags are the flags of a command that makes fields with a model, beside -out.
type FieldFlags struct {
	f            *cli.Flags
	Model, Sheet *string
}

// NewFieldFlags defines the flags; verb is what the command does.
func NewFieldFlags(f *cli.Flags, verb string) FieldFlags {
	f.Input("points", "the `file` with coordinates to "+verb+" at (.npy, .npz, .nc, .csv), points×dimensions")
	f.Grid("grid", "", "`WIDTHxHEIGHT` of the pictures, from the first to the last row and column of the training grid; of scattered points the first coordinate runs down the rows, and pixels of a film with motion cover the area of the training pictures")
	return FieldFlags{f, f.Input("model", "the model `file`"), f.Result("sheet", "the PNG `file` with the first pictures", ".png")}
}

// Fields is what a command needs to make fields: the model, the output grid, and two results, of which the second may be missing.
type Fields struct {
	Model *sgplvm.Model
	Grid  OutputGrid
	Out   *Output
	Other *Output
}

// LoadAt loads the model that the flag -model names, and returns the points that -points or -grid choose of it.
func LoadAt(f *cli.Flags) (*sgplvm.Model, OutputGrid, error) {
	m, err := Load(f.Text("model"))
	if err != nil {
		return nil, OutputGrid{}, err
	}
	g, err := NewOutputGrid(f.Name(), f.Text("model"), m, f.Text("points"), f.Text("grid"))
	return m, g, err
}

// Open opens the results, of which other takes the second, and loads the model.
func (p FieldFlags) Open(other string) (*Fields, error) {
	f := p.f
	a := new(Fields)
	var err error
	if a.Out, a.Other, err = NewOutputs(f, "out", other); err != nil {
		return nil, err
	}
	if a.Model, a.Grid, err = LoadAt(f); err != nil {
		return nil, err
	}
	switch {
	case *p.Sheet == "":
	case Table(a.Model):
		err = f.Usagef("-sheet of a table, expected pictures")
	case a.Grid.Layout.Points() == 0:
		err = f.Usagef("-sheet of scattered points, expected pictures: -grid WIDTHxHEIGHT")
	}
	return a, err
}

// Write predicts the fields at count latent posteriors, of which latents returns some, and writes means and variances; verb is what progress says is done to them.
func (a *Fields) Write(ctx context.Context, e *cli.Environment, verb string, count int, latents func(from, to int) ([]sgplvm.Latent, error)) error {
	frames := NewFrames(e, verb, a.Model, count, latents, a.Grid)
	if err := a.Out.Stream(func(put func([]float64) error) error { return frames.Run(ctx, a.Other, put) }); err != nil {
		return err
	}
	a.Out.Note(e)
	a.Other.Note(e)
	return nil
}

// Holding says how many fields the results will hold, means or draws in the first; what they cannot hold is refused. The second one is
// variances.
func (a *Fields) Holding(count int) error {
	form := a.Grid.Form(a.Model, count)
	if err := a.Out.Holding(form, modelLevels(a.Model)); err != nil {
		return err
	}
	if err := holdTo(a.memory(count), 0); err != nil {
		return err
	}
	return a.Other.HoldingVariances(form, Deviation(a.Model))
}

// memory is what predicting takes: frames that are predicted together, a slab of them with covariances of its points and the model's, and the frames of a GIF, a byte a value.
func (a *Fields) memory(count int) (need sgplvm.Memory) {
	numbers := float64(a.Grid.together(count, a.Other.Given()) * a.Grid.Size())
	if a.Other.Given() {
		numbers *= 2
	}
	need.Data = 8 * numbers
	if a.Model.Summary().FrameBytes == 0 {
		slab := numbers
		if g := a.Model.Grid(); len(g) == 1 {
			slab += 2 * float64(a.Grid.Points.Len()) * float64(g.Len())
		}
		need.Space = 8 * min(slab, 1<<25)
	}
	if m := a.Model; Moves(m) {
		need.Film = 8 * frameTimes * float64(m.Examples()*m.Grid().Len()*m.Channels())
	}
	if a.Out.Is(".gif") {
		need.Data += float64(count * a.Grid.Size())
	}
	return need
}

// HoldingDraws says the shapes of the results of count fields: draws in the first, latent points in the second one.
func (a *Fields) HoldingDraws(count int, draws, latent []int) error {
	form := a.Grid.Form(a.Model, count)
	form.Shape = draws
	if err := a.Out.Holding(form, modelLevels(a.Model)); err != nil {
		return err
	}
	if err := holdTo(a.memory(1), 0); err != nil {
		return err
	}
	return a.Other.Holding(dataset.Form{Name: "latent points", Count: count, Table: true, Shape: latent, Type: npy.Float64,
		Layout: dataset.Layout{Width: 1, Height: 1, Channels: latent[len(latent)-1]}}, picture.Levels{})
}

// Form is that of count fields of a model.
func (g OutputGrid) Form(m *sgplvm.Model, count int) dataset.Form {
	form := dataset.Form{Name: "fields", Count: count, Layout: g.Layout, Table: Table(m), Columns: Names(m), Shape: g.Shape(count), Type: npy.Float64, Grid: g.Points}
	switch {
	case form.Table:
		form.Width, form.Height = 1, 1
	case form.Points() == 0:
		form.Width, form.Height, form.Scattered = g.Points.Len(), 1, true
	}
	return form
}

// Shape returns the shape of count fields.
func (g OutputGrid) Shape(count int) []int { return append([]int{count}, g.shape...) }

// GroupNumbers is how many numbers the frames that are predicted together have at most, 256 MiB, and groupFrames how many there are: the
// number of the first is a multiple of it in each part of the work too, as products of other shapes round in other ways.
// Tests lower GroupNumbers.
var GroupNumbers = 1 << 25

const groupFrames = 64

// together returns how many of count frames are predicted together, with their variances or without.
func (g OutputGrid) together(count int, variances bool) int {
	numbers := g.Size()
	if variances {
		numbers *= 2
	}
	return max(1, min(count, groupFrames, GroupNumbers/numbers))
}

// Size returns the number of values of a field.
func (g OutputGrid) Size() int { return g.Points.Len() * g.Layout.Channels }

// MostValues bounds the values of a result, 16 GiB or what an int can count.
var MostValues = min(int64(1)<<31, math.MaxInt/8)

// Room returns the numbers of count fields, or an error where they are too many or take more memory than is free.
func (g OutputGrid) Room(command string, count int) ([]float64, error) {
	if int64(count) > MostValues/int64(g.Size()) {
		return nil, cli.Usagef("%s: %d fields of %d values, expected at most %d values in all", command, count, g.Size(), MostValues)
	}
	if err := holdTo(sgplvm.Memory{Data: 16 * float64(count*g.Size())}, 0); err != nil {
		return nil, err
	}
	return make([]float64, count*g.Size()), nil
}
