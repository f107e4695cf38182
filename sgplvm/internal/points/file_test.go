package points

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// contents returns a small model at random: of white noise on a product grid, or of structured noise with kept residuals and a blend; every
// third one of that has features of its noise too, and every sixth one is fast.
func contents(seed uint64, structured bool) *Contents {
	rng := rand.New(rand.NewPCG(seed, 1))
	normals := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = rng.NormFloat64()
		}
		return v
	}
	positive := func(n int) []float64 {
		v := normals(n)
		for i := range v {
			v[i] = 0.1 + math.Abs(v[i])
		}
		return v
	}
	random := func(r, c int) mat.Matrix { return mat.NewDense(r, c, normals(r*c)) }
	const n, dy, d, m, examples = 6, 2, 2, 3, 4
	c := &Contents{Label: "3x2", Points: n, Channels: dy, Latents: d, Inducing: m, Examples: examples,
		Mean: normals(dy), Scale: positive(dy), RBF: positive(1 + d), Linear: positive(d), Bias: positive(1),
		Z: normals(m * d), Coord: normals(m * m), Mu: normals(examples * d), S: positive(examples * d), Beta: 4, Precision: 4, Latent: positive(m),
		P: NewTable(random(dy*n, m)), Coordinates: normals(2 * n), Spacings: positive(2), TrainingSpacings: positive(2), Lengths: positive(2),
		Options: Options{Candidates: 2, Iterations: 20, Starts: 3, LocalBandwidth: 0.7, LocalStrength: 1, Exact: 100, Group: 4, Neighbours: 4, Work: 1e9}}
	if !structured {
		c.Lambda = positive(6)
		c.Factors = []Factor{{B: NewTable(random(3, 2))}, {B: NewTable(random(2, 3))}}
		c.Learning = Learning{1e-6, 0.01, 6, []float64{examples, 40, 9, 1}, NewTable(random(m, 6*dy))}
		return c
	}
	c.Lambda, c.Precision = positive(5), 1
	c.Factors = []Factor{{B: NewTable(random(n, 5))}}
	sigma, root := mat.New(n, n), random(n, n)
	mat.Mul(sigma, 1, root, root.T(), 0)
	c.Structure, c.Residuals, c.Tapers = NewLowerTable(sigma), NewTable(random(examples, dy*n)), positive(2)
	if seed%3 == 0 {
		c.Whitened, c.Structure, c.Lambda, c.Factors = true, Table{}, positive(n), []Factor{{B: NewTable(random(n, n))}}
	}
	system := kernel.System{Generator: mat.NewDense(2, 2, []float64{0, 1, -3, -3.4}), Output: []float64{1, 0}, Input: []float64{1, 0}}
	c.Time = Time{Kernel: "matern32(1)", Systems: []kernel.System{system}, Spacing: 2, Ends: []End{{Sequence: -3, Time: 5, State: append(normals(d*2), make([]float64, d*4)...)}}}
	if seed%6 == 1 {
		c.Time.Variance, c.Time.Part, c.Time.Inducing, c.Time.Labels = 0.5, "matern32(2)", normals(m), make([]float64, m)
	}
	c.Filled, c.Alike = NewTable(mat.New(examples, dy*n)), NewLowerTable(mat.New(n, n))
	c.Options.Degrees = 10
	c.Options.Blends = []field.Blend{{Share: 0.5, Neighbours: 2, Shrinkage: 0.5, Taper: 2, Reach: 1, Inflation: 1.2, Parts: 2}}
	if seed%6 == 0 {
		c.Approximate(Float64)
	}
	return c
}

// encoded returns the file with tables of a type where they have no less, as short as they may be.
func encoded(c *Contents, kind Type) []byte {
	c.Quantize(kind)
	for i := range c.Shapes {
		c.Shapes[i] = c.Shapes[i].shorter(kind)
	}
	return Encode(c)
}

// open returns the model in a file.
func open(file []byte) (*Model, error) {
	c, err := Decode(file)
	if err != nil {
		return nil, err
	}
	return New(c), nil
}

