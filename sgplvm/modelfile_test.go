package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
)

// The model of most tests here: two factors, one of them with free inducing
// points, two channels.
var fileShape = modelShape{examples: 3, inducing: 2, latent: 2, channels: 2, jitter: 1e-4, seed: 5, space: []factorShape{
	{points: 3, dims: 2, inducing: 2, kind: Matern52, ard: true},
	{points: 2, dims: 1, kind: RBF},
}}

// saved returns a model's file.
func saved(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func loaded(t testing.TB, file []byte) *Model {
	t.Helper()
	m, err := Load(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A loaded model is the one that was saved: all its parts, and every bit of
// what it infers and predicts.
func TestModelFileRoundTrip(t *testing.T) {
	shapes := append([]modelShape{fileShape}, dynamicShapes()...)
	for seed := range uint64(sizes(30)) {
		shapes = append(shapes, randomShape(seed))
	}
	for _, s := range shapes {
		m := s.model(t)
		m.attributes = map[string]string{"grid": "5x4", "": "empty", "名": "line\nbreak \x00 \"quoted\""}
		m.seed = math.MaxUint64 - s.seed
		file := saved(t, m)
		l := loaded(t, file)
		sameModel(t, s.String(), l, m)
		if !bytes.Equal(saved(t, l), file) {
			t.Errorf("%v: saved again, the file differs", s)
		}
		samePredictions(t, s, l, m)
		if !bytes.Equal(saved(t, m), file) || !bytes.Equal(saved(t, l), file) {
			t.Errorf("%v: after predictions the file differs", s)
		}
	}
}

func sameModel(t *testing.T, what string, got, want *Model) {
	t.Helper()
	if !got.space.Equal(want.space) || got.channels != want.channels || got.jitter != want.jitter || got.seed != want.seed ||
		!maps.Equal(got.attributes, want.attributes) || got.Examples() != want.Examples() {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
	sameBits(t, what+": scaler mean", got.scaler.Mean, want.scaler.Mean)
	sameBits(t, what+": scaler scale", got.scaler.Scale, want.scaler.Scale)
	p, q := got.params, want.params
	if p.Latent.Parts() != q.Latent.Parts() {
		t.Errorf("%s: latent kernel %v, want %v", what, p.Latent.Parts(), q.Latent.Parts())
	}
	sameBits(t, what+": numbers", []float64{p.Beta, p.Latent.Variance, p.Latent.Bias}, []float64{q.Beta, q.Latent.Variance, q.Latent.Bias})
	sameBits(t, what+": linear variances", p.Latent.Linear, q.Latent.Linear)
	sameBits(t, what+": latent length scales", p.Latent.LengthScale, q.Latent.LengthScale)
	sameBits(t, what+": mu", p.Mu.Data, q.Mu.Data)
	sameBits(t, what+": S", p.S.Data, q.S.Data)
	sameBits(t, what+": Z", p.Z.Data, q.Z.Data)
	if !reflect.DeepEqual(p.Dynamics, q.Dynamics) {
		t.Errorf("%s: dynamics %+v, want %+v", what, p.Dynamics, q.Dynamics)
	}
	sameBits(t, what+": μ̄", p.MuBar.Data, q.MuBar.Data)
	sameBits(t, what+": Λ", p.Lambda.Data, q.Lambda.Data)
	for f, k := range q.Spatial {
		if p.Spatial[f].Kind != k.Kind || p.Spatial[f].Variance != k.Variance || p.Xu[f].Rows != q.Xu[f].Rows {
			t.Errorf("%s: spatial factor %d: %+v, want %+v", what, f, p.Spatial[f], k)
		}
		sameBits(t, fmt.Sprintf("%s: spatial factor %d: length scales", what, f), p.Spatial[f].LengthScale, k.LengthScale)
		sameBits(t, fmt.Sprintf("%s: spatial factor %d: inducing points", what, f), p.Xu[f].Data, q.Xu[f].Data)
	}
}

func samePredictions(t *testing.T, s modelShape, got, want *Model) {
	t.Helper()
	rng := rand.New(rand.NewPCG(s.seed, 3))
	l := randomLatent(rng, s.latent)
	for what, g := range map[string]Grid{"training grid": nil, "another grid": randomGrid(rng, want)} {
		p, err := got.Predict(l, g)
		if err != nil {
			t.Fatal(err)
		}
		q, err := want.Predict(l, g)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, s.String()+": mean on the "+what, p.Mean.Data, q.Mean.Data)
		sameBits(t, s.String()+": variance on the "+what, p.Variance.Data, q.Variance.Data)
	}
	values := mat.New(want.space.Len(), s.channels)
	for i := range values.Data {
		values.Data[i] = want.scaler.Mean[i%s.channels] + want.scaler.Scale[i%s.channels]*rng.NormFloat64()
		if rng.IntN(3) == 0 {
			values.Data[i] = math.NaN()
		}
	}
	obs := Observed{Values: values}
	p, lp, err := got.Impute(context.Background(), obs, InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	q, lq, err := want.Impute(context.Background(), obs, InferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, s.String()+": imputed mean", p.Mean.Data, q.Mean.Data)
	sameBits(t, s.String()+": imputed variance", p.Variance.Data, q.Variance.Data)
	sameBits(t, s.String()+": latent", append(append([]float64{lp.Bound}, lp.Mu...), lp.S...), append(append([]float64{lq.Bound}, lq.Mu...), lq.S...))
}

// What training leaves can be saved, at any number of processors the same, and
// no longer be trained after loading.
func TestModelFileAfterTraining(t *testing.T) {
	var first []byte
	atEveryWidth(func(procs int) {
		m := fileShape.model(t)
		before := saved(t, m)
		if _, err := m.Fit(context.Background(), FitOptions{Iterations: 5}); err != nil {
			t.Fatal(err)
		}
		file := saved(t, m)
		if bytes.Equal(file, before) {
			t.Error("training has changed nothing in the file")
		}
		if first == nil {
			first = file
		}
		if !bytes.Equal(file, first) {
			t.Errorf("another file with %d processors", procs)
		}
		l := loaded(t, file)
		samePredictions(t, fileShape, l, m)
		if _, err := l.Fit(context.Background(), FitOptions{}); !errors.Is(err, errNoData) {
			t.Errorf("a loaded model was trained: %v", err)
		}
	})
}

// What is attached to a model is in its file, to the byte, and goes when it is taken away.
func TestModelFileAttached(t *testing.T) {
	m := fileShape.model(t)
	bare := saved(t, m)
	content := map[string][]byte{"film": {0, 255, 10, 7}, "": {1}, "nothing": {}}
	for name, v := range content {
		m.Attach(name, v)
	}
	file := saved(t, m)
	l := loaded(t, file)
	for name, v := range content {
		if got := l.Attached(name); got == nil || !bytes.Equal(got, v) {
			t.Errorf("attached %q as %v, read %v", name, v, got)
		}
	}
	if l.Attached("other") != nil {
		t.Error("something attached that was not")
	}
	if !bytes.Equal(saved(t, l), file) {
		t.Error("the file changes when it is read and written")
	}
	for name := range content {
		l.Attach(name, nil)
	}
	if !bytes.Equal(saved(t, l), bare) {
		t.Error("what was taken away is in the file")
	}
	bad := resealed(t, file, func(f *safetensors.File) { tensor(f, "attached.film").Data = []int32{1, 2, 3, 4} })
	if err := mustRefuse(t, "numbers attached", bytes.NewReader(bad)); !strings.Contains(err.Error(), `tensor "attached.film"`) {
		t.Errorf("numbers attached: error %v", err)
	}
}

// mustRefuse returns why a file was refused.
func mustRefuse(t testing.TB, what string, r io.Reader) error {
	t.Helper()
	m, err := Load(r)
	var file *FileError
	if m != nil || !errors.As(err, &file) || file.Err == nil || strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("%s: model %v, error %v", what, m, err)
		return nil
	}
	return err
}

// No flipped bit, missing end, missing byte or byte too many passes.
func TestModelFileDamaged(t *testing.T) {
	file := saved(t, modelShape{examples: 1, inducing: 1, latent: 1, channels: 1, seed: 1, space: []factorShape{{points: 2, dims: 1, kind: Matern12}}}.model(t))
	damage := bytes.Clone(file)
	for i := range file {
		for bit := range 8 {
			damage[i] = file[i] ^ 1<<bit
			mustRefuse(t, fmt.Sprintf("byte %d, bit %d", i, bit), bytes.NewReader(damage))
		}
		damage[i] = file[i]
		mustRefuse(t, fmt.Sprintf("the first %d bytes", i), bytes.NewReader(file[:i]))
		mustRefuse(t, fmt.Sprintf("without byte %d", i), bytes.NewReader(slices.Delete(bytes.Clone(file), i, i+1)))
	}
	for i := range len(file) + 1 {
		for _, extra := range []byte{0, ' ', '0', 0xff} {
			mustRefuse(t, fmt.Sprintf("%#x before byte %d", extra, i), bytes.NewReader(slices.Insert(bytes.Clone(file), i, extra)))
		}
	}
	sum := regexp.MustCompile(`"` + regexp.QuoteMeta(safetensors.ChecksumKey) + `":"[0-9a-f]{64}",`).Find(file)
	bare := bytes.Replace(file, sum, nil, 1)
	bare = slices.Insert(bare, bytes.LastIndexByte(bare, '}')+1, bytes.Repeat([]byte(" "), len(sum))...)
	if f, err := safetensors.Read(bytes.NewReader(bare)); err != nil || len(sum) == 0 || f.Metadata["format"] != modelFormat {
		t.Fatalf("without a checksum %q: %v", sum, err)
	}
	mustRefuse(t, "without a checksum", bytes.NewReader(bare))
	mustRefuse(t, "twice", bytes.NewReader(slices.Concat(file, file)))
	for _, size := range []int{8, 100, len(file)} {
		mustRefuse(t, "zeros", bytes.NewReader(make([]byte, size)))
		mustRefuse(t, "ones", bytes.NewReader(bytes.Repeat([]byte{0xff}, size)))
	}
	loaded(t, damage)
}

// However the bytes arrive, they are the same model; a reader that fails gives
// its own error and no model.
func TestModelFileReaders(t *testing.T) {
	m := fileShape.model(t)
	file := saved(t, m)
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "data with EOF": iotest.DataErrReader,
	} {
		l, err := Load(wrap(bytes.NewReader(file)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sameModel(t, name, l, m)
	}
	broken := errors.New("the disk is gone")
	for n := range len(file) + 1 {
		what := fmt.Sprintf("error after %d bytes", n)
		if err := mustRefuse(t, what, io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(broken))); !errors.Is(err, broken) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := mustRefuse(t, "second read", iotest.TimeoutReader(bytes.NewReader(file))); !errors.Is(err, iotest.ErrTimeout) {
		t.Error(err)
	}
}

// shortWriter takes some bytes and then fails.
type shortWriter struct{ left int }

var errNoSpace = errors.New("no space left")

func (w *shortWriter) Write(b []byte) (int, error) {
	if len(b) > w.left {
		n := w.left
		w.left = 0
		return n, errNoSpace
	}
	w.left -= len(b)
	return len(b), nil
}

func TestModelFileWriters(t *testing.T) {
	m := fileShape.model(t)
	size := len(saved(t, m))
	for n := range size {
		if err := m.Save(&shortWriter{n}); !errors.Is(err, errNoSpace) {
			t.Errorf("room for %d of %d bytes: %v", n, size, err)
		}
	}
	if err := m.Save(&shortWriter{size}); err != nil {
		t.Error(err)
	}
	m.attributes = map[string]string{"name": "\xff"}
	w := &shortWriter{size}
	if err := m.Save(w); err == nil || w.left != size {
		t.Errorf("an attribute that is no text: %v, %d bytes written", err, size-w.left)
	}
}

// tensor returns a tensor of a file, to be changed.
func tensor(f *safetensors.File, name string) *safetensors.Tensor {
	if x := f.Lookup(name); x != nil {
		return x
	}
	panic(name)
}

func drop(f *safetensors.File, name string) {
	f.Tensors = slices.DeleteFunc(f.Tensors, func(x safetensors.Tensor) bool { return x.Name == name })
}

// put adds a tensor of ones, or replaces one.
func put(f *safetensors.File, name string, shape ...int) {
	drop(f, name)
	n := 1
	for _, d := range shape {
		n *= d
	}
	f.Tensors = append(f.Tensors, safetensors.Tensor{Name: name, Shape: shape, Data: slices.Repeat([]float64{1}, n)})
}

// resealed changes what a model file holds and seals it again.
func resealed(t testing.TB, file []byte, change func(f *safetensors.File)) []byte {
	t.Helper()
	f, err := safetensors.ReadSealed(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	change(f)
	var b bytes.Buffer
	if err := safetensors.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Each tensor must be there, of its type and shape, and hold finite numbers.
func TestModelFileTensors(t *testing.T) {
	for parts, tensors := range map[LatentParts]int{LatentRBF: 17, LatentRBF | LatentLinear | LatentBias: 19, LatentLinear | LatentBias: 17} {
		t.Run(parts.String(), func(t *testing.T) { checkTensors(t, fileShape.of(parts), tensors) })
	}
}

func checkTensors(t *testing.T, s modelShape, tensors int) {
	file := saved(t, s.model(t))
	contents, err := safetensors.ReadSealed(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if len(contents.Tensors) != tensors {
		t.Errorf("%d tensors, want %d", len(contents.Tensors), tensors)
	}
	for _, original := range contents.Tensors {
		name, shape := original.Name, original.Shape
		refuse := func(what, pattern string, change func(f *safetensors.File)) {
			t.Helper()
			err := mustRefuse(t, name+" "+what, bytes.NewReader(resealed(t, file, change)))
			if err != nil && !regexp.MustCompile("^not a usable model file: "+pattern+"$").MatchString(err.Error()) {
				t.Errorf("%s %s: %v\nwant %s", name, what, err, pattern)
			}
		}
		quoted := regexp.QuoteMeta(name)
		missing := `safetensors: tensor "` + quoted + `": found none, expected one`
		switch name {
		case "spatial.0.X":
			missing = `no tensor spatial\.0\.X, expected at least one spatial factor`
		case "spatial.1.X": // the file then seems to have one factor
			missing = `safetensors: tensor "alpha": found shape \[2,2,2,2\], expected \[2,2,2\]`
		case "spatial.0.Xu": // and here a tied one
			missing = `safetensors: tensor "alpha": found shape \[2,2,2,2\], expected \[2,3,2,2\]`
		}
		if name == "latent.linear" || name == "latent.bias" { // another kernel then
			l := loaded(t, resealed(t, file, func(f *safetensors.File) { drop(f, name) }))
			if got := name[len("latent."):]; strings.Contains(l.params.Latent.Parts().String(), got) {
				t.Errorf("a latent kernel with %s from a file without %s", got, name)
			}
		} else {
			refuse("missing", missing, func(f *safetensors.File) { drop(f, name) })
		}
		refuse("as float32", `safetensors: tensor "`+quoted+`": found type F32, expected F64`, func(f *safetensors.File) {
			tensor(f, name).Data = make([]float32, len(original.Data.([]float64)))
		})
		refuse("of one more axis", `safetensors: tensor "`+quoted+`": found shape \[1,[0-9,]+\], expected \[[any0-9,]+\]`, func(f *safetensors.File) {
			tensor(f, name).Shape = append([]int{1}, shape...)
		})
		for axis := range shape {
			const why = `.*(, expected|inducing points have) .*`
			longer := slices.Clone(shape)
			longer[axis]++
			switch change := func(f *safetensors.File) { put(f, name, longer...) }; {
			case name == "spatial.0.X" && axis == 0, name == "spatial.1.X" && axis == 1:
				// Beside free inducing points any number of points will do, and with one
				// length scale any dimension.
				loaded(t, resealed(t, file, change))
			default:
				refuse(fmt.Sprintf("with axis %d longer", axis), why, change)
			}
			for _, huge := range []int{0, math.MaxInt / 512} {
				empty := slices.Clone(shape)
				empty[axis] = 0
				if huge > 0 && len(shape) > 1 {
					empty[(axis+1)%len(shape)] = huge
				}
				refuse(fmt.Sprintf("of shape %v", empty), why, func(f *safetensors.File) { put(f, name, empty...) })
			}
		}
		for i := range original.Data.([]float64) {
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				refuse(fmt.Sprintf("with %v", v), regexp.QuoteMeta(fmt.Sprintf("tensor %s: element %d is %v, expected a finite number", name, i, v)), func(f *safetensors.File) {
					tensor(f, name).Data.([]float64)[i] = v
				})
			}
			for _, v := range []float64{0, -1, 5e-324} {
				bad := resealed(t, file, func(f *safetensors.File) { tensor(f, name).Data.([]float64)[i] = v })
				positive := !slices.Contains([]string{"mu", "Z", "spatial.0.X", "spatial.1.X", "spatial.0.Xu", "scaler.mean", "alpha"}, name)
				zero := v == 0 && name == "jitter" || v > 0 && name != "scaler.scale"
				if !positive || zero {
					loaded(t, bad)
				} else if err := mustRefuse(t, fmt.Sprintf("%s with %v", name, v), bytes.NewReader(bad)); err != nil && !strings.Contains(err.Error(), fmt.Sprint(v)) {
					t.Errorf("%s with %v: %v", name, v, err)
				}
			}
		}
	}
}

// Lies under a right checksum.
func TestModelFileLies(t *testing.T) {
	file := saved(t, fileShape.model(t))
	set := func(name string, v float64) func(f *safetensors.File) {
		return func(f *safetensors.File) { tensor(f, name).Data.([]float64)[0] = v }
	}
	meta := func(name, v string) func(f *safetensors.File) {
		return func(f *safetensors.File) { f.Metadata[name] = v }
	}
	const kinds = `, expected one of [matern12 matern32 matern52 rbf white]`
	for _, c := range []struct {
		want   string
		change func(f *safetensors.File)
	}{
		{`format "", expected "kronfield sgplvm 1"`, func(f *safetensors.File) { delete(f.Metadata, "format") }},
		{`format "kronfield sgplvm 2", expected "kronfield sgplvm 1"`, meta("format", "kronfield sgplvm 2")},
		{`format "", expected "kronfield sgplvm 1"`, func(f *safetensors.File) { *f = safetensors.File{} }},
		{`seed "", expected a whole number`, func(f *safetensors.File) { delete(f.Metadata, "seed") }},
		{`seed "-1", expected a whole number`, meta("seed", "-1")},
		{`seed "007", expected a whole number`, meta("seed", "007")},
		{`seed "18446744073709551616", expected a whole number`, meta("seed", "18446744073709551616")},
		{`metadata entry "Seed", expected none of that name`, meta("Seed", "1")},
		{`metadata entry "spatial.2.kernel", expected none of that name`, meta("spatial.2.kernel", "rbf")},
		{`tensor "gamma", expected none of that name`, func(f *safetensors.File) { put(f, "gamma", 1); put(f, "rho", 2) }},
		{`tensor "spatial.1.Xv", expected none of that name`, func(f *safetensors.File) { put(f, "spatial.1.Xv", 2, 1) }},
		{`tensor "spatial.3.X", expected none of that name`, func(f *safetensors.File) { put(f, "spatial.3.X", 2, 1) }},

		{`spatial factor 0: unknown kernel ""` + kinds, func(f *safetensors.File) { delete(f.Metadata, "spatial.0.kernel") }},
		{`spatial factor 1: unknown kernel "RBF"` + kinds, meta("spatial.1.kernel", "RBF")},
		{`spatial factor 1: white kernel: 1 length scales, expected none`, meta("spatial.1.kernel", "white")},
		{`spatial.0.Xu has 2 points, expected no such tensor beside a white kernel`, meta("spatial.0.kernel", "white")},
		{`spatial factor 1: rbf kernel: 0 length scales for 1 dimensions, expected 1 or 1`, func(f *safetensors.File) { put(f, "spatial.1.lengthscale", 0) }},
		{`spatial factor 0: matern52 kernel: 3 length scales for 2 dimensions, expected 1 or 2`, func(f *safetensors.File) { put(f, "spatial.0.lengthscale", 3) }},
		{`spatial factor 0: inducing points have 1 dimensions, the points 2`, func(f *safetensors.File) { put(f, "spatial.0.Xu", 2, 1) }},
		{`spatial.0.Xu is 0×2, expected at least one point, or no such tensor`, func(f *safetensors.File) { put(f, "spatial.0.Xu", 0, 2) }},
		{`spatial.0.Xu is 0×0, expected at least one point, or no such tensor`, func(f *safetensors.File) { put(f, "spatial.0.Xu", 0, 0) }},
		{`spatial.1.X is 2×0, expected at least one point of one dimension`, func(f *safetensors.File) { put(f, "spatial.1.X", 2, 0) }},
		{`spatial.1.X is 0×1, expected at least one point of one dimension`, func(f *safetensors.File) { put(f, "spatial.1.X", 0, 1) }},
		{`safetensors: tensor "alpha": found shape [2,2,2,2], expected [2,2,3,2]`, func(f *safetensors.File) { put(f, "spatial.1.X", 3, 1) }},
		{`safetensors: tensor "alpha": found shape [2,2,2,2], expected [3,2,2,2]`, func(f *safetensors.File) { put(f, "Z", 3, 2) }},

		{`latent variances are 2×2, expected 3×2 like the means`, func(f *safetensors.File) { put(f, "S", 2, 2) }},
		{`latent variances are 3×1, expected 3×2 like the means`, func(f *safetensors.File) { put(f, "S", 3, 1) }},
		{`latent variances are 3×2, expected 4×2 like the means`, func(f *safetensors.File) { put(f, "mu", 4, 2) }},
		{`latent means are 0×2, expected at least one example and one dimension`, func(f *safetensors.File) { put(f, "mu", 0, 2) }},
		{`latent inducing inputs are 2×3, expected 2 columns`, func(f *safetensors.File) { put(f, "Z", 2, 3) }},
		{`latent inducing inputs are 0×2, expected 2 columns`, func(f *safetensors.File) { put(f, "Z", 0, 2) }},
		{`latent kernel has no part, expected an RBF part, a linear one, a bias or one of time`, func(f *safetensors.File) { drop(f, "latent.variance"); drop(f, "latent.lengthscale") }},
		{`latent kernel has 0 length scales, expected 2`, func(f *safetensors.File) { put(f, "latent.lengthscale", 0) }},
		{`latent kernel has 3 linear variances, expected 2`, func(f *safetensors.File) { put(f, "latent.linear", 3) }},
		{`latent kernel has 0 linear variances, expected 2`, func(f *safetensors.File) { put(f, "latent.linear", 0) }},
		{`latent linear variance -1 of dimension 0, expected a positive number`, func(f *safetensors.File) { put(f, "latent.linear", 2); set("latent.linear", -1)(f) }},
		{`latent linear variance 0 of dimension 0, expected a positive number`, func(f *safetensors.File) { put(f, "latent.linear", 2); set("latent.linear", 0)(f) }},
		{`latent bias 0, expected a positive number, or no such tensor`, func(f *safetensors.File) { put(f, "latent.bias", 1); set("latent.bias", 0)(f) }},
		{`latent bias -1, expected a positive number`, func(f *safetensors.File) { put(f, "latent.bias", 1); set("latent.bias", -1)(f) }},
		{`safetensors: tensor "latent.bias": found shape [2], expected [1]`, func(f *safetensors.File) { put(f, "latent.bias", 2) }},
		{`tensor "latent.kernel", expected none of that name`, func(f *safetensors.File) { put(f, "latent.kernel", 1) }},
		{`latent kernel has 1 length scales, expected 2`, func(f *safetensors.File) { put(f, "latent.lengthscale", 1) }},
		{`latent variance -1 of example 0, dimension 0, expected a positive number`, set("S", -1)},
		{`noise precision -1, expected a positive number`, set("beta", -1)},
		{`latent rbf kernel: variance -1, expected a positive number`, set("latent.variance", -1)},
		{`latent rbf kernel: length scale 0 of dimension 0, expected a positive number`, set("latent.lengthscale", 0)},
		{`spatial factor 1: rbf kernel: variance -1, expected a positive number`, set("spatial.1.variance", -1)},
		{`jitter -1e-06, expected 0 to 0.1`, set("jitter", -1e-6)},
		{`jitter 0.2, expected 0 to 0.1`, set("jitter", 0.2)},
		{`scale -1 of channel 0, expected a positive number with an inverse`, set("scaler.scale", -1)},
		{`scale 5e-324 of channel 0, expected a positive number with an inverse`, set("scaler.scale", 5e-324)},
		{`scaler of 2 means and 1 scales, expected as many and at least one`, func(f *safetensors.File) { put(f, "scaler.scale", 1) }},
		{`scaler of 0 means and 0 scales, expected as many and at least one`, func(f *safetensors.File) { put(f, "scaler.scale", 0); put(f, "scaler.mean", 0) }},
		{`safetensors: tensor "alpha": found shape [2,2,2,2], expected [2,2,2,3]`, func(f *safetensors.File) { put(f, "scaler.scale", 3); put(f, "scaler.mean", 3) }},
		{`safetensors: tensor "alpha": found shape [16], expected [2,2,2,2]`, func(f *safetensors.File) { tensor(f, "alpha").Shape = []int{16} }},
		{`safetensors: tensor "alpha": found shape [2,2,2,2,1], expected [2,2,2,2]`, func(f *safetensors.File) { tensor(f, "alpha").Shape = []int{2, 2, 2, 2, 1} }},
	} {
		if err := mustRefuse(t, c.want, bytes.NewReader(resealed(t, file, c.change))); err != nil && err.Error() != "not a usable model file: "+c.want {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}

	// 16 points in each of 16 factors: more than can be counted, though the file is
	// small.
	many := resealed(t, file, func(f *safetensors.File) {
		for i := range 16 {
			name := fmt.Sprintf("spatial.%d.", i)
			f.Metadata[name+"kernel"] = "rbf"
			put(f, name+"X", 16, 1)
			put(f, name+"Xu", 1, 1)
			put(f, name+"variance", 1)
			put(f, name+"lengthscale", 1)
		}
		put(f, "alpha", append([]int{2}, append(slices.Repeat([]int{1}, 16), 2)...)...)
	})
	err := mustRefuse(t, "many points", bytes.NewReader(many))
	if err != nil && !regexp.MustCompile(`spatial\.\d+\.X has 16 points, with those of the factors before it more than can be counted$`).MatchString(err.Error()) {
		t.Error(err)
	}
}

// unsealed hides the checksum of a file, which then reads as one of another
// program.
func unsealed(file []byte) []byte {
	return bytes.Replace(file, []byte(safetensors.ChecksumKey), []byte("KRONFIELD.sha256"), 1)
}

// FuzzLoad reads any bytes as a model file, and, where they are a safetensors
// file, what they hold under a right checksum.
func FuzzLoad(f *testing.F) {
	for _, s := range []modelShape{fileShape, randomShape(1), randomShape(2), randomShape(3), fileShape.of(LatentLinear | LatentBias)} {
		file := saved(f, s.model(f))
		f.Add(file)
		f.Add(unsealed(file))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		checkLoad(t, in)
		file, err := safetensors.Read(bytes.NewReader(in))
		if err != nil {
			return
		}
		delete(file.Metadata, "KRONFIELD.sha256")
		var b bytes.Buffer
		if err := safetensors.Write(&b, file); err != nil {
			t.Skip(err)
		}
		checkLoad(t, b.Bytes())
	})
}

// checkLoad loads a file, which must be refused as it should or give a model
// that is all of the file and can be used.
func checkLoad(t *testing.T, file []byte) {
	m, err := Load(bytes.NewReader(file))
	if err != nil {
		mustRefuse(t, "file", bytes.NewReader(file))
		return
	}
	contents, err := safetensors.ReadSealed(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := safetensors.Write(&want, contents); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(saved(t, m), want.Bytes()) {
		t.Error("saved again, the file differs")
	}
	if m.space.Len() > 1000 || m.params.Z.Rows > 100 || m.params.Mu.Rows > 100 {
		return
	}
	d := m.params.Mu.Cols
	m.Predict(Latent{Mu: make([]float64, d), S: ones(d)}, nil) // an error or numbers, no panic
	values := mat.New(m.space.Len(), m.channels)
	values.Data[0] = math.NaN()
	m.Impute(context.Background(), Observed{Values: values}, InferOptions{Iterations: 3})
}
