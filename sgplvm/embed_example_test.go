package sgplvm_test

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"log"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// A program carries its model: one file, with nothing beside it.
//
//go:embed testdata/models/white.model
var embedded []byte

// A model in the program itself is loaded once, and fills in from then on.
func Example_embed() {
	m, err := sgplvm.Load(bytes.NewReader(embedded))
	if err != nil {
		log.Fatal(err)
	}
	seen := mat.New(m.Grid().Len(), m.Channels())
	seen.Fill(math.NaN())
	seen.Set(7, 0, 120) // one pixel of thirty
	filled, _, err := m.Impute(context.Background(), sgplvm.Observed{Values: seen}, sgplvm.InferOptions{})
	if err != nil {
		log.Fatal(err)
	}
	unknown := 0
	for _, v := range filled.Variance.Data {
		if v > 0 {
			unknown++
		}
	}
	fmt.Printf("%d pixels, %d of them filled in, the seen one is %v\n", len(filled.Mean.Data), unknown, filled.Mean.At(7, 0))
	// Output: 30 pixels, 29 of them filled in, the seen one is 120
}