// tries fills in one example by what open returns, alone and after those of each training sequence.
func tries(t *testing.T, file []byte) error {
	m, err := open(file)
	if err != nil {
		return err
	}
	if m.values() > 1<<12 || m.c.Inducing > 100 || m.c.Options.Iterations > 100 || m.c.Options.Candidates > 100 {
		return nil // takes long
	}
	w, d := m.NewWorkspace(10), m.c.Latents
	values := make([]float64, m.values())
	for i := 10; i < len(values); i++ {
		values[i] = math.NaN()
	}
	w.Observe(values)
	if err := w.Infer(); err != nil {
		return err
	}
	if err := w.Complete(); err != nil {
		return err
	}
	w.Predict(make([]float64, d), make([]float64, d))
	if m.c.Learning.Sums.rows > 0 {
		l, own := NewLearner(m.c)
		room := own.NewWorkspace(10)
		room.Observe(values)
		if err := room.Infer(); err != nil {
			return err
		}
		if err := room.Complete(); err != nil {
			return err
		}
		l.Take(room)
		l.Add(0.9)
		if err := l.Learn(); err != nil {
			return err
		}
	}
	if len(m.c.Time.Systems) > 0 {
		state := infer.NewState(m.c.Time.Systems, d)
		mean, variance, sites := make([]float64, d), make([]float64, d), make([]infer.Site, d)
		for _, e := range m.c.Time.Ends {
			copy(state.Get(), e.State)
			state.Ahead(mean, variance, 1)
			if _, err := w.Foresee(values, mean, variance, Bounds{5, 5}); err != nil {
				return err
			}
			for q := range sites {
				sites[q] = infer.SiteOf(mean[q], variance[q], w.latent.Mu[q], w.latent.S[q])
			}
			state.Update(mean, variance, sites)
		}
	}
	return nil
}

// What was encoded is read again, whatever the type.
func TestEncode(t *testing.T) {
	for kind := Float64; kind <= Float16; kind++ {
		for seed := range uint64(7) {
			c := contents(seed, seed > 0)
			file := encoded(c, kind)
			m, err := open(file)
			if err != nil {
				t.Fatal(err)
			}
			if again := encoded(m.c, kind); !bytes.Equal(again, file) {
				t.Errorf("%v: a file that was read is written as another one", kind)
			}
			if m.c.Label != "3x2" || m.c.Points != 6 || m.c.Channels != 2 || m.c.Latents != 2 {
				t.Errorf("%v: %q, %d points, %d channels, %d latent dimensions", kind, m.c.Label, m.c.Points, m.c.Channels, m.c.Latents)
			}
			if err := tries(t, file); err != nil {
				t.Errorf("%v: %v", kind, err)
			}
		}
	}
}

// Of features of K and Σ together Σ is made, whole blocks and a part of one.
func TestWhitened(t *testing.T) {
	for kind, tolerance := range map[Type]float64{Float64: 1e-13, Float32: 1e-6, Float16: 1e-2} {
		n := noiseRows + 3
		c := &Contents{Points: n, Beta: 4, Whitened: true, Factors: []Factor{{}}}
		b := mat.New(n, n)
		for j := range n {
			c.Lambda = append(c.Lambda, 1/float64(1+j))
			for i := range n {
				b.Set(i, j, math.Sin(float64(i*j)))
			}
		}
		table := NewTable(b)
		c.Factors[0].B = table.As(kind)
		m := &Model{c: c}
		m.setStructure()
		for _, at := range [][2]int{{0, 0}, {5, 2}, {n - 1, 1}, {n - 1, n - 1}, {noiseRows, noiseRows - 1}} {
			var want float64
			for j, lambda := range c.Lambda {
				want += b.At(at[0], j) * b.At(at[1], j) / (1 + lambda)
			}
			if at[0] == at[1] {
				want -= 0.25
			}
			if got := m.structure.pair(at[0], at[1]); math.Abs(got-want) > tolerance*float64(n) {
				t.Errorf("%v: covariance of points %v is %v, expected %v", kind, at, got, want)
			}
		}
	}
}

