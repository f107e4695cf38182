package dataset

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// Limits of archives: members, and how many bytes deflate can make of one.
const (
	maxMembers = 4096
	maxInflate = 1032
)

// An archive is an open .npz file.
type archive struct {
	path string
	file *os.File
	*zip.Reader
}

// openNPZ opens a .npz file.
func openNPZ(path string) (*archive, error) {
	fail := func(err error) (*archive, error) { return nil, &Error{Path: path, Err: err} }
	file, err := os.Open(path)
	if err != nil {
		return fail(err)
	}
	a := &archive{path: path, file: file}
	info, err := file.Stat()
	switch {
	case err != nil:
		err = &Error{Path: path, Err: err}
	case !info.Mode().IsRegular():
		err = &Error{Path: path, Found: quote.Kind(info), Want: "a .npz file"}
	default:
		if err = fewMembers(path, file, info.Size()); err == nil {
			if a.Reader, err = zip.NewReader(file, info.Size()); err != nil {
				err = &Error{Path: path, Found: quote.Line(err.Error()), Want: "a .npz file, whole"}
			}
		}
	}
	if err == nil {
		err = a.checkNames()
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return a, nil
}

// fewMembers refuses an archive whose directory would take more memory than the file: it counts what looks like an entry.
func fewMembers(path string, r io.ReaderAt, size int64) error {
	if size <= 46*maxMembers {
		return nil
	}
	entry := []byte("PK\x01\x02")
	buffer := make([]byte, 1<<16)
	n := 0
	for at := int64(0); at < size; at += int64(len(buffer) - len(entry) + 1) {
		k, err := r.ReadAt(buffer, at)
		if err != nil && err != io.EOF {
			return &Error{Path: path, Err: err}
		}
		n += bytes.Count(buffer[:k], entry)
	}
	if n > maxMembers {
		return &Error{Path: path, Found: quote.Counted(n, "member"), Want: fmt.Sprintf("at most %d", maxMembers)}
	}
	return nil
}

func (a *archive) checkNames() error {
	var names []string
	for _, f := range a.File {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	for k := 1; k < len(names); k++ {
		if names[k] == names[k-1] {
			return &Error{Path: a.path, Found: "two members " + quote.Text(names[k]), Want: "each name once"}
		}
	}
	return nil
}

func (a *archive) close() { a.file.Close() }

// arrays returns the names of the arrays, without .npy.
func (a *archive) arrays() (names []string) {
	for _, f := range a.File {
		if name, ok := strings.CutSuffix(f.Name, ".npy"); ok {
			names = append(names, name)
		}
	}
	return names
}

func (a *archive) find(name string) *zip.File {
	for _, f := range a.File {
		if f.Name == name+".npy" {
			return f
		}
	}
	return nil
}

// open opens a member.
func (a *archive) open(f *zip.File) (io.ReadCloser, error) {
	fail := func(found, want string) error {
		return &Error{Path: a.path, Place: "member " + quote.Line(f.Name), Found: found, Want: want}
	}
	if f.Flags&1 != 0 {
		return nil, fail("an encrypted member", "one that is not")
	}
	if f.UncompressedSize64/maxInflate > f.CompressedSize64+64 {
		return nil, fail(fmt.Sprintf("%d bytes from %d compressed ones", f.UncompressedSize64, f.CompressedSize64), fmt.Sprintf("at most %d times as many", maxInflate))
	}
	r, err := f.Open()
	if err != nil {
		return nil, fail(quote.Line(err.Error()), "a member, stored or deflated")
	}
	return r, nil
}

// header reads the header of an array.
func (a *archive) header(f *zip.File) (npy.Header, error) {
	r, err := a.open(f)
	if err != nil {
		return npy.Header{}, err
	}
	defer r.Close()
	h, err := npy.ReadHeader(r)
	return h, a.inMember(f, err)
}

// read reads an array.
func (a *archive) read(f *zip.File) (*npy.Array, error) {
	r, err := a.open(f)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	array, err := npy.Read(r)
	return array, a.inMember(f, err)
}

// inMember names the member in an error of its array.
func (a *archive) inMember(f *zip.File, err error) error {
	if err == nil {
		return nil
	}
	place := "member " + quote.Line(f.Name)
	var bad *npy.FormatError
	if errors.As(err, &bad) {
		return &Error{Path: a.path, Place: place + ": " + bad.Place, Found: bad.Found, Want: bad.Want, Err: err}
	}
	return &Error{Path: a.path, Place: place, Found: quote.Line(err.Error()), Want: "a whole .npy file"}
}

// mask returns the member that masks an array, as numpy.ma has it (1 is masked): NAME_mask or, of the array "data", "mask".
func (a *archive) mask(name string) *zip.File {
	f := a.find(name + "_mask")
	if f == nil && name == "data" {
		f = a.find("mask")
	}
	return f
}

// choose returns the name of the array that was asked for or, without, of the only one that fits.
func (a *archive) choose(name string, fits func(h npy.Header) error) (string, error) {
	all := a.arrays()
	if name != "" {
		name = strings.TrimSuffix(name, ".npy")
		if a.find(name) == nil {
			return "", &Error{Path: a.path, Found: "no array " + quote.Text(name), Want: "one of " + list(all)}
		}
		return name, nil
	}
	var fit []string
	var first error
	for _, n := range all {
		if data, ok := strings.CutSuffix(n, "_mask"); ok && a.find(data) != nil || n == "mask" && a.find("data") != nil {
			continue
		}
		h, err := a.header(a.find(n))
		if err == nil {
			err = fits(h)
		}
		if err == nil {
			fit = append(fit, n)
		} else if first == nil {
			first = err
		}
	}
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(fit) > 1:
		return "", &Error{Path: a.path, Found: fmt.Sprintf("%d arrays that fit", len(fit)), Want: fmt.Sprintf("the name of one behind the file's, as %s:%s: %s", quote.Line(a.path), quote.Line(fit[0]), list(fit))}
	case len(all) == 1:
		return "", first
	}
	return "", &Error{Path: a.path, Found: "no array that fits, only " + list(all), Want: "an array of examples"}
}

// list writes some names.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return quote.Line(strings.Join(names, ", "))
}

