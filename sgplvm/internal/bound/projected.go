package bound

import (
	"context"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/kronprod"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// projected is the data in the spatial eigenbasis: Y contracted with the data basis of
// every spatial factor, n_ξ examples × d_y channels × J components, J = Π m_f. Blocks of
// components lie one after the other, each a matrix of all examples, so that a sweep
// over the blocks reads memory from the first number to the last.
type projected struct {
	examples, channels, components int
	width                          int       // components of a block; the last one has what is left
	data                           []float64 // channel by channel, block by block

	gram    mat.Matrix // of the examples, over components and channels
	hasGram bool
}

func (y *projected) resize(examples, channels, components int) {
	y.examples, y.channels, y.components, y.hasGram = examples, channels, components, false
	y.width = max(fewestColumns, min(blockNumbers/examples, components/4)) // four blocks, for as many processors, or more
	blocks := (components + y.width - 1) / y.width
	y.width = (components + blocks - 1) / blocks
	y.width = min((y.width+23)/24*24, components) // a multiple of every register tile's width
	if n := examples * channels * components; len(y.data) != n {
		y.data = nil // of another size: let go before there are two
		y.data = make([]float64, n)
	}
}

func (y *projected) blocks() int { return (y.components + y.width - 1) / y.width }

// block returns the components of block i, from ≤ j < to.
func (y *projected) block(i int) (from, to int) {
	return i * y.width, min((i+1)*y.width, y.components)
}

// at returns the components from ≤ j < to of a channel, one block, as examples×(to−from).
func (y *projected) at(channel, from, to int) mat.Matrix {
	return mat.NewDense(y.examples, to-from, y.data[(channel*y.components+from)*y.examples:(channel*y.components+to)*y.examples])
}

// set stores an example, channel by channel.
func (y *projected) set(example int, values []float64) {
	for c := range y.channels {
		for b := range y.blocks() {
			from, to := y.block(b)
			copy(y.at(c, from, to).Row(example), values[c*y.components+from:c*y.components+to])
		}
	}
}

// addGram adds alpha times the components' Gram matrix over examples and channels to dst.
func (y *projected) addGram(dst mat.Matrix, alpha float64) {
	buffer := mat.Borrow(y.examples * y.components)
	whole := mat.NewDense(y.examples, y.components, *buffer)
	product := mat.Borrow(y.components * y.components)
	gram := mat.NewDense(y.components, y.components, *product)
	for c := range y.channels {
		for b := range y.blocks() {
			from, to := y.block(b)
			mat.Copy(whole.Slice(0, y.examples, from, to), y.at(c, from, to))
		}
		mat.Syrk(gram, alpha, whole.T(), 0)
		mat.MirrorLower(gram)
		asm.Axpy(1, gram.Data, dst.Data)
	}
	mat.GiveBack(product)
	mat.GiveBack(buffer)
}

// examplesGram returns the examples' Gram matrix over components and channels, which it forms when it is asked for first.
func (y *projected) examplesGram() mat.Matrix {
	if !y.hasGram {
		work.Resize(&y.gram, y.examples, y.examples)
		y.gram.Fill(0)
		for c := range y.channels {
			for b := range y.blocks() {
				from, to := y.block(b)
				mat.Syrk(y.gram, 1, y.at(c, from, to), 1)
			}
		}
		mat.MirrorLower(y.gram)
		y.hasGram = true
	}
	return y.gram
}

// eachSlab reads Y some examples at a time, scaled, as tensors examples × d_y × n_1 × ….
func eachSlab(ctx context.Context, y *data.Scaled, x field.Grid, body func(slab kronprod.Tensor, from int) error) error {
	channels, points := y.Channels, y.Points
	dims := append([]int{0, channels}, x.Dims()...)
	return y.EachSlab(func(raw []float64, from int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		dims[0] = len(raw) / y.Size()
		buffer := mat.Borrow(len(raw))
		defer mat.GiveBack(buffer)
		parts := dims[0] * channels * scaleParts
		mat.Parallel(parts, func(i int) {
			series := i / scaleParts // channels of examples
			from, to := work.Block(i%scaleParts, scaleParts, points)
			example, c := series/channels, series%channels
			y.Scaler.ScaleChannel((*buffer)[series*points+from:series*points+to], raw[example*y.Size()+from*channels:], c)
		})
		return body(kronprod.Shaped(*buffer, dims...), from)
	})
}
