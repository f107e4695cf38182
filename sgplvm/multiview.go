package sgplvm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/rounds"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// MultiView is a model of several views of the same examples, each a [Model]; they share the latent variables. It does not change, and any number of goroutines may use it.
type MultiView struct {
	views []modelView
}

// A modelView is a view of a model.
type modelView struct {
	name         string
	model, alone *Model // with the latent variables of all views, and of the view by itself
	check        ViewCheck
}

// Names returns the names of the views.
func (m *MultiView) Names() (names []string) {
	for _, v := range m.views {
		names = append(names, v.name)
	}
	return names
}

// Checks tell of each view how well it was predicted on examples left out of training.
func (m *MultiView) Checks() (all []ViewCheck) {
	for _, v := range m.views {
		all = append(all, v.check)
	}
	return all
}

// View returns the model of the view of that name, with the latent variables of all views; nil where there is none.
func (m *MultiView) View(name string) *Model {
	if i := slices.Index(m.Names(), name); i >= 0 {
		return m.views[i].model
	}
	return nil
}

// Impute returns the distribution of all values of an example in each view, given what was observed of it in any: seen has the views in order, each at the points of its
// Grid (nil: the training grid); an element without values is a view of which nothing was observed. Errors: those of Model.Impute.
func (m *MultiView) Impute(ctx context.Context, seen []Observed, o InferOptions) ([]Prediction, error) {
	if len(seen) != len(m.views) {
		panic(fmt.Sprintf("sgplvm: an example of %d views, expected %d", len(seen), len(m.views)))
	}
	models, all, filled := make([]rounds.Model, len(seen)), make([]Prediction, len(seen)), slices.Clone(seen)
	for v, w := range m.views {
		models[v] = learned{w.model}
		if filled[v].Values.Rows == 0 {
			grid := seen[v].Grid
			if grid == nil {
				grid = w.model.Grid()
			}
			filled[v].Values = rounds.NothingOf(grid.Len(), w.model.Channels())
		}
	}
	for v, w := range m.views {
		own, by, use := filled[v], w.model, w.check.FromOther
		if work.AnySeen(own.Values) {
			use = w.check.Together
		}
		var err error
		if use {
			own.Prior, err = rounds.LatentOfOthers(ctx, models, filled, v, o)
		}
		if own.Prior == nil {
			by = w.alone
		}
		if err == nil {
			all[v], _, err = by.Impute(ctx, own, o)
		}
		if err != nil {
			return nil, fmt.Errorf("view %s: %w", w.name, err)
		}
	}
	return all, nil
}

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

// A View is one of several kinds of data of the same examples, with points, channels and units of its own: sea temperature beside chlorophyll, a field beside
// a table.
type View struct {
	Name string
	Data Data

	// Rows are the numbers of the examples that Data has, in their order, each at most once; views share examples of one number. nil: 0, 1, 2, …
	Rows []int

	// Attributes are kept in the view's model for the caller, as Config.Attributes.
	Attributes map[string]string
}

// checkViews refuses views that do not fit.
func checkViews(views []View) error {
	refuse := func(format string, args ...any) error {
		return &ConfigError{Field: "Views", Err: fmt.Errorf(format, args...)}
	}
	if len(views) < 2 {
		return refuse("%d views, expected at least two", len(views))
	}
	names := map[string]bool{}
	for _, v := range views {
		if v.Name == "" || names[v.Name] {
			return refuse("a view named %q, expected different names", v.Name)
		}
		names[v.Name] = true
		if v.Data.Source == nil {
			return refuse("view %s has no data", v.Name)
		}
		n, _, _ := v.Data.Source.Dims()
		if v.Rows != nil && len(v.Rows) != n {
			return refuse("view %s: numbers of %d examples, expected %d", v.Name, len(v.Rows), n)
		}
		if rows := slices.Sorted(slices.Values(v.Rows)); len(rows) > 0 && (rows[0] < 0 || len(slices.Compact(rows)) < n) {
			return refuse("view %s: a number of an example that is negative or there twice, expected each once", v.Name)
		}
		if v.Data.Film || v.Data.Errors != nil {
			return refuse("view %s: a film, or values with known errors, expected data without", v.Name)
		}
	}
	return nil
}
