package sgplvm

import "errors"

// shortWriter takes some bytes and then fails.
type shortWriter struct{ left int }

var errNoSpace = errors.New("no space left")

func (w *shortWriter) Write(b []byte) (int, error) {
	if len(b) > w.left {
		n := w.left
		w.left = 0
		return n, errNoSpace
	}
	w.left -= len(b)
	return len(b), nil
}
