package main

import (
	"encoding/csv"
	"io"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// openEmulator reads the emulator that -model names.
func openEmulator(f *cli.Flags) (*sgplvm.Emulator, error) {
	path := f.Text("model")
	m, err := engine.LoadEmulator(path)
	if err == nil && m == nil {
		err = f.Usagef("-model %s, which is no emulator: train -inputs makes one", path)
	}
	return m, err
}

// beliefs are the words of the flag -prior.
var beliefs = map[string]sgplvm.Belief{"runs": sgplvm.BeliefRuns, "normal": sgplvm.BeliefNormal, "uniform": sgplvm.BeliefUniform}

// newPriorFlag defines -prior.
func newPriorFlag(f *cli.Flags) *string {
	return f.Choice("prior", "runs", "what is `known` of inputs before: normal or uniform like those of the runs, or, by default, whichever of the two the runs resemble", "runs", "normal", "uniform")
}

func inputCell(c sgplvm.InputColumn, k int) string {
	if c.Labels != nil {
		return c.Labels[k]
	}
	return engine.Number(c.Numbers[k])
}

// writeTable writes a table of text.
func writeTable(path string, rows [][]string) error {
	return files.WriteAtomic(path, func(to io.Writer) error { return csv.NewWriter(to).WriteAll(rows) })
}
