package sgplvm

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/modelfile"

	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
)

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
	for parts, tensors := range map[reference.Parts]int{
		reference.RBF: 23, reference.RBF | reference.Linear | reference.Bias: 25, reference.Linear | reference.Bias: 23,
	} {
		t.Run(parts.String(), func(t *testing.T) { checkTensors(t, fileShape.With(parts), tensors, parts == reference.RBF) })
	}
}

// checkTensors checks all tensors, or those of the latent kernel alone.
func checkTensors(t *testing.T, s reference.Shape, tensors int, all bool) {
	file := saved(t, referenceModel(t, s))
	contents, err := safetensors.ReadSealed(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if len(contents.Tensors) != tensors {
		t.Errorf("%d tensors, want %d", len(contents.Tensors), tensors)
	}
	for _, original := range contents.Tensors {
		name, shape := original.Name, original.Shape
		if !all && !strings.HasPrefix(name, "latent") {
			continue
		}
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
		case "spatial.0.lengthscale": // a kernel without is a sum or product
			missing = `.*`
		case "spatial.1.lengthscale":
			missing = `.*`
		case "eigen.latent", "eigen.spatial.0", "eigen.spatial.1": // the list ends there
			missing = `tensor "eigen\.[a-z0-9.]+", expected none of that name`
		}
		if name == "latent.linear" || name == "latent.bias" { // another kernel then
			l := loaded(t, resealed(t, file, func(f *safetensors.File) { drop(f, name) }))
			if got := name[len("latent."):]; strings.Contains(l.Summary().LatentKernel, got) {
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
		checkNumbers(t, file, original)
	}
}

// checkNumbers sets the first and the last number of a tensor to what it may not or may be.
func checkNumbers(t *testing.T, file []byte, original safetensors.Tensor) {
	t.Helper()
	name := original.Name
	for _, i := range []int{0, len(original.Data.([]float64)) - 1} {
		set := func(v float64) []byte {
			return resealed(t, file, func(f *safetensors.File) { tensor(f, name).Data.([]float64)[i] = v })
		}
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			want := fmt.Sprintf("not a usable model file: tensor %s: element %d is %v, expected a finite number", name, i, v)
			if err := mustRefuse(t, fmt.Sprintf("%s with %v", name, v), bytes.NewReader(set(v))); err != nil && err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		}
		for _, v := range []float64{0, -1, 5e-324} {
			positive := !slices.Contains([]string{"mu", "Z", "spatial.0.X", "spatial.1.X", "spatial.0.Xu", "scaler.mean", "alpha", "eigen.latent", "eigen.spatial.0", "eigen.spatial.1"}, name)
			zero := v == 0 && (name == "jitter" || strings.HasPrefix(name, "eigen.")) || v > 0 && name != "scaler.scale" && name != "beta"
			if v > 0 && strings.HasSuffix(name, "lengthscale") {
				Load(bytes.NewReader(set(v))) // a model, or refused where something is not finite then
			} else if !positive || zero {
				loaded(t, set(v))
			} else if err := mustRefuse(t, fmt.Sprintf("%s with %v", name, v), bytes.NewReader(set(v))); err != nil && !strings.Contains(err.Error(), fmt.Sprint(v)) {
				t.Errorf("%s with %v: %v", name, v, err)
			}
		}
	}
}

// A lie is a change of a model file and why it is refused.
type lie struct {
	want   string
	change func(f *safetensors.File)
}

func number(name string, v float64) func(f *safetensors.File) {
	return func(f *safetensors.File) { tensor(f, name).Data.([]float64)[0] = v }
}

func meta(name, v string) func(f *safetensors.File) {
	return func(f *safetensors.File) { f.Metadata[name] = v }
}

func of(name string, shape ...int) func(f *safetensors.File) {
	return func(f *safetensors.File) { put(f, name, shape...) }
}

func all(changes ...func(f *safetensors.File)) func(f *safetensors.File) {
	return func(f *safetensors.File) {
		for _, change := range changes {
			change(f)
		}
	}
}

func no(names ...string) func(f *safetensors.File) {
	return func(f *safetensors.File) {
		for _, name := range names {
			drop(f, name)
			delete(f.Metadata, name)
		}
	}
}

const kinds = `, expected one of [matern12 matern32 matern52 rbf white] or [periodic sum product]`

// lies are told under a right checksum, of fileShape.
var lies = []lie{
	{`format "", expected "kronfield sgplvm 1"`, no("format")},
	{`format "kronfield sgplvm 2", expected "kronfield sgplvm 1"`, meta("format", "kronfield sgplvm 2")},
	{`format "", expected "kronfield sgplvm 1"`, func(f *safetensors.File) { *f = safetensors.File{} }},
	{`seed "", expected a whole number`, no("seed")},
	{`seed "-1", expected a whole number`, meta("seed", "-1")},
	{`seed "007", expected a whole number`, meta("seed", "007")},
	{`seed "18446744073709551616", expected a whole number`, meta("seed", "18446744073709551616")},
	{`metadata entry "Seed", expected none of that name`, meta("Seed", "1")},
	{`metadata entry "spatial.2.kernel", expected none of that name`, meta("spatial.2.kernel", "rbf")},
	{`tensor "gamma", expected none of that name`, all(of("gamma", 1), of("rho", 2))},
	{`tensor "spatial.1.Xv", expected none of that name`, of("spatial.1.Xv", 2, 1)},
	{`tensor "spatial.3.X", expected none of that name`, of("spatial.3.X", 2, 1)},

	{`spatial factor 0: unknown kernel ""` + kinds, no("spatial.0.kernel")},
	{`spatial factor 1: unknown kernel "RBF"` + kinds, meta("spatial.1.kernel", "RBF")},
	{`spatial factor 1: white kernel: 1 length scales, expected none`, meta("spatial.1.kernel", "white")},
	{`spatial.0.Xu has 2 points, expected no such tensor beside a white kernel`, meta("spatial.0.kernel", "white")},
	{`spatial factor 1: rbf kernel: 0 length scales for 1 dimensions, expected 1 or 1`, of("spatial.1.lengthscale", 0)},
	{`spatial factor 0: matern52 kernel: 3 length scales for 2 dimensions, expected 1 or 2`, of("spatial.0.lengthscale", 3)},
	{`spatial factor 0: inducing points have 1 dimensions, the points 2`, of("spatial.0.Xu", 2, 1)},
	{`spatial.0.Xu is 0×2, expected at least one point, or no such tensor`, of("spatial.0.Xu", 0, 2)},
	{`spatial.0.Xu is 0×0, expected at least one point, or no such tensor`, of("spatial.0.Xu", 0, 0)},

	{`latent kernel has no part, expected .*`, no("latent.variance", "latent.lengthscale")},
	{`latent .*3 linear variances, expected 2`, of("latent.linear", 3)},
	{`latent .*0 linear variances, expected 2`, of("latent.linear", 0)},
	{`latent linear variance -1 of dimension 0, expected a positive number`, all(of("latent.linear", 2), number("latent.linear", -1))},
	{`latent linear variance 0 of dimension 0, expected a positive number`, all(of("latent.linear", 2), number("latent.linear", 0))},
	{`latent bias 0, expected a positive number.*`, all(of("latent.bias", 1), number("latent.bias", 0))},
	{`latent bias -1, expected a positive number.*`, all(of("latent.bias", 1), number("latent.bias", -1))},
	{`safetensors: tensor "latent.bias": found shape [2], expected [1]`, of("latent.bias", 2)},
	{`tensor "latent.kernel", expected none of that name`, of("latent.kernel", 1)},
	{`latent .*1 length scales, expected 2`, of("latent.lengthscale", 1)},
	{`latent rbf kernel: length scale 1e\+101 of dimension 0, expected 1e-100 to 1e\+100`, number("latent.lengthscale", 1e101)},
	{`jitter 0.2, expected 0 to 0.1`, number("jitter", 0.2)},
	{`scaler of 0 means and 0 scales, expected as many and at least one`, all(of("scaler.scale", 0), of("scaler.mean", 0))},
	{`safetensors: tensor "alpha": found shape [2,2,2,2], expected [2,2,2,3]`, all(of("scaler.scale", 3), of("scaler.mean", 3))},
	{`safetensors: tensor "alpha": found shape [16], expected [2,2,2,2]`, func(f *safetensors.File) { tensor(f, "alpha").Shape = []int{16} }},

	{`residuals are .*`, of("residuals", 3, 12)},
	{`.*calibration.*`, all(of("calibration", 6, 2), of("calibration.mean", 2), of("calibration.power", 1), of("calibration.unrest", 3), of("calibration.reach", 1))},
	{`.*calibration.mean.*`, of("calibration", 6, 2)},
	{`tensor "noise.covariance", expected none of that name`, of("noise.covariance", 6, 6)},
	{`noise floor .*`, of("noise.floor", 1)},
	{`.*expected one.*`, all(of("residual.variance", 1), of("residual.lengthscale", 1), meta("residual.kernel", "rbf"))},
	{`.*time part.*`, of("Z.examples", 2)},
	{`.*dynamics.*`, of("dynamics.times", 3)},
}

// timeLies are told of timeShape.
var timeLies = []lie{
	{`latent kernel has a time part, but the examples have no times`, no("dynamics.times")},
	{`.*3 times.*`, of("dynamics.times", 3)},
	{`.*3 .*`, of("dynamics.sequences", 3)},
	{`tensor dynamics.sequences: element 0 is 0.5, expected a whole number between .*`, number("dynamics.sequences", 0.5)},
	{`tensor dynamics.sequences: element 0 is 1e\+300, expected a whole number between .*`, number("dynamics.sequences", 1e300)},
	{`metadata entry dynamics.kernel: .*`, no("dynamics.kernel")},
	{`metadata entry dynamics.kernel: .*`, meta("dynamics.kernel", "rbf*")},
	{`.*white.*`, meta("dynamics.kernel", "white")},
	{`.*-1.*`, number("dynamics.lambda", -1)},
	{`.*lambda.*|.*Λ.*|.*precisions.*`, of("dynamics.lambda", 3, 2)},
	{`.*`, of("dynamics.mubar", 4, 1)},
	{`.*time.*`, no("Z.examples")},
	{`latent inducing point 0 has the time of example 4, of 4`, number("Z.examples", 4)},
	{`latent inducing point 0 has the time of example -1, of 4`, number("Z.examples", -1)},
	{`times of 3 latent inducing points, expected 2`, of("Z.examples", 3)},
	{`.*variance -1, expected a positive number.*`, number("latent.time.variance", -1)},
	{`.*latent.time.*`, no("latent.time.kernel")},
	{`metadata entry "latent.time.kernel", expected none of that name|.*time part.*`, no("latent.time.variance", "Z.examples")},
}

// residualLies are told of residualShape, with all that it can have.
var residualLies = []lie{
	{`tensor "(noise|residual).*", expected none of that name|.*residual.*`, no("residual.variance")},
	{`.*covariance is 1×4.*`, of("noise.covariance", 1, 4)},
	{`.*noise variance of point 0 is -1, expected a positive number`, number("noise.covariance", -1)},
	{`eigenproblems of 1 factors, expected 2`, no("eigen.spatial.0", "eigen.spatial.0.values")},
	{`eigenproblem of factor 1 has 3 values and vectors 4×4, expected order 4`, of("eigen.spatial.0.values", 3)},
	{`eigenproblem of factor 0: value 0 is -1, expected none below 0`, number("eigen.latent.values", -1)},
	{`residuals are 3×4.*`, of("residuals", 3, 4)},
	{`variances of what was filled in are 3×4 .*`, of("filled.variance", 3, 4)},
	{`variance -1 of what was filled in of example 0, value 0.*`, number("filled.variance", -1)},
	{`.*filled.alike.*`, no("filled.alike")},
	{`tensor "filled.alike", expected none of that name`, no("filled.variance")},
	{`.*and their correlations 3×3.*`, of("filled.alike", 3, 3)},
	{`residuals are 4×4.*`, no("noise.covariance")},
	{`.*taper.*`, of("noise.taper", 3)},
	{`.*taper.*`, number("noise.taper", -1)},
	{`no metadata entry residual.kernel, expected one beside residual.variance`, no("residual.kernel")},
	{`.*white residual.*`, all(meta("residual.kernel", "white"), of("residual.lengthscale", 0))},
	{`.*variance -2.*`, number("residual.variance", -2)},
	{`.*`, all(no("residual.lengthscale"), meta("residual.kernel", "0.5*rbf"))},
}

// calibrationLies are told of a calibrated model.
var calibrationLies = []lie{
	{`.*calibration.*`, of("calibration", 2, 1)},
	{`.*-1.*`, number("calibration", -1)},
	{`.*`, number("calibration.mean", 0)},
	{`.*`, of("calibration.mean", 3)},
	{`.*power.*`, number("calibration.power", 3)},
	{`.*`, number("calibration.reach", -1)},
	{`.*`, number("calibration.unrest", -1)},
	{`.*`, of("calibration.unrest", 1)},
	{`.*calibration.power.*`, no("calibration.power")},
}

// holesLies are told of a model of data with holes, of which each channel has its own.
var holesLies = []lie{
	{`.*`, no("holes.version")},
	{`.*`, no("holes.latent")},
	{`.*`, no("holes.spatial.0")},
	{`.*`, of("holes.version", 2)},
	{`.*`, of("holes.latent", 8, 7)},
	{`.*`, of("holes.spatial.0", 9, 10)},
	{`.*`, number("holes.version", 3)},
	{`.*`, number("holes.table", 0)},
	{`tensor holes.table: element 0 is NaN, expected a finite number`, number("holes.table", math.NaN())},
}

// Lies under a right checksum are named.
func TestModelFileLies(t *testing.T) {
	still, holes := timeShape, sets()["holes by channel"]
	still.TimePart, still.Parts = "", reference.RBF
	for name, c := range map[string]struct {
		model *Model
		lies  []lie
	}{
		"product": {referenceModel(t, fileShape), lies}, "in time": {referenceModel(t, timeShape), timeLies},
		"residual": {knowing(t, residualShape), residualLies}, "calibrated": {knowing(t, still), calibrationLies}, "holes": {modelOf(t, newTestTrainer(t, holes.data, holes.config)), holesLies},
	} {
		file := saved(t, c.model)
		for _, l := range c.lies {
			err := mustRefuse(t, name+": "+l.want, bytes.NewReader(resealed(t, file, l.change)))
			if err == nil || err.Error() == "not a usable model file: "+l.want {
				continue
			}
			if r, bad := regexp.Compile("^not a usable model file: (" + l.want + ")$"); bad != nil || !r.MatchString(err.Error()) {
				t.Errorf("%s: %v\nwant %s", name, err, l.want)
			}
		}
	}
}

// 16 points in each of 16 factors: more than can be counted, though the file is small.
func TestModelFileOfManyPoints(t *testing.T) {
	many := resealed(t, saved(t, referenceModel(t, fileShape)), func(f *safetensors.File) {
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

// However long a text in a file is, what is said of it is a short line. (mustRefuse checks that.)
func TestModelFileOfLongTexts(t *testing.T) {
	for name, m := range map[string]*Model{"product": referenceModel(t, fileShape), "in time": referenceModel(t, timeShape), "residual": knowing(t, residualShape)} {
		file := saved(t, m)
		contents, err := safetensors.ReadSealed(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{strings.Repeat("\n\x00é", 1<<11), strings.Repeat("rbf+", 1<<11) + "rbf", strings.Repeat("(", 1<<13), "rbf(" + strings.Repeat("9", 1<<13) + ")"} {
			for entry := range contents.Metadata {
				if entry == safetensors.ChecksumKey {
					continue
				}
				mustRefuse(t, name+": "+entry, bytes.NewReader(resealed(t, file, meta(entry, text))))
			}
			mustRefuse(t, name+": an entry", bytes.NewReader(resealed(t, file, meta(text, "1"))))
			mustRefuse(t, name+": a tensor", bytes.NewReader(resealed(t, file, of(text, 1))))
			mustRefuse(t, name+": a spatial tensor", bytes.NewReader(resealed(t, file, of("spatial.0."+text, 1))))
			for _, x := range contents.Tensors[:3] {
				mustRefuse(t, name+": a renamed tensor", bytes.NewReader(resealed(t, file, func(f *safetensors.File) { tensor(f, x.Name).Name = text })))
			}
			attached := resealed(t, file, func(f *safetensors.File) { put(f, modelfile.AttachedPrefix+text, 1) }) // no bytes
			mustRefuse(t, name+": attached", bytes.NewReader(attached))
		}
	}
}
