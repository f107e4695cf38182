package main

import (
	"context"
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

func design(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "design", `sgplvm design -model MODEL -count 8 -out NEXT.csv [flags]

Chooses the inputs that a simulator should be run with next, one after the other, from an emulator (train -inputs
makes one) of the runs so far: each takes away most of the emulator's variance, summed over the outputs of all inputs
that may come. The table has a run a row, the first to be run first, with the share of that variance that is left after it.
Inputs that are fields need -candidates: the table then tells which of them to run, by number from 0.`)
	f.Input("model", "the `file` of the emulator")
	out := f.Result("out", "the `file` for the table, .csv", ".csv")
	candidates := f.Input("candidates", "the inputs that may be run, by default any: a table (`file` .csv, .npy), fields, or both, separated by a comma, as those of the runs")
	o := sgplvm.DesignOptions{}
	count := f.Whole("count", 8, 1, 2000, "`number` of runs")
	prior := newPriorFlag(f)
	seed := f.Seed("seed", 0, "the `number` that decides which inputs are tried")
	f.Need("model", "out")
	f.Everyday("model", "out", "count", "candidates", "prior")
	f.Examples("sgplvm design -model emulator -count 8 -out next.csv")
	if err := f.Read(args); err != nil {
		return err
	}
	m, err := openEmulator(f)
	if err != nil {
		return err
	}
	name, more := f.Text("model"), 0
	o.Count, o.Belief, o.Seed = *count, beliefs[*prior], *seed
	if *candidates != "" {
		columns, _, _ := m.Inputs()
		in, err := engine.LoadInputs(e, *candidates, "", columns)
		if err != nil {
			return err
		}
		defer in.Close()
		o.Candidates, name = &in.Inputs, *candidates
		for _, c := range in.Columns {
			more = max(len(c.Numbers), len(c.Labels))
		}
		if in.Fields != nil {
			more, _, _ = in.Fields.Dims()
		}
	}
	if err := engine.CheckNumbers(designMatrices * float64((sgplvm.DesignPoints+more)*max(sgplvm.DesignPoints, more))); err != nil {
		return err
	}
	stop := e.Timing("comparing candidates")
	d, err := m.Design(ctx, o)
	stop()
	if err != nil {
		return engine.AboutInputs(name, err, nil)
	}
	if err := writeTable(*out, designTable(d, *candidates != "")); err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Stdout, "%s would leave %.3g %% of the emulator's variance\n", quote.Counted(len(d.Left), "run"), 100*d.Left[len(d.Left)-1])
	return err
}

// A design has at most so many matrices, each of covariances between so many points and candidates, and candidates, which these points are where none are given.
const designMatrices = 10

// designTable has a row for each run.
func designTable(d *sgplvm.Designed, numbered bool) [][]string {
	var names []string
	for q, c := range d.Inputs {
		names = append(names, engine.InputName(c.Name, q))
	}
	if numbered {
		names = append(names, "candidate")
	}
	rows := [][]string{append(names, "variance_left")}
	for k, left := range d.Left {
		var row []string
		for _, c := range d.Inputs {
			row = append(row, inputCell(c, k))
		}
		if numbered {
			row = append(row, fmt.Sprint(d.Numbers[k]))
		}
		rows = append(rows, append(row, fmt.Sprintf("%.6g", left)))
	}
	return rows
}
