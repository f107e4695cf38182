package dataset

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/netcdf"
)

// openNetCDF opens a file and puts what is wrong with it into words.
func openNetCDF(path string) (*netcdf.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &Error{Path: path, Found: quote.Kind(info), Want: "a NetCDF file"}
	}
	f, err := netcdf.Open(path)
	if err == nil {
		return f, nil
	}
	return nil, netcdfError(path, err)
}

func netcdfError(path string, err error) error {
	var bad *netcdf.FormatError
	if !errors.As(err, &bad) {
		return &Error{Path: path, Err: err}
	}
	e := &Error{Path: path, Place: bad.Place, Found: bad.Found, Want: bad.Want, Err: err}
	if errors.Is(err, netcdf.ErrNetCDF4) {
		e.Place, e.Found = "", "a NetCDF-4 (HDF5) file"
		e.Want = fmt.Sprintf("a classic one, which this makes: nccopy -k classic %s NEW.nc (or -k 64-bit-offset, if it is large)", quote.Line(path))
	}
	return e
}

// A packing says what the numbers of a NetCDF variable stand for, by the CF conventions (Eaton et al., version 1.11, sections 2.5 and
// 8.1): value = scale·number + offset, where the number is none of those that mean missing and lies in the valid range.
type packing struct {
	scale, offset float64
	packed        bool      // there is a scale or an offset
	declared      []float64 // numbers that mean missing, as declared
	standard      float64   // the one that the library leaves where nothing was written; NaN: none
	low, high     float64   // the valid range
	unpackedRange bool      // of values, not of numbers
	modulus       float64   // what is added to numbers below 0: unsigned numbers in a signed type; 0: they are signed
	result        netcdf.Type
}

// packingOf reads the attributes of a variable. path is for messages.
func packingOf(path string, v *netcdf.Variable) (*packing, error) {
	p := &packing{scale: 1, standard: math.NaN(), low: math.Inf(-1), high: math.Inf(1), result: v.Type}
	r := attributeReader{path: path, v: v}
	if a, ok := v.Attribute("_Unsigned"); ok && strings.EqualFold(a.Text(), "true") && (v.Type == netcdf.Byte || v.Type == netcdf.Short || v.Type == netcdf.Int) {
		p.modulus = math.Ldexp(1, 8*v.Type.Size())
	}
	scale, isScaled := r.one("scale_factor")
	offset, isOffset := r.one("add_offset")
	if isScaled {
		p.scale = scale
	}
	if isOffset {
		p.offset = offset
	}
	p.packed = isScaled || isOffset
	if r.err == nil && (p.scale == 0 || p.scale-p.scale != 0 || p.offset-p.offset != 0) {
		r.fail("scale_factor", fmt.Sprintf("%v and add_offset %v", p.scale, p.offset), "finite numbers, the scale not 0")
	}
	p.result = resultType(v, p.packed)
	for _, name := range []string{"_FillValue", "missing_value"} {
		for _, x := range r.numbers(name) {
			if v.Type == netcdf.Float {
				x = float64(float32(x))
			}
			p.declared = append(p.declared, p.signed(x))
		}
	}
	if len(p.declared) == 0 && v.Type.Size() > 1 {
		p.standard = p.signed(v.Type.Fill())
	}
	if x, ok := r.one("valid_min"); ok {
		p.low = x
	}
	if x, ok := r.one("valid_max"); ok {
		p.high = x
	}
	if x := r.numbers("valid_range"); len(x) == 2 {
		p.low, p.high = x[0], x[1]
	} else if len(x) > 0 {
		r.fail("valid_range", quote.Counted(len(x), "number"), "two")
	}
	for _, name := range []string{"valid_range", "valid_min", "valid_max"} {
		a, ok := v.Attribute(name)
		p.unpackedRange = p.unpackedRange || ok && p.packed && isFloat(a.Type) && !isFloat(v.Type)
	}
	if !p.unpackedRange {
		p.low, p.high = p.signed(p.low), p.signed(p.high)
	}
	if r.err == nil && p.low > p.high {
		r.fail("valid_range", fmt.Sprintf("%v to %v", p.low, p.high), "the least value first")
	}
	return p, r.err
}

func isFloat(t netcdf.Type) bool { return t == netcdf.Float || t == netcdf.Double }

// resultType is the type that holds the values: that of the variable or, of packed numbers, that of scale and offset.
func resultType(v *netcdf.Variable, packed bool) netcdf.Type {
	switch {
	case isFloat(v.Type) && !packed:
		return v.Type
	case packed:
		for _, name := range []string{"scale_factor", "add_offset"} {
			if a, ok := v.Attribute(name); ok && a.Type != netcdf.Float {
				return netcdf.Double
			}
		}
		if v.Type == netcdf.Double || v.Type.Size() > 2 && v.Type != netcdf.Float {
			return netcdf.Double
		}
		return netcdf.Float
	case v.Type.Size() <= 2:
		return netcdf.Float
	}
	return netcdf.Double
}

// signed takes a number as unsigned where those of the variable are.
func (p *packing) signed(x float64) float64 {
	if p.modulus > 0 && x < 0 && !math.IsInf(x, 0) {
		return x + p.modulus
	}
	return x
}

// counts tell what became of the numbers of a variable.
type counts struct {
	standard  int     // missing because nothing was written, without a declaration
	outside   int     // of the valid range
	declared  int     // missing as declared
	low, high float64 // of the numbers that are left, before unpacking
}

// unpack replaces numbers by their values, NaN where missing.
func (p *packing) unpack(x []float64) counts {
	c := counts{low: math.Inf(1), high: math.Inf(-1)}
	for i, v := range x {
		v = p.signed(v)
		value := v
		if p.packed {
			value = float64(p.scale*v) + p.offset
			if p.result == netcdf.Float {
				value = float64(float32(value))
			}
		}
		ranged := v
		if p.unpackedRange {
			ranged = value
		}
		switch {
		case slices.Contains(p.declared, v):
			c.declared++
			value = math.NaN()
		case math.IsNaN(v):
			value = math.NaN()
		case v == p.standard:
			c.standard++
			value = math.NaN()
		case ranged < p.low || ranged > p.high:
			c.outside++
			value = math.NaN()
		default:
			c.low, c.high = min(c.low, v), max(c.high, v)
		}
		x[i] = value
	}
	return c
}

// An attributeReader reads attributes of a variable and keeps the first error.
type attributeReader struct {
	path string
	v    *netcdf.Variable
	err  error
}

func (r *attributeReader) fail(name, found, want string) {
	if r.err == nil {
		r.err = &Error{Path: r.path, Place: quote.Line(r.v.Name) + ":" + name, Found: found, Want: want}
	}
}

// numbers returns the numbers of an attribute, also those that a text spells, and none where it is not there.
func (r *attributeReader) numbers(name string) []float64 {
	a, ok := r.v.Attribute(name)
	if !ok {
		return nil
	}
	if a.Type != netcdf.Char {
		return a.Float64s()
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(a.Text()), 64)
	if err != nil {
		r.fail(name, quote.Text(a.Text()), "a number")
		return nil
	}
	return []float64{x}
}

// one returns the number of an attribute of one.
func (r *attributeReader) one(name string) (x float64, ok bool) {
	all := r.numbers(name)
	if len(all) > 1 {
		r.fail(name, quote.Counted(len(all), "number"), "one")
	}
	if len(all) != 1 {
		return 0, false
	}
	return all[0], true
}
