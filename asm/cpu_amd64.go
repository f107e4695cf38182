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
