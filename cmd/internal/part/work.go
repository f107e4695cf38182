package part

import (
	"bufio"
	"bytes"
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
	Choices  map[string]string // what results depend on: flags, or checksums of the files that they name
	Made     string            // by which program, with which instructions
	Data     []byte            // checksum of the slice of the data; nil: there are none
	Examples int               // of all parts
}

// Work is what of a command a process does: a part, or the joining of all. Where it is nil the process does all the work.
type Work struct {
	header
	path  string
	begin time.Time // of what is measured
	joins []*header // in the order of the parts; nil: this is one of them
	paths []string  // of their files
}

// Measured ends a command of which a few examples were done to see what all cost.
type Measured struct {
	Examples, All int
	Each          time.Duration // of an example
	Before        time.Duration // until the first one
	Bytes         int64         // of an example's result
	Memory        int64         // that the system has given
}

func (m *Measured) Error() string {
	return fmt.Sprintf("measured %d examples of %d", m.Examples, m.All)
}

// Measure returns the work of a few examples, which ends in a *[Measured].
func Measure() *Work { return &Work{begin: time.Now()} }

// measuredExamples is how many are done at most.
const measuredExamples = 8

// counter counts what is written.
type counter struct{ n int64 }

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}

// Done ends a command that has written its part.
type Done struct {
	Path          string
	From, To, All int
}

func (d *Done) Error() string {
	return fmt.Sprintf("%s has %d of %d examples, from number %d on; sgplvm join puts the parts together", quote.Line(d.Path), d.To-d.From, d.All, d.From)
}

// Name is that of the file of a part beside out, the name of the results.
func Name(p Part, out string) string {
	return fmt.Sprintf("%s.part%dof%d", strings.TrimRight(out, "/"+string(os.PathSeparator)), p.Index, p.Count)
}

// New returns the work of a part, which goes to a file beside out; args are the command and its flags, made is the program that does it.
func New(p Part, out string, args []string, made string) *Work {
	return &Work{header: header{Part: p, Args: args, Made: made}, path: Name(p, out)}
}

// Slice returns nil where all examples are read, else which of n are.
func (w *Work) Slice() func(n int) (from, to int) {
	if w == nil || w.joins != nil {
		return nil
	}
	return w.slice
}

