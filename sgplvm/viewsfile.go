package sgplvm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
)

// ErrNoViews says that a file is another than one of a model of several views.
var ErrNoViews = errors.New("no model of several views, expected one")

// Save writes the model to w, sealed with a checksum. The bytes depend on the model alone.
func (m *MultiView) Save(w io.Writer) error {
	text, err := json.Marshal(m.Checks())
	if err != nil {
		return err
	}
	f := &safetensors.File{Metadata: map[string]string{"format": viewsFormat, "views": string(text)}}
	for k, v := range m.views {
		for _, part := range []struct {
			name  string
			model *Model
		}{{"model", v.model}, {"alone", v.alone}} {
			var b bytes.Buffer
			if err := part.model.Save(&b); err != nil {
				return err
			}
			f.Tensors = append(f.Tensors, safetensors.Tensor{Name: fmt.Sprintf("view.%d.%s", k, part.name), Shape: []int{b.Len()}, Data: b.Bytes()})
		}
	}
	return safetensors.Write(w, f)
}

// LoadViews reads a model that MultiView.Save wrote. Errors: *FileError, which is ErrNoViews for a file of another kind.
func LoadViews(r io.Reader) (*MultiView, error) {
	m, err := loadViews(r)
	if err != nil {
		return nil, &FileError{Err: err}
	}
	return m, nil
}

func loadViews(r io.Reader) (*MultiView, error) {
	f, err := safetensors.ReadSealed(r)
	if err != nil {
		return nil, err
	}
	if got := f.Metadata["format"]; got != viewsFormat {
		return nil, fmt.Errorf("format %s: %w", quote.Text(got), ErrNoViews)
	}
	var checks []ViewCheck
	if err := json.Unmarshal([]byte(f.Metadata["views"]), &checks); err != nil {
		return nil, errors.New(quote.Line(err.Error()))
	}
	if len(checks) < 2 || len(f.Tensors) != 2*len(checks) {
		return nil, fmt.Errorf("%d tensors of %d views, expected two of each of at least two", len(f.Tensors), len(checks))
	}
	m := new(MultiView)
	for k, c := range checks {
		v := modelView{name: c.Name, check: c}
		if v.model, err = modelIn(f, fmt.Sprintf("view.%d.model", k)); err == nil {
			v.alone, err = modelIn(f, fmt.Sprintf("view.%d.alone", k))
		}
		if err != nil {
			return nil, err
		}
		if m.views = append(m.views, v); !m.fit(v) {
			return nil, fmt.Errorf("view %s: models that do not go together", quote.Text(c.Name))
		}
	}
	return m, nil
}

// modelIn reads a model in a tensor.
func modelIn(f *safetensors.File, name string) (*Model, error) {
	b, err := safetensors.Values[uint8](f, name, -1)
	if err != nil {
		return nil, err
	}
	m, err := load(bytes.NewReader(b), 0)
	if err != nil {
		return nil, fmt.Errorf("tensor %s: %w", name, err)
	}
	return m, nil
}

// fit reports whether a view has two models of one form, and as many latent dimensions as the first view.
func (m *MultiView) fit(v modelView) bool {
	return v.model.Grid().Len() == v.alone.Grid().Len() && v.model.Channels() == v.alone.Channels() &&
		v.model.posterior.Params().X.Mu.Cols == m.views[0].model.posterior.Params().X.Mu.Cols
}
