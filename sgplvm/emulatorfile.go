package sgplvm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/emulator"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/modelfile"
)

// emulatorFormat is that of an Emulator's file.
const emulatorFormat = "kronfield emulator 1"

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

// Save writes the emulator to w, sealed with a checksum. The bytes depend on the emulator alone. It has the inputs of the runs, and their outputs as far as
// components tell them.
func (e *Emulator) Save(w io.Writer) error {
	m := e.model
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f := modelfile.Writer{File: &safetensors.File{Metadata: map[string]string{"format": emulatorFormat, "emulator": string(text)}}}
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
	for i, x := range e.grid {
		f.Matrix(fmt.Sprintf("spatial.%d.X", i), x)
	}
	for name, v := range e.attributes {
		f.Text(modelfile.AttributePrefix+name, v)
	}
	return safetensors.Write(w, f.File)
}

// ErrEmulator says that a file is one of an emulator where another model is wanted.
var ErrEmulator = errors.New("an emulator, expected a model of examples")

// ErrNoEmulator says that a file is another than one of an emulator.
var ErrNoEmulator = errors.New("no emulator, expected one")

// LoadEmulator reads an emulator that Save wrote. It predicts with the bits of the one that was saved, on the same instruction set.
// Errors: *FileError, which is ErrNoEmulator for a file of another kind.
func LoadEmulator(r io.Reader) (*Emulator, error) {
	e, err := loadEmulator(r)
	if err != nil {
		return nil, &FileError{Err: err}
	}
	return e, nil
}

func loadEmulator(r io.Reader) (*Emulator, error) {
	f, err := safetensors.ReadSealed(r)
	if err != nil {
		return nil, err
	}
	t := modelfile.NewReader(f)
	if got := t.Text("format"); got != emulatorFormat {
		return nil, fmt.Errorf("format %s: %w", quote.Text(got), ErrNoEmulator)
	}
	m := new(emulator.Model)
	if err := json.Unmarshal([]byte(t.Text("emulator")), m); err != nil {
		return nil, errors.New(quote.Line(err.Error()))
	}
	m.X, m.P, m.Centre, m.Left = t.Matrix("x"), t.Matrix("p"), t.Numbers("centre"), t.Numbers("left")
	if m.Fields != nil {
		m.Fields.V, m.Fields.Mean = t.Matrix("fields.v"), t.Numbers("fields.mean")
	}
	e := &Emulator{model: m}
	for i := 0; t.Has(fmt.Sprintf("spatial.%d.X", i)); i++ {
		e.grid = append(e.grid, t.Matrix(fmt.Sprintf("spatial.%d.X", i)))
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
	case len(e.grid) == 0 || e.grid.Len() != m.Points:
		return nil, fmt.Errorf("a grid of %d points for outputs of %d", e.grid.Len(), m.Points)
	}
	if i, j, bad := mat.NonFinite(m.V); bad {
		return nil, fmt.Errorf("tensor v: element (%d, %d) is %v, expected a finite number", i, j, m.V.At(i, j))
	}
	e.attributes = attributes
	return e, m.Restore()
}