// slice returns which of n examples a process does that joins nothing.
func (w *Work) slice(n int) (from, to int) {
	if !w.begin.IsZero() {
		return 0, min(n, measuredExamples)
	}
	return w.Part.Slice(n)
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

// Args are the command that the parts are of, with its flags.
func (w *Work) Args() []string { return w.header.Args }

// Choose says what the results depend on beside the data. Errors: parts that are joined and depend on something else.
func (w *Work) Choose(choices map[string]string) error {
	if w.Choices = choices; w.joins == nil {
		return nil
	}
	for k, h := range w.joins {
		if err := differ(w.paths[k], h.Choices, choices, "here"); err != nil {
			return err
		}
	}
	return nil
}

// differ names the first flag that is not the same.
func differ(path string, found, want map[string]string, where string) error {
	names := slices.Collect(maps.Keys(found))
	names = slices.AppendSeq(names, maps.Keys(want))
	slices.Sort(names)
	for _, name := range names {
		if found[name] != want[name] {
			return &dataset.Error{Path: path, Found: "a part made with " + choiceText(name, found), Want: choiceText(name, want) + " as " + where}
		}
	}
	return nil
}

func choiceText(name string, choices map[string]string) string {
	v, ok := choices[name]
	if !ok {
		return "no -" + name
	}
	return strings.TrimSpace("-" + name + " " + quote.Line(v))
}

// Hold compares the data of parts that are joined with these; digest returns the checksum of the examples from ≤ i < to of all.
func (w *Work) Hold(all int, digest func(from, to int) ([]byte, error)) (err error) {
	if w == nil {
		return nil
	}
	if w.joins == nil {
		w.Data, err = digest(w.slice(all))
		return err
	}
	for k, h := range w.joins {
		found, err := digest(h.Part.Slice(all))
		if err != nil {
			return err
		}
		if !bytes.Equal(found, h.Data) || h.Examples != all {
			return &dataset.Error{Path: w.paths[k], Found: "a part of other data", Want: "one of these: its examples are not the same"}
		}
	}
	return nil
}

// Run has compute make the results of the examples from ≤ i < to of all and give them, those of one or more examples in order, to put with the number of the example behind them. They
// go to use or, of a part, to its file, and the error is a *[Done]. Where parts are joined use gets their results.
func Run[T any](w *Work, all int, compute func(from, to int, put func(next int, result T) error) error, use func(next int, result T) error) error {
	if w == nil || w.joins != nil && w.header.Examples != 0 { // what comes after results of parts is computed again
		return compute(0, all, use)
	}
	if w.Examples = all; w.joins != nil {
		for k := range w.joins {
			if err := read(w, k, all, use); err != nil {
				return err
			}
		}
		return nil
	}
	from, to := w.slice(all)
	write := func(out io.Writer) error {
		sum := sha256.New()
		both := io.MultiWriter(out, sum)
		if _, err := io.WriteString(both, format); err != nil {
			return err
		}
		e := gob.NewEncoder(both)
		if err := e.Encode(&w.header); err != nil {
			return err
		}
		if err := compute(from, to, func(next int, result T) error {
			if err := e.Encode(next); err != nil {
				return err
			}
			return e.Encode(&result)
		}); err != nil {
			return &computing{err}
		}
		_, err := out.Write(sum.Sum(nil))
		return err
	}
	if !w.begin.IsZero() {
		if err := compute(from, min(to, 1), func(int, T) error { return nil }); err != nil { // which all others have something of
			return err
		}
		before := time.Since(w.begin)
		n, count := int64(max(1, to-from)), new(counter)
		begin := time.Now()
		if err := write(count); err != nil {
			return err
		}
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return &Measured{to - from, all, time.Since(begin) / time.Duration(n), before, count.n / n, int64(now.Sys)}
	}
	err := files.WriteAtomic(w.path, write)
	if c, ok := errors.AsType[*computing](err); ok {
		return c.error
	}
	if err != nil {
		return err
	}
	return &Done{w.path, from, to, all}
}

// computing is an error that is none of writing.
type computing struct{ error }

// read gives the results of a part to use.
func read[T any](w *Work, k, all int, use func(next int, result T) error) error {
	h, d, end, err := open(w.paths[k])
	if err != nil {
		return err
	}
	defer end()
	at, to := h.Part.Slice(all)
	for at < to {
		var result T
		err := d.Decode(&at)
		if err == nil {
			err = d.Decode(&result)
		}
		if err != nil || h.Examples != all || at > to {
			return &dataset.Error{Path: w.paths[k], Found: fmt.Sprintf("a part of %d examples (%v)", h.Examples, err), Want: fmt.Sprintf("one of %d", all)}
		}
		if err := use(at, result); err != nil {
			return err
		}
	}
	return nil
}

// open reads the header of a part's file, of which the checksum was right.
func open(path string) (h *header, d *gob.Decoder, end func(), err error) {
	fail := func(found string, err error) (*header, *gob.Decoder, func(), error) {
		return nil, nil, nil, &dataset.Error{Path: path, Found: found, Want: "a whole file of a part of the work, as -part writes it", Err: err}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, nil, &dataset.Error{Path: path, Err: err}
	}
	begin := make([]byte, len(format))
	info, err := file.Stat()
	if err == nil {
		_, err = io.ReadFull(file, begin)
	}
	if err != nil || string(begin) != format {
		file.Close()
		return fail("another file", nil)
	}
	sum := sha256.New()
	sum.Write(begin)
	check := make([]byte, sha256.Size)
	if _, err = io.CopyN(sum, file, max(0, info.Size()-int64(len(begin)+len(check)))); err == nil {
		_, err = io.ReadFull(file, check)
	}
	if err != nil || !bytes.Equal(check, sum.Sum(nil)) {
		file.Close()
		return fail("a damaged file", nil)
	}
	if _, err = file.Seek(int64(len(format)), io.SeekStart); err == nil {
		d, h = gob.NewDecoder(bufio.NewReader(file)), new(header)
		err = d.Decode(h)
	}
	if err != nil || !h.Part.valid() || h.Args == nil {
		file.Close()
		return fail("a file of another version", err)
	}
	return h, d, func() { file.Close() }, nil
}

// Join returns the work of joining the parts in some files. Errors: files that are damaged or of other work, and parts that are missing or there twice, all of them named.
func Join(paths []string) (*Work, error) {
	w := new(Work)
	var wrong []string
	for _, path := range paths {
		h, _, end, err := open(path)
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		end()
		if w.joins == nil {
			w.header = header{Part: h.Part, Args: h.Args, Made: h.Made, Choices: h.Choices}
			w.joins, w.paths = make([]*header, h.Part.Count), make([]string, h.Part.Count)
		}
		k := h.Part.Index - 1
		switch {
		case h.Part.Count != w.Part.Count:
			err = &dataset.Error{Path: path, Found: "part " + h.Part.String(), Want: fmt.Sprintf("one of %d", w.Part.Count)}
		case h.Args[0] != w.header.Args[0]:
			err = &dataset.Error{Path: path, Found: "a part of " + quote.Line(h.Args[0]), Want: "one of " + quote.Line(w.header.Args[0])}
		case h.Made != w.Made:
			err = &dataset.Error{Path: path, Found: "a part made by " + quote.Line(h.Made), Want: quote.Line(w.Made) + ", as others, with which the bits are the same (KRONFIELD_ISA chooses the instructions)"}
		case w.joins[k] != nil:
			err = &dataset.Error{Path: path, Found: "part " + h.Part.String(), Want: "each once: " + quote.Line(w.paths[k]) + " is that too"}
		default:
			w.joins[k], w.paths[k] = h, path
			err = differ(path, h.Choices, w.Choices, "others")
		}
		if err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	var missing []string
	for k, h := range w.joins {
		if h == nil {
			missing = append(missing, Part{k + 1, w.Part.Count}.String())
		}
	}
	if n := len(missing); n > 0 {
		more := ""
		if n > 20 {
			missing, more = missing[:20], fmt.Sprintf(" and %d more", n-20)
		}
		wrong = append(wrong, "missing: "+strings.Join(missing, ", ")+more+" (the command with -part does one again)")
	}
	if wrong != nil {
		return nil, errors.New(strings.Join(wrong, "; "))
	}
	w.header.Examples = 0
	return w, nil
}
