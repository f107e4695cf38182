package sgplvm_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// configFields returns the fields of a configuration in JSON with their types in words, and checks that a field's name is
// that in Go.
func configFields(t *testing.T, in reflect.Type, path string) map[string]string {
	t.Helper()
	words := map[reflect.Type]string{
		reflect.TypeFor[kernel.Kernel](): "kernel", reflect.TypeFor[sgplvm.Switch](): "switch",
		reflect.TypeFor[sgplvm.Effort](): "text", reflect.TypeFor[sgplvm.Conditioning](): "text", reflect.TypeFor[sgplvm.Factors](): "text",
	}
	fields := map[string]string{}
	for f := range in.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		first := []rune(f.Name)
		first[0] = unicode.ToLower(first[0])
		if name != string(first) || options != "omitzero" {
			t.Errorf("%s.%s has the tag %q", in, f.Name, f.Tag)
		}
		name = path + name
		switch kind := f.Type.Kind(); {
		case words[f.Type] != "":
			fields[name] = words[f.Type]
		case kind == reflect.Pointer:
			fields[name] = "object"
		case kind == reflect.Struct:
			fields[name] = "object"
			for k, v := range configFields(t, f.Type, name+".") {
				fields[k] = v
			}
		case kind == reflect.Slice:
			fields[name] = "list"
			for k, v := range configFields(t, f.Type.Elem(), name+"[].") {
				fields[k] = v
			}
		default:
			fields[name] = map[reflect.Kind]string{reflect.Int: "whole number", reflect.Uint64: "whole number", reflect.Float64: "number", reflect.Bool: "true or false", reflect.String: "text"}[kind]
		}
	}
	return fields
}

// Every field of a configuration is documented with its type, and nothing else is.
func TestConfigDocumented(t *testing.T) {
	text, err := os.ReadFile("docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$").FindAllStringSubmatch(string(text), -1) {
		if documented[row[1]] != "" {
			t.Errorf("%s is documented twice", row[1])
		}
		documented[row[1]] = row[2]
	}
	if diff := cmp.Diff(configFields(t, reflect.TypeFor[sgplvm.Config](), ""), documented); diff != "" {
		t.Errorf("docs/config.md (-fields +documented):\n%s", diff)
	}
}

// The example in the document can be read.
func TestConfigExample(t *testing.T) {
	text, err := os.ReadFile("docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "\n\n    {\n")
	example, _, _ = strings.Cut(example, "\n\n")
	cfg, err := sgplvm.ReadConfig(strings.NewReader("{\n" + example))
	if err != nil || cfg.LatentDims != 12 || cfg.Residual.Local != sgplvm.On || cfg.Effort != sgplvm.EffortNone {
		t.Errorf("%+v, error %v", cfg, err)
	}
}

// fill gives every field of v that JSON has a value that is not zero.
func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		if _, ok := v.Interface().(kernel.Kernel); ok {
			v.Set(reflect.ValueOf(kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{1.0 / 3, 1e-300}}))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				fill(v.Field(i), depth)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(1), depth)
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth-1)
		}
	case reflect.String:
		v.SetString(string(sgplvm.FactorsJoint))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(2)
	case reflect.Uint64:
		v.SetUint(math.MaxUint64)
	default:
		v.SetFloat(-0.1)
	}
}

// What is written is read again, with all digits.
func TestConfigRoundTrip(t *testing.T) {
	var full sgplvm.Config
	fill(reflect.ValueOf(&full).Elem(), 1)
	for _, cfg := range []sgplvm.Config{{}, full, {Spatial: []sgplvm.SpatialConfig{{}}}, {Seed: 1, Noise: 0.1}} {
		var b bytes.Buffer
		if err := sgplvm.WriteConfig(&b, cfg); err != nil {
			t.Fatal(err)
		}
		got, err := sgplvm.ReadConfig(&b)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(cfg, got); diff != "" {
			t.Error(diff)
		}
	}
}

