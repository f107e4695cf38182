package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/part"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// hold compares the data of parts that are joined with those of some sources, which have examples of one form; nil is none.
func hold(w *part.Work, form *dataset.Form, sources ...sgplvm.Source) error {
	return w.Hold(form.Whole(), func(from, to int) ([]byte, error) {
		sum := sha256.New()
		for _, s := range sources {
			if s == nil {
				continue
			}
			_, points, channels := s.Dims()
			values := make([]float64, points*channels)
			for i := from - form.First; i < to-form.First; i++ {
				if err := s.ReadExamples(values, i, i+1); err != nil {
					return nil, err
				}
				for _, v := range values {
					if v != v {
						v = math.NaN() // of which there are many
					}
					binary.Write(sum, binary.LittleEndian, v)
				}
			}
		}
		return sum.Sum(nil), nil
	})
}

// A Result holds pictures that were filled in, one after the other.
type Result struct {
	Mean, Variance []float64
	Size           int // values of a picture
	outliers       []sgplvm.Outlier
}

// NewResult returns room for some pictures.
func NewResult(pictures, size int) *Result {
	return &Result{Mean: make([]float64, pictures*size), Variance: make([]float64, pictures*size), Size: size}
}

// A filled example is what was made of one.
type filled struct {
	Mean, Variance []float64
	Outliers       []sgplvm.Outlier
	Local          bool // each missing point was conditioned on its neighbourhood
}

// fillEach has fill make something of each of count examples, those of a part of the work alone, several at a time, and returns it; means and variances are in the result too.
func fillEach(ctx context.Context, e *cli.Environment, noun, name string, count int, r *Result, fill func(i int, f *filled) error) ([]filled, error) {
	all := make([]filled, e.Work.Own(count))
	return all, part.Run(e.Work, count, func(from, to int, put func(next int, f filled) error) error {
		if err := e.Each(ctx, noun, "filled", name, from, to, func(i int) error {
			k := i - from
			all[k].Mean, all[k].Variance = r.Mean[k*r.Size:(k+1)*r.Size], r.Variance[k*r.Size:(k+1)*r.Size]
			return fill(i, &all[k])
		}); err != nil {
			return err
		}
		for k, f := range all {
			if err := put(from+k+1, f); err != nil {
				return err
			}
		}
		return nil
	}, func(next int, f filled) error {
		if i := next - 1; e.Work.Joins() {
			copy(r.Mean[i*r.Size:(i+1)*r.Size], f.Mean)
			copy(r.Variance[i*r.Size:(i+1)*r.Size], f.Variance)
			all[i], all[i].Mean, all[i].Variance = f, nil, nil
		}
		return nil
	})
}

// smooth puts a prediction in the place of values that were observed.
func smooth(mean, variance []float64, p sgplvm.Prediction) {
	for k, v := range variance {
		if v == 0 {
			mean[k], variance[k] = p.Mean.Data[k], p.Variance.Data[k]
		}
	}
}
