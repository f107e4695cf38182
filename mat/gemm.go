package mat

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/asm"
)

// Mul sets dst = alpha·a·b + beta·dst, where a is m×k, b is k×n and dst is
// m×n. With beta == 0 dst is not read, with alpha == 0 neither a nor b is. dst
// must not overlap a or b.
func Mul(dst Matrix, alpha float64, a, b Matrix, beta float64) {
	if a.Cols != b.Rows || dst.Rows != a.Rows || dst.Cols != b.Cols {
		panic(fmt.Sprintf("mat: Mul: dst %s, a %s, b %s do not fit dst = a·b", dst.shape(), a.shape(), b.shape()))
	}
	if Overlap(dst, a) || Overlap(dst, b) {
		panic(fmt.Sprintf("mat: Mul: dst %s overlaps a %s or b %s", dst.shape(), a.shape(), b.shape()))
	}
	scaleBy(dst, beta)
	if alpha == 0 || dst.Rows == 0 || dst.Cols == 0 || a.Cols == 0 {
		return
	}
	mulAdd(dst, alpha, a, b)
}

// scaleBy multiplies dst by beta; 0 overwrites, whatever stood there.
func scaleBy(dst Matrix, beta float64) {
	switch beta {
	case 0:
		dst.Fill(0)
	case 1:
	default:
		Scale(dst, beta, dst)
	}
}

// mulAdd adds alpha·a·b to dst; no dimension is 0. It chooses among three
// ways: without packing for small products, in chunks of the depth for long
// thin ones, and the blocked loops.
func mulAdd(dst Matrix, alpha float64, a, b Matrix) {
	if dst.ColStride != 1 && (dst.RowStride == 1 || dst.Cols == 1) {
		dst, a, b = dst.T(), b.T(), a.T() // dstᵀ = bᵀ·aᵀ
	}
	m, n, k := dst.Rows, dst.Cols, a.Cols
	switch {
	case m == 1 || n == 1 || m*n <= tune.smallMul && m*n*k <= tune.smallMul:
		mulSmall(dst, alpha, a, b)
	case k >= 2*tune.longK && m*n <= tune.longMN:
		mulLong(dst, alpha, a, b)
	default:
		mulBlocked(dst, alpha, a, b)
	}
}

// mulSmall adds alpha·a·b to dst without packing: dot products where a's rows
// and b's columns are contiguous, multiples of b's rows where those are, and
// plain sums elsewhere.
func mulSmall(dst Matrix, alpha float64, a, b Matrix) {
	switch k := a.Cols; {
	case a.ColStride == 1 && b.RowStride == 1 || k == 1:
		for i := range dst.Rows {
			ai := a.Data[i*a.RowStride : i*a.RowStride+k]
			for j := range dst.Cols {
				dst.Data[i*dst.RowStride+j*dst.ColStride] += alpha * asm.Dot(ai, b.Data[j*b.ColStride:j*b.ColStride+k])
			}
		}
	case dst.ColStride == 1 && b.ColStride == 1:
		for i := range dst.Rows {
			row := dst.Row(i)
			for l := range k {
				asm.Axpy(alpha*a.Data[i*a.RowStride+l*a.ColStride], b.Row(l), row)
			}
		}
	case dst.Cols == 1 && a.RowStride == 1 && dst.RowStride == 1:
		for l := range k {
			asm.Axpy(alpha*b.Data[l*b.RowStride], a.Data[l*a.ColStride:l*a.ColStride+a.Rows], dst.Data)
		}
	default:
		for i := range dst.Rows {
			for j := range dst.Cols {
				var s float64
				for l := range k {
					s += float64(a.Data[i*a.RowStride+l*a.ColStride] * b.Data[l*b.RowStride+j*b.ColStride])
				}
				dst.Data[i*dst.RowStride+j*dst.ColStride] += alpha * s
			}
		}
	}
}

