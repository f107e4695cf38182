package main

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// invertedFiles are the files that invert writes.
type invertedFiles struct {
	out, samples     string
	table            bool           // inputs have a table, which is out
	fields, variance *engine.Output // of the means of input fields, and of variances; nothing where there are none
	values           int            // of an input field
}

// holding says what the results hold.
func (s *invertedFiles) holding(m *sgplvm.Emulator, frames *dataset.Frames) error {
	if s.values == 0 {
		return nil
	}
	form := engine.FieldForm(m, frames.Form)
	if err := s.fields.Holding(form, picture.Levels{Low: 0, High: 255, Bits: 8}); err != nil {
		return err
	}
	return s.variance.HoldingVariances(form, 1)
}

// save writes the results.
func (s *invertedFiles) save(ctx context.Context, found []*sgplvm.Inverted) error {
	if s.table {
		if err := writeTable(s.out, engine.InvertedTable(found)); err != nil {
			return err
		}
	}
	if err := s.fields.Each(ctx, len(found), s.values, func(dst []float64, i int) { found[i].FieldTo(dst) }); err != nil {
		return err
	}
	if err := s.variance.Each(ctx, len(found), s.values, func(dst []float64, i int) { found[i].FieldVarianceTo(dst) }); err != nil {
		return err
	}
	switch {
	case s.samples == "":
		return nil
	case s.table:
		return writeTable(s.samples, drawnTable(found))
	}
	return files.StreamNPY(s.samples, []int{len(found), found[0].Draws(), s.values}, func(put func([]float64) error) error {
		v := make([]float64, s.values)
		for _, r := range found {
			for k := range r.Draws() {
				r.FieldDrawTo(v, k)
				if err := put(v); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// drawnTable has a row for each draw.
func drawnTable(found []*sgplvm.Inverted) [][]string {
	var rows [][]string
	for i, r := range found {
		table := r.Table()
		if i == 0 {
			names := []string{"example", "draw"}
			for q, c := range table {
				names = append(names, engine.InputName(c.Name, q))
			}
			rows = append(rows, names)
		}
		for k := range r.Draws() {
			row := []string{fmt.Sprint(i), fmt.Sprint(k)}
			for _, c := range table {
				row = append(row, inputCell(c, k))
			}
			rows = append(rows, row)
		}
	}
	return rows
}
