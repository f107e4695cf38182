package dataset

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/netcdf"
)

// A netcdfFile is an open file of the classic model: that at a path or, of a NetCDF-4 one, its copy.
type netcdfFile struct {
	*netcdf.File
	by   string // the command that has made the copy; nothing: none was needed
	copy string // its name, where an open file cannot lose it
	keep bool   // it is open until nothing refers to it
}

func (f *netcdfFile) Close() error {
	if f.keep {
		return nil
	}
	if f.copy != "" {
		defer os.Remove(f.copy)
	}
	return f.File.Close()
}

// openNetCDF opens a file and puts what is wrong with it into words. Of a NetCDF-4 file it opens a temporary copy, if there is a program that makes one.
func openNetCDF(path string) (*netcdfFile, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		if bad := foreignError(path); bad != nil {
			return nil, bad
		}
		return nil, &Error{Path: path, Found: quote.Kind(info), Want: "a NetCDF file"}
	}
	f, err := netcdf.Open(path)
	switch {
	case err == nil:
		return &netcdfFile{File: f}, nil
	case errors.Is(err, netcdf.ErrNetCDF4):
		return copyNetCDF4(path)
	}
	return nil, netcdfError(path, err)
}

// nccopy is the program of the reference library that copies files, and what it is called with: cdf5 alone has all integers. The second form takes
// several dimensions without limit as well.
var nccopy = [][]string{{"nccopy", "-k", "cdf5"}, {"nccopy", "-u", "-k", "cdf5"}}

// copyNetCDF4 opens a copy of a NetCDF-4 file.
func copyNetCDF4(path string) (*netcdfFile, error) {
	script := `python3 -c "import sys, xarray; d = xarray.open_dataset(sys.argv[1]); d.drop_vars([n for n in d.variables if d[n].dtype.kind in 'OSUV']).to_netcdf('NEW.nc', format='NETCDF3_64BIT')" ` + ShellWord(path)
	bad := &Error{Path: path, Found: "a NetCDF-4 (HDF5) file", Err: netcdf.ErrNetCDF4}
	bad.Want = fmt.Sprintf("a classic one, which this makes: %s %s NEW.nc (of the package netcdf-bin); or, of a file with strings or groups: %s", strings.Join(nccopy[0], " "), ShellWord(path), script)
	program, err := exec.LookPath(nccopy[0][0])
	if err != nil {
		return nil, bad
	}
	temp, err := os.CreateTemp("", "sgplvm-*.nc")
	if err != nil {
		return nil, &Error{Path: path, Err: err}
	}
	temp.Close()
	source, said := path, ""
	if path[0] == '-' { // which is no option
		source = "./" + path
	}
	for _, command := range nccopy {
		text, err := exec.Command(program, append(slices.Clone(command[1:]), source, temp.Name())...).CombinedOutput()
		if err == nil {
			f, err := netcdf.Open(temp.Name())
			if err != nil {
				os.Remove(temp.Name())
				return nil, netcdfError(path, err)
			}
			made := &netcdfFile{File: f, by: strings.Join(command, " ")}
			if os.Remove(temp.Name()) != nil {
				made.copy = temp.Name()
			}
			return made, nil
		}
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() < 0 { // it was stopped by a signal
			os.Remove(temp.Name())
			return nil, &Error{Path: path, Err: fmt.Errorf("nccopy: %w", err)}
		}
		said, _, _ = strings.Cut(string(text), "\n")
	}
	os.Remove(temp.Name())
	bad.Found += " that nccopy does not convert (" + quote.Line(said) + ")"
	bad.Want = "a classic one; of a file with strings, or with groups (open_dataset(…, group='NAME')), this makes it: " + script
	return nil, bad
}

func netcdfError(path string, err error) error {
	var bad *netcdf.FormatError
	if !errors.As(err, &bad) {
		return &Error{Path: path, Err: err}
	}
	if foreign := foreignError(path); foreign != nil {
		return foreign
	}
	return &Error{Path: path, Place: bad.Place, Found: bad.Found, Want: bad.Want, Err: err}
}

// A packing says what the numbers of a NetCDF variable stand for, by the CF conventions (Eaton et al., version 1.11, sections 2.5 and
// 8.1): value = scale·number + offset, where the number is none of those that mean missing and lies in the valid range.
type packing struct {
	scale, offset float64
	packed        bool      // there is a scale or an offset
	declared      []float64 // numbers that mean missing, as declared, each once
	standard      float64   // the one that the library leaves where nothing was written; NaN: none
	low, high     float64   // the valid range
	unpackedRange bool      // of values, not of numbers
	singleRange   bool      // numbers or limits are float32: rounded to that they are compared
	modulus       float64   // what is added to numbers below 0: unsigned numbers in a signed type; 0: they are signed
	result        netcdf.Type
	notes         []string // attributes that are ignored
}

