package npy_test

import (
	"bytes"
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// Two pictures of three pixels are written and read back.
func Example() {
	var file bytes.Buffer
	if err := npy.Write(&file, npy.New([]uint8{0, 128, 255, 255, 128, 0}, 2, 3)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", bytes.TrimSpace(file.Bytes()[10:128]))

	a, err := npy.Read(bytes.NewReader(file.Bytes()))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Type, a.Shape, a.Float64s())

	_, err = npy.Read(bytes.NewReader(file.Bytes()[:131]))
	fmt.Println(err)
	// Output:
	// {'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }
	// uint8 [2 3] [0 128 255 255 128 0]
	// npy: data: found 3 bytes, expected 6 (the file is truncated)
}
