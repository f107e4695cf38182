package update

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/sums"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// Sums of examples are taken in parts (docs/math.md, "Sums over examples"). All examples are divided into 2^shardLevels leaves, whatever the parts are, and the sums of
// leaves added in a binary tree: node k of level l has the leaves from k·2^l on. A part writes the sums of few nodes, so that the bits of the whole do not
// depend on parts.
const shardLevels = 8

// examplesTogether is of how many examples the latent variables are inferred at a time.
const examplesTogether = 64

// shardFormat begins the file of a part: a line of JSON follows, the examples that are kept and the sums of each node, and a SHA-256 checksum.
const shardFormat = "kronfield sums 1\n"

// maxShards bounds the number of parts. More than there are leaves have nothing to do.
const maxShards = 1 << 20

// leaves returns which leaves are of the part: of few parts they are cut where few nodes are on each side.
func leaves(p field.ShardPart) (from, to int) {
	unit := 1
	for unit*16*p.Count <= 1<<shardLevels {
		unit *= 2
	}
	from, to = work.Block(p.Index-1, p.Count, 1<<shardLevels/unit)
	return from * unit, to * unit
}

// A shardNode is a node of the tree.
type shardNode struct{ Level, Index int }

// nodes returns the fewest nodes with the leaves of the part.
func nodes(p field.ShardPart) (all []shardNode) {
	for from, to := leaves(p); from < to; {
		level := min(bits.TrailingZeros(uint(from)|1<<shardLevels), bits.Len(uint(to-from))-1)
		all = append(all, shardNode{level, from >> level})
		from += 1 << level
	}
	return all
}

// A shardHeader says of what the sums of a part are.
type shardHeader struct {
	Model    string // checksum of its file
	Data     string // as the caller names the data
	Examples int    // in all parts
	Part     field.ShardPart
	Numbers  int // of each of its nodes
}

// KeptBytes is up to how much the model of all examples keeps of examples that others are compared with, where it keeps residuals; and at least as many as the
// model of the sample. Tests change it.
var KeptBytes = 64 << 20

// keptSeed makes the choice of these one of its own.
const keptSeed = 0x6b657074

// chosen returns which of n examples are kept: one at random of each of as many stretches.
func (m *Model) chosen(n int) (all []int) {
	own := m.Posterior.Options().Residuals
	if own.Rows == 0 {
		return nil
	}
	rng, count := rand.New(rand.NewPCG(m.Seed, keptSeed)), min(n, max(own.Rows, KeptBytes/(8*own.Cols)))
	for k := range count {
		from, to := work.Block(k, count, n)
		all = append(all, from+rng.IntN(to-from))
	}
	return all
}

// amongLeaves returns those of ascending numbers of n examples that are of the leaves from ≤ k < to.
func amongLeaves(all []int, n, from, to int) []int {
	first, _ := slices.BinarySearch(all, leafBegin(from, n))
	last, _ := slices.BinarySearch(all, leafBegin(to, n))
	return all[first:last]
}

// leafBegin returns where a leaf of n examples begins.
func leafBegin(leaf, n int) int {
	from, _ := work.Block(leaf, 1<<shardLevels, n)
	return from
}

// Shard is that of sgplvm.Model.
func (m *Model) Shard(ctx context.Context, examples field.Source, part field.ShardPart, data string, w io.Writer, progress func(done, of int)) error {
	if part.Index < 1 || part.Index > part.Count || part.Count > maxShards {
		return &field.ConfigError{Field: "Part", Err: fmt.Errorf("%d of %d, expected one from 1 on, of at most %d", part.Index, part.Count, maxShards)}
	}
	n, points, channels := examples.Dims()
	b, err := m.sumsOf(false, n, points, channels)
	if err != nil {
		return err
	}
	sum := sha256.New()
	both := io.MultiWriter(w, sum)
	s := &sharding{ctx: ctx, m: m, b: b, examples: examples, progress: progress, w: both}
	s.count, _, _ = examples.Dims()
	h := shardHeader{Data: data, Examples: s.count, Part: part, Numbers: b.Len()}
	from, to := leaves(part)
	s.all, s.chosen = leafBegin(to, s.count)-leafBegin(from, s.count), amongLeaves(m.chosen(s.count), s.count, from, to)
	if h.Model, err = m.Digest(); err != nil {
		return err
	}
	if _, err := io.WriteString(both, shardFormat); err != nil {
		return err
	}
	if err := json.NewEncoder(both).Encode(h); err != nil {
		return err
	}
	for _, n := range nodes(part) {
		v, err := s.node(n)
		if err != nil {
			return err
		}
		if err := binary.Write(both, binary.LittleEndian, v.Numbers); err != nil {
			return err
		}
		s.spare = append(s.spare, v)
	}
	_, err = w.Write(sum.Sum(nil))
	return err
}