// readNPZ reads an array of a .npz file, NaN where it is masked, and its name. original is the array without its mask.
func readNPZ(name string, fits func(h npy.Header) error) (array, original *npy.Array, member string, err error) {
	path, part := splitName(name)
	a, err := openNPZ(path)
	if err != nil {
		return nil, nil, "", err
	}
	defer a.close()
	if member, err = a.choose(part, fits); err != nil {
		return nil, nil, "", err
	}
	if array, err = a.read(a.find(member)); err != nil {
		return nil, nil, "", err
	}
	f := a.mask(member)
	if f == nil {
		return array, array, member, nil
	}
	mask, err := a.read(f)
	if err != nil {
		return nil, nil, "", err
	}
	if !slices.Equal(mask.Shape, array.Shape) {
		return nil, nil, "", &Error{Path: path, Place: "member " + quote.Line(f.Name), Found: "the shape " + quote.Shape(mask.Shape), Want: quote.Shape(array.Shape) + ", that of " + quote.Line(member)}
	}
	masked := slices.Clone(array.Float64s())
	for i, v := range mask.Float64s() {
		switch v {
		case 0:
		case 1:
			masked[i] = math.NaN()
		default:
			return nil, nil, "", &Error{Path: path, Place: "member " + quote.Line(f.Name) + ", element " + quote.Index(i, mask.Shape), Found: fmt.Sprint(v), Want: "1 (masked) or 0"}
		}
	}
	return npy.New(masked, array.Shape...), array, member, nil
}

// loadNPZ reads an array of a .npz file as a set.
func loadNPZ(name string, o SetOptions) (*Set, error) {
	array, original, member, err := readNPZ(name, func(h npy.Header) error {
		_, err := o.formOf(name, h.Shape, h.Type)
		return err
	})
	if err != nil {
		return nil, err
	}
	form, err := o.formOf(name, array.Shape, original.Type)
	if err != nil {
		return nil, err
	}
	s := &Set{Form: form, Variable: member, Values: array.Float64s()}
	if array != original {
		s.original = original.Float64s()
	}
	path, _ := splitName(name)
	s.store = &npzStore{path, member}
	return s, nil
}

// An npzStore writes results beside the members of an archive.
type npzStore struct{ path, member string }

func (n *npzStore) endings() []string { return npzEndings }

func (n *npzStore) names() [2]string {
	return [2]string{n.member + "_filled", n.member + "_standard_error"}
}

func (n *npzStore) check() error {
	a, err := openNPZ(n.path)
	if err != nil {
		return err
	}
	defer a.close()
	for _, name := range n.names() {
		if a.find(name) != nil {
			return &Error{Path: n.path, Found: "an array " + quote.Text(name), Want: "none of this name, which the result has"}
		}
	}
	return nil
}

func (n *npzStore) write(w *errorWriter, s *Set, r *Filled) error {
	a, err := openNPZ(n.path)
	if err != nil {
		return err
	}
	defer a.close()
	z := zip.NewWriter(w)
	for _, f := range a.File {
		if err := z.Copy(f); err != nil {
			return &Error{Path: n.path, Place: "member " + quote.Line(f.Name), Err: err}
		}
	}
	names := n.names()
	if err := s.writeMember(z, names[0], s.whole(r.Mean)); err != nil {
		return err
	}
	if err := s.writeMember(z, names[1], s.spread(r)); err != nil {
		return err
	}
	return z.Close()
}

// spread returns the deviations in the order of the source, NaN where nothing exists.
func (s *Set) spread(r *Filled) []float64 {
	d := make([]float64, len(r.Variance))
	for k := range d {
		d[k] = r.deviation(s.place(k))
	}
	return d
}

func (s *Set) writeMember(z *zip.Writer, name string, values []float64) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	return s.writeArray(w, values)
}
