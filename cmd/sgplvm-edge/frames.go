package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

// A frameError names the frame, counted from 0, that something is wrong with.
type frameError struct {
	number int
	err    error
}

func (e *frameError) Error() string { return "frame " + strconv.Itoa(e.number) + ": " + e.err.Error() }
func (e *frameError) Unwrap() error { return e.err }

// frames reads one frame after the other.
type frames struct {
	in      *bufio.Reader
	n       int    // values of a frame
	item    byte   // 'f' or 'u' of numbers, 0 of lines
	size    int    // bytes of a number
	left    int    // frames of an array; −1: until the end
	buffer  []byte // of a frame
	columns []byte // of a line, where it is longer than in's buffer
}

const npyMagic = "\x93NUMPY"

// newFrames returns a reader of lines, of an array that begins like one, or of raw numbers.
func newFrames(in io.Reader, n int, raw bool) (*frames, error) {
	f := &frames{in: bufio.NewReaderSize(in, 1<<16), n: n, left: -1}
	head, err := f.in.Peek(len(npyMagic))
	switch {
	case raw:
		f.item, f.size = 'f', 4
	case err == nil && string(head) == npyMagic:
		if err := f.header(); err != nil {
			return nil, err
		}
	}
	f.buffer = make([]byte, f.n*f.size)
	return f, nil
}

func (f *frames) csv() bool { return f.item == 0 }

// mostHeader bounds the header of an array, in bytes.
const mostHeader = 1 << 12

// header reads that of an array, of which the shape must be frames of n values.
func (f *frames) header() error {
	var start [10]byte
	if _, err := io.ReadFull(f.in, start[:]); err != nil {
		return errors.New("a .npy array that ends in its header")
	}
	size := int(start[8]) | int(start[9])<<8
	if start[6] != 1 || size > mostHeader {
		return errors.New("a .npy array of another version, expected 1.0")
	}
	header := make([]byte, size)
	if _, err := io.ReadFull(f.in, header); err != nil {
		return errors.New("a .npy array that ends in its header")
	}
	types := []struct {
		name string
		item byte
		size int
	}{{"'<f4'", 'f', 4}, {"'<f8'", 'f', 8}, {"'|u1'", 'u', 1}}
	for _, t := range types {
		if bytes.Contains(header, []byte(t.name)) {
			f.item, f.size = t.item, t.size
		}
	}
	if f.item == 0 || !bytes.Contains(header, []byte("'fortran_order': False")) {
		return errors.New("a .npy array of another type or order, expected <f4, <f8 or |u1, row by row")
	}
	return f.shape(header)
}

func (f *frames) shape(header []byte) error {
	_, rest, _ := bytes.Cut(header, []byte("'shape': ("))
	list, _, found := bytes.Cut(rest, []byte(")"))
	if !found {
		return errors.New("a .npy array without a shape")
	}
	values, wrong := 1, text.Errorf("a .npy array of shape (%s), expected frames of %d values", string(list), f.n)
	for k, rest := 0, list; len(rest) > 0; k++ {
		var field []byte
		field, rest, _ = bytes.Cut(rest, []byte(","))
		if field = trimmed(field); len(field) == 0 {
			continue
		}
		v, err := strconv.Atoi(string(field))
		if err != nil || v < 0 || k > 0 && (v == 0 || values > f.n/v) {
			return wrong
		}
		if k == 0 {
			f.left = v
		} else {
			values *= v
		}
	}
	if values != f.n || f.left < 0 {
		return wrong
	}
	return nil
}

// next reads a frame; NaN is missing. The error is io.EOF behind the last one.
func (f *frames) next(values []float64) error {
	if f.csv() {
		return f.line(values)
	}
	if f.left == 0 {
		return io.EOF
	}
	if n, err := io.ReadFull(f.in, f.buffer); err == io.EOF && n == 0 && f.left < 0 {
		return io.EOF
	} else if err != nil {
		return text.Errorf("the input ends after %d of its %d bytes", n, len(f.buffer))
	}
	f.left--
	if f.left < -1 {
		f.left = -1
	}
	for i := range values {
		b := f.buffer[i*f.size:][:f.size]
		var bits uint64
		for k := len(b) - 1; k >= 0; k-- {
			bits = bits<<8 | uint64(b[k])
		}
		switch {
		case f.item == 'u':
			values[i] = float64(bits)
		case f.size == 4:
			values[i] = float64(math.Float32frombits(uint32(bits)))
		default:
			values[i] = math.Float64frombits(bits)
		}
	}
	return nil
}

// mostColumn bounds a value's text, in bytes.
const mostColumn = 64

// line reads a line of CSV.
func (f *frames) line(values []float64) error {
	f.columns = f.columns[:0]
	for {
		part, err := f.in.ReadSlice('\n')
		f.columns = append(f.columns, part...)
		if len(f.columns) > mostColumn*f.n {
			return text.Errorf("a line of more than %d bytes", mostColumn*f.n)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err == io.EOF && len(f.columns) > 0 {
			break
		}
		if err != nil {
			return err
		}
		break
	}
	line := trimmed(f.columns)
	rest := line
	for i := range values {
		field, after, found := bytes.Cut(rest, []byte(","))
		if found != (i < len(values)-1) {
			return text.Errorf("%d values, expected %d", 1+bytes.Count(line, []byte(",")), len(values))
		}
		rest = after
		if field = trimmed(field); len(field) == 0 {
			values[i] = math.NaN()
			continue
		}
		v, err := strconv.ParseFloat(string(field), 64)
		if err != nil {
			return text.Errorf("value %d is %q, expected a number or nothing", i, string(field))
		}
		values[i] = v
	}
	return nil
}

// trimmed returns a field without the spaces around it: those of ASCII, which take no tables.
func trimmed(field []byte) []byte {
	for len(field) > 0 && field[0] <= ' ' {
		field = field[1:]
	}
	for len(field) > 0 && field[len(field)-1] <= ' ' {
		field = field[:len(field)-1]
	}
	return field
}

// results writes filled frames and their scores.
type results struct {
	out    io.Writer
	csv    bool
	buffer []byte
}

func newResults(out io.Writer, n int, csv bool) *results {
	return &results{out: out, csv: csv, buffer: make([]byte, 0, 16*(n+1))}
}

func (r *results) write(filled []float64, score float64, scores []float64) error {
	r.buffer = r.buffer[:0]
	for _, v := range filled {
		r.add(v)
	}
	r.add(score)
	for _, v := range scores {
		r.add(v)
	}
	if r.csv {
		r.buffer[len(r.buffer)-1] = '\n'
	}
	_, err := r.out.Write(r.buffer)
	return err
}

func (r *results) add(v float64) {
	if r.csv {
		if v != edge.NoEvidence {
			r.buffer = strconv.AppendFloat(r.buffer, v, 'g', 7, 64)
		}
		r.buffer = append(r.buffer, ',')
		return
	}
	bits := math.Float32bits(float32(v))
	r.buffer = append(r.buffer, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
}
