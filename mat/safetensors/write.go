package safetensors

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/internal/raw"
)

// zeros stands for the checksum's digits while the file is hashed.
var zeros = strings.Repeat("0", digits)

// Write writes a file with its checksum. The bytes depend on the content alone,
// not on the order of f.Tensors; every bit of the elements is kept, NaN
// payloads included. Names and metadata that the format cannot hold (not UTF-8,
// used twice, or reserved as "__metadata__" and [ChecksumKey] are) and headers
// of more than 10 MB are a [*FormatError] before anything is written; errors of
// w are wrapped. It panics if a tensor's shape and data do not belong together.
func Write(w io.Writer, f *File) error {
	tensors := slices.Clone(f.Tensors)
	for _, t := range tensors {
		t.check()
	}
	sort.SliceStable(tensors, func(i, j int) bool {
		s, _ := inspect(tensors[i].Data)
		t, _ := inspect(tensors[j].Data)
		return s < t || s == t && tensors[i].Name < tensors[j].Name
	})
	head, err := encodeHeader(f.Metadata, tensors)
	if err != nil {
		return err
	}
	if _, err := w.Write(head); err != nil {
		return fmt.Errorf("safetensors: writing the header: %w", err)
	}
	for _, t := range tensors {
		if err := raw.Write(w, t.Data, binary.LittleEndian); err != nil {
			return fmt.Errorf("safetensors: writing tensor %s: %w", quote.Text(t.Name), err)
		}
	}
	return nil
}

// check panics unless shape and data belong together.
func (t *Tensor) check() {
	typ, n := inspect(t.Data)
	if typ == 0 {
		panic(fmt.Sprintf("safetensors.Write: tensor %s has data of type %T", quote.Text(t.Name), t.Data))
	}
	if len(t.Shape) > maxAxes {
		panic(fmt.Sprintf("safetensors.Write: tensor %s has %d axes, at most %d are allowed", quote.Text(t.Name), len(t.Shape), maxAxes))
	}
	for _, d := range t.Shape {
		if d < 0 {
			panic(fmt.Sprintf("safetensors.Write: tensor %s has a negative axis in shape %v", quote.Text(t.Name), t.Shape))
		}
	}
	if size, ok := raw.Size(t.Shape, 1); !ok || size != n {
		panic(fmt.Sprintf("safetensors.Write: tensor %s of shape %v has %d elements", quote.Text(t.Name), t.Shape, n))
	}
}

// encodeHeader returns the length field and the header, checksum included, of
// tensors in their order.
func encodeHeader(metadata map[string]string, tensors []Tensor) ([]byte, error) {
	b := append(make([]byte, 8), `{"`+metadataKey+`":`...)
	b, sumAt, err := appendMetadata(b, metadata)
	if err != nil {
		return nil, err
	}
	if b, err = appendEntries(b, tensors); err != nil {
		return nil, err
	}
	b = append(b, '}')
	for len(b)%8 != 0 {
		b = append(b, ' ')
	}
	length := len(b) - 8
	if length > maxHeader {
		return nil, &FormatError{"header", strconv.Itoa(length) + " bytes", "at most " + strconv.Itoa(maxHeader)}
	}
	binary.LittleEndian.PutUint64(b, uint64(length))

	hash := sha256.New() // its Write never fails
	hash.Write(b)
	for _, t := range tensors {
		raw.Write(hash, t.Data, binary.LittleEndian)
	}
	hex.Encode(b[sumAt:], hash.Sum(nil))
	return b, nil
}

// appendMetadata appends the metadata, sorted, with zeros for the checksum, and
// tells where they are.
func appendMetadata(b []byte, metadata map[string]string) ([]byte, int, error) {
	if _, ok := metadata[ChecksumKey]; ok {
		return nil, 0, &FormatError{metadataKey, "key " + quote.Text(ChecksumKey), "no such key: it is added in writing"}
	}
	sumAt := 0
	separator := byte('{')
	keys := append(slices.Collect(maps.Keys(metadata)), ChecksumKey)
	slices.Sort(keys)
	for _, key := range keys {
		value := metadata[key]
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			return nil, 0, &FormatError{metadataKey, quote.Text(key) + ": " + quote.Text(value), "strings in UTF-8"}
		}
		b = append(appendString(append(b, separator), key), ':')
		if key == ChecksumKey {
			sumAt, value = len(b)+1, zeros
		}
		b = appendString(b, value)
		separator = ','
	}
	return append(b, '}'), sumAt, nil
}

// appendEntries appends the descriptions of the tensors, each after a comma.
func appendEntries(b []byte, tensors []Tensor) ([]byte, error) {
	seen := make(map[string]bool, len(tensors))
	at := 0
	for _, t := range tensors {
		if !utf8.ValidString(t.Name) || t.Name == metadataKey || seen[t.Name] {
			return nil, &FormatError{"tensor " + quote.Text(t.Name), "this name", "a name in UTF-8, used once and not " + metadataKey}
		}
		seen[t.Name] = true
		typ, n := inspect(t.Data)
		end := at + n*typ.size()
		b = appendString(append(b, ','), t.Name)
		b = fmt.Appendf(b, `:{"dtype":"%v","shape":%s,"data_offsets":[%d,%d]}`, typ, list(t.Shape), at, end)
		at = end
	}
	return b, nil
}

// appendString appends a JSON string.
func appendString(b []byte, s string) []byte {
	quoted, _ := json.Marshal(s) // of a string it never fails
	return append(b, quoted...)
}
