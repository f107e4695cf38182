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
	"slices"
	"strconv"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/internal/raw"
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

func read(r io.Reader, mustBeSealed bool) (*File, error) {
	var field [8]byte
	if n, err := io.ReadFull(r, field[:]); err != nil {
		return nil, truncated("header length", n, len(field), err)
	}
	length := binary.LittleEndian.Uint64(field[:])
	if length > uint64(maxHeader) {
		return nil, &FormatError{"header length", strconv.FormatUint(length, 10) + " bytes",
			"at most " + strconv.Itoa(maxHeader)}
	}
	chunks, have, err := raw.ReadChunks(r, int(length))
	if err != nil {
		return nil, truncated("header", have, int(length), err)
	}
	text := bytes.Join(chunks, nil)
	h, err := parseHeader(string(text))
	if err != nil {
		return nil, err
	}
	if mustBeSealed && h.sum == "" {
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
	if !holds(r, size) {
		chunks, have, err := raw.ReadChunks(r, size)
		if err != nil {
			return nil, truncated(place, have, size, err)
		}
		return decode(e, func(b []byte) error {
			raw.Gather(b, chunks)
			seal.Write(b)
			return nil
		})
	}
	return decode(e, func(b []byte) error {
		have := 0
		for piece := range slices.Chunk(b, sealed) {
			n, err := io.ReadFull(r, piece)
			if have += n; err != nil {
				return truncated(place, have, size, err)
			}
			seal.Write(piece)
		}
		return nil
	})
}

// sealed is how many bytes are read before they are hashed, while they are in a near cache.
const sealed = 1 << 16

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

// decode makes the slice of a tensor's type of its bytes, which read gives.
func decode(e entry, read func(b []byte) error) (any, error) {
	t := dtypes[e.typ]
	data := raw.Make(t.kind, (e.end-e.begin)/t.size)
	memory := raw.Bytes(data)
	b := memory[len(memory)-(e.end-e.begin):]
	if err := read(b); err != nil {
		return nil, err
	}
	raw.Order(b, t.size, binary.LittleEndian)
	switch e.typ {
	case f16:
		raw.Widen(memory, raw.Half)
	case bf16:
		raw.Widen(memory, func(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) })
	}
	return data, nil
}
