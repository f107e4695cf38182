package sgplvm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"math"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/safetensors"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/reference"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// unsealed hides the checksum of a file, which then reads as one of another program.
func unsealed(file []byte) []byte {
	return bytes.Replace(file, []byte(safetensors.ChecksumKey), []byte("KRONFIELD.sha256"), 1)
}

// tiny are models with files of a few hundred numbers, of every kind.
func tiny(t testing.TB) []*Model {
	factors := []reference.Factor{{Points: 2, Dims: 1, Kind: kernel.Matern12}}
	plain := reference.Shape{Examples: 2, Inducing: 1, Latent: 1, Channels: 1, Jitter: 1e-4, Seed: 1, Space: factors}
	free := plain
	free.Space = []reference.Factor{{Points: 2, Dims: 1, Kind: kernel.RBF, Inducing: 1}, {Points: 1, Dims: 1, Kind: kernel.White}}
	linear := plain.With(reference.Linear | reference.Bias)
	timed := plain
	timed.Time, timed.TimePart, timed.Parts = "0.4*matern12+0.6*periodic*rbf", "matern12", reference.Time|reference.RBF
	still := plain
	still.Time = "matern32"
	residual := plain
	residual.Residual = kernel.RBF
	return []*Model{
		referenceModel(t, plain), referenceModel(t, free), referenceModel(t, linear), referenceModel(t, timed),
		knowing(t, still), knowing(t, residual).With(map[string][]byte{"a": {1, 2}}),
	}
}

// FuzzLoad reads any bytes as a model file, and, where they are a safetensors file, what they hold under a
// right checksum.
func FuzzLoad(f *testing.F) {
	hardlyMinimize(f)
	for _, m := range tiny(f) {
		file := saved(f, m)
		f.Add(file)
		f.Add(unsealed(file))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 1<<13 {
			return
		}
		checkLoad(t, in)
		file, err := safetensors.Read(bytes.NewReader(in))
		if err != nil {
			return
		}
		delete(file.Metadata, "KRONFIELD.sha256")
		var b bytes.Buffer
		if err := safetensors.Write(&b, file); err == nil {
			checkLoad(t, b.Bytes())
		}
	})
}

// hardlyMinimize lets fuzzing make new inputs smaller in one trial each, unless -fuzzminimizetime is given:
// by default it takes up to a minute for each, and most of all time.
func hardlyMinimize(f *testing.F) {
	const name = "test.fuzzminimizetime"
	given := false
	flag.Visit(func(set *flag.Flag) { given = given || set.Name == name })
	if given {
		return
	}
	if err := flag.Set(name, "1x"); err != nil {
		f.Fatal(err)
	}
}

// checkLoad loads a file, which must be refused as it should or give a model that is all of the file and
// can be used.
func checkLoad(t *testing.T, file []byte) {
	m, err := Load(bytes.NewReader(file))
	if err != nil {
		if len(err.Error()) > 500 || bytes.ContainsAny([]byte(err.Error()), "\n\r") {
			t.Errorf("error %q", err)
		}
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
	// Errors or numbers, no panic.
	ctx, g := context.Background(), m.Grid()
	if g.Len() > 100 {
		return
	}
	m.Summary()
	l := m.TrainingLatent(0)
	m.Predict(l, nil)
	m.PredictDataCovariance(l, nil)
	m.Sample(ctx, l, nil, SampleOptions{Noise: true})
	if at := m.Times(); at != nil {
		m.LatentAt(at[0].Sequence, []float64{0.5})
	}
	values := mat.New(g.Len(), m.Channels())
	values.Data[0] = math.NaN()
	m.Impute(ctx, Observed{Values: values}, InferOptions{Iterations: 3})
}

// FuzzReadConfig reads any bytes as a configuration; what it takes is written and read again alike.
func FuzzReadConfig(f *testing.F) {
	for _, text := range []string{
		"{}", `{"effort": "none", "seed": 18446744073709551615, "lean": true, "noise": 1e-3}`, `{"latentDims": -0}`, `{"noise": 1e999}`,
		`{"spatial": [{"kernel": "rbf(1,2)"}, {}], "residual": {"kernel": "0.3*rbf+0.7*white", "local": "on"}}`,
		`{"partly": {"partly": {}}, "timeKernel": "0.7*rbf(5)*periodic(12,1)+0.3*matern12", "infer": {"conditioning": "\\u0000"}}`, `{"a": [}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		cfg, err := ReadConfig(bytes.NewReader(in))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Errorf("error %q", err)
			}
			return
		}
		var first, again bytes.Buffer
		if err := WriteConfig(&first, cfg); err != nil {
			t.Fatal(err)
		}
		if cfg, err = ReadConfig(bytes.NewReader(first.Bytes())); err != nil {
			t.Fatal(err)
		}
		if err := WriteConfig(&again, cfg); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), again.Bytes()) {
			t.Errorf("%s became %s", &first, &again)
		}
	})
}

// FuzzResume reads any bytes as a checkpoint, and under a right checksum too: what is refused changes
// nothing, and what is taken can be trained on.
func FuzzResume(f *testing.F) {
	hardlyMinimize(f)
	s := sets()["timed"]
	s.config.Training.Iterations = 12
	trained := func(t testing.TB) *Trainer {
		tr := newTestTrainer(t, s.data, s.config)
		if _, err := tr.Step(context.Background()); err != nil {
			t.Fatal(err)
		}
		return tr
	}
	var good bytes.Buffer
	if err := trained(f).Checkpoint(&good); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Add(good.Bytes()[:good.Len()/2])
	f.Add(good.Bytes()[:len("kronfield sgplvm checkpoint 1\n")])
	tr := trained(f)
	params := tr.inner.Params().Clone()
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 1<<15 {
			return
		}
		body := in[:max(len(in)-sha256.Size, 0)]
		sum := sha256.Sum256(body)
		for _, file := range [][]byte{in, append(bytes.Clone(body), sum[:]...)} {
			err := tr.Resume(bytes.NewReader(file))
			if err == nil {
				tr.Step(context.Background()) // errors or steps, no panic
				tr = trained(t)
				continue
			}
			var refused *FileError
			if !errors.As(err, &refused) || len(err.Error()) > 1000 || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q of type %T", err, err)
			}
			if diff(tr.inner.Params(), params) != "" {
				t.Error("the trainer has changed")
			}
		}
	})
}
