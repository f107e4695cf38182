package dataset

import (
	"errors"
	"os"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// LoadArray reads a .npy file, an array of a .npz file (FILE.npz:NAME), a variable of a NetCDF file (FILE.nc:NAME) or a table of text, in which NaN is missing; want
// says in messages what it should be. Errors: [*Error].
func LoadArray(path, want string) (*npy.Array, error) {
	switch {
	case isNPZ(path):
		a, _, _, err := readNPZ(path, func(npy.Header) error { return nil })
		return a, err
	case isNetCDF(path):
		return readVariable(path)
	case IsText(path):
		return readNumbers(path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, &Error{Path: path, Err: err}
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, &Error{Path: path, Err: err}
	}
	if info.IsDir() {
		return nil, &Error{Path: path, Found: "a folder", Want: want}
	}
	a, err := npy.Read(file)
	if err != nil {
		return nil, arrayError(path, want, err)
	}
	return a, nil
}

// arrayError puts an error of the .npy reader into words; want says what the file
// should be, where it is something else.
func arrayError(path, want string, err error) error {
	var f *npy.FormatError
	if !errors.As(err, &f) {
		return &Error{Path: path, Err: err}
	}
	if foreign := foreignError(path); foreign != nil {
		return foreign
	}
	e := &Error{Path: path, Place: f.Place, Found: f.Found, Want: f.Want, Err: err}
	if f.Place == "magic" {
		e.Want = want
	}
	return e
}
