package part

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/internal/record"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

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

	// Of sums: the model with which they are reduced, and the bytes of one of so many parts.
	Model string
	Size  func(count int) int64
}

func (d *Done) Error() string {
	return fmt.Sprintf("%s has %d of %d examples, from number %d on; sgplvm join puts the parts together", quote.Line(d.Path), d.To-d.From, d.All, d.From)
}

// Name is that of the file of a part beside out, the name of the results.
func Name(p Part, out string) string {
	return fmt.Sprintf("%s.part%dof%d", strings.TrimRightFunc(out, func(c rune) bool { return c < 128 && os.IsPathSeparator(uint8(c)) }), p.Index, p.Count)
}

// New returns the work of a part, which goes to a file beside Out; args are the command and its flags, made is what bits depend on: the instructions and the program.
func New(p Part, args, made []string) *Work {
	return &Work{file: file{header: header{Part: p, Args: args, Made: made}}}
}

// measuredExamples is how many are done at most to measure what they cost.
const measuredExamples = 8

// Measure returns the work of a few examples, which ends in a *[Done].
func Measure() *Work { return &Work{measured: time.Now()} }

// Slice returns nil where all examples are read, else which of n are.
func (w *Work) Slice() func(n int) (from, to int) {
	switch {
	case w == nil || w.joins != nil:
		return nil
	case w.Measures():
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

// Choose says what the results depend on beside the data. Errors: parts that are joined and depend on something else.
func (w *Work) Choose(choices []string) error {
	w.Choices = choices
	for _, f := range w.joins {
		if err := f.differs(f.Choices, choices, "here"); err != nil {
			return err
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
		if err := record.Write(both, &w.header); err != nil {
			return err
		}
		if failed = compute(from, to, func(next int, result T) error {
			unwritten = cmp.Or(record.Write(both, next), record.Write(both, &result))
			return unwritten
		}); failed != nil {
			return failed
		}
		_, err := out.Write(sum.Sum(nil))
		return err
	}
	if w.Measures() {
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
	return w.Measured(to-from, w.Examples, begin, result.Len())
}

// Measures reports whether a few examples are to be measured.
func (w *Work) Measures() bool { return w != nil && !w.measured.IsZero() }

// Measured returns what was measured of n examples of all, from begin on, that have so many bytes of results.
func (w *Work) Measured(n, all int, begin time.Time, bytes int) *Done {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	each := max(1, n)
	return &Done{Path: w.Out, To: n, All: all, Before: begin.Sub(w.measured), Each: time.Since(begin) / time.Duration(each), Bytes: int64(bytes / each), Memory: int64(now.Sys)}
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
		if err := cmp.Or(record.Read(d, &at), record.Read(d, &result)); err != nil || h.Examples != all || at > to {
			return &dataset.Error{Path: f.path, Found: fmt.Sprintf("a part of %d examples", h.Examples), Want: fmt.Sprintf("one of %d", all), Err: err}
		}
		if err := use(at, result); err != nil {
			return err
		}
	}
	return nil
}
