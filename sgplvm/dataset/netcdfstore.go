package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/netcdf"
)

// A netcdfStore writes results beside the variable that they are of.
type netcdfStore struct {
	path, variable string
	choice         string // SetOptions.Select
	packing        *packing
	copy           *netcdfFile // of a NetCDF-4 file, open; nil: the file is opened
}

func (n *netcdfStore) open() (*netcdfFile, error) {
	if n.copy != nil {
		return n.copy, nil
	}
	return openNetCDF(n.path)
}

func (n *netcdfStore) endings() []string { return netcdfEndings }

func (n *netcdfStore) names() [2]string {
	return [2]string{n.variable + "_filled", n.variable + "_standard_error"}
}

func (n *netcdfStore) check() error {
	f, err := n.open()
	if err != nil {
		return err
	}
	defer f.Close()
	for _, name := range n.names() {
		if f.Find(name) >= 0 {
			return &Error{Path: n.path, Found: "a variable " + quote.Text(name), Want: "none of this name, which the result has"}
		}
	}
	return nil
}

// extra gives the values of the file's variables and of two more.
type extra struct {
	*index
	of      int // the variable that was filled
	set     *Set
	filled  *Filled
	typ     netcdf.Type
	raw     bool    // numbers of the file have the type of the result and are not packed
	missing float64 // what stands where nothing exists, unless numbers of the file do
}

func (e *extra) ReadBytes(dst []byte, v, from int) error {
	n := len(e.Variables)
	if v < n {
		return e.index.ReadBytes(dst, v, from)
	}
	size := e.typ.Size()
	old := make([]byte, 0)
	if v == n && e.raw {
		old = make([]byte, len(dst))
		err := e.runs(e.of, from, len(dst)/size, func(at, place, n int) error { return e.index.ReadBytes(old[at*size:(at+n)*size], e.of, place) })
		if err != nil {
			return err
		}
	}
	for k := 0; k < len(dst); k += size {
		place := e.set.place(from + k/size)
		x := e.filled.Mean[place]
		if v > n {
			x = e.filled.deviation(place)
		}
		if e.set.exists(place) && !math.IsNaN(x) {
			if e.typ == netcdf.Float && math.Abs(x) > math.MaxFloat32 {
				return &Error{Path: e.set.Name, Place: e.set.Form.place(place/e.set.size(), place%e.set.size()), Found: fmt.Sprint(x), Want: "a number in the range of float32"}
			}
			putNumber(dst[k:k+size], x)
		} else if len(old) > 0 {
			copy(dst[k:k+size], old[k:k+size])
		} else if x := e.set.kept(place); v == n && !math.IsNaN(x) {
			putNumber(dst[k:k+size], x)
		} else {
			putNumber(dst[k:k+size], e.missing)
		}
	}
	return nil
}

// putNumber writes a number as a big-endian one of 4 or 8 bytes.
func putNumber(dst []byte, x float64) {
	if len(dst) == 4 {
		binary.BigEndian.PutUint32(dst, math.Float32bits(float32(x)))
		return
	}
	binary.BigEndian.PutUint64(dst, math.Float64bits(x))
}

// header returns the header of the file with the two variables of the result.
func (n *netcdfStore) header(f *index, v int, missing float64) netcdf.Header {
	h := f.Header
	x := &f.Variables[v]
	filled, deviation := n.names()[0], n.names()[1]
	long := attributeText(x, "long_name", x.Name)
	if n.choice != "" {
		long += " at " + n.choice
	}
	dims, _ := f.free(v)
	drop := []string{"scale_factor", "add_offset", "valid_min", "valid_max", "valid_range", "actual_range", "_FillValue", "_Unsigned", "ancillary_variables", "long_name"}
	if n.packing.packed || n.packing.result != x.Type {
		drop = append(drop, "missing_value")
	}
	number := func(name string, v float64) netcdf.Attribute {
		if n.packing.result == netcdf.Float {
			return netcdf.NewAttribute(name, []float32{float32(v)})
		}
		return netcdf.NewAttribute(name, []float64{v})
	}
	mean := netcdf.Variable{Name: filled, Type: n.packing.result, Dimensions: dims, Attributes: []netcdf.Attribute{
		number("_FillValue", missing),
		netcdf.NewAttribute("long_name", long+", missing values filled in"),
	}}
	for _, a := range x.Attributes {
		if !slices.Contains(drop, a.Name) {
			mean.Attributes = append(mean.Attributes, a)
		}
	}
	mean.Attributes = append(mean.Attributes, netcdf.NewAttribute("ancillary_variables", deviation))
	spread := netcdf.Variable{Name: deviation, Type: n.packing.result, Dimensions: dims, Attributes: []netcdf.Attribute{
		number("_FillValue", missing),
		netcdf.NewAttribute("long_name", "standard error of "+long+", 0 where observed"),
	}}
	if standard := attributeText(x, "standard_name", ""); standard != "" {
		spread.Attributes = append(spread.Attributes, netcdf.NewAttribute("standard_name", standard+" standard_error"))
	}
	for _, name := range []string{"units", "coordinates", "grid_mapping"} {
		if a, ok := x.Attribute(name); ok {
			spread.Attributes = append(spread.Attributes, a)
		}
	}
	h.Variables = append(slices.Clone(h.Variables), mean, spread)
	return h
}

// write writes the file with two more variables.
func (n *netcdfStore) write(w *errorWriter, s *Set, r *Filled) error {
	f, err := n.open()
	if err != nil {
		return err
	}
	defer f.Close()
	x := newIndex(f.File)
	if err := x.choose(n.path, n.choice); err != nil {
		return err
	}
	v, shape := f.Find(n.variable), []int(nil)
	if v >= 0 {
		_, shape = x.free(v)
	}
	if !slices.Equal(shape, s.Shape) {
		return &Error{Path: n.path, Found: "another variable " + quote.Text(n.variable), Want: "the file as it was when it was read"}
	}
	missing := f.Variables[v].Type.Fill()
	if !isFloat(f.Variables[v].Type) {
		missing = n.packing.result.Fill()
	}
	raw := !n.packing.packed && n.packing.result == f.Variables[v].Type
	switch a, ok := f.Variables[v].Attribute("_FillValue"); {
	case !raw:
	case ok && a.Type == f.Variables[v].Type && a.Len() == 1:
		missing = a.Float64s()[0]
	case len(n.packing.declared) > 0:
		missing = n.packing.declared[0]
	}
	h := n.header(x, v, missing)
	e := &extra{index: x, of: v, set: s, filled: r, typ: n.packing.result, raw: raw, missing: missing}
	err = netcdf.Write(w, &h, e)
	if err != nil && h.Version == netcdf.Classic && w.n == 0 { // too large for its places
		h.Version = netcdf.Offset64
		err = netcdf.Write(w, &h, e)
	}
	if bad := (*netcdf.FormatError)(nil); errors.As(err, &bad) {
		return netcdfError(n.path, err)
	}
	return err
}
