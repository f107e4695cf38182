package part

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Join returns the work of joining the parts in some files. Errors: files that are damaged or of other work, and parts that are missing or there twice, all of them named.
func Join(paths []string) (*Work, error) {
	w := new(Work)
	var wrong, missing []string
	for _, path := range paths {
		h, _, end, err := open(path)
		if err == nil {
			end()
			err = w.add(&file{h, path})
		}
		if err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	for k, f := range w.joins {
		if f == nil {
			missing = append(missing, Part{k + 1, len(w.joins)}.String())
		}
	}
	if n := len(missing); n > 20 {
		missing = append(missing[:20], fmt.Sprintf("%d more", n-20))
	}
	if missing != nil {
		wrong = append(wrong, "missing: "+strings.Join(missing, ", ")+" (the command with -part does one again)")
	}
	if wrong != nil {
		return nil, errors.New(strings.Join(wrong, "; "))
	}
	return w, nil
}

// add adds a part to those that are joined.
func (w *Work) add(f *file) error {
	if w.joins == nil {
		w.header, w.joins = f.header, make([]*file, f.Part.Count)
	}
	if f.Part.Count != len(w.joins) {
		return &dataset.Error{Path: f.path, Found: "part " + f.Part.String(), Want: fmt.Sprintf("one of %d", len(w.joins))}
	}
	at := &w.joins[f.Part.Index-1]
	if *at != nil {
		return &dataset.Error{Path: f.path, Found: "part " + f.Part.String(), Want: "each once: " + quote.Line((*at).path) + " is that too"}
	}
	*at = f
	return f.differs(slices.Concat(f.Choices, f.Made), slices.Concat(w.Choices, w.Made), "others")
}
