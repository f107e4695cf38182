package part

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/internal/record"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// format is how the file of a part begins. Behind it are a header and results, each with the number of the example after its last one, as package record
// writes them, and the SHA-256 checksum of all.
const format = "kronfield part 1\n"

// A header says what a part's file is of.
type header struct {
	Part     Part
	Args     []string // the command and its flags, but those of the part
	Made     []string // the instructions and the program
	Choices  []string // what results depend on beside the data: the command, flags, checksums of files
	Data     []byte   // checksum of the slice of the data; nil: there are none
	Examples int      // of all parts
}

// A file is that of a part.
type file struct {
	header
	path string
}

// differs says what of a part's choices is not as it is elsewhere.
func (f *file) differs(found, want []string, where string) error {
	odd := func(some, others []string) string {
		some = slices.DeleteFunc(slices.Clone(some), func(c string) bool { return slices.Contains(others, c) })
		return quote.Line(cmp.Or(strings.Join(some, ", "), "nothing else"))
	}
	if slices.Equal(found, want) {
		return nil
	}
	return &dataset.Error{Path: f.path, Found: "a part made with " + odd(found, want), Want: odd(want, found) + ", as " + where}
}

// open checks the file of a part and reads its header.
func open(path string) (h header, d *bufio.Reader, end func(), err error) {
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
		d = bufio.NewReader(in)
		err = record.Read(d, &h)
	}
	if err != nil || !h.Part.valid() || h.Args == nil {
		return h, nil, nil, errors.New("the file of another version")
	}
	return h, d, func() { in.Close() }, nil
}
