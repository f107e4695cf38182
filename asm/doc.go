// Package asm holds the kernels in which the time of the whole module is
// spent: the register tile of the matrix product and loops over slices.
//
// Every kernel has a plain Go form in generic.go, compiled on every
// architecture. The rest of the module calls the kernels only, never an
// instruction set, so a faster form of one kernel changes one file here and
// nothing anywhere else.
//
//	operation   meaning                                      forms
//	GemmTile    C[MR×NR] += alpha · A[MR×k] · B[k×NR]        generic
//	Dot         Σ x[i]·y[i]                                  generic
//	Axpy        y[i] += alpha·x[i]                           generic
//	Scale       dst[i] = alpha·x[i]                          generic
//	MulTo       dst[i] = x[i]·y[i]                           generic
//	Exp         dst[i] = exp(x[i])                           generic
//
// The generic kernels round every product before it is added
// (float64(a*b) + c), so their bits do not depend on whether a compiler
// fuses a multiplication with an addition.
package asm
