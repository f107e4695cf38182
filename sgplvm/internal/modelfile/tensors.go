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

// A writer collects the tensors and metadata of a model file.
type writer struct{ file *safetensors.File }

func (w writer) put(name string, values []float64, shape ...int) {
	w.file.Tensors = append(w.file.Tensors, safetensors.Tensor{Name: name, Shape: shape, Data: values})
}

func (w writer) matrix(name string, a mat.Matrix) {
	if a.ColStride != 1 || a.RowStride != a.Cols {
		a = a.Clone()
	}
	w.put(name, a.Data[:a.Rows*a.Cols], a.Rows, a.Cols)
}

// Numbers and Text are what parts of the latent kernel write.
func (w writer) Numbers(name string, v []float64) { w.put(name, v, len(v)) }
func (w writer) Text(name, value string)          { w.file.Metadata[name] = value }

// labels writes whole numbers.
func (w writer) labels(name string, labels []int) {
	v := make([]float64, len(labels))
	for i, label := range labels {
		v[i] = float64(label)
	}
	w.put(name, v, len(v))
}

// bytes writes a tensor of bytes.
func (w writer) bytes(name string, content []byte) {
	w.file.Tensors = append(w.file.Tensors, safetensors.Tensor{Name: name, Shape: []int{len(content)}, Data: content})
}

// A reader reads tensors of finite numbers and metadata, keeps the first error, and knows what
// has not been read.
type reader struct {
	file    *safetensors.File
	unread  map[string]bool
	entries map[string]bool // of the metadata, not read
	err     error
}

func newReader(f *safetensors.File) *reader {
	t := &reader{file: f, unread: map[string]bool{}, entries: map[string]bool{}}
	for _, tensor := range f.Tensors {
		t.unread[tensor.Name] = true
	}
	for name := range f.Metadata {
		t.entries[name] = true
	}
	return t
}

// Fail keeps the first error.
func (t *reader) Fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// Has reports whether there is a tensor of that name.
func (t *reader) Has(name string) bool { return t.unread[name] }

// Text returns a metadata entry.
func (t *reader) Text(name string) string {
	delete(t.entries, name)
	return t.file.Metadata[name]
}

func (t *reader) read(name string, shape ...int) []float64 {
	delete(t.unread, name)
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
func (t *reader) Number(name string) float64 {
	v := t.read(name, 1)
	if v == nil {
		return math.NaN()
	}
	return v[0]
}

// Numbers returns a tensor of one dimension.
func (t *reader) Numbers(name string) []float64 { return slices.Clip(t.read(name, -1)) }

func (t *reader) matrix(name string) mat.Matrix {
	v := t.read(name, -1, -1)
	if t.err != nil {
		return mat.Matrix{}
	}
	shape := t.file.Lookup(name).Shape
	if shape[0] == 0 || shape[1] == 0 {
		return mat.New(shape[0], shape[1])
	}
	return mat.NewDense(shape[0], shape[1], v)
}

// labels reads whole numbers.
func (t *reader) labels(name string) []int {
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
func (t *reader) timeKernel(entry string) kernel.Kernel {
	k, err := kernel.Parse(t.Text(entry))
	if err != nil {
		t.Fail(fmt.Errorf("metadata entry %s: %w", entry, err))
	}
	return k
}

// bytes reads a tensor of bytes.
func (t *reader) bytes(name string) []byte {
	delete(t.unread, name)
	content, err := safetensors.Values[uint8](t.file, name, -1)
	if err != nil {
		t.Fail(err)
	}
	return content
}
