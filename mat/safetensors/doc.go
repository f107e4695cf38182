// Package safetensors reads and writes safetensors files: named dense tensors
// with a dictionary of strings, in a file that a checksum can seal.
//
// # The format
//
// A file has three parts (https://github.com/huggingface/safetensors):
//
//	header length    8 bytes, little-endian
//	header           JSON, padded with spaces
//	data             the elements of all tensors, little-endian, C order
//
// The header is one JSON object. Each tensor has a member that tells its type,
// its shape and its place in the data, counted from the data's first byte;
// __metadata__ is a dictionary of strings:
//
//	{"__metadata__":{"made by":"hand"},
//	 "weights":{"dtype":"F64","shape":[2,3],"data_offsets":[0,48]}}
//
// The types supported here are F64, F32, I64, I32 and U8, and to be read F16 (IEEE 754 binary16) and BF16 (the
// upper half of an F32), which become float32 exactly. Files with tensors of any other type are refused, by the
// name of the type.
//
// # Reading
//
// [Read] is strict where a lenient reader would have to guess. The tensors must
// fill the data without gap or overlap, up to the last byte of the file; each
// must be as long as its shape and type say; a name, a key or a metadata entry
// may occur once. (A JSON decoder that keeps the last of two equal keys reads
// one file where another reader sees a different one.) A header has at most 10 MB.
// Every refusal is a
// [*FormatError] that names the place, what stood there and what was expected.
// Nothing in the header is believed before the bytes are there, so memory
// follows the length of the file and not what the header claims.
//
// # The checksum
//
// [Write] puts the SHA-256 of the whole file into the file: the metadata entry
// [ChecksumKey] holds it as 64 hexadecimal digits, and for hashing those digits
// count as zeros. It covers the header length, the header and the data. [Read]
// checks it if it is there, so that files of other programs can be read;
// [ReadSealed] insists on it, and then no change of a file passes: not one
// flipped bit, missing byte or byte too many. It protects from accidents, not
// from people: whoever can edit the file can recompute the checksum. Other
// programs see an ordinary metadata entry.
//
// # Writing
//
// The bytes depend on the content alone. Tensors are written in the order of
// the reference implementation, by type (I64, F64, F32, I32, U8) and then by
// name, which places every element at a multiple of its size; metadata entries
// are sorted by key; the header is padded to a multiple of 8 bytes.
package safetensors
