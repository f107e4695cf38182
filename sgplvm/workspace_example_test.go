package sgplvm_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

// A program that fills in many pictures of one form multiplies out once what they share. Each goroutine has a
// workspace of its own, with which calls allocate nothing, and results go where the caller says.
func Example_workspace() {
	m, err := sgplvm.Load(bytes.NewReader(embedded))
	if err != nil {
		log.Fatal(err)
	}
	file, err := m.Compile(sgplvm.CompileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	compiled, err := edge.Open(file)
	if err != nil {
		log.Fatal(err)
	}
	w := compiled.NewWorkspace(0)
	n := compiled.Points() * compiled.Channels()
	values, seen := make([]float64, n), make([]bool, n)
	mean, variance := make([]float64, n), make([]float64, n)
	for brightness := 100.0; brightness <= 120; brightness += 10 { // three pictures, one pixel seen of each
		values[7], seen[7] = brightness, true
		if err := w.Fill(mean, variance, values, seen); err != nil {
			log.Fatal(err)
		}
		fmt.Println(mean[7], variance[7], variance[8] > 0)
	}
	// Output:
	// 100 0 true
	// 110 0 true
	// 120 0 true
}

// The model itself fills in in the storage of an earlier result: after the first calls nothing is allocated.
func ExampleModel_ImputeTo() {
	m, err := sgplvm.Load(bytes.NewReader(embedded))
	if err != nil {
		log.Fatal(err)
	}
	values := mat.New(m.Grid().Len(), m.Channels())
	values.Fill(math.NaN())
	var filled sgplvm.Prediction
	var latent sgplvm.Latent
	for brightness := 100.0; brightness <= 120; brightness += 10 {
		values.Set(7, 0, brightness)
		if err := m.ImputeTo(context.Background(), &filled, &latent, sgplvm.Observed{Values: values}, sgplvm.InferOptions{}); err != nil {
			log.Fatal(err)
		}
		fmt.Println(filled.Mean.At(7, 0), filled.Variance.At(7, 0), filled.Variance.At(8, 0) > 0)
	}
	// Output:
	// 100 0 true
	// 110 0 true
	// 120 0 true
}
