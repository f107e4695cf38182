package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
)

const (
	firstChunk = 1 << 16 // bytes, a multiple of every element size
	lastChunk  = 1 << 24
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
	size, _ := sizeOf(h.Shape, h.itemSize())
	chunks, err := readChunks(r, size)
	if err != nil {
		return nil, err
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

// readChunks reads size bytes. Each chunk is about as long as all before it, so
// that a size that is a lie costs no more than the truth and a first chunk.
func readChunks(r io.Reader, size int) ([][]byte, error) {
	var chunks [][]byte
	for have, next := 0, firstChunk; have < size; next = min(2*next, lastChunk) {
		chunk := make([]byte, min(next, size-have))
		n, err := io.ReadFull(r, chunk)
		have += n
		if err != nil {
			return nil, truncated("data", have, size, err)
		}
		chunks = append(chunks, chunk)
	}
	return chunks, nil
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
	if h.bigEndian() {
		for _, c := range chunks {
			reverse(c, h.itemSize())
		}
	}
	switch h.code() {
	case "b1":
		at := 0
		for _, c := range chunks {
			if err := checkBools(c, at); err != nil {
				return nil, err
			}
			at += len(c)
		}
		return arrange(h, chunks, uint8s), nil
	case "u1":
		return arrange(h, chunks, uint8s), nil
	case "i1":
		return arrange(h, chunks, int8s), nil
	case "u2":
		return arrange(h, chunks, ints16[uint16]), nil
	case "i2":
		return arrange(h, chunks, ints16[int16]), nil
	case "u4":
		return arrange(h, chunks, ints32[uint32]), nil
	case "i4":
		return arrange(h, chunks, ints32[int32]), nil
	case "u8":
		return arrange(h, chunks, ints64[uint64]), nil
	case "i8":
		return arrange(h, chunks, ints64[int64]), nil
	case "f2":
		return arrange(h, chunks, halves), nil
	case "f4":
		return arrange(h, chunks, float32s), nil
	}
	return arrange(h, chunks, float64s), nil
}

// arrange converts the chunks with conv, which fills dst from the bytes of
// len(dst) little-endian elements, and puts the elements in C order.
func arrange[T Number](h *Header, chunks [][]byte, conv func(dst []T, src []byte)) []T {
	n, _ := sizeOf(h.Shape, 1)
	size := h.itemSize()
	dst := make([]T, n)
	if !h.FortranOrder || len(h.Shape) < 2 {
		at := 0
		for i, c := range chunks {
			k := len(c) / size
			conv(dst[at:at+k], c)
			at += k
			chunks[i] = nil
		}
		return dst
	}
	w := newWalk(h.Shape)
	part := make([]T, min(n, 1024))
	for i, c := range chunks {
		for len(c) > 0 {
			k := min(len(part), len(c)/size)
			conv(part[:k], c)
			scatter(dst, part[:k], w)
			c = c[k*size:]
		}
		chunks[i] = nil
	}
	return dst
}

// A walk visits the elements of an array with the first axis fastest and knows
// where each stands in C order.
type walk struct {
	shape, stride, index []int
	at                   int // Σ index·stride
}

func newWalk(shape []int) *walk {
	w := &walk{shape: shape, stride: make([]int, len(shape)), index: make([]int, len(shape))}
	step := 1
	for k := len(shape) - 1; k >= 0; k-- {
		w.stride[k] = step
		step *= shape[k]
	}
	return w
}

// advance moves n elements along the first axis, within it or to its end.
func (w *walk) advance(n int) {
	w.index[0] += n
	w.at += n * w.stride[0]
	for k := 0; w.index[k] == w.shape[k] && k+1 < len(w.shape); k++ {
		w.at += w.stride[k+1] - w.shape[k]*w.stride[k]
		w.index[k] = 0
		w.index[k+1]++
	}
}

// scatter puts the next elements of the walk to their places.
func scatter[T Number](dst, src []T, w *walk) {
	for len(src) > 0 {
		run := min(w.shape[0]-w.index[0], len(src))
		for i, v := range src[:run] {
			dst[w.at+i*w.stride[0]] = v
		}
		w.advance(run)
		src = src[run:]
	}
}

// reverse turns round the bytes of each element.
func reverse(b []byte, size int) {
	switch size {
	case 2:
		for ; len(b) > 0; b = b[2:] {
			b[0], b[1] = b[1], b[0]
		}
	case 4:
		for ; len(b) > 0; b = b[4:] {
			binary.LittleEndian.PutUint32(b, binary.BigEndian.Uint32(b))
		}
	case 8:
		for ; len(b) > 0; b = b[8:] {
			binary.LittleEndian.PutUint64(b, binary.BigEndian.Uint64(b))
		}
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

// convert turns bytes of the file into the numbers of dst, of which the first is
// element at. It uses up the bytes.
func (h *Header) convert(dst []float64, src []byte, at int) error {
	if h.bigEndian() {
		reverse(src, h.itemSize())
	}
	switch h.code() {
	case "b1":
		if err := checkBools(src, at); err != nil {
			return err
		}
		widen(dst, src, uint8s)
	case "u1":
		widen(dst, src, uint8s)
	case "i1":
		widen(dst, src, int8s)
	case "u2":
		widen(dst, src, ints16[uint16])
	case "i2":
		widen(dst, src, ints16[int16])
	case "u4":
		widen(dst, src, ints32[uint32])
	case "i4":
		widen(dst, src, ints32[int32])
	case "u8":
		widen(dst, src, ints64[uint64])
	case "i8":
		widen(dst, src, ints64[int64])
	case "f2":
		widen(dst, src, halves)
	case "f4":
		widen(dst, src, float32s)
	default:
		float64s(dst, src)
	}
	return nil
}

// widen converts len(dst) elements with conv, as arrange does, and to float64.
func widen[T Number](dst []float64, src []byte, conv func(dst []T, src []byte)) {
	size := len(src) / len(dst)
	part := make([]T, min(len(dst), 1024))
	for len(dst) > 0 {
		k := min(len(dst), len(part))
		conv(part[:k], src[:k*size])
		toFloat64(dst, part[:k])
		dst, src = dst[k:], src[k*size:]
	}
}

func uint8s(dst []uint8, src []byte) { copy(dst, src) }

func int8s(dst []int8, src []byte) {
	for i := range dst {
		dst[i] = int8(src[i])
	}
}

func ints16[T uint16 | int16](dst []T, src []byte) {
	for i := range dst {
		dst[i] = T(binary.LittleEndian.Uint16(src[2*i:]))
	}
}

func ints32[T uint32 | int32](dst []T, src []byte) {
	for i := range dst {
		dst[i] = T(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

func ints64[T uint64 | int64](dst []T, src []byte) {
	for i := range dst {
		dst[i] = T(binary.LittleEndian.Uint64(src[8*i:]))
	}
}

func halves(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = half(binary.LittleEndian.Uint16(src[2*i:]))
	}
}

func float32s(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
	}
}

func float64s(dst []float64, src []byte) {
	for i := range dst {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:]))
	}
}

// half converts an IEEE 754 binary16 number: sign, 5 bits of exponent biased by
// 15, 10 bits of fraction. The result is exact; a NaN keeps its payload.
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exponent {
	case 0: // fraction·2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