// ShardSize is that of sgplvm.Model.
func (m *Model) ShardSize(examples, count int) (most int64) {
	b, err := m.sumsOf(false, examples, m.Posterior.Grid().Len(), m.channels())
	if err != nil {
		return 0
	}
	for i := range min(count, 1<<shardLevels) {
		size := int64(0)
		for _, n := range m.keptBy(field.ShardPart{Index: i + 1, Count: count}, examples) {
			size += int64(n + b.Len())
		}
		most = max(most, 8*size)
	}
	return most
}

// A sharding is the work of Shard.
type sharding struct {
	ctx              context.Context
	m                *Model
	b                *sums.Basis
	examples         field.Source
	progress         func(done, of int)
	count, done, all int   // examples of all parts, and of this one
	chosen           []int // which are still to be kept
	w                io.Writer
	spare            []*sums.Sums // which are not needed any more
}

// node returns the sums of a node.
func (s *sharding) node(n shardNode) (*sums.Sums, error) {
	if n.Level == 0 {
		return s.leaf(n.Index)
	}
	left, err := s.node(shardNode{n.Level - 1, 2 * n.Index})
	if err != nil {
		return nil, err
	}
	right, err := s.node(shardNode{n.Level - 1, 2*n.Index + 1})
	if err == nil {
		left.Add(right)
		s.spare = append(s.spare, right)
	}
	return left, err
}

