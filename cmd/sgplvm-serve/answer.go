package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// put writes the answer to its file.
func (q *request) put(write func(w *bufio.Writer) error) error {
	file, err := os.Create(q.answer)
	if err != nil {
		return failure{http.StatusInternalServerError, err}
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return failf(http.StatusInsufficientStorage, "no room for the answer: %w", errors.Unwrap(err))
	}
	return nil
}

// send sends the answer.
func (q *request) send(w http.ResponseWriter) error {
	file, err := os.Open(q.answer)
	if err != nil {
		return failure{http.StatusInternalServerError, err}
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil {
		w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	}
	w.Header().Set("Content-Type", q.sent)
	io.Copy(w, file) // whoever no longer listens is not told
	return nil
}

// fields answers with values of a form and, where there are any, their variances.
func (q *request) fields(form dataset.Form, levels picture.Levels, mean, variance []float64) error {
	switch q.accept {
	case ".png":
		if err := q.f.Set("out", q.answer); err != nil {
			return err
		}
		out, err := engine.NewOutput(q.f, "out")
		if err == nil {
			err = out.Holding(form, levels)
		}
		if err == nil {
			err = out.Save(mean)
		}
		return err
	case ".npy":
		return q.put(func(w *bufio.Writer) error { return npy.Write(w, npy.New(mean, form.Shape...)) })
	case ".csv":
		return q.put(func(w *bufio.Writer) error {
			return dataset.NewSet(form, mean).Write(w, q.answer, &dataset.Filled{Mean: mean})
		})
	}
	return q.put(func(w *bufio.Writer) error {
		w.WriteString(`{"mean":`)
		writeNested(w, mean, form.Shape)
		if variance != nil {
			for i, v := range variance {
				variance[i] = math.Sqrt(v)
			}
			w.WriteString(`,"standard_error":`)
			writeNested(w, variance, form.Shape)
		}
		notes := strings.FieldsFunc(strings.ReplaceAll(q.notes.String(), "sgplvm: ", ""), func(r rune) bool { return r == '\n' })
		text, err := json.Marshal(struct {
			Columns []string `json:"columns,omitempty"`
			Notes   []string `json:"notes"`
		}{form.Columns, slices.Clip(append([]string{}, notes...))})
		if err != nil {
			return err
		}
		w.WriteByte(',')
		_, err = w.Write(append(text[1:], '\n'))
		return err
	})
}

// about tells what the model is.
func (s *server) about(w http.ResponseWriter) error {
	about := struct {
		Kind     string                `json:"kind"`
		Width    int                   `json:"width,omitzero"` // of pictures
		Height   int                   `json:"height,omitzero"`
		Low      float64               `json:"low"` // black and white of pictures
		High     float64               `json:"high"`
		Model    *engine.ModelAbout    `json:"model,omitempty"`
		Emulator *engine.AboutEmulator `json:"emulator,omitempty"`
	}{Kind: "model"}
	var form dataset.Form
	if s.emulator != nil {
		a := engine.NewAboutEmulator(s.emulator)
		about.Kind, about.Emulator = "emulator", &a
		var levels picture.Levels
		var err error
		if form, levels, err = engine.EmulatorForm(*s.path, s.emulator, "", 1); err != nil {
			return failure{http.StatusInternalServerError, err}
		}
		about.Low, about.High = levels.Low, levels.High
	} else {
		a := engine.About(s.model)
		about.Model = &a
		about.Low, about.High = engine.Range(s.model)
		g, err := engine.NewOutputGrid("serve", *s.path, s.model, "", "")
		if err != nil {
			return failure{http.StatusInternalServerError, err}
		}
		form = g.Form(s.model, 1)
	}
	if !form.Table && !form.Scattered {
		about.Width, about.Height = form.Width, form.Height
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(about)
}
