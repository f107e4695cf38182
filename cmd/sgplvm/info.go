package main

import (
	"context"
	"io"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/engine"
)

func info(_ context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "info", `sgplvm info -model MODEL

Prints what a model file holds.`)
	model := f.String("model", "", "the model `file`")
	if err := f.Read(args); err != nil {
		return err
	}
	if err := f.Require("model"); err != nil {
		return err
	}
	m, err := engine.Load(*model)
	if err != nil {
		return err
	}
	_, err = io.WriteString(e.Stdout, engine.Describe(m))
	return err
}
