package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
)

func completion(_ context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "completion", `sgplvm completion bash|zsh|fish

Prints a script with which a shell completes commands, flags and their words. In bash:

    source <(sgplvm completion bash)

The same line with zsh is for zsh; fish takes sgplvm completion fish | source.`)
	f.Examples("sgplvm completion bash > sgplvm.bash")
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		if err := f.Read(args); err != nil {
			return err
		}
	}
	if len(args) != 1 || !slices.Contains(cli.Shells, args[0]) {
		return f.Usagef("expected one of %s", strings.Join(cli.Shells, ", "))
	}
	_, err := io.WriteString(e.Stdout, cli.Completion(args[0], e.Commands(), cli.Specs(e.Commands())))
	return err
}
