package cli

import (
	"context"
	"os"
	"os/signal"
)

// Main runs a program: the command that its arguments name, until a signal stops it.
func Main(program, about string, commands []Command) {
	e := &Environment{Program: program, About: about, Stdout: os.Stdout, Stderr: os.Stderr, Exit: os.Exit}
	if s, err := os.Stderr.Stat(); err == nil {
		e.Terminal = s.Mode()&os.ModeCharDevice != 0
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, StopSignals...)
	go func() {
		<-stops
		signal.Stop(stops) // the next one ends the program at once
		cancel()
	}()
	os.Exit(Run(ctx, e, commands, os.Args[1:]))
}
