package journal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/seed-08962ecc/kronfield/internal/record"
)

// Seal writes a line that names a format, a value as package record writes it, and the SHA-256 checksum of both.
func Seal(w io.Writer, format string, v any) error {
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	if _, err := io.WriteString(both, format); err != nil {
		return err
	}
	if err := record.Write(both, v); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// Unseal reads what seal wrote, and no further, into the value that v points to.
func Unseal(r io.Reader, format string, v any) error {
	sum := sha256.New()
	both := io.TeeReader(r, sum)
	found := make([]byte, len(format))
	if _, err := io.ReadFull(both, found); err != nil {
		return err
	}
	if string(found) != format {
		return fmt.Errorf("expected a file that begins with %q", format)
	}
	if err := record.Read(both, v); err != nil {
		return err
	}
	want := make([]byte, sha256.Size)
	if _, err := io.ReadFull(r, want); err != nil {
		return err
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return errors.New("wrong checksum")
	}
	return nil
}

// AtEnd returns an error unless everything was read.
func AtEnd(r *bufio.Reader) error {
	if _, err := r.ReadByte(); err != io.EOF {
		return errors.New("found more after the end")
	}
	return nil
}
