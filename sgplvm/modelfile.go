package sgplvm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/emulator"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/modelfile"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
)

// Save writes the model to w: everything that inference and prediction need, sealed with a checksum. The bytes depend on the model alone. Of the training data
// it has what predictions are made of: a film's frames and, with local noise, the residuals of all examples (Summary
// tells how many bytes; Config.Lean forbids both).
func (m *Model) Save(w io.Writer) error {
	f := modelfile.File{Posterior: m.posterior, Seed: m.seed, Attributes: m.attributes, Attached: maps.Clone(m.attached), Chosen: map[string]string{}}
	for _, entry := range []struct {
		name  string
		known bool
		value any
	}{
		{"config", m.config != nil, m.config},
		{"selection", m.selection != nil, m.selection},
		{"training", len(m.phases) > 0, m.phases},
	} {
		if !entry.known {
			continue
		}
		text, err := json.Marshal(entry.value)
		if err != nil {
			return err
		}
		f.Chosen[entry.name] = string(text)
	}
	if m.partly != nil {
		var file bytes.Buffer
		if err := m.partly.Save(&file); err != nil {
			return err
		}
		f.Partly = file.Bytes()
	}
	if m.film != nil {
		parts, err := m.film.Encode()
		if err != nil {
			return err
		}
		if f.Attached == nil {
			f.Attached = parts
		}
		maps.Copy(f.Attached, parts)
	}
	return modelfile.Write(w, f)
}

// Load reads a model that Save wrote. It predicts with the bits of the one that
// was saved, on the same instruction set. Errors: *FileError.
func Load(r io.Reader) (*Model, error) {
	m, err := load(r, 0)
	if err != nil {
		return nil, &FileError{Err: err}
	}
	return m, nil
}

// viewsFormat is that of a MultiView's file, a sealed safetensors file. Its tensors, U8, are files of models: view.K.model with the latent variables of all views, view.K.alone of
// the view by itself, K = 0, 1, …; its metadata format and views, JSON of a ViewCheck each.
const viewsFormat = "kronfield views 1"

// ErrViews says that a file is one of a model of several views where another is wanted.
var ErrViews = errors.New("a model of several views, expected one of examples")

// maxModels bounds models within one another in files.
const maxModels = 2

// load reads a model within depth others.
func load(r io.Reader, depth int) (*Model, error) {
	f, err := safetensors.ReadSealed(r)
	if err != nil {
		return nil, err
	}
	return fromFile(f, depth+1)
}

// fromFile reads a model that is the depth-th within others.
func fromFile(f *safetensors.File, depth int) (*Model, error) {
	if f.Metadata["format"] == emulator.Format {
		return nil, ErrEmulator
	}
	if f.Metadata["format"] == viewsFormat {
		return nil, ErrViews
	}
	c, err := modelfile.Parse(f)
	if err != nil {
		return nil, err
	}
	moving, err := takeFilm(c.Posterior, c.Attached)
	if err != nil {
		return nil, err
	}
	m := newModel(c.Posterior, moving, c.Seed, c.Attributes, c.Attached)
	if err := m.parseChosen(c.Chosen); err != nil {
		return nil, err
	}
	if c.Partly == nil {
		return m, nil
	}
	if depth >= maxModels {
		return nil, fmt.Errorf("tensor %s: a model within a model within a model, expected one", modelfile.PartlyTensor)
	}
	if m.partly, err = load(bytes.NewReader(c.Partly), depth); err != nil {
		return nil, fmt.Errorf("tensor %s: %w", modelfile.PartlyTensor, err)
	}
	return m, m.fits(m.partly)
}

// parseChosen sets what the model was trained with, how that was chosen and how the bound rose.
func (m *Model) parseChosen(entries map[string]string) error {
	for _, entry := range []struct {
		name string
		into any
	}{{"config", &m.config}, {"selection", &m.selection}, {"training", &m.phases}} {
		if entries[entry.name] == "" {
			continue
		}
		if err := json.Unmarshal([]byte(entries[entry.name]), entry.into); err != nil {
			return fmt.Errorf("metadata entry %s: %s", entry.name, quote.Line(err.Error()))
		}
	}
	for i, p := range m.phases {
		if p.Steps < 0 || len(p.Bounds) >= training.MaxBounds || len(p.Bounds) > 0 && (p.Every < 1 || len(p.Bounds) > p.Steps/p.Every) {
			return fmt.Errorf("metadata entry training: phase %d has %d bounds of %d steps, one in %d, expected fewer than %d, and no more than there were steps",
				i, len(p.Bounds), p.Steps, p.Every, training.MaxBounds)
		}
	}
	return nil
}
