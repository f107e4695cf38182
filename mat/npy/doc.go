// Package npy reads and writes the .npy files of NumPy: one array of numbers
// per file.
//
// # The format
//
// A file is a magic string, a version, a header and the numbers
// (numpy.lib.format, NumPy Enhancement Proposal 1):
//
//	"\x93NUMPY"  major  minor  header length  header  elements
//	   6 bytes     1      1      2 or 4
//
// The header length is a little-endian uint16 in version 1.0 and a uint32 in
// versions 2.0 and 3.0. The header is a Python dictionary with three keys,
// padded with spaces so that the elements start at a multiple of 64 bytes:
//
//	{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
//
// descr names the element: a byte order (< little-endian, > big-endian, | not
// applicable to single bytes, = the order of the machine that wrote the file,
// taken here to be little-endian) and a code: b1 for truth values, u1 to u8 and
// i1 to i8 for integers, f2, f4 and f8 for floating-point numbers, with the
// number of bytes as the digit.
//
// # Reading
//
// [Read] delivers the elements in C order (last axis fastest) as a typed slice,
// whatever the order in the file. Truth values become uint8 0 and 1, and half
// precision becomes float32, which holds every half exactly; all other types
// stay what they are, bit for bit. NaN and infinities are ordinary elements
// here: whoever knows what the numbers mean decides about them.
//
// The reader is strict. Complex numbers, text, records and Python objects are
// refused, and so are unknown or repeated keys, anything but blanks behind the
// dictionary, a truth value other than 0 and 1, and bytes after the last
// element. Every refusal is a [*FormatError] that says what stood in the file
// and what was expected. A header is never believed before the bytes are there:
// memory is taken as they arrive, so that a short file that claims 2^60
// elements costs no more than its own length and a fixed buffer.
//
// # Large files
//
// [Open] leaves the elements in the file and delivers parts of them as float64
// when they are asked for, under the same rules. It costs a buffer, whatever the
// size of the array.
//
// # Writing
//
// [Write] produces what numpy.save writes on a little-endian machine, byte for
// byte: version 1.0, C order. What was read and is written again reads as the
// same array. A [Writer] takes the elements in parts, of an array larger than memory.
package npy