// Every byte that is changed and every truncation is noticed, and nothing large is allocated.
func TestDamagedFiles(t *testing.T) {
	file := encoded(contents(1, true), Float32)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range file {
		damaged := bytes.Clone(file)
		damaged[i] ^= 1 << (i % 8)
		if _, err := open(damaged); err == nil {
			t.Errorf("byte %d was changed and nobody noticed", i)
		}
		if _, err := open(file[:i]); err == nil {
			t.Errorf("a file of %d bytes, of %d, was read", i, len(file))
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(2*len(file)); each > uint64(4*len(file)) {
		t.Errorf("%d bytes were allocated for each damaged file of %d bytes", each, len(file))
	}
	var version *FileError
	damaged := bytes.Clone(file)
	damaged[8]++
	if _, err := open(damaged); !errors.As(err, &version) || version.Version != Version+1 {
		t.Errorf("another version: %v", err)
	}
	var format *FileError
	if _, err := open(append(file, 0, 0, 0, 0, 0, 0, 0, 0)); !errors.As(err, &format) {
		t.Errorf("a longer file: %v", err)
	}
}

// What a file needs and is not known here is refused by name; what is optional and not known is skipped.
func TestSections(t *testing.T) {
	c := contents(1, true)
	c.About, c.Scores = About{Width: 3, Height: 2, Units: "K", Low: -1, High: 4}, []float64{-1, 0.5, 2}
	c.Spreads = []float64{0, 1, 3, 1, 5}
	file := Encode(c)
	got, err := Decode(file)
	if err != nil || got.About != c.About || !slices.Equal(got.Scores, c.Scores) {
		t.Fatalf("%v: %v, %v", err, got.About, got.Scores)
	}
	unknown := sealed(bytes.Replace(file, []byte("about"), []byte("other"), 1)[headerBytes:])
	if got, err = Decode(unknown); err != nil || got.About != (About{}) || len(got.Scores) != 3 {
		t.Errorf("an optional section that is not known: %v, %v", err, got)
	}
	unknown = sealed(bytes.Replace(file, []byte(needPart), []byte("part in rhyme")[:len(needPart)], 1)[headerBytes:])
	if _, err = Decode(unknown); err == nil || err.Need != "part in rhym" {
		t.Errorf("a need that is not known: %v", err)
	}
}

// sealed gives a file's body the header that belongs to it.
func sealed(body []byte) []byte {
	body = body[:len(body)&^7]
	header := append64(append64(append64(append64(nil, magic), Version), uint64(headerBytes+len(body))), checksum(body))
	return append(header, body...)
}

// bodies returns bodies of files of this version, of every type, and each with some words changed.
func bodies() (all [][]byte) {
	rng := rand.New(rand.NewPCG(5, 6))
	for kind := Float64; kind <= Float16; kind++ {
		for seed := range uint64(7) {
			c := contents(seed, seed > 0)
			if seed%3 == 2 { // few values are used at once
				c.Options.Exact, c.Options.FirstOrder = 3, seed%2 == 0
			}
			body := encoded(c, kind)[headerBytes:]
			damaged := bytes.Clone(body)
			for range 1 + seed {
				at := 8 * rng.IntN(len(body)/8)
				copy(damaged[at:], append64(nil, []uint64{0, 1, 3, 1 << 24, 1 << 63, math.Float64bits(-1), rng.Uint64()}[rng.IntN(7)]))
			}
			all = append(all, body, damaged)
		}
	}
	return all
}

// Contents of any bytes are refused or serve, without a panic, and Open allocates no more than some times their size. The corpus is made, so that it is of
// this version.
func FuzzOpen(f *testing.F) {
	for _, body := range bodies() {
		f.Add(body)
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		file := sealed(body)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := open(file)
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > uint64(64*len(file))+1<<20 {
			t.Errorf("Open allocated %d bytes for a file of %d", n, len(file))
		}
		if err == nil {
			_ = tries(t, file)
		}
	})
}

// Every word of a sealed file is changed: what is refused is refused by a typed error.
func TestHostileFiles(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, seed := range []uint64{0, 3, 6} {
		file := encoded(contents(seed, seed > 0), Float16)
		for at := headerBytes; at < len(file); at += 8 {
			for _, word := range []uint64{0, 1, 7, 1 << 24, 1 << 63, math.MaxUint64, math.Float64bits(math.NaN()), rng.Uint64()}[at/8%4*2:][:2] {
				hostile := bytes.Clone(file)
				copy(hostile[at:], append64(nil, word))
				hostile = sealed(hostile[headerBytes:])
				var format *FileError
				if _, err := open(hostile); err != nil && (!errors.As(err, &format) || format.Reason == "") {
					t.Errorf("word %d is %d: %v", at, word, err)
				}
				_ = tries(t, hostile)
			}
		}
	}
}

// Files with a blend that cannot be are refused; the bounds themselves are not.
func TestBadBlends(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, field := range []struct {
		name      string
		of        func(b *field.Blend) *float64
		good, bad []float64
	}{
		{"Gap", func(b *field.Blend) *float64 { return &b.Gap }, []float64{0, 100}, []float64{-1, nan, inf}},
		{"Seen", func(b *field.Blend) *float64 { return &b.Seen }, []float64{0, 1}, []float64{-0.1, 1.1, nan, inf}},
		{"Share", func(b *field.Blend) *float64 { return &b.Share }, []float64{0, 1}, []float64{-0.1, 1.1, nan, inf}},
		{"Neighbours", func(b *field.Blend) *float64 { return &b.Neighbours }, []float64{1, 4}, []float64{0.5, -1, nan, inf}},
		{"Shrinkage", func(b *field.Blend) *float64 { return &b.Shrinkage }, []float64{0.1, 1}, []float64{0, 1.1, nan, inf}},
		{"Taper", func(b *field.Blend) *float64 { return &b.Taper }, []float64{0.5, 9}, []float64{0, -1, nan, inf}},
		{"Reach", func(b *field.Blend) *float64 { return &b.Reach }, []float64{0, 9}, []float64{-1, nan, inf}},
		{"Inflation", func(b *field.Blend) *float64 { return &b.Inflation }, []float64{0.1, 9}, []float64{0, -1, nan, inf}},
	} {
		file := func(v float64) []byte {
			c, w := contents(1, true), new(writer)
			*field.of(&c.Options.Blends[0]) = v
			w.contents(c)
			return sealed(w.b)
		}
		for _, v := range field.good {
			if _, err := open(file(v)); err != nil {
				t.Errorf("%s of %v: %v", field.name, v, err)
			}
		}
		for _, v := range field.bad {
			var format *FileError
			if _, err := open(file(v)); !errors.As(err, &format) || !strings.Contains(format.Reason, "a blend") {
				t.Errorf("%s of %v: %v", field.name, v, err)
			}
		}
	}
}

// Numbers of 16 bits are those of IEEE 754, and rounding is to the nearest.
func TestHalf(t *testing.T) {
	for u := range 1 << 16 {
		v := asm.Half(uint16(u))
		if v != v {
			if u&0x7c00 != 0x7c00 || u&0x3ff == 0 || toHalf(v)&0x7c00 != 0x7c00 {
				t.Fatalf("%04x is %v", u, v)
			}
			continue
		}
		sign, exponent, fraction := 1-2*float64(u>>15), u>>10&31, float64(u&0x3ff)
		want := sign * math.Ldexp(1+fraction/1024, exponent-15)
		switch exponent {
		case 0:
			want = sign * math.Ldexp(fraction, -24)
		case 31:
			want = math.Inf(int(sign))
		}
		if v != want || toHalf(v) != uint16(u) {
			t.Fatalf("%04x is %v and %04x again, expected %v", u, v, toHalf(v), want)
		}
		if u&0x7fff < 0x7bff { // halfway to the next one goes to the even one
			next := asm.Half(uint16(u + 1))
			even := uint16(u + u&1)
			if got := toHalf((v + next) / 2); got != even {
				t.Fatalf("halfway between %v and %v is %04x, expected %04x", v, next, got, even)
			}
			if got := toHalf(v + 0.49*(next-v)); got != uint16(u) {
				t.Fatalf("%v and a little is %04x, expected %04x", v, got, u)
			}
		}
	}
	if toHalf(65519) != 0x7bff || toHalf(65520) != 0x7c00 || toHalf(-1e300) != 0xfc00 || toHalf(1e-30) != 0 {
		t.Error("rounding beyond the range")
	}
}

// A table that is set row by row has the numbers of one that is made at once.
func TestSetRow(t *testing.T) {
	a := mat.NewDense(3, 5, make([]float64, 15))
	for i := range a.Data {
		a.Data[i] = math.Sin(float64(i)) * math.Pow(10, float64(i-9))
	}
	for _, kind := range []Type{Float64, Float32, Float16} {
		whole, made := NewTable(a), blank(3, 5, false, kind)
		want := whole.As(kind)
		for i := range a.Rows {
			made.setRow(i, a.Row(i))
		}
		if !slices.Equal(made.data, want.data) {
			t.Errorf("%v: % x, want % x", kind, made.data, want.data)
		}
	}
}

// Tables of a type are rows of it.
func TestTable(t *testing.T) {
	a := mat.NewDense(2, 3, []float64{1, 0.1, -2.5, 3e-5, 1000.3, 7})
	for kind, digits := range map[Type]float64{Float64: 0, Float32: 0x1p-24, Float16: 0x1p-11} {
		full := NewTable(a)
		table := full.As(kind)
		got := table.matrix()
		for i, v := range a.Data {
			if d := math.Abs(got.Data[i] - v); d > digits*math.Abs(v)+0x1p-25*digits*0x1p11 || digits > 0 && v == 0.1 && d < 0x1p-6*digits {
				t.Errorf("%v: element %d is %v, expected %v", kind, i, got.Data[i], v)
			}
		}
		row := make([]float64, 2)
		table.row(row, 1, 1)
		if row[0] != got.At(1, 1) || row[1] != got.At(1, 2) {
			t.Errorf("%v: row %v", kind, row)
		}
		table.pick(row, 1, []int{0, 2})
		if row[0] != got.At(1, 0) || row[1] != got.At(1, 2) || table.at(5) != got.At(1, 2) {
			t.Errorf("%v: columns %v", kind, row)
		}
		if again := table.As(kind); !bytes.Equal(again.data, table.data) || len(table.data) != 6*kind.bytes() {
			t.Errorf("%v: rounded again, other numbers", kind)
		}
	}
	lower := NewLowerTable(mat.NewDense(2, 2, []float64{1, 9, 2, 3}))
	if lower.pair(0, 1) != 2 || lower.pair(1, 0) != 2 || lower.pair(1, 1) != 3 {
		t.Error("a lower triangle is another one")
	}
}

// Covariances by places of the first factor are products of features, within a list and between two.
func TestPlaces(t *testing.T) {
	m, err := open(encoded(contents(4, false), Float64))
	if err != nil {
		t.Fatal(err)
	}
	w := m.NewWorkspace(0)
	w.moments.share = w.moments.shares[0]
	for j := range w.moments.share {
		w.moments.share[j] = float64(1 + j)
	}
	all := mat.New(m.c.Points, m.features)
	m.setFeatures(all, m.points, 0, nil)
	part := mat.New(m.c.Points, 3)
	m.setFeatures(part, m.points, 2, w.moments.share)
	for i := range m.c.Points {
		for j := range 3 {
			if got, want := part.At(i, j), all.At(i, 2+j)*float64(3+j); math.Abs(got-want) > 1e-12 {
				t.Errorf("feature %d of point %d times its factor is %v, expected %v", 2+j, i, got, want)
			}
		}
	}
	for _, list := range [][]int{m.points, {1, 2, 5}, {0, m.c.Points - 1}} {
		own, to := mat.New(len(list), len(list)), mat.New(len(list), m.c.Points)
		w.addPlaces(own, list, list, true)
		w.addPlaces(to, list, m.points, false)
		for k, i := range list {
			for p := range m.c.Points {
				var want float64
				for j, v := range w.moments.share {
					want += all.At(i, j) * v * all.At(p, j)
				}
				if got := to.At(k, p); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
					t.Errorf("covariance of %d and %d is %v, expected %v", i, p, got, want)
				}
				if l := slices.Index(list[:k+1], p); l >= 0 && math.Abs(own.At(k, l)-want) > 1e-12*(1+math.Abs(want)) {
					t.Errorf("covariance of %d and %d is %v, expected %v", i, p, own.At(k, l), want)
				}
			}
		}
	}
}

