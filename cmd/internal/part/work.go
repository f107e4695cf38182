package part

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// format is how the file of a part begins. Behind it are a header and results, each with the number of the example after its last one, as package gob
// encodes them, and the SHA-256 checksum of all.
const format = "kronfield part 1\n"

// A header says what a part's file is of.
type header struct {
	Part     Part
	Args     []string          // the command and its flags, but those of the part
	Choices  map[string]string // what results depend on beside the data: the command, flags, checksums of files
	Data     []byte            // checksum of the slice of the data; nil: there are none
	Examples int               // of all parts
}

// A file is that of a part.
type file struct {
	header
	path string
}

// Work is what of a command a process does: a part, or the joining of all. Where it is nil the process does all the work.
type Work struct {
	Out string // the name of the results
	file
	measured time.Time // when a few examples began, of which the cost is measured
	joins    []*file   // in the order of the parts; nil: this is one of them
	joined   bool      // their results were used
}

// Done ends a command that has written its part, or has measured a few examples.
type Done struct {
	Path          string
	From, To, All int

	Before, Each  time.Duration // until the first example, and of one
	Bytes, Memory int64         // of an example's result, and what the system has given
}

func (d *Done) Error() string {
	return fmt.Sprintf("%s has %d of %d examples, from number %d on; sgplvm join puts the parts together", quote.Line(d.Path), d.To-d.From, d.All, d.From)
}

// Name is that of the file of a part beside out, the name of the results.
func Name(p Part, out string) string {
	return fmt.Sprintf("%s.part%dof%d", strings.TrimRightFunc(out, func(c rune) bool { return c < 128 && os.IsPathSeparator(uint8(c)) }), p.Index, p.Count)
}

// New returns the work of a part, which goes to a file beside Out; args are the command and its flags.
func New(p Part, args []string) *Work { return &Work{file: file{header: header{Part: p, Args: args}}} }

// measuredExamples is how many are done at most to measure what they cost.
const measuredExamples = 8

// Measure returns the work of a few examples, which ends in a *[Done].
func Measure() *Work { return &Work{measured: time.Now()} }

// Slice returns nil where all examples are read, else which of n are.
func (w *Work) Slice() func(n int) (from, to int) {
	switch {
	case w == nil || w.joins != nil:
		return nil
	case !w.measured.IsZero():
		return func(n int) (int, int) { return 0, min(n, measuredExamples) }
	}
	return w.Part.Slice
}

// Own returns of how many of n examples the process has the results.
func (w *Work) Own(n int) int {
	if slice := w.Slice(); slice != nil {
		from, to := slice(n)
		return to - from
	}
	return n
}

// Joins tells whether the results are those of parts.
func (w *Work) Joins() bool { return w != nil && w.joins != nil }

// Command is that of the parts, with its flags.
func (w *Work) Command() []string { return w.Args }

// Choose says what the results depend on beside the data, as text of what is expected. Errors: parts that are joined and depend on something else.
func (w *Work) Choose(choices map[string]string) error {
	w.Choices = choices
	for _, f := range w.joins {
		if err := f.differs(choices, "here"); err != nil {
			return err
		}
	}
	return nil
}

// differs names a choice of which a part was made otherwise.
func (f *file) differs(choices map[string]string, where string) error {
	text := func(of map[string]string, name string) string {
		if v, ok := of[name]; ok {
			return quote.Line(name + " " + v)
		}
		return "no " + quote.Line(name)
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(f.Choices)), maps.Keys(choices))
	slices.Sort(names)
	for _, name := range names {
		if found, want := text(f.Choices, name), text(choices, name); found != want {
			return &dataset.Error{Path: f.path, Found: "a part made with " + found, Want: want + ", as " + where}
		}
	}
	return nil
}

// Hold compares the data of parts that are joined with these; digest returns the checksum of the examples from ≤ i < to of all.
func (w *Work) Hold(all int, digest func(from, to int) ([]byte, error)) (err error) {
	if slice := w.Slice(); slice != nil {
		w.Data, err = digest(slice(all))
	}
	if w.Joins() {
		for _, f := range w.joins {
			if found, err := digest(f.Part.Slice(all)); err != nil || !bytes.Equal(found, f.Data) {
				return cmp.Or(err, error(&dataset.Error{Path: f.path, Found: "a part of other data", Want: "one with the same examples as here"}))
			}
		}
	}
	return err
}