// What is no configuration is refused in one line, with the field and the line of the text.
func TestReadConfigErrors(t *testing.T) {
	for _, c := range []struct{ text, field, want string }{
		{`{"residual": {"tapper": 3}}`, "residual.tapper", "line 1: an unknown field, expected one of kernel, rounds, steps, strength, taper, local"},
		{"{\n\n\"Seed\": 3}", "Seed", "line 3: an unknown field, expected one of effort, "},
		{`{"start": {}}`, "start", "line 1: an unknown field, "},
		{`{"searchTime": 3}`, "searchTime", "line 1: an unknown field, "},
		{`{"": 3}`, "configuration", "line 1: an unknown field, "},
		{`{"a\nb": 3}`, `"a\nb"`, "line 1: an unknown field, "},
		{"{\"seed\": 1,\n\"seed\": 1}", "seed", "line 2: given twice, expected once"},
		{`{"partly": {"training": {"iterations": "many"}}}`, "partly.training.iterations", `line 1: found "many", expected a whole number`},
		{`{"latentDims": 2.5}`, "latentDims", "line 1: found 2.5, expected a whole number"},
		{`{"latentDims": 1e2}`, "latentDims", "line 1: found 1e2, expected a whole number"},
		{`{"latentDims": 9223372036854775808}`, "latentDims", "line 1: found 9223372036854775808, expected a whole number"},
		{`{"seed": -1}`, "seed", "line 1: found -1, expected a whole number from 0 to 18446744073709551615"},
		{`{"noise": "0.1"}`, "noise", `line 1: found "0.1", expected a number`},
		{`{"noise": 1e999}`, "noise", "line 1: found 1e999, expected a number"},
		{`{"noise": true}`, "noise", "line 1: found true, expected a number"},
		{`{"noise": null}`, "noise", "line 1: found null, expected a number"},
		{`{"lean": 1}`, "lean", "line 1: found 1, expected true or false"},
		{`{"latentKernel": ["rbf"]}`, "latentKernel", "line 1: found a list, expected a text"},
		{`{"timeKernel": {"kind": "rbf"}}`, "timeKernel", "line 1: found an object, expected a text"},
		{`{"timeKernel": "rbff(3)"}`, "timeKernel", `line 1: expected one of [`},
		{`{"residual": {"local": "yes"}}`, "residual.local", `line 1: "yes", expected one of [choose on off]`},
		{`{"residual": {"local": true}}`, "residual.local", `line 1: found true, expected a text`},
		{`{"effort": "fast"}`, "effort", `line 1: "fast", expected one of [normal quick thorough none]`},
		{`{"spatial": {}}`, "spatial", "line 1: found an object, expected a list"},
		{`{"spatial": [{}, {"inducing": 3}]}`, "spatial[1].inducing", "line 1: an unknown field, expected one of kernel"},
		{`{"training": []}`, "training", "line 1: found a list, expected an object"},
		{`null`, "configuration", "line 1: found null, expected an object"},
		{`[]`, "configuration", "line 1: found a list, expected an object"},
		{`3`, "configuration", "line 1: found 3, expected an object"},

		{``, "", "line 1: unexpected end of JSON input, expected a configuration as JSON"},
		{"{\n\"seed\": 1,\n}", "", "line 3: invalid character '}' looking for beginning of object key string, expected a configuration as JSON"},
		{"{}\n{}", "", "line 2: invalid character '{' after top-level value, expected a configuration as JSON"},
		{`{"noise": NaN}`, "", "line 1: invalid character 'N' looking for beginning of value, expected a configuration as JSON"},
		{strings.Repeat(`{"partly":`, 20000), "", "line 1: "},
		{strings.Repeat(" ", 2<<20), "", "more than 1048576 bytes, expected a configuration as JSON"},
	} {
		_, err := sgplvm.ReadConfig(strings.NewReader(c.text))
		var bad *sgplvm.ConfigError
		if errors.As(err, &bad) != (c.field != "") || c.field != "" && bad.Field != c.field {
			t.Errorf("%.60s: error %v, expected about %q", c.text, err, c.field)
			continue
		}
		if c.field != "" {
			err = bad.Err
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 700 {
			t.Errorf("%.60s: error %v, expected %s", c.text, err, c.want)
		}
	}
	broken := errors.New("broken")
	if _, err := sgplvm.ReadConfig(failing{broken}); err != broken {
		t.Errorf("error %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Settings that contradict one another, or the data, are refused with the field.
func TestContradictions(t *testing.T) {
	still, timed, product := testData(1), testData(1), testData(2)
	timed.Times = []float64{0, 1, 2, 3}
	white := sgplvm.ResidualConfig{Kernel: kernel.Kernel{Kind: kernel.White}}
	residual := func(change func(r *sgplvm.ResidualConfig)) sgplvm.Config {
		r := white
		change(&r)
		return sgplvm.Config{Residual: r}
	}
	rbf := kernel.Kernel{Kind: kernel.RBF}
	for _, c := range []struct {
		field, want string
		data        sgplvm.Data
		cfg         sgplvm.Config
	}{
		{"Period", "-1, expected a positive number", timed, sgplvm.Config{Period: -1}},
		{"Period", "NaN, expected a positive number", timed, sgplvm.Config{Period: math.NaN()}},
		{"Period", "a period of examples without times", still, sgplvm.Config{Period: 12}},
		{"TimeKernel", "rbf for examples without times", still, sgplvm.Config{TimeKernel: rbf}},
		{"LatentTime", "rbf for examples without times", still, sgplvm.Config{LatentTime: rbf}},
		{"LatentTime", "rbf beside the latent kernel rbf+linear, expected one with time", timed, sgplvm.Config{LatentKernel: "rbf+linear", LatentTime: rbf}},
		{"Motion", "on for examples that are no film", timed, sgplvm.Config{Motion: sgplvm.On}},
		{"Partly", "a second model of examples without times, expected none", still, sgplvm.Config{Partly: new(sgplvm.Config)}},
		{"Partly", "a second model within a second model, expected one", timed, sgplvm.Config{Partly: &sgplvm.Config{Partly: new(sgplvm.Config)}}},
		{"Lean", "with local residuals, which the file would keep, expected one of the two", still, sgplvm.Config{Lean: true, Residual: sgplvm.ResidualConfig{Local: sgplvm.On}}},
		{"Residual.Rounds", "2 rounds beside a residual that is none", still, residual(func(r *sgplvm.ResidualConfig) { r.Rounds = 2 })},
		{"Residual.Local", "on beside a residual that is not learned", still, residual(func(r *sgplvm.ResidualConfig) { r.Local = sgplvm.On })},
		{"Residual.Local", "on beside a residual that is not learned", still, sgplvm.Config{Residual: sgplvm.ResidualConfig{Rounds: -1, Local: sgplvm.On}}},
		{"Training.CoarsePoints", "5 points beside a residual that is none", still, sgplvm.Config{Residual: white, Training: sgplvm.TrainingConfig{CoarsePoints: 5}}},
		{"Residual.Kernel", "rbf with 2 spatial factors, expected one: joint", product, sgplvm.Config{Residual: sgplvm.ResidualConfig{Kernel: rbf}}},
		{"Infer", `Conditioning "x", expected nothing, "paper" or "none"`, still, sgplvm.Config{Infer: sgplvm.InferOptions{Conditioning: "x"}}},
		{"LatentDims", "1025 latent dimensions, expected at most 1024", still, sgplvm.Config{LatentDims: 1025}},
	} {
		_, err := sgplvm.NewTrainer(c.data, c.cfg)
		var bad *sgplvm.ConfigError
		if !errors.As(err, &bad) || bad.Field != c.field || bad.Err.Error() != c.want {
			t.Errorf("error %v, expected %s: %s", err, c.field, c.want)
		}
	}
	for _, cfg := range []sgplvm.Config{
		{Residual: sgplvm.ResidualConfig{Kernel: rbf}, Factors: sgplvm.FactorsJoint},
		{Residual: white, Lean: true, Factors: sgplvm.FactorsProduct},
	} {
		if _, err := sgplvm.NewTrainer(product, cfg); err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

// testData are four examples of six points in one or two factors.
func testData(factors int) sgplvm.Data {
	d := sgplvm.Data{Examples: 4, Y: mat.New(24, 1), Grid: sgplvm.Grid{mat.New(6, 1)}}
	if factors == 2 {
		d.Grid = sgplvm.Grid{mat.New(2, 1), mat.New(3, 1)}
	}
	for _, x := range d.Grid {
		for i := range x.Rows {
			x.Set(i, 0, float64(i))
		}
	}
	for i := range d.Y.Data {
		d.Y.Data[i] = math.Sin(float64(i * i))
	}
	return d
}

// Joint factors are one of all points in the same order: the model is that of the points themselves.
func TestJointFactors(t *testing.T) {
	joint, one := testData(2), testData(2)
	points := mat.New(6, 2)
	for i := range 6 {
		points.Set(i, 0, float64(i/3))
		points.Set(i, 1, float64(i%3))
	}
	one.Grid = sgplvm.Grid{points}
	var files [2]bytes.Buffer
	for i, d := range []sgplvm.Data{joint, one} {
		cfg := sgplvm.Config{Effort: sgplvm.EffortNone, Factors: sgplvm.FactorsJoint, Training: sgplvm.TrainingConfig{Iterations: 5}}
		m, _, err := sgplvm.Fit(t.Context(), d, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if g := m.Grid(); len(g) != 1 || !slices.Equal(g[0].Data, points.Data) {
			t.Errorf("grid %v", g)
		}
		if err := m.Save(&files[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("two models")
	}
	large := sgplvm.Data{Examples: 1, Y: mat.New(130*130, 1), Grid: sgplvm.Grid{mat.New(130, 1), mat.New(130, 1)}}
	if _, err := sgplvm.NewTrainer(large, sgplvm.Config{Factors: sgplvm.FactorsJoint}); err == nil ||
		err.Error() != "sgplvm: Factors: joint for a grid of 16900 points, expected at most 16384 (larger ones take product)" {
		t.Errorf("error %v", err)
	}
}

// A model tells the configuration that makes it again, and none where that could not be written down.
func TestModelConfig(t *testing.T) {
	free := mat.NewDense(2, 1, []float64{1, 3})
	start, _, err := sgplvm.Fit(t.Context(), testData(1), sgplvm.Config{Effort: sgplvm.EffortNone, Training: sgplvm.TrainingConfig{Iterations: 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cfg sgplvm.Config
		ok  bool
	}{
		{sgplvm.Config{Seed: 3, Noise: 0.1}, true},
		{sgplvm.Config{Spatial: []sgplvm.SpatialConfig{{Kernel: kernel.Kernel{Kind: kernel.RBF, Variance: 1}}}}, true},
		{sgplvm.Config{Spatial: []sgplvm.SpatialConfig{{Kernel: kernel.Kernel{Variance: 2}}}}, false},
		{sgplvm.Config{Spatial: []sgplvm.SpatialConfig{{Inducing: free}}}, false},
		{sgplvm.Config{Residual: sgplvm.ResidualConfig{Kernel: kernel.Kernel{Kind: kernel.RBF, Variance: 0.05}}}, true},
		{sgplvm.Config{Residual: sgplvm.ResidualConfig{Kernel: kernel.Kernel{Kind: kernel.RBF, Variance: 0.1}}}, false},
		{sgplvm.Config{Start: start}, false},
		{sgplvm.Config{Jitter: math.Inf(-1)}, false},
	} {
		c.cfg.Effort, c.cfg.Training.Iterations = sgplvm.EffortNone, 3
		m, _, err := sgplvm.Fit(t.Context(), testData(1), c.cfg)
		if err != nil {
			t.Fatal(err)
		}
		var first, again bytes.Buffer
		if err := m.Save(&first); err != nil {
			t.Fatal(err)
		}
		got, ok := m.Config()
		if ok != c.ok {
			t.Errorf("%+v: %t", c.cfg, ok)
		}
		if !ok {
			continue
		}
		var text bytes.Buffer
		if err := sgplvm.WriteConfig(&text, got); err != nil {
			t.Fatal(err)
		}
		if got, err = sgplvm.ReadConfig(&text); err != nil {
			t.Fatal(err)
		}
		if m, _, err = sgplvm.Fit(t.Context(), testData(1), got); err != nil {
			t.Fatal(err)
		}
		if err := m.Save(&again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), again.Bytes()) {
			t.Errorf("%+v: another model", c.cfg)
		}
	}
}
