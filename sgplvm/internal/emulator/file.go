package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/modelfile"
)

// Format is that of an emulator's file.
const Format = "kronfield emulator 1"

// An emulator file is a sealed safetensors file. Its tensors, F64 in C order but where it says otherwise:
//
//	x               n×d          inputs of the runs, scaled
//	p               n×J          coordinates of their outputs
//	v               values×J     F32, the components of outputs
//	centre, left    values       their mean, and the variance that components leave out
//	fields.v        values×c     components of input fields; absent where there are none, like the next
//	fields.mean     values
//	spatial.F.X     n_F×d_F      points of spatial factor F = 0, 1, …
//
// and its metadata: format, emulator (JSON of the rest) and attribute.NAME.

// A File is what a file holds: the model of outputs on a grid, and a caller's attributes.
type File struct {
	Model      *Model
	Grid       field.Grid
	Attributes map[string]string
}

// Write writes it, sealed with a checksum.
func (e *File) Write(w io.Writer) error {
	m := e.Model
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f := modelfile.Writer{File: &safetensors.File{Metadata: map[string]string{"format": Format, "emulator": string(text)}}}
	f.Matrix("x", m.X)
	f.Matrix("p", m.P)
	v := make([]float32, len(m.V.Data))
	for i, x := range m.V.Data {
		v[i] = float32(x)
	}
	f.File.Tensors = append(f.File.Tensors, safetensors.Tensor{Name: "v", Shape: []int{m.V.Rows, m.V.Cols}, Data: v})
	f.Numbers("centre", m.Centre)
	f.Numbers("left", m.Left)
	if m.Fields != nil {
		f.Matrix("fields.v", m.Fields.V)
		f.Numbers("fields.mean", m.Fields.Mean)
	}
	for i, x := range e.Grid {
		f.Matrix(fmt.Sprintf("spatial.%d.X", i), x)
	}
	for name, v := range e.Attributes {
		f.Text(modelfile.AttributePrefix+name, v)
	}
	return safetensors.Write(w, f.File)
}

// ErrOther says that a file is another than one of an emulator.
var ErrOther = errors.New("no emulator, expected one")

// Read returns what Write wrote. Errors: ErrOther.
func Read(r io.Reader) (*File, error) {
	f, err := safetensors.ReadSealed(r)
	if err != nil {
		return nil, err
	}
	t := modelfile.NewReader(f)
	if got := t.Text("format"); got != Format {
		return nil, fmt.Errorf("format %s: %w", quote.Text(got), ErrOther)
	}
	m := new(Model)
	if err := json.Unmarshal([]byte(t.Text("emulator")), m); err != nil {
		return nil, errors.New(quote.Line(err.Error()))
	}
	m.X, m.P, m.Centre, m.Left = t.Matrix("x"), t.Matrix("p"), t.Numbers("centre"), t.Numbers("left")
	if m.Fields != nil {
		m.Fields.V, m.Fields.Mean = t.Matrix("fields.v"), t.Numbers("fields.mean")
	}
	var grid field.Grid
	for i := 0; t.Has(fmt.Sprintf("spatial.%d.X", i)); i++ {
		grid = append(grid, t.Matrix(fmt.Sprintf("spatial.%d.X", i)))
	}
	delete(t.Unread, "v")
	v, err := safetensors.Values[float32](f, "v", -1, -1)
	if err != nil {
		return nil, err
	}
	shape := f.Lookup("v").Shape
	m.V = mat.New(shape[0], shape[1])
	for i, x := range v {
		m.V.Data[i] = float64(x)
	}
	attributes, attached, err := t.Callers()
	switch {
	case err != nil:
		return nil, err
	case t.Err != nil:
		return nil, t.Err
	case len(attached) > 0:
		return nil, fmt.Errorf("attachments, expected none in an emulator")
	case len(grid) == 0 || grid.Len() != m.Points:
		return nil, fmt.Errorf("a grid of %d points for outputs of %d", grid.Len(), m.Points)
	}
	if i, j, bad := mat.NonFinite(m.V); bad {
		return nil, fmt.Errorf("tensor v: element (%d, %d) is %v, expected a finite number", i, j, m.V.At(i, j))
	}
	return &File{m, grid, attributes}, m.Restore()
}