// Run has compute make the results of the examples from ≤ i < to of all and give them, those of one or more examples in order, to put with the number of the example behind them. They
// go to use or, of a part, to its file, and the error is a *[Done]. Where parts are joined use gets their results, and what a command computes after them is computed.
func Run[T any](w *Work, all int, compute func(from, to int, put func(next int, result T) error) error, use func(next int, result T) error) error {
	switch {
	case w == nil || w.joined:
		return compute(0, all, use)
	case w.joins != nil:
		w.joined = true
		for _, f := range w.joins {
			if err := read(f, all, use); err != nil {
				return err
			}
		}
		return nil
	}
	w.Examples = all
	from, to := w.Slice()(all)
	var failed, unwritten error
	write := func(out io.Writer) error {
		sum := sha256.New()
		both := io.MultiWriter(out, sum)
		io.WriteString(both, format) // its error is that of what follows
		e := gob.NewEncoder(both)
		if err := e.Encode(&w.header); err != nil {
			return err
		}
		if failed = compute(from, to, func(next int, result T) error {
			unwritten = cmp.Or(e.Encode(next), e.Encode(&result))
			return unwritten
		}); failed != nil {
			return failed
		}
		_, err := out.Write(sum.Sum(nil))
		return err
	}
	if !w.measured.IsZero() {
		return measure(w, from, to, compute, write)
	}
	path := Name(w.Part, w.Out)
	if err := files.WriteAtomic(path, write); err != nil {
		if failed != nil && unwritten == nil {
			return failed
		}
		return err
	}
	return &Done{Path: path, From: from, To: to, All: all}
}

// measure ends the work of a few examples, of which write writes the results. The first is done before, as others have some of its work in common.
func measure[T any](w *Work, from, to int, compute func(from, to int, put func(next int, result T) error) error, write func(io.Writer) error) error {
	if err := compute(from, min(to, 1), func(int, T) error { return nil }); err != nil {
		return err
	}
	var result bytes.Buffer
	begin := time.Now()
	if err := write(&result); err != nil {
		return err
	}
	n := max(1, to-from)
	d := &Done{Path: w.Out, To: to, All: w.Examples, Before: begin.Sub(w.measured), Each: time.Since(begin) / time.Duration(n), Bytes: int64(result.Len() / n)}
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	d.Memory = int64(now.Sys)
	return d
}

// read gives the results of a part to use.
func read[T any](f *file, all int, use func(next int, result T) error) error {
	h, d, end, err := open(f.path)
	if err != nil {
		return err
	}
	defer end()
	at, to := h.Part.Slice(all)
	for at < to {
		var result T
		if err := cmp.Or(d.Decode(&at), d.Decode(&result)); err != nil || h.Examples != all || at > to {
			return &dataset.Error{Path: f.path, Found: fmt.Sprintf("a part of %d examples", h.Examples), Want: fmt.Sprintf("one of %d", all), Err: err}
		}
		if err := use(at, result); err != nil {
			return err
		}
	}
	return nil
}

// open checks the file of a part and reads its header.
func open(path string) (h header, d *gob.Decoder, end func(), err error) {
	in, err := os.Open(path)
	if err != nil {
		return h, nil, nil, &dataset.Error{Path: path, Err: err}
	}
	defer func() {
		if err != nil {
			in.Close()
			err = &dataset.Error{Path: path, Found: err.Error(), Want: "the whole file of a part, as -part writes it"}
		}
	}()
	info, err := in.Stat()
	begin, check, sum := make([]byte, len(format)), make([]byte, sha256.Size), sha256.New()
	if _, failed := io.ReadFull(in, begin); err != nil || failed != nil || string(begin) != format {
		return h, nil, nil, errors.New("another file")
	}
	sum.Write(begin)
	if _, err := io.CopyN(sum, in, info.Size()-int64(len(begin)+len(check))); err != nil {
		return h, nil, nil, errors.New("a damaged file")
	}
	if _, err := io.ReadFull(in, check); err != nil || !bytes.Equal(check, sum.Sum(nil)) {
		return h, nil, nil, errors.New("a damaged file")
	}
	if _, err = in.Seek(int64(len(format)), io.SeekStart); err == nil {
		d = gob.NewDecoder(bufio.NewReader(in))
		err = d.Decode(&h)
	}
	if err != nil || !h.Part.valid() || h.Args == nil {
		return h, nil, nil, errors.New("the file of another version")
	}
	return h, d, func() { in.Close() }, nil
}

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
	return f.differs(w.Choices, "others")
}
