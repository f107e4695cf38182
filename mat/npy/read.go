package npy

import (
	"fmt"
	"io"
	"strconv"

	"github.com/seed-08962ecc/kronfield/mat/internal/raw"
)

// Read reads one array up to the end of r. What is not a supported .npy file,
// truncated ones and bytes after the last element included, is a
// [*FormatError]; errors of r are wrapped.
//
// Reading takes memory as the bytes arrive, whatever the header claims: at most
// about three times the bytes of the file (twice for the same type in the file
// and in the array) and 64 KiB.
func Read(r io.Reader) (*Array, error) {
	h, err := ReadHeader(r)
	if err != nil {
		return nil, err
	}
	size, _ := raw.Size(h.Shape, h.itemSize())
	chunks, have, err := raw.ReadChunks(r, size)
	if err != nil {
		return nil, truncated("data", have, size, err)
	}
	if err := expectEnd(r, size); err != nil {
		return nil, err
	}
	data, err := decode(&h, chunks)
	if err != nil {
		return nil, err
	}
	return &Array{Shape: h.Shape, Type: h.Type, Data: data}, nil
}

// expectEnd makes sure that nothing follows the elements.
func expectEnd(r io.Reader, size int) error {
	var b [1]byte
	switch _, err := io.ReadFull(r, b[:]); err {
	case io.EOF:
		return nil
	case nil:
		return tooLong(size)
	default:
		return fmt.Errorf("npy: reading the end of the data: %w", err)
	}
}

func tooLong(size int) error {
	return &FormatError{"data", "more bytes", "the end of the file after " + strconv.Itoa(size)}
}

// decode turns the bytes of the file into the slice of the header's type, in C
// order. It uses up the chunks.
func decode(h *Header, chunks [][]byte) (any, error) {
	n, _ := raw.Size(h.Shape, 1)
	data := raw.Make(types[h.Type].kind, n)
	b := h.place(data, n)
	if h.FortranOrder && len(h.Shape) > 1 {
		inC(b, chunks, h.Shape, h.itemSize())
	} else {
		raw.Gather(b, chunks)
	}
	return data, h.settle(data, n, 0)
}

// place returns where the bytes of n elements in the file belong in a slice of the header's type: at the end of their memory.
func (h *Header) place(data any, n int) []byte {
	memory := raw.Bytes(data)[:n*raw.ElemSize(data)]
	return memory[len(memory)-n*h.itemSize():]
}

// settle makes n elements of a slice of the bytes in their place; the first is number at of the array.
func (h *Header) settle(data any, n, at int) error {
	b := h.place(data, n)
	raw.Order(b, h.itemSize(), h.order())
	switch h.code() {
	case "b1":
		return checkBools(b, at)
	case "f2":
		raw.Widen(raw.Bytes(data)[:4*n], raw.Half)
	}
	return nil
}

// inC gathers elements of some bytes each, of which the first axis runs fastest, in C order. It uses up the chunks.
func inC(dst []byte, chunks [][]byte, shape []int, size int) {
	stride, index, at := make([]int, len(shape)), make([]int, len(shape)), 0 // in bytes; at is Σ index·stride
	for k, step := len(shape)-1, size; k >= 0; k-- {
		stride[k] = step
		step *= shape[k]
	}
	for i, c := range chunks {
		for ; len(c) > 0; c = c[size:] {
			copy(dst[at:at+size], c)
			for k := range shape { // on to the next
				index[k]++
				at += stride[k]
				if index[k] < shape[k] {
					break
				}
				at -= shape[k] * stride[k]
				index[k] = 0
			}
		}
		chunks[i] = nil
	}
}

// checkBools refuses truth values other than 0 and 1; the first one of b is number
// at.
func checkBools(b []byte, at int) error {
	for i, v := range b {
		if v > 1 {
			return &FormatError{"truth value " + strconv.Itoa(at+i), strconv.Itoa(int(v)), "0 or 1"}
		}
	}
	return nil
}
