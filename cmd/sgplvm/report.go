package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/page"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func reportPage(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "report", `sgplvm report -model MODEL [-data F] -out REPORT.html

Writes one page that shows what a model has learned, for a browser, without a network: a map of
the examples on which the pointer shows what the model expects, what was tried and chosen, how
training went, the kernels in words. With -data it shows how well the model fills in: pictures of
which values are missing or hidden by -observed, beside their -truth if that is known; of complete
pictures the page hides a half itself. Those that the model has learned from it shows as
they were learned.`)
	f.Input("model", "the model `file`")
	f.Input("data", "the pictures, or the table: "+engine.DataUsage)
	f.Grid("grid", "", "`WIDTHxHEIGHT` of a picture, where the model does not say")
	f.Input("observed", engine.MaskUsage)
	f.Input("truth", "the complete `pictures`, like -data")
	f.Input("labels", "the `file` with a label for every picture that the model was trained on (.npy, .npz, .nc, .csv), whole numbers: colours on the map")
	times := engine.NewTimeFlags(f, "the `file` with the times of the pictures (.npy, .npz, .nc, .csv), for a model that knows times; a film with motion needs them")
	f.Result("out", "the HTML `file` to write", ".html", ".htm")
	f.Need("model", "out")
	f.Everyday("model", "out", "data", "observed", "truth", "labels")
	f.Examples(
		"sgplvm report -model faces.model -out faces.html",
		"sgplvm report -model faces.model -data whole.npy -observed mask.png -truth whole.npy -out faces.html",
	)
	if err := f.Read(args); err != nil {
		return err
	}
	path, data := f.Text("model"), f.Text("data")
	if data == "" {
		if err := f.Refuse("without -data", "grid", "observed", "truth", "times", "sequence"); err != nil {
			return err
		}
	}
	m, emulator, err := engine.LoadAny(path)
	if err != nil {
		return err
	}
	if emulator != nil {
		if err := f.Refuse(ofEmulator, "data", "grid", "observed", "truth", "labels", "times"); err != nil {
			return err
		}
		return writeEmulatorPage(f.Text("out"), path, emulator)
	}
	in := &page.Input{Model: m, Name: filepath.Base(path)}
	if labels := f.Text("labels"); labels != "" {
		if in.Labels, err = dataset.LoadSequences(labels, m.Examples()); err != nil {
			return err
		}
	}
	if data != "" {
		if err := loadJudged(f, times, in); err != nil {
			return err
		}
	}
	return tellPage(ctx, e, f.Text("out"), in)
}

// loadJudged loads the pictures that the model is judged by.
func loadJudged(f *cli.Flags, times *engine.TimeFlags, in *page.Input) error {
	m, data, mask, truth := in.Model, f.Text("data"), f.Text("observed"), f.Text("truth")
	seen, err := engine.LoadObserved(f, f.Text("model"), m, data, mask, f.Text("grid"), "")
	if err != nil {
		return err
	}
	in.Columns = seen.Columns
	in.Data = &page.Data{Name: data, Seen: seen.Frames}
	if mask == "" && truth == "" && learnedFrom(m, seen.Frames) {
		in.Data.Training = true
		return nil
	}
	if in.Data.Priors, err = times.Priors(m, &seen.Form); err != nil {
		return err
	}
	if truth == "" && mask != "" {
		truth = data // what the mask hides is known
	}
	if truth == "" {
		return nil
	}
	whole, err := engine.LoadTruth(f, &seen.Form, truth)
	if err == nil {
		in.Data.Truth = whole
	}
	return err
}

// learnedFrom reports whether pictures are those that the model has learned from: as many, and each near what the model has for it.
func learnedFrom(m *sgplvm.Model, frames *dataset.Frames) bool {
	if frames.Count != m.Examples() || frames.Points() != m.Grid().Len() {
		return false
	}
	deviation := m.Summary().Deviation
	for k := range min(5, frames.Count) {
		i := k * frames.Count / min(5, frames.Count)
		p, err := m.Predict(m.TrainingLatent(i), nil)
		if err != nil {
			return false
		}
		sum, count := 0.0, 0
		for j, v := range frames.Values(i) {
			if d := (v - p.Mean.Data[j]) / deviation[j%len(deviation)]; !math.IsNaN(d) {
				sum += d * d
				count++
			}
		}
		if sum > 0.5*float64(count) {
			return false
		}
	}
	return true
}

// savePage writes the page of a model.
func savePage(ctx context.Context, e *cli.Environment, path string, in *page.Input) error {
	return files.WriteAtomic(path, func(w io.Writer) error { return page.Write(ctx, e, w, in) })
}

// tellPage is savePage, and says so.
func tellPage(ctx context.Context, e *cli.Environment, path string, in *page.Input) error {
	if err := savePage(ctx, e, path, in); err != nil {
		return err
	}
	_, err := fmt.Fprintf(e.Stdout, "wrote %s: open it in a browser\n", path)
	return err
}
