package modelfile

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A Writer collects the tensors and metadata of a model file.
type Writer struct{ File *safetensors.File }

func (w Writer) put(name string, values []float64, shape ...int) {
	w.File.Tensors = append(w.File.Tensors, safetensors.Tensor{Name: name, Shape: shape, Data: values})
}

func (w Writer) Matrix(name string, a mat.Matrix) {
	if a.ColStride != 1 || a.RowStride != a.Cols {
		a = a.Clone()
	}
	w.put(name, a.Data[:a.Rows*a.Cols], a.Rows, a.Cols)
}

// Numbers and Text are what parts of the latent kernel write.
func (w Writer) Numbers(name string, v []float64) { w.put(name, v, len(v)) }
func (w Writer) Text(name, value string)          { w.File.Metadata[name] = value }

// labels writes whole numbers.
func (w Writer) labels(name string, labels []int) {
	v := make([]float64, len(labels))
	for i, label := range labels {
		v[i] = float64(label)
	}
	w.put(name, v, len(v))
}

// bytes writes a tensor of bytes.
func (w Writer) bytes(name string, content []byte) {
	w.File.Tensors = append(w.File.Tensors, safetensors.Tensor{Name: name, Shape: []int{len(content)}, Data: content})
}

// A Reader reads tensors of finite numbers and metadata, keeps the first error, and knows what
// has not been read.
type Reader struct {
	file    *safetensors.File
	Unread  map[string]bool
	entries map[string]bool // of the metadata, not read
	Err     error
}

func NewReader(f *safetensors.File) *Reader {
	t := &Reader{file: f, Unread: map[string]bool{}, entries: map[string]bool{}}
	for _, tensor := range f.Tensors {
		t.Unread[tensor.Name] = true
	}
	for name := range f.Metadata {
		t.entries[name] = true
	}
	return t
}

// Fail keeps the first error.
func (t *Reader) Fail(err error) {
	if t.Err == nil {
		t.Err = err
	}
}

// Has reports whether there is a tensor of that name.
func (t *Reader) Has(name string) bool { return t.Unread[name] }

// Text returns a metadata entry.
func (t *Reader) Text(name string) string {
	delete(t.entries, name)
	return t.file.Metadata[name]
}

func (t *Reader) read(name string, shape ...int) []float64 {
	delete(t.Unread, name)
	v, err := safetensors.Values[float64](t.file, name, shape...)
	for i, x := range v {
		if err == nil && x-x != 0 {
			err = fmt.Errorf("tensor %s: element %d is %v, expected a finite number", name, i, x)
		}
	}
	if err != nil {
		t.Fail(err)
		return nil
	}
	return v
}

// Number returns a tensor of one number; NaN where it cannot be read.
func (t *Reader) Number(name string) float64 {
	v := t.read(name, 1)
	if v == nil {
		return math.NaN()
	}
	return v[0]
}

// Numbers returns a tensor of one dimension.
func (t *Reader) Numbers(name string) []float64 { return slices.Clip(t.read(name, -1)) }

func (t *Reader) Matrix(name string) mat.Matrix {
	v := t.read(name, -1, -1)
	if t.Err != nil {
		return mat.Matrix{}
	}
	shape := t.file.Lookup(name).Shape
	if shape[0] == 0 || shape[1] == 0 {
		return mat.New(shape[0], shape[1])
	}
	return mat.NewDense(shape[0], shape[1], v)
}

// labels reads whole numbers.
func (t *Reader) labels(name string) []int {
	labels := []int{}
	for i, v := range t.Numbers(name) {
		if v != math.Trunc(v) || math.Abs(v) > data.MaxLabel {
			t.Fail(fmt.Errorf("tensor %s: element %d is %v, expected a whole number between ±%d", name, i, v, data.MaxLabel))
			break
		}
		labels = append(labels, int(v))
	}
	return labels
}

// ownKernel names the metadata entry with the kernel in time of latent dimension q alone.
func ownKernel(q int) string { return fmt.Sprintf("dynamics.%d.kernel", q) }

// timeKernel reads a kernel in time from a metadata entry.
func (t *Reader) timeKernel(entry string) kernel.Kernel {
	k, err := kernel.Parse(t.Text(entry))
	if err != nil {
		t.Fail(fmt.Errorf("metadata entry %s: %w", entry, err))
	}
	return k
}

// bytes reads a tensor of bytes.
func (t *Reader) bytes(name string) []byte {
	delete(t.Unread, name)
	content, err := safetensors.Values[uint8](t.file, name, -1)
	if err != nil {
		t.Fail(err)
	}
	return content
}