// leaf returns the sums of a leaf's examples.
func (s *sharding) leaf(leaf int) (*sums.Sums, error) {
	var v *sums.Sums
	if last := len(s.spare) - 1; last >= 0 {
		v, s.spare = s.spare[last], s.spare[:last]
		clear(v.Numbers)
	} else {
		v = s.b.New()
	}
	for from, to := work.Block(leaf, 1<<shardLevels, s.count); from < to; from += examplesTogether {
		f, err := s.m.inferAll(s.ctx, s.examples, from, min(to, from+examplesTogether), nil)
		if err != nil {
			return nil, err
		}
		if f.addTo(v, s.b, 0, f.y.Rows); s.progress != nil {
			s.done += f.y.Rows
			s.progress(s.done, s.all)
		}
		if err := s.keep(f, from); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// keptBy returns how many numbers of n examples the nodes of a part keep.
func (m *Model) keptBy(part field.ShardPart, n int) (all []int) {
	chosen := m.chosen(n)
	for _, k := range nodes(part) {
		all = append(all, len(amongLeaves(chosen, n, k.Index<<k.Level, (k.Index+1)<<k.Level))*m.keptLen())
	}
	return all
}

// keptLen is how many numbers an example that is kept has.
func (m *Model) keptLen() int {
	return m.Posterior.Options().Residuals.Cols + 2*m.Posterior.Params().X.Mu.Cols
}

// keep writes those of the examples from number from on that were chosen: values in the model's units and q(x); NaN where values were filled in.
func (s *sharding) keep(f *inferred, from int) error {
	for len(s.chosen) > 0 && s.chosen[0] < from+f.y.Rows {
		i := s.chosen[0] - from
		row := slices.Concat(f.y.Row(i), f.q.Mu.Row(i), f.q.S.Row(i))
		if !f.whole(i) {
			row[0] = math.NaN()
		}
		if err := binary.Write(s.w, binary.LittleEndian, row); err != nil {
			return err
		}
		s.chosen = s.chosen[1:]
	}
	return nil
}

// A Shard is the file of a part, as Model.Shard wrote it.
type Shard struct {
	header shardHeader
	nodes  []shardNode
	kept   []int // numbers of the examples that the model keeps of each node, before its sums
	file   io.ReaderAt
	size   int64
	at     int64 // of the numbers
}

// maxShardHeader bounds a part's header, in bytes, and maxShardNumbers the numbers of a node.
const maxShardHeader, maxShardNumbers = 1 << 16, 1 << 40

// Open is sgplvm.OpenShard.
func Open(file interface {
	io.ReadSeeker
	io.ReaderAt
}) (*Shard, error) {
	size, err := file.Seek(0, io.SeekEnd)
	s := &Shard{file: file, size: size}
	if err == nil {
		err = s.open()
	}
	if err != nil {
		return nil, &field.PartError{Err: err}
	}
	return s, nil
}

func (s *Shard) open() error {
	sum, body := sha256.New(), io.NewSectionReader(s.file, 0, s.size-sha256.Size)
	begin := make([]byte, len(shardFormat))
	if io.ReadFull(body, begin); string(begin) != shardFormat {
		return fmt.Errorf("expected a file that begins with %s", quote.Text(shardFormat[:len(shardFormat)-1]))
	}
	line, err := bufio.NewReader(io.LimitReader(body, maxShardHeader)).ReadBytes('\n')
	h := &s.header
	if err == nil {
		err = json.Unmarshal(line, h)
	}
	if err != nil {
		return fmt.Errorf("no header: %s", quote.Line(err.Error()))
	}
	s.at = int64(len(shardFormat) + len(line))
	if p := h.Part; p.Index < 1 || p.Index > p.Count || p.Count > maxShards || h.Examples < 1 || h.Numbers < 1 || int64(h.Numbers) > maxShardNumbers {
		return errors.New("a header that does not fit together")
	}
	s.nodes = nodes(h.Part)
	body.Seek(0, io.SeekStart)
	if _, err := io.Copy(sum, body); err != nil {
		return err
	}
	found := make([]byte, sha256.Size)
	if _, err := s.file.ReadAt(found, s.size-sha256.Size); err != nil && err != io.EOF || !bytes.Equal(found, sum.Sum(nil)) {
		return errors.New("wrong checksum: the file is damaged")
	}
	return nil
}

// start returns where what is kept of the k-th node begins.
func (s *Shard) start(k int) int64 {
	at := s.at + 8*int64(k)*int64(s.header.Numbers)
	for _, n := range s.kept[:k] {
		at += 8 * int64(n)
	}
	return at
}

// read sets dst to numbers of a node of the part from number from on; ok is false where the part has not that node.
func (s *Shard) read(dst []float64, n shardNode, from int) (ok bool, err error) {
	k := slices.Index(s.nodes, n)
	if k < 0 {
		return false, nil
	}
	at := s.start(k) + 8*int64(s.kept[k]+from)
	return true, binary.Read(io.NewSectionReader(s.file, at, int64(8*len(dst))), binary.LittleEndian, dst)
}

// Reduce returns the posterior with the examples of all parts in place of its own, how many they are, and the bound: sgplvm.Model.Reduce.
func (m *Model) Reduce(ctx context.Context, shards []*Shard) (*predict.Posterior, int, float64, error) {
	shards, err := m.whole(shards)
	if err != nil {
		return nil, 0, 0, err
	}
	h := shards[0].header
	b, err := m.sumsOf(false, h.Examples, m.Posterior.Grid().Len(), m.channels())
	if err != nil {
		return nil, 0, 0, err
	}
	if h.Numbers != b.Len() {
		return nil, 0, 0, &field.PartError{Part: h.Part, Err: fmt.Errorf("has sums of %d numbers, expected %d", h.Numbers, b.Len())}
	}
	all := b.New()
	const together = 1 << 16 // numbers, so that little but the result is in memory
	for from := 0; from < h.Numbers; from += together {
		if err := added(shards, all.Numbers[from:min(h.Numbers, from+together)], shardNode{shardLevels, 0}, from); err != nil {
			return nil, 0, 0, err
		}
	}
	kept, err := m.keptOf(shards)
	if err != nil {
		return nil, 0, 0, err
	}
	parametric := m.Posterior.Params().Noise
	prior := learnedNoise{weight: m.Strength}
	if parametric.Learned() {
		parametric.Covariance = mat.Matrix{}
		prior.mean = mat.New(m.Posterior.Grid().Len(), m.Posterior.Grid().Len())
		parametric.Matrix(prior.mean, m.Posterior.Grid()[0])
	}
	next, bound, err := m.withSums(ctx, b, all, all, prior, kept)
	return next, h.Examples, bound, err
}

// keptOf returns the examples that all parts keep, in their order; those of the model where it keeps none.
func (m *Model) keptOf(shards []*Shard) (*inferred, error) {
	dims, size := m.Posterior.Params().X.Mu.Cols, m.Posterior.Options().Residuals.Cols
	if size == 0 {
		return m.kept(), nil
	}
	count := len(m.chosen(shards[0].header.Examples))
	f, n, row := &inferred{y: mat.New(count, size), q: psi.Q{Mu: mat.New(count, dims), S: mat.New(count, dims)}}, 0, make([]float64, m.keptLen())
	for _, s := range shards {
		for k, numbers := range s.kept {
			from := io.NewSectionReader(s.file, s.start(k), 8*int64(numbers))
			for range numbers / len(row) {
				if err := binary.Read(from, binary.LittleEndian, row); err != nil {
					return nil, err
				}
				if row[0] == row[0] {
					copy(f.y.Row(n), row)
					copy(f.q.Mu.Row(n), row[size:])
					copy(f.q.S.Row(n), row[size+dims:])
					n++
				}
			}
		}
	}
	if n == 0 { // values of all were filled in
		return m.kept(), nil
	}
	f.y, f.q.Mu, f.q.S = f.y.Slice(0, n, 0, size), f.q.Mu.Slice(0, n, 0, dims), f.q.S.Slice(0, n, 0, dims)
	return f, nil
}

// added sets dst to numbers of a node from number from on, of the parts that have it or what it is the sum of.
func added(shards []*Shard, dst []float64, n shardNode, from int) error {
	for _, s := range shards {
		if ok, err := s.read(dst, n, from); ok || err != nil {
			return err
		}
	}
	if err := added(shards, dst, shardNode{n.Level - 1, 2 * n.Index}, from); err != nil {
		return err
	}
	right := make([]float64, len(dst))
	if err := added(shards, right, shardNode{n.Level - 1, 2*n.Index + 1}, from); err != nil {
		return err
	}
	asm.Axpy(1, right, dst)
	return nil
}

// whole returns the parts in their order, and an error unless they are all of one whole, made with the model.
func (m *Model) whole(shards []*Shard) ([]*Shard, error) {
	if len(shards) == 0 {
		return nil, &field.PartError{Err: errors.New("no part, expected all")}
	}
	digest, err := m.Digest()
	if err != nil {
		return nil, err
	}
	first := shards[0].header
	ordered := make([]*Shard, first.Part.Count)
	for _, s := range shards {
		h := s.header
		s.kept = m.keptBy(h.Part, h.Examples)
		switch {
		case h.Model != digest:
			err = errors.New("was made with another model")
		case h.Part.Count != first.Part.Count || h.Data != first.Data || h.Examples != first.Examples || h.Numbers != first.Numbers:
			err = fmt.Errorf("is of %d examples of %s, expected %d of %s as part %d of %d is", h.Examples, quote.Text(h.Data), first.Examples, quote.Text(first.Data), first.Part.Index, first.Part.Count)
		case s.size != s.start(len(s.nodes))+sha256.Size:
			err = fmt.Errorf("has %d bytes, expected %d", s.size, s.start(len(s.nodes))+sha256.Size)
		case ordered[h.Part.Index-1] != nil:
			err = errors.New("is there twice")
		}
		if err != nil {
			return nil, &field.PartError{Part: h.Part, Err: err}
		}
		ordered[h.Part.Index-1] = s
	}
	if i := slices.Index(ordered, nil); i >= 0 {
		return nil, &field.PartError{Part: field.ShardPart{Index: i + 1, Count: len(ordered)}, Err: errors.New("is missing")}
	}
	return ordered, nil
}