// mulLong adds alpha·a·b to a small dst when the depth k is large: the depth is
// cut into chunks whose number depends on k alone, the chunks' products are
// formed side by side, and then added pairwise in a fixed tree.
func mulLong(dst Matrix, alpha float64, a, b Matrix) {
	const most = 16
	m, n, k := dst.Rows, dst.Cols, a.Cols
	chunks := min(k/tune.longK, most)
	buf := borrow(chunks * m * n)
	defer giveBack(buf)
	part := func(c int) Matrix { return NewDense(m, n, (*buf)[c*m*n:(c+1)*m*n]) }
	Parallel(chunks, func(c int) {
		k0, k1 := c*k/chunks, (c+1)*k/chunks
		p := part(c)
		p.Fill(0)
		mulBlocked(p, alpha, a.Slice(0, m, k0, k1), b.Slice(k0, k1, 0, n))
	})
	for step := 1; step < chunks; step *= 2 {
		for c := 0; c+step < chunks; c += 2 * step {
			Add(part(c), part(c), 1, part(c+step))
		}
	}
	Add(dst, dst, 1, part(0))
}

// mulBlocked adds alpha·a·b to dst: the five loops around the register tile.
// Blocks of rows run in parallel; each element of dst is summed by one
// goroutine, in steps of kc along the depth.
func mulBlocked(dst Matrix, alpha float64, a, b Matrix) {
	m, n, k := dst.Rows, dst.Cols, a.Cols
	mc, kc, nc := tune.mc, min(tune.kc, k), tune.nc
	mr, nr := asm.Tile()
	packedB := borrow(kc * roundUp(min(nc, n), nr))
	defer giveBack(packedB)
	for jc := 0; jc < n; jc += nc { // loop 5: columns of b, nc at a time
		nb := min(nc, n-jc)
		for pc := 0; pc < k; pc += kc { // loop 4: depth, kc at a time
			kb := min(kc, k-pc)
			packB(*packedB, b.Slice(pc, pc+kb, jc, jc+nb))
			rows := func(block int) { // loop 3: rows of a, mc at a time
				ic := block * mc
				mb := min(mc, m-ic)
				packedA := borrow(kb * roundUp(mb, mr))
				packA(*packedA, a.Slice(ic, ic+mb, pc, pc+kb))
				mulPacked(dst.Slice(ic, ic+mb, jc, jc+nb), alpha, kb, *packedA, *packedB)
				giveBack(packedA)
			}
			blocks := (m + mc - 1) / mc
			if blocks == 1 || m*nb*kb < tune.parallel {
				for block := range blocks {
					rows(block)
				}
			} else {
				Parallel(blocks, rows)
			}
		}
	}
}

// mulPacked adds alpha·A·B to dst for packed blocks of depth k: loops 2 and 1.
// A tile of a dst whose rows are not contiguous is formed in a buffer.
func mulPacked(dst Matrix, alpha float64, k int, packedA, packedB []float64) {
	mr, nr := asm.Tile()
	for j := 0; j < dst.Cols; j += nr { // loop 2: panels of B
		pb := packedB[j*k : (j+nr)*k]
		n := min(nr, dst.Cols-j)
		for i := 0; i < dst.Rows; i += mr { // loop 1: panels of A
			pa := packedA[i*k : (i+mr)*k]
			m := min(mr, dst.Rows-i)
			if dst.ColStride == 1 {
				asm.GemmTile(k, alpha, pa, pb, dst.Data[i*dst.RowStride+j:], dst.RowStride, m, n)
				continue
			}
			var tile [asm.MaxTile]float64
			asm.GemmTile(k, alpha, pa, pb, tile[:m*n], n, m, n)
			for ii := range m {
				for jj := range n {
					dst.Data[(i+ii)*dst.RowStride+(j+jj)*dst.ColStride] += tile[ii*n+jj]
				}
			}
		}
	}
}
