package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"maps"
	"math"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// kinds are the endings of files by their content types.
var kinds = map[string]string{"application/json": ".json", "text/csv": ".csv", "image/png": ".png", "image/jpeg": ".jpg", "application/x-npy": ".npy", "application/octet-stream": ".npy"}

// A request is one for work: its body and its answer are files.
type request struct {
	*server
	ctx    context.Context
	e      *cli.Environment
	notes  bytes.Buffer // what the commands say on their standard error
	prefix string       // of its files
	files  []string     // to be removed
	f      *cli.Flags
	clock  *engine.TimeFlags
	keep   *bool
	effort *string
	errors *float64
	body   string // the file, of which the ending tells the kind
	answer string // the file
	accept string // its ending
	sent   string // the content type of the answer
	query
}

// A query is a body of JSON.
type query struct {
	Values   json.RawMessage `json:"values"`
	Inputs   json.RawMessage `json:"inputs"`
	Fields   json.RawMessage `json:"fields"` // of inputs
	Times    []float64       `json:"times"`
	Sequence json.Number     `json:"sequence"`
	Examples []int           `json:"examples"`
}

// settable are the flags that a request may set: none of them names a file.
var settable = []string{"keep-outliers", "sequence", "columns", "labels", "time-column", "time-format", "fill-value", "effort", "errors"}

// newRequest reads all but the body. The caller removes its files.
func newRequest(s *server, r *http.Request) (*request, error) {
	q := &request{server: s}
	q.e = &cli.Environment{Stdout: io.Discard, Stderr: &q.notes, LineEvery: time.Hour}
	q.f = cli.NewFlags(q.e, r.URL.Path[1:], "")
	engine.NewReadFlags(q.f)
	q.keep = q.f.Toggle("keep-outliers", "")
	q.effort = q.f.Choice("effort", "quick", "", "quick", "normal", "thorough")
	q.errors = q.f.Between("errors", 0, 0, math.MaxFloat64, "")
	q.clock = engine.NewTimeFlags(q.f, "")
	q.f.String("out", "", "")
	if err := q.set(r.URL.Query()); err != nil {
		return nil, err
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	ending := kinds[kind]
	if err != nil || ending == "" {
		return nil, failf(http.StatusUnsupportedMediaType, "Content-Type %s, expected application/json, application/x-npy, text/csv, image/png or image/jpeg", cli.Text(cmp.Or(kind, "none")))
	}
	for word := range strings.SplitSeq(cmp.Or(r.Header.Get("Accept"), "*/*"), ",") {
		kind, _, _ := mime.ParseMediaType(word)
		if kind == "*/*" || kind == "application/*" {
			kind = "application/json"
		}
		if q.accept = kinds[kind]; q.accept != "" && q.accept != ".jpg" {
			q.sent = kind
			break
		}
	}
	if q.sent == "" {
		return nil, failf(http.StatusNotAcceptable, "Accept %s, expected application/json, application/x-npy, text/csv or image/png", cli.Text(r.Header.Get("Accept")))
	}
	q.prefix = filepath.Join(s.folder, strconv.FormatInt(s.count.Add(1), 10)+"-")
	q.body, q.answer = q.file("body"+ending), q.file("answer"+q.accept)
	return q, nil
}

// file names a file of the request. Folders of their own take longer than small models.
func (q *request) file(name string) string {
	q.files = append(q.files, q.prefix+name)
	return q.prefix + name
}

// remove removes the files.
func (q *request) remove() {
	for _, path := range q.files {
		os.Remove(path)
	}
}

// set sets the flags that are in the query.
func (q *request) set(query url.Values) error {
	for name, values := range query {
		switch {
		case name == "times":
			for word := range strings.SplitSeq(values[0], ",") {
				v, err := strconv.ParseFloat(word, 64)
				if err != nil {
					return fmt.Errorf("times: %s, expected numbers, separated by commas", cli.Text(word))
				}
				q.Times = append(q.Times, v)
			}
		case !slices.Contains(settable, name):
			return fmt.Errorf("query %s, expected one of times, %s", cli.Text(name), strings.Join(settable, ", "))
		default:
			if err := q.f.Set(name, values[0]); err != nil {
				return fmt.Errorf("%s %s: %w", name, cli.Text(values[0]), err)
			}
		}
	}
	return nil
}

// receive writes the body to its file.
func (q *request) receive(body io.Reader) error {
	file, err := os.Create(q.body)
	if err == nil {
		_, err = io.Copy(file, body)
		err = cmp.Or(err, file.Close())
	}
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		return failf(http.StatusInsufficientStorage, "no room for the body: %w", path.Err)
	}
	return err
}

