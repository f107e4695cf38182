// Package netcdf reads and writes NetCDF files of the classic data model: arrays of numbers with named
// dimensions and with attributes, the format of weather, climate and ocean data (Rew and Davis 1990).
//
// # The format
//
// There are three versions (Unidata, "NetCDF Classic Format Specification"; Gao, Liao and Choudhary 2009 for
// the third), which differ in the widths of what the header counts:
//
//	CDF-1  classic         31-bit counts, 32-bit places
//	CDF-2  64-bit offset   31-bit counts, 64-bit places
//	CDF-5  64-bit data     64-bit counts and places; unsigned and 64-bit integers
//
// All numbers are big-endian. A file is
//
//	"CDF" version  number of records
//	dimensions     name, length; length 0 is the record dimension, of which there is at most one
//	attributes     name, type, values
//	variables      name, dimensions, attributes, type, size, place of the first value
//	values         of each variable in C order, padded to 4 bytes;
//	               then record by record those of the variables whose first dimension is the record dimension
//
// Names and values of attributes are padded to 4 bytes, by most writers with zeros. A record is padded variable by variable, but
// for a file with a single variable of records, whose records follow each other without any room.
//
// NetCDF-4 files are of another kind, HDF5. They are recognised and refused; nccopy of the reference library
// makes a classic file of one:
//
//	nccopy -k cdf5 FILE4.nc FILE.nc
//
// # Reading
//
// [Open] reads the header, and [File.Values], [File.ReadFloat64s] and [File.ReadBytes] the values of one variable
// when they are asked for, all types as they are, bit for bit. What missing values, scales and times mean is no
// matter of the format but of conventions above it.
//
// The reader is strict. Refused are names that are not UTF-8, repeated, or longer than 256 bytes, unknown types, counts below zero, values outside the file (a truncated one), inside the header or inside another
// variable's, and a record dimension that is not the first of a variable. Allowed, as the reference library allows them, are
// any bytes as padding of the header, room between header and values, bytes after the last value, missing padding
// after the last value, and wrong sizes of variables in the header, which dimensions and types tell already. The number of records
// may be unknown ("streaming"): then as many count as are whole. Every refusal is a [*FormatError]. A header is not
// believed before its bytes are there: it takes at most four times the bytes of the file and 1 MiB.
//
// # Writing
//
// [Write] produces what the reference library does for the same header with its usual alignment: what that
// has written and is read and written again has the same bytes. Values come from a [Source]: [Arrays] in memory, or another [File],
// so that a file with one more variable is written without the others ever being in memory.
package netcdf
