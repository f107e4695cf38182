package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Save writes a model to a file.
func Save(path string, m *sgplvm.Model) error {
	return files.WriteAtomic(path, func(w io.Writer) error { return m.Save(w) })
}

// readModel reads a model of some kind from a file. Where it cannot be read, other says what the file is, if that is known.
func readModel[M any](path string, read func(r io.Reader) (M, error)) (m M, other string, err error) {
	const want = "a model file"
	file, err := os.Open(path)
	if err != nil {
		return m, "", &dataset.Error{Path: path, Err: err, Want: want}
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = &dataset.Error{Path: path, Found: "a folder", Want: want}
	}
	if err != nil {
		return m, "", err
	}
	if m, err = read(file); err != nil {
		return m, otherFile(file), fmt.Errorf("%s: %w", path, err)
	}
	loaded += float64(info.Size())
	return m, "", nil
}

// Load reads a model, which is to predict, from a file.
func Load(path string) (*sgplvm.Model, error) {
	m, err := LoadOnly(path)
	if err == nil {
		err = fits(sgplvm.Memory{Data: predictTimes * loaded})
	}
	return m, err
}

// LoadOnly reads a model, of which only what is in it is asked for, from a file.
func LoadOnly(path string) (*sgplvm.Model, error) {
	m, other, err := readModel(path, sgplvm.Load)
	switch {
	case errors.Is(err, sgplvm.ErrEmulator):
		err = fmt.Errorf("%s: an emulator, which these take: predict -inputs, sample -inputs, update, invert, sensitivity, design, info, report", path)
	case errors.Is(err, sgplvm.ErrViews):
		err = fmt.Errorf("%s: %w: impute -view takes it, and info -views FOLDER writes a model of each", path, sgplvm.ErrViews)
	case other != "":
		err = &dataset.Error{Path: path, Found: other, Want: "a model file, as sgplvm train writes it"}
	}
	return m, err
}

// LoadEmulator reads an emulator from a file; nil where the file has a model of another kind, or is none.
func LoadEmulator(path string) (*sgplvm.Emulator, error) {
	m, other, err := readModel(path, sgplvm.LoadEmulator)
	if errors.Is(err, sgplvm.ErrNoEmulator) || other != "" {
		return nil, nil
	}
	if err == nil {
		err = fits(sgplvm.Memory{Data: predictTimes * loaded})
	}
	return m, err
}

// LoadAny reads a model or an emulator from a file; the other one is nil.
func LoadAny(path string) (m *sgplvm.Model, e *sgplvm.Emulator, err error) {
	if e, err = LoadEmulator(path); err == nil && e == nil {
		m, err = Load(path)
	}
	return m, e, err
}

// otherFile says what a file is, by how it begins, that people take for a model; nothing where that is not known.
func otherFile(file io.ReaderAt) string {
	begin := make([]byte, 8)
	n, _ := file.ReadAt(begin, 0)
	for _, kind := range [][2]string{
		{"\x93NUMPY", "an array of NumPy"}, {"PK\x03\x04", "an archive"}, {"CDF", "a NetCDF file"}, {"\x89PNG", "a picture"}, {"\xff\xd8\xff", "a picture"}, {"GIF8", "a picture"},
		{"KRONEDGE", "a file of sgplvm compile, for small programs"},
	} {
		if bytes.HasPrefix(begin[:n], []byte(kind[0])) {
			return kind[1]
		}
	}
	return ""
}

// attributeGrid is where a model keeps the size of its pictures, attributePoints where one of
// scattered points says so, attributeTable where one of a table does, and attributeNames the names of its columns, JSON.
// attributeType is where one of pictures keeps the type of their numbers, which says what black and white are; of other numbers
// attributeLevels has the least and the greatest.
const (
	attributeGrid   = "grid"
	attributePoints = "points"
	attributeTable  = "table"
	attributeNames  = "columns"
	attributeType   = "type"
	attributeLevels = "levels"
)

// Attributes are what a model keeps of the form of its data. Errors: those of reading values.
func Attributes(f *dataset.Form, values sgplvm.Source) (map[string]string, error) {
	if f.Scattered {
		return map[string]string{attributePoints: "scattered"}, nil
	}
	if f.Table {
		a := map[string]string{attributeTable: "columns"}
		if f.Columns != nil {
			names, _ := json.Marshal(f.Columns) // of strings
			a[attributeNames] = string(names)
		}
		return a, nil
	}
	a := map[string]string{attributeGrid: dataset.FormatGrid(f.Width, f.Height)}
	if _, ok := typeLevels(f.Type); ok {
		a[attributeType] = f.Type.String()
		return a, nil
	}
	count, points, channels := values.Dims()
	l, example := noLevels(), make([]float64, points*channels)
	for i := range count {
		if err := values.ReadExamples(example, i, i+1); err != nil {
			return nil, err
		}
		l = extended(l, example)
	}
	l = widened(l)
	a[attributeLevels] = fmt.Sprint(l.Low, " ", l.High)
	return a, nil
}

// keptLevels are the levels of training pictures, of which the attributes of a model keep the type or the range; ok is false where they say nothing, or what cannot be.
func keptLevels(attributes map[string]string) (l picture.Levels, ok bool) {
	for _, t := range []npy.Type{npy.Uint8, npy.Uint16} {
		if attributes[attributeType] == t.String() {
			return typeLevels(t)
		}
	}
	l.Bits = 8
	n, err := fmt.Sscan(attributes[attributeLevels], &l.Low, &l.High)
	return l, n == 2 && err == nil && l.Low < l.High && !math.IsInf(l.High-l.Low, 0)
}

// scattered reports whether a model was trained on values at scattered points.
func scattered(m *sgplvm.Model) bool { return m.Attributes()[attributePoints] == "scattered" }

// Table reports whether a model was trained on a table.
func Table(m *sgplvm.Model) bool { return m.Attributes()[attributeTable] == "columns" }

// Names are those of the columns of the table that a model was trained on; nil: there are none, or one twice.
func Names(m *sgplvm.Model) (all []string) {
	if json.Unmarshal([]byte(m.Attributes()[attributeNames]), &all) != nil || len(all) != m.Channels() {
		return nil
	}
	sorted := slices.Sorted(slices.Values(all))
	if len(slices.Compact(sorted)) < len(all) {
		return nil
	}
	return all
}

// pictureSize returns the size of the model's pictures, 0×0 if it does not say.
func pictureSize(path string, m *sgplvm.Model) (width, height int, err error) {
	g := m.Attributes()[attributeGrid]
	if g == "" {
		return 0, 0, nil
	}
	if width, height, err = dataset.ParseGrid(g); err != nil {
		return 0, 0, fmt.Errorf("%s: attribute %s: %w", path, attributeGrid, err)
	}
	return width, height, nil
}

// Timed reports whether a model knows the times of its training examples.
func Timed(m *sgplvm.Model) bool { return m.Times() != nil }

// TimeSpan returns the first and the last training time of a sequence; ok is false where there is
// none.
func TimeSpan(m *sgplvm.Model, sequence int) (first, last float64, ok bool) {
	first, last = math.Inf(1), math.Inf(-1)
	for _, t := range m.Times() {
		if t.Sequence == sequence {
			first, last, ok = min(first, t.Time), max(last, t.Time), true
		}
	}
	return first, last, ok
}
