package main

import (
	"fmt"
	"math"

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
		if p.grid, err = dataset.LoadPoints(points); err != nil {
			return places{}, err
		}
		if n := len(m.Space()); n != 1 {
			return places{}, usagef("%s: -points with a model of %d spatial factors, expected one: trained with -factors joint or with -points", command, n)
		}
		if got, want := p.grid[0].Cols, m.Space()[0].Cols; got != want {
			return places{}, fmt.Errorf("%s: points of dimension %d, expected %d, the model's", points, got, want)
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

// drawable refuses a sheet of what is no picture.
func (p places) drawable(command, sheet string) error {
	if sheet != "" && p.layout.Points() == 0 {
		return usagef("%s: -sheet of scattered points, expected pictures: -grid WIDTHxHEIGHT", command)
	}
	return nil
}

// of returns the shape of count fields.
func (p places) of(count int) []int { return append([]int{count}, p.shape...) }

// size returns the number of values of a field.
func (p places) size() int { return p.grid.Len() * p.layout.Channels }

// mostValues bounds the values of a result, 16 GiB or what an int can count.
var mostValues = min(int64(1)<<31, math.MaxInt/8)

// room returns the numbers of count fields, or an error where they are too many.
func (p places) room(command string, count int) ([]float64, error) {
	if int64(count) > mostValues/int64(p.size()) {
		return nil, usagef("%s: %d fields of %d values, expected at most %d values in all", command, count, p.size(), mostValues)
	}
	return make([]float64, count*p.size()), nil
}

// drawFields draws the first fields as a sheet with one column.
func (p places) drawFields(path, caption string, values []float64) error {
	var rows []dataset.SheetRow
	for i := range min(len(values)/p.size(), sheetRows) {
		field := dataset.Picture{Layout: p.layout, Values: values[i*p.size() : (i+1)*p.size()]}
		rows = append(rows, dataset.SheetRow{Label: fmt.Sprint(i), Pictures: []dataset.Picture{field}})
	}
	return dataset.SavePNG(path, sheetWith([]string{caption}, rows).Image())
}
