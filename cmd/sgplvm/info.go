package main

import (
	"context"
	"errors"
	"io"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

func info(_ context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "info", `sgplvm info -model MODEL [-write-config C.json]

Prints what a model file holds: the model, and how it was chosen.`)
	model := f.Input("model", "the model `file`")
	config := f.Result("write-config", "the `file` for the configuration, JSON: train -config makes the same model with it from the same data")
	asJSON := f.JSON()
	f.Need("model")
	f.Everyday("model", "write-config", "json")
	f.Examples("sgplvm info -model faces.model", "sgplvm info -model faces.model -write-config faces.json", "sgplvm info -model faces.model -json")
	if err := f.Read(args); err != nil {
		return err
	}
	if emulator, err := engine.LoadEmulator(*model); err != nil || emulator != nil {
		if err == nil {
			err = infoEmulator(e, f, emulator, *asJSON)
		}
		return err
	}
	m, err := engine.Load(*model)
	if errors.Is(err, sgplvm.ErrViews) && *config == "" && !*asJSON {
		views, err := engine.LoadViews(*model)
		if err == nil {
			engine.ReportViews(e, views)
		}
		return err
	}
	if err != nil {
		return err
	}
	if *config != "" {
		if err := engine.WriteConfig(*config, *model, m); err != nil {
			return err
		}
	}
	if *asJSON {
		return e.PrintJSON(engine.About(m))
	}
	_, err = io.WriteString(e.Stdout, engine.Describe(m))
	return err
}
