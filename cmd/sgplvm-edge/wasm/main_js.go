// Command wasm is package edge for a page in a browser, which .ci/page makes: it gives the page the function sgplvm, which opens a compiled file.
package main

import (
	"math"
	"syscall/js"

	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

func main() {
	js.Global().Set("sgplvm", js.FuncOf(open))
	select {}
}

// open returns what a compiled file (Uint8Array) tells about itself, with functions that take and set arrays of numbers, or the text of an error:
// of a model fill(values, mean, deviation), NaN where nothing was seen, sketch, which is fill nearly and soon, and predict(latent, mean, deviation); of an emulator predict(input, mean, deviation).
func open(_ js.Value, args []js.Value) any {
	file := make([]byte, args[0].Length())
	js.CopyBytesToGo(file, args[0])
	m, err := edge.Open(file)
	if err == nil {
		return model(m)
	}
	e, none := edge.OpenEmulator(file)
	if none != nil {
		return err.Error()
	}
	a, w := e.About(), e.NewWorkspace()
	n := a.Points * a.Channels
	return map[string]any{"label": a.Label, "points": a.Points, "channels": a.Channels, "field": a.Field, "inputs": list(a.Inputs), "low": list(a.Low), "high": list(a.High),
		"predict": function(n, func(mean, deviation, in []float64) error { return w.Predict(mean, deviation, in) })}
}

func model(m *edge.Model) any {
	a, w := m.About(), m.NewWorkspace(0)
	n := a.Points * a.Channels
	seen, certain := make([]bool, n), make([]float64, a.Latents)
	root := func(variance []float64, err error) error {
		for i, v := range variance {
			variance[i] = math.Sqrt(v)
		}
		return err
	}
	filled := func(fill func(dst, variance, values []float64, mask []bool) error) js.Func {
		return function(n, func(mean, variance, values []float64) error {
			for i := range seen {
				seen[i] = i < len(values) && values[i] == values[i]
			}
			return root(variance, fill(mean, variance, values, seen))
		})
	}
	return map[string]any{"width": a.Width, "height": a.Height, "points": a.Points, "channels": a.Channels, "low": a.Low, "high": a.High, "latents": a.Latents,
		"fill": filled(w.Fill), "sketch": filled(w.Sketch),
		"predict": function(n, func(mean, variance, latent []float64) error {
			return root(variance, w.Predict(mean, variance, latent, certain))
		})}
}

// function is one of (values, mean, deviation), arrays of JavaScript of which the last two have n numbers. It returns the text of an error.
func function(n int, set func(mean, deviation, values []float64) error) js.Func {
	mean, deviation := make([]float64, n), make([]float64, n)
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		values := make([]float64, args[0].Length())
		for i := range values {
			values[i] = args[0].Index(i).Float()
		}
		if err := set(mean, deviation, values); err != nil {
			return err.Error()
		}
		for i := range n {
			args[1].SetIndex(i, mean[i])
			args[2].SetIndex(i, deviation[i])
		}
		return nil
	})
}

// list is an array of JavaScript.
func list[T any](values []T) []any {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = v
	}
	return all
}
