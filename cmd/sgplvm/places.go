package main

import (
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// places are the points of a prediction: the training grid, another resolution of it, or
// points from a file.
type places struct {
	grid   sgplvm.Grid
	layout dataset.Layout // of pictures; 0 pixels where the points are no grid
	shape  []int          // of one field: height×width or points, ×channels if there are several

	trained dataset.Layout // of the training pictures, where pixelsOf knows them
}

// placesOf reads the flags -points and -grid of a command, of which one may be given.
func placesOf(command, model string, m *sgplvm.Model, points, grid string) (places, error) {
	p := places{grid: m.Space(), layout: dataset.Layout{Channels: m.Channels()}}
	var err error
	switch {
	case points != "":
		if p.grid, err = pointsOf(command, "points", m, points); err != nil {
			return places{}, err
		}
	case grid != "":
		p.layout.Width, p.layout.Height, _ = dataset.ParseGrid(grid) // checked by the flag
		if p.grid, err = dataset.Cover(m.Space(), p.layout.Width, p.layout.Height); err != nil {
			return places{}, usagef("%s: -grid %s: %v", command, grid, err)
		}
	default:
		if p.layout.Width, p.layout.Height, err = pictureSize(model, m); err != nil {
			return places{}, err
		}
		if n := p.layout.Points(); n > 0 && n != p.grid.Len() {
			return places{}, fmt.Errorf("%s: attribute %s: pictures of %d points, expected %d", model, attributeGrid, n, p.grid.Len())
		}
	}
	p.shape = []int{p.grid.Len()}
	if p.layout.Points() > 0 {
		p.shape = []int{p.layout.Height, p.layout.Width}
	}
	if p.layout.Channels > 1 {
		p.shape = append(p.shape, p.layout.Channels)
	}
	return p, nil
}

// pointsOf loads the points that a flag of a command names, for a model.
func pointsOf(command, flag string, m *sgplvm.Model, path string) (sgplvm.Grid, error) {
	g, err := dataset.LoadPoints(path)
	if err != nil {
		return nil, err
	}
	if n := len(m.Space()); n != 1 {
		return nil, usagef("%s: -%s with a model of %d spatial factors, expected one: trained with -factors joint or with -points", command, flag, n)
	}
	if got, want := g[0].Cols, m.Space()[0].Cols; got != want {
		return nil, fmt.Errorf("%s: points of dimension %d, expected %d, the model's", path, got, want)
	}
	return g, nil
}

// A placement is the flags of a command that makes fields with a model, beside -out.
type placement struct {
	f                          *flags
	model, points, grid, sheet *string
}

// placement defines the flags; verb is what the command does.
func (f *flags) placement(verb string) placement {
	return placement{f,
		f.String("model", "", "the model `file`"),
		f.String("points", "", "the `file` with coordinates to "+verb+" at, .npy, points×dimensions"),
		f.grid("grid", "", "`WIDTHxHEIGHT` of the pictures, from the first to the last row and column of the training grid; of scattered points the first coordinate runs down the rows"),
		f.String("sheet", "", "the PNG `file` with the first pictures")}
}

// open checks the command line, on which the named flags take further files, and loads the
// model.
func (p placement) open(inputs, results []string) (*sgplvm.Model, places, error) {
	f := p.f
	if err := f.require("model", "out"); err != nil {
		return nil, places{}, err
	}
	if err := f.onePlace(*p.points, *p.grid); err != nil {
		return nil, places{}, err
	}
	if err := f.files(append(inputs, "model", "points"), append([]string{"out", "sheet"}, results...)); err != nil {
		return nil, places{}, err
	}
	m, err := loadModel(*p.model)
	if err != nil {
		return nil, places{}, err
	}
	if err := refuseFilm(f.Name(), m); err != nil {
		return nil, places{}, err
	}
	at, err := placesOf(f.Name(), *p.model, m, *p.points, *p.grid)
	if err != nil {
		return nil, places{}, err
	}
	if *p.sheet != "" && at.layout.Points() == 0 {
		return nil, places{}, usagef("%s: -sheet of scattered points, expected pictures: -grid WIDTHxHEIGHT", f.Name())
	}
	return m, at, nil
}

// of returns the shape of count fields.
func (p places) of(count int) []int { return append([]int{count}, p.shape...) }

// size returns the number of values of a field.
func (p places) size() int { return p.grid.Len() * p.layout.Channels }

// saveArray writes numbers to a .npy file, if a path is given.
func saveArray(path string, shape []int, values []float64) error {
	if path == "" {
		return nil
	}
	return dataset.SaveNPY(path, shape, values, npy.Float64)
}

// mostValues bounds the values of a result, 16 GiB or what an int can count.
var mostValues = min(int64(1)<<31, math.MaxInt/8)

// room returns the numbers of count fields, or an error where they are too many.
func (p places) room(command string, count int) ([]float64, error) {
	if int64(count) > mostValues/int64(p.size()) {
		return nil, usagef("%s: %d fields of %d values, expected at most %d values in all", command, count, p.size(), mostValues)
	}
	return make([]float64, count*p.size()), nil
}

// drawFields draws the first fields as a sheet with one column, if a path is given.
func (p places) drawFields(path, caption string, values []float64) error {
	if path == "" {
		return nil
	}
	var rows []dataset.SheetRow
	for i := range min(len(values)/p.size(), sheetRows) {
		field := dataset.Picture{Layout: p.layout, Values: values[i*p.size() : (i+1)*p.size()]}
		rows = append(rows, dataset.SheetRow{Label: fmt.Sprint(i), Pictures: []dataset.Picture{field}})
	}
	return dataset.SavePNG(path, sheetWith([]string{caption}, rows).Image())
}