// do works on the body as soon as a processor is free.
func (q *request) do(ctx context.Context, work func(q *request) error) error {
	select {
	case q.slots <- struct{}{}:
		defer func() { <-q.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	q.ctx = ctx
	if err := q.open(); err != nil {
		return err
	}
	return work(q)
}

// open looks at the body: pictures must have as many pixels as the model's, and arrays within JSON become files.
func (q *request) open() error {
	file, err := os.Open(q.body)
	if err != nil {
		return err
	}
	defer file.Close()
	switch filepath.Ext(q.body) {
	case ".png", ".jpg":
		c, _, err := image.DecodeConfig(bufio.NewReader(file))
		if err != nil {
			return fmt.Errorf("body: %w", err)
		}
		if n := q.points(); int64(c.Width)*int64(c.Height) != int64(n) {
			return fmt.Errorf("body: a picture of %d×%d pixels, expected %d in all, as the model's", c.Width, c.Height, n)
		}
	case ".json":
		d := json.NewDecoder(bufio.NewReader(file))
		d.DisallowUnknownFields()
		err := d.Decode(&q.query)
		if u, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("body: %s %s, expected an object such as {\"values\": [[1, null]]}", u.Value, u.Field)
		}
		if err != nil {
			return fmt.Errorf("body: %s", strings.TrimPrefix(err.Error(), "json: "))
		}
		if q.Sequence != "" {
			if err := q.f.Set("sequence", q.Sequence.String()); err != nil {
				return fmt.Errorf("body: sequence: %w", err)
			}
		}
		if q.Values != nil {
			q.body = q.file("values.npy")
			return q.array(q.body, q.Values)
		}
	}
	return nil
}

// data is the file with examples.
func (q *request) data() (string, error) {
	if filepath.Ext(q.body) == ".json" {
		return "", errors.New(`body: no "values"`)
	}
	return q.body, nil
}

// points is how many points an example has.
func (q *request) points() int {
	if q.emulator != nil {
		return q.emulator.Points()
	}
	return q.model.Grid().Len()
}

// array writes nested arrays of JSON as an array of NumPy.
func (q *request) array(path string, text []byte) error {
	values, shape, err := nested(text, q.server.values())
	if err != nil {
		return fmt.Errorf("body: %w", err)
	}
	var b bytes.Buffer
	if err := npy.Write(&b, npy.New(values, shape...)); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o600)
}

// inputs writes the inputs of an emulator as files, and returns their names.
func (q *request) inputs() (string, error) {
	if filepath.Ext(q.body) != ".json" {
		return q.body, nil
	}
	var paths []string
	table := map[string][]any{}
	switch {
	case q.Inputs == nil:
	case json.Unmarshal(q.Inputs, &table) == nil:
		path := q.file("inputs.csv")
		paths = append(paths, path)
		rows := [][]string{nil}
		for _, name := range slices.Sorted(maps.Keys(table)) {
			column := table[name]
			rows[0] = append(rows[0], name)
			if len(rows) == 1 {
				rows = append(rows, make([][]string, len(column))...)
			}
			if len(column) != len(rows)-1 {
				return "", errors.New("inputs of different numbers")
			}
			for i, v := range column {
				rows[i+1] = append(rows[i+1], fmt.Sprint(v))
			}
		}
		var b bytes.Buffer
		if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			return "", err
		}
	default:
		paths = append(paths, q.file("inputs.npy"))
		if err := q.array(paths[0], q.Inputs); err != nil {
			return "", err
		}
	}
	if q.Fields != nil {
		paths = append(paths, q.file("fields.npy"))
		if err := q.array(paths[len(paths)-1], q.Fields); err != nil {
			return "", err
		}
	}
	if paths == nil {
		return "", errors.New("no inputs")
	}
	return strings.Join(paths, ","), nil
}
