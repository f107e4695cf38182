package safetensors

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

const (
	firstChunk = 1 << 16 // bytes, a multiple of every element size
	lastChunk  = 1 << 24
)

// Read reads a file up to the end of r. If it has a checksum, it must be right;
// the checksum is not part of the metadata returned, which is never nil. What
// is not a supported safetensors file, truncated ones and bytes after the last
// tensor included, is a [*FormatError]; errors of r are wrapped.
//
// Reading takes memory as the bytes arrive, whatever the header claims: about
// twice the bytes of the data (three times those of F16 and BF16), those of a regular file or a [bytes.Reader] once (twice), and at
// most about twelve times those of the header.
func Read(r io.Reader) (*File, error) { return read(r, false) }

// ReadSealed is [Read] for files that must have a checksum: a file without one
// is a [*FormatError] too. No change to a file that [Write] wrote passes.
func ReadSealed(r io.Reader) (*File, error) { return read(r, true) }

func read(r io.Reader, sealed bool) (*File, error) {
	var field [8]byte
	if n, err := io.ReadFull(r, field[:]); err != nil {
		return nil, truncated("header length", n, len(field), err)
	}
	length := binary.LittleEndian.Uint64(field[:])
	if length > uint64(maxHeader) {
		return nil, &FormatError{"header length", strconv.FormatUint(length, 10) + " bytes",
			"at most " + strconv.Itoa(maxHeader)}
	}
	chunks, err := readChunks(r, int(length), "header")
	if err != nil {
		return nil, err
	}
	text := bytes.Join(chunks, nil)
	h, err := parseHeader(string(text))
	if err != nil {
		return nil, err
	}
	if sealed && h.sum == "" {
		return nil, &FormatError{metadataKey, "no checksum", "the key " + quote.Text(ChecksumKey)}
	}
	hash := sha256.New()
	var seal io.Writer = io.Discard
	if h.sum != "" {
		seal = hash
		copy(text[h.sumAt:], zeros)
	}
	seal.Write(field[:])
	seal.Write(text)

	f := &File{Metadata: h.metadata, Tensors: make([]Tensor, len(h.entries))}
	if f.Metadata == nil {
		f.Metadata = map[string]string{}
	}
	for i, e := range h.entries {
		values, err := readTensor(r, e, seal)
		if err != nil {
			return nil, err
		}
		f.Tensors[i] = Tensor{e.name, e.shape, values}
	}
	if err := expectEnd(r); err != nil {
		return nil, err
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); h.sum != "" && sum != h.sum {
		return nil, &FormatError{"checksum", sum, h.sum + " (the file is damaged)"}
	}
	return f, nil
}

// readTensor reads the values of a tensor, and gives their bytes to seal.
func readTensor(r io.Reader, e entry, seal io.Writer) (any, error) {
	place, size := "tensor "+quote.Text(e.name), e.end-e.begin
	if holds(r, size) { // by pieces that stay in a near cache
		piece, have := make([]byte, min(firstChunk, size)), 0
		return decode(e, func() ([]byte, error) {
			piece = piece[:min(len(piece), size-have)]
			n, err := io.ReadFull(r, piece)
			have += n
			if err != nil {
				return nil, truncated(place, have, size, err)
			}
			seal.Write(piece)
			return piece, nil
		})
	}
	chunks, err := readChunks(r, size, place)
	if err != nil {
		return nil, err
	}
	return decode(e, func() ([]byte, error) {
		c := chunks[0]
		chunks[0], chunks = nil, chunks[1:]
		seal.Write(c)
		return c, nil
	})
}

// holds tells that a reader has so many bytes, as far as can be told: what is there need not be read to be believed.
func holds(r io.Reader, size int) bool {
	switch r := r.(type) {
	case *bytes.Reader:
		return r.Len() >= size
	case interface{ Stat() (fs.FileInfo, error) }:
		info, err := r.Stat()
		return err == nil && info.Mode().IsRegular() && info.Size() >= int64(size)
	}
	return false
}

// readChunks reads size bytes. Each chunk is about as long as all before it, so
// that a size that is a lie costs no more than the truth and a first chunk.
func readChunks(r io.Reader, size int, place string) ([][]byte, error) {
	var chunks [][]byte
	for have, next := 0, firstChunk; have < size; next = min(2*next, lastChunk) {
		chunk := make([]byte, min(next, size-have))
		n, err := io.ReadFull(r, chunk)
		have += n
		if err != nil {
			return nil, truncated(place, have, size, err)
		}
		chunks = append(chunks, chunk)
	}
	return chunks, nil
}

// truncated turns the end of the input into a FormatError; any other error of
// the reader is passed on.
func truncated(place string, found, want int, err error) error {
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return fmt.Errorf("safetensors: reading the %s: %w", place, err)
	}
	return &FormatError{place, strconv.Itoa(found) + " bytes", strconv.Itoa(want) + " (the file is truncated)"}
}

// expectEnd makes sure that nothing follows the tensors.
func expectEnd(r io.Reader) error {
	var b [1]byte
	switch _, err := io.ReadFull(r, b[:]); err {
	case io.EOF:
		return nil
	case nil:
		return &FormatError{"data", "more bytes", "the end of the file after the last tensor"}
	default:
		return fmt.Errorf("safetensors: reading the end of the data: %w", err)
	}
}

// decode turns the bytes of a tensor, which next gives chunk by chunk, into the slice of its type.
func decode(e entry, next func() ([]byte, error)) (any, error) {
	switch e.typ {
	case i64:
		return gather(e, next, func(dst []int64, src []byte) {
			for i := range dst {
				dst[i] = int64(binary.LittleEndian.Uint64(src[8*i:]))
			}
		})
	case f64:
		return gather(e, next, func(dst []float64, src []byte) {
			for i := range dst {
				dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:]))
			}
		})
	case f32:
		return gather(e, next, func(dst []float32, src []byte) {
			for i := range dst {
				dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:]))
			}
		})
	case i32:
		return gather(e, next, func(dst []int32, src []byte) {
			for i := range dst {
				dst[i] = int32(binary.LittleEndian.Uint32(src[4*i:]))
			}
		})
	case f16:
		return gather(e, next, func(dst []float32, src []byte) {
			for i := range dst {
				dst[i] = half(binary.LittleEndian.Uint16(src[2*i:]))
			}
		})
	case bf16:
		return gather(e, next, func(dst []float32, src []byte) {
			for i := range dst {
				dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(src[2*i:])) << 16)
			}
		})
	}
	return gather(e, next, func(dst []uint8, src []byte) { copy(dst, src) })
}

// half is the number whose bits in binary16 are b: a sign, 5 bits of an exponent with bias 15, and 10 of a fraction.
func half(b uint16) float32 {
	sign, exponent, fraction := uint32(b>>15)<<31, uint32(b>>10&31), uint32(b&1023)
	switch exponent {
	case 0: // subnormal, or zero
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 31: // infinite, or NaN with its payload
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// gather converts the chunks with conv, which fills dst from the bytes of
// len(dst) elements.
func gather[T Element](e entry, next func() ([]byte, error), conv func(dst []T, src []byte)) ([]T, error) {
	size := e.typ.size()
	dst := make([]T, (e.end-e.begin)/size)
	for at := 0; at < len(dst); {
		c, err := next()
		if err != nil {
			return nil, err
		}
		k := len(c) / size
		conv(dst[at:at+k], c)
		at += k
	}
	return dst, nil
}
