//go:build !purego

package asm

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// available lists the levels that run here, the best one last. Package cpu
// reports AVX and AVX-512 only where the operating system saves the registers
// (XGETBV). On darwin the opmask registers do not survive every signal, so
// AVX-512 is not used there.
func available() []level {
	levels := []level{generic}
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || !cpu.X86.HasF16C {
		return levels
	}
	levels = append(levels, avx2)
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && runtime.GOOS != "darwin" {
		levels = append(levels, avx512)
	}
	return levels
}

// cpuid is the instruction: what it leaves in AX, BX and CX.
func cpuid(leaf, index uint32) (a, b, c uint32)

// cacheSize finds the level-2 cache among those that leaf 4 (Intel) or 0x8000001D (AMD) lists.
func cacheSize() int {
	for _, leaf := range [...]uint32{4, 0x8000001d} {
		if last, _, _ := cpuid(leaf&^0xff, 0); last < leaf {
			continue
		}
		for i := range uint32(8) {
			if a, b, sets := cpuid(leaf, i); a&0x1f == 3 && a>>5&7 == 2 { // unified, of level 2
				return int((b>>22 + 1) * (b>>12&0x3ff + 1) * (b&0xfff + 1) * (sets + 1))
			}
		}
	}
	return 0
}
