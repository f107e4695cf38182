package asm

import "math"

// FromHalf sets dst[i] to number i of src, which has numbers of IEEE 754's binary16, two bytes each, the lower one first. A NaN is a quiet one.
// src must not be shorter than 2·len(dst) bytes. All levels give the same bits.
func FromHalf(dst []float64, src []byte) {
	atLeast("FromHalf", "src", len(src)/2, len(dst))
	raceBytes(src[:2*len(dst)])
	raceWrite(dst)
	for ; len(dst) > block; dst, src = dst[block:], src[2*block:] {
		fromHalf(dst[:block], src)
	}
	fromHalf(dst, src)
}

// FromSingle is FromHalf of binary32, four bytes each.
func FromSingle(dst []float64, src []byte) {
	atLeast("FromSingle", "src", len(src)/4, len(dst))
	raceBytes(src[:4*len(dst)])
	raceWrite(dst)
	for ; len(dst) > block; dst, src = dst[block:], src[4*block:] {
		fromSingle(dst[:block], src)
	}
	fromSingle(dst, src)
}

// FromDouble is FromHalf of binary64, eight bytes each.
func FromDouble(dst []float64, src []byte) {
	atLeast("FromDouble", "src", len(src)/8, len(dst))
	fromDouble(dst, src)
}

func single(b []byte) float64 {
	_ = b[3]
	return float64(math.Float32frombits(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24))
}

func fromHalfGeneric(dst []float64, src []byte) {
	for i := range dst {
		dst[i] = Half(uint16(src[2*i]) | uint16(src[2*i+1])<<8)
	}
}

func fromSingleGeneric(dst []float64, src []byte) {
	for i := range dst {
		dst[i] = single(src[4*i:])
	}
}

// Half returns the value of a number of binary16. Its exponent and fraction, moved to those of binary64, are
// the value over 2¹⁰⁰⁸, whether it is normal or not, so that one multiplication converts both.
func Half(u uint16) float64 {
	v := uint64(u&0x8000)<<48 | uint64(u&0x7fff)<<42
	if u&0x7c00 == 0x7c00 {
		if v |= 0x7ff << 52; u&0x3ff != 0 {
			v |= 1 << 51
		}
		return math.Float64frombits(v)
	}
	return math.Float64frombits(v) * 0x1p1008
}