// Lists are stored in the shortest type that has their numbers as they are.
func TestShortest(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want Type
	}{
		{nil, Float16}, {[]float64{0, 1, -2047, 0.5, math.Inf(1)}, Float16}, {[]float64{0, 2049}, Float32}, {[]float64{1e30, 1}, Float64},
		{[]float64{float64(float32(0.1)), 65536}, Float32}, {[]float64{1, 0.1}, Float64}, {[]float64{math.NaN()}, Float64}, {[]float64{0x1p-1074}, Float64},
	} {
		if got := shortest(c.list); got != c.want {
			t.Errorf("%v: %v, expected %v", c.list, got, c.want)
			continue
		}
		w := &writer{b: make([]byte, headerBytes)}
		w.numbers(&c.list)
		if want := headerBytes + 16 + int(filled(int64(len(c.list)), c.want)); len(w.b) != want {
			t.Errorf("%v: %d bytes, expected %d", c.list, len(w.b), want)
		}
		var got []float64
		r := &reader{file: w.b, at: headerBytes}
		r.numbers(&got)
		if r.err != nil || r.at != len(w.b) || len(got) != len(c.list) {
			t.Fatalf("%v: read as %v, %v", c.list, got, r.err)
		}
		for i, v := range got {
			if math.Float64bits(v) != math.Float64bits(c.list[i]) {
				t.Errorf("%v: number %d is %v", c.list, i, v)
			}
		}
	}
}

// observe takes over scaled values of which a mask says which were observed, nil: all of them.
func (w *Workspace) observe(values []float64, mask []bool) {
	values = slices.Clone(values)
	for i := range values {
		if mask != nil && !mask[i] {
			values[i] = math.NaN()
		}
	}
	w.Observe(values)
}

// fill fills in scaled values.
func (w *Workspace) fill(mean, variance, values []float64, mask []bool) error {
	w.observe(values, mask)
	if err := w.Infer(); err != nil {
		return err
	}
	if err := w.Complete(); err != nil {
		return err
	}
	copy(mean, w.result.mean.Data)
	copy(variance, w.result.variance.Data)
	for i, v := range w.values {
		if v == v {
			mean[i], variance[i] = v, 0
		}
	}
	return nil
}
