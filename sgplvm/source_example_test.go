package sgplvm_test

import (
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// inFile are examples of one channel that stay in a .npy file of shape n_ξ×n_s.
type inFile struct{ *npy.File }

func (f inFile) Dims() (examples, points, channels int) { return f.Shape[0], f.Shape[1], 1 }

func (f inFile) ReadExamples(dst []float64, from, to int) error {
	return f.CopyFloat64s(dst, from*f.Shape[1])
}

// A model of an array of bytes that is never in memory as a whole.
func ExampleSource() {
	const examples, points = 12, 30
	y := make([]uint8, examples*points)
	for i := range y {
		y[i] = uint8(100 + 50*math.Sin(float64(i/points)/2+float64(i%points)/5))
	}
	folder, err := os.MkdirTemp("", "source")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "waves.npy")
	if err := save(path, npy.New(y, examples, points)); err != nil {
		log.Fatal(err)
	}

	file, err := npy.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	x := mat.New(points, 1)
	for i := range points {
		x.Set(i, 0, float64(i))
	}
	t, err := sgplvm.NewTrainer(sgplvm.Data{Source: inFile{file}, Grid: sgplvm.Grid{x}}, sgplvm.Config{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := t.Model() // of the starting point; t.Fit trains
	if err != nil {
		log.Fatal(err)
	}
	s := m.Summary()
	fmt.Printf("%v, %d examples, mean %.0f, deviation %.0f\n", file.Type, m.Examples(), s.Mean[0], s.Deviation[0])
	// Output:
	// uint8, 12 examples, mean 99, deviation 35
}

func save(path string, a *npy.Array) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return npy.Write(file, a)
}