// packingOf reads the attributes of a variable. Those that make no sense are ignored with a note.
func packingOf(v *netcdf.Variable) *packing {
	p := &packing{scale: 1, standard: math.NaN(), low: math.Inf(-1), high: math.Inf(1)}
	if a, ok := v.Attribute("_Unsigned"); ok && strings.EqualFold(a.Text(), "true") && isSigned(v.Type) {
		p.modulus = math.Ldexp(1, 8*v.Type.Size())
	}
	scale, offset := p.numbers(v, "scale_factor", 1), p.numbers(v, "add_offset", 1)
	switch {
	case scale != nil && (scale[0] == 0 || scale[0]-scale[0] != 0):
		p.ignore(v, "scale_factor", fmt.Sprint(scale[0]))
	case scale != nil:
		p.scale, p.packed = scale[0], true
	}
	if offset != nil && offset[0]-offset[0] != 0 {
		p.ignore(v, "add_offset", fmt.Sprint(offset[0]))
	} else if offset != nil {
		p.offset, p.packed = offset[0], true
	}
	p.result = resultType(v, p.packed)
	p.limits(v)
	for _, name := range []string{"_FillValue", "missing_value"} {
		for _, x := range p.numbers(v, name, 0) {
			p.declare(v.Type, x)
		}
	}
	if len(p.declared) == 0 && v.Type.Size() > 1 {
		p.standard = p.signed(v.Type.Fill())
	}
	return p
}

// declare takes a further number as missing.
func (p *packing) declare(t netcdf.Type, x float64) {
	if t == netcdf.Float {
		x = float64(float32(x))
	}
	if x = p.signed(x); !slices.Contains(p.declared, x) {
		p.declared = append(p.declared, x)
	}
}

// limits reads the valid range. Its numbers should be of the variable's type; where they are not, the coarser of the two counts.
func (p *packing) limits(v *netcdf.Variable) {
	single := v.Type == netcdf.Float
	for _, name := range []string{"valid_min", "valid_max", "valid_range"} {
		least := 1
		if name == "valid_range" {
			least = 2
		}
		x := p.numbers(v, name, least)
		if x == nil {
			continue
		}
		a, _ := v.Attribute(name)
		single = single || a.Type == netcdf.Float
		p.unpackedRange = p.unpackedRange || p.packed && isFloat(a.Type) && !isFloat(v.Type)
		if name != "valid_max" {
			p.low = x[0]
		}
		if name != "valid_min" {
			p.high = x[least-1]
		}
	}
	if p.unpackedRange {
		single = single || p.result == netcdf.Float
	} else {
		if all := math.Ldexp(1, 8*v.Type.Size()); p.modulus == 0 && isSigned(v.Type) && p.low >= 0 && p.high < all && (p.high < 0 || p.high >= all/2) {
			p.modulus = all // as CF 1.11, section 2.2, has it of bytes
			p.notes = append(p.notes, fmt.Sprintf("%s: numbers are taken as unsigned, for the valid range %s to %s", quote.Line(v.Name), numberText(p.low), numberText(p.signed(p.high))))
		}
		p.low, p.high = p.signed(p.low), p.signed(p.high)
	}
	if p.singleRange = single; single {
		p.low, p.high = float64(float32(p.low)), float64(float32(p.high))
	}
	if !(p.low <= p.high) {
		p.ignore(v, "valid range", numberText(p.low)+" to "+numberText(p.high))
		p.low, p.high = math.Inf(-1), math.Inf(1)
	}
}

// outside tells whether a number, unpacked where the range is, lies outside the range.
func (p *packing) outside(x float64) bool {
	if p.singleRange {
		x = float64(float32(x))
	}
	return x < p.low || x > p.high
}

// ignore notes that an attribute makes no sense.
func (p *packing) ignore(v *netcdf.Variable, name, found string) {
	p.notes = append(p.notes, fmt.Sprintf("%s: %s is %s, which makes no sense and is ignored", quote.Line(v.Name), name, found))
}

// numbers returns the numbers of an attribute, also those that a text spells, and none where it is not there. Of another
// number than want (0: any) it is ignored.
func (p *packing) numbers(v *netcdf.Variable, name string, want int) []float64 {
	a, ok := v.Attribute(name)
	if !ok {
		return nil
	}
	x, found := a.Float64s(), quote.Counted(a.Len(), "number")
	if a.Type == netcdf.Char {
		found = quote.Text(a.Text())
		if one, err := strconv.ParseFloat(strings.TrimSpace(a.Text()), 64); err == nil {
			x = []float64{one}
		}
	}
	if len(x) == 0 || want > 0 && len(x) != want {
		p.ignore(v, name, found)
		return nil
	}
	return x
}

// attributeText is the text of an attribute, or another where it has none.
func attributeText(x *netcdf.Variable, name, or string) string {
	if a, ok := x.Attribute(name); ok && a.Text() != "" {
		return a.Text()
	}
	return or
}

// isSigned tells whether a type is one of those that hold unsigned numbers too, where an attribute says so.
func isSigned(t netcdf.Type) bool { return t == netcdf.Byte || t == netcdf.Short || t == netcdf.Int }

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
		case p.outside(ranged):
			c.outside++
			value = math.NaN()
		default:
			c.low, c.high = min(c.low, v), max(c.high, v)
		}
		x[i] = value
	}
	return c
}
