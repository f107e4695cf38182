package engine

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// LoadViews reads a model of several views from a file.
func LoadViews(path string) (*sgplvm.MultiView, error) {
	m, _, err := readModel(path, sgplvm.LoadViews)
	if errors.Is(err, sgplvm.ErrNoViews) {
		err = fmt.Errorf("%s: no model of several views, expected one, as sgplvm train -view writes it", path)
	}
	if err != nil {
		return nil, err
	}
	for _, name := range m.Names() { // which results are named after
		if name != filepath.Base(name) || !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%s: a view named %s, expected names that files may have", path, quote.Text(name))
		}
	}
	return m, nil
}

// ShapeOf is the shape of an example of a model in an array: height×width of pictures or points, and channels where there are several, or one of a table.
func ShapeOf(m *sgplvm.Model) (shape []int) {
	w, h, err := pictureSize("", m)
	switch {
	case Table(m):
		return []int{m.Channels()}
	case err == nil && w*h == m.Grid().Len():
		shape = []int{h, w}
	default:
		shape = []int{m.Grid().Len()}
	}
	if c := m.Channels(); c > 1 {
		shape = append(shape, c)
	}
	return shape
}

// AboutViews is what the program tells of a model of several views.
type AboutViews struct {
	Views []sgplvm.ViewCheck `json:"views"`

	// LatentDims has the numbers, from 1, of the latent dimensions that are in use in some views, whose names are joined by " and ", and in no others.
	LatentDims map[string][]int `json:"latentDims"`
}

// NewAboutViews describes a model.
func NewAboutViews(m *sgplvm.MultiView) AboutViews {
	a := AboutViews{m.Checks(), map[string][]int{}}
	by := map[int][]string{}
	for _, name := range m.Names() {
		for q, is := range usedDims(m.View(name).Summary()) {
			if is {
				by[q] = append(by[q], name)
			}
		}
	}
	for _, q := range slices.Sorted(maps.Keys(by)) {
		of := strings.Join(by[q], " and ")
		a.LatentDims[of] = append(a.LatentDims[of], q+1)
	}
	return a
}

// ReportViews prints how well each view was predicted on examples left out of training, and what they share.
func ReportViews(e *cli.Environment, m *sgplvm.MultiView) {
	var s lines
	for _, c := range m.Checks() {
		v := m.View(c.Name)
		s.text("%s: %s, %s of %s", c.Name, quote.Counted(v.Examples(), "example"), quote.Counted(v.Grid().Len(), "point"), quote.Counted(v.Channels(), "channel"))
		used := map[bool]string{true: "used", false: "not used"}
		s.text("  whole examples from the other views: error %.4g (root mean square), by the mean of all examples %.4g: %s", c.Whole, c.ByMean, used[c.FromOther])
		if c.Part > 0 || c.Alone > 0 {
			s.text("  examples seen in part, with the other views: error %.4g, by this view alone %.4g: %s", c.Part, c.Alone, used[c.Together])
		}
	}
	dims := NewAboutViews(m).LatentDims
	for _, of := range slices.Sorted(maps.Keys(dims)) {
		s.text("latent dimensions of %s: %s", of, strings.Trim(fmt.Sprint(dims[of]), "[]"))
	}
	fmt.Fprint(e.Stdout, s.String())
}
