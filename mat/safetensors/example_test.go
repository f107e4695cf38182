package safetensors_test

import (
	"bytes"
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat/safetensors"
)

// A file of two tensors is written, read back, and damaged.
func Example() {
	var file bytes.Buffer
	err := safetensors.Write(&file, &safetensors.File{
		Metadata: map[string]string{"kernel": "matern32"},
		Tensors: []safetensors.Tensor{
			{Name: "lengthscales", Shape: []int{2}, Data: []float64{0.5, 2}},
			{Name: "grid", Shape: []int{2, 3}, Data: []int32{0, 0, 0, 1, 1, 1}},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	f, err := safetensors.ReadSealed(bytes.NewReader(file.Bytes()))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Metadata)
	for _, t := range f.Tensors {
		fmt.Println(t.Name, t.Shape, t.Data)
	}
	_, err = safetensors.Values[float64](f, "lengthscales", 3)
	fmt.Println(err)

	damaged := file.Bytes()
	damaged[len(damaged)-1] ^= 1
	_, err = safetensors.ReadSealed(bytes.NewReader(damaged))
	fmt.Println(err.(*safetensors.FormatError).Place)
	// Output:
	// map[kernel:matern32]
	// lengthscales [2] [0.5 2]
	// grid [2 3] [0 0 0 1 1 1]
	// safetensors: tensor "lengthscales": found shape [2], expected [3]
	// checksum
}
