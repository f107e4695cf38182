package main

import (
	"context"
	"slices"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/part"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

func join(ctx context.Context, e *cli.Environment, args []string) error {
	words, args := cli.Leading(args)
	if len(words) == 0 {
		f := cli.NewFlags(e, "join", `sgplvm join PART... [flags]

Puts the files together that impute, predict, fill -model, latents, sample or render have
written with -part 1/n to n/n, in any order, and writes the results of that command, with the
bytes that one process would have written. Model and data must be where they were. Flags behind
the files are those of the command, and take the place of its own. Parts that are missing, there
twice, damaged or of other work are named.`)
		f.String("out", "", "the `name` of the results, in place of that of the parts")
		f.String("variance", "", "the `name` of the variances")
		f.String("sheet", "", "the PNG `file` with the first pictures")
		f.String("truth", "", "the complete `pictures` of impute: print the errors")
		f.String("model", "", "the model `file`, where it is elsewhere now")
		f.String("data", "", "the `data`, where they are elsewhere now")
		f.Everyday("out", "variance")
		f.Examples("sgplvm join complete.npy.part*", "sgplvm join complete.npy.part* -out other.npy -sheet sheet.png")
		if err := f.Read(args); err != nil {
			return err
		}
		return f.Usagef("no part, expected the files of all before any flag")
	}
	var paths []string
	for _, a := range words {
		names, err := dataset.Several(a)
		if err != nil {
			return err
		}
		if names == nil {
			names = []string{a}
		}
		paths = append(paths, names...)
	}
	work, err := part.Join(paths)
	if err != nil {
		return err
	}
	command := work.Args
	e.Work = work
	for _, c := range e.Commands() {
		if c.Name == command[0] {
			return c.Run(ctx, e, slices.Concat(command[1:], []string{"-part", "", "-parts", "0"}, args))
		}
	}
	return cli.Usagef("join: parts of an unknown command")
}
