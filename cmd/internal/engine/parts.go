package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"math"

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

// smooth puts a prediction in the place of values that were observed.
func smooth(mean, variance []float64, p sgplvm.Prediction) {
	for k, v := range variance {
		if v == 0 {
			mean[k], variance[k] = p.Mean.Data[k], p.Variance.Data[k]
		}
	}
}
