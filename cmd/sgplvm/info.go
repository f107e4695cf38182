package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

func info(_ context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "info", `sgplvm info -model MODEL [-write-config C.json]

Prints what a model file holds: the model, and how it was chosen.`)
	model := f.Input("model", "the model `file`")
	config := f.Result("write-config", "the `file` for the configuration, JSON: train -config makes the same model with it from the same data")
	folder := f.Output("views", "the `folder` for a model of each view of a model of several, NAME.model, which other commands take")
	asJSON := f.JSON()
	f.Need("model")
	f.Everyday("model", "write-config", "json")
	f.Examples("sgplvm info -model faces.model", "sgplvm info -model faces.model -write-config faces.json", "sgplvm info -model faces.model -json")
	if err := f.Read(args); err != nil {
		return err
	}
	m, emulator, err := engine.LoadAny(*model)
	if errors.Is(err, sgplvm.ErrViews) {
		if *config != "" {
			return f.Usagef("-write-config with a model of several views, expected one: -views writes a model of each")
		}
		return infoViews(e, *model, *folder, *asJSON)
	}
	switch {
	case err != nil:
		return err
	case *folder != "":
		return f.Usagef("-views with a model of one kind of data, expected one of several")
	case emulator != nil:
		return infoEmulator(e, emulator, *config, *asJSON)
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

// infoViews describes a model of several views, and writes the model of each to a folder, if it has a name.
func infoViews(e *cli.Environment, path, folder string, asJSON bool) error {
	m, err := engine.LoadViews(path)
	if err != nil {
		return err
	}
	if folder != "" {
		if err := files.WriteFolder(folder, func(folder string) error {
			for _, name := range m.Names() {
				if err := files.WriteAtomic(filepath.Join(folder, name+".model"), m.View(name).Save); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	if asJSON {
		return e.PrintJSON(engine.NewAboutViews(m))
	}
	engine.ReportViews(e, m)
	return nil
}
