package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
)

// scripts have a shell ask the program for the words that complete a command line: each in a line, with a tab before what it means. Without any the shell
// completes names of files. See the chapters "Programmable Completion" of the Bash Reference Manual and "Completion System" of the Z Shell Manual, and the page
// "Writing your own completions" of the fish documentation.
var scripts = map[string]string{
	"bash": `_sgplvm() {
	local IFS=$'\n'
	COMPREPLY=($(compgen -W "$(sgplvm completion words "${COMP_WORDS[@]:1:COMP_CWORD}" | cut -f1)" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sgplvm sgplvm
`,
	"zsh": `#compdef sgplvm
_sgplvm() {
	local -a words_of
	words_of=(${(f)"$(sgplvm completion words "${(@)words[2,CURRENT]}" | tr '\t' ':')"})
	if ((#words_of)); then
		_describe word words_of
	else
		_files
	fi
}
compdef _sgplvm sgplvm
`,
	"fish": "complete -c sgplvm -a '(sgplvm completion words (commandline -opc)[2..] (commandline -ct))'\n",
}

// shells are those for which there are completions.
var shells = []string{"bash", "zsh", "fish"}

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
	if len(args) > 1 && args[0] == "words" {
		return writeWords(e, args[1:])
	}
	if len(args) != 1 || scripts[args[0]] == "" {
		return f.Usagef("expected one of %s", strings.Join(shells, ", "))
	}
	_, err := io.WriteString(e.Stdout, scripts[args[0]])
	return err
}

// writeWords writes what may stand in the place of the last word of a command line.
func writeWords(e *cli.Environment, line []string) error {
	last := len(line) - 1
	add := func(word, means string) {
		if strings.HasPrefix(word, line[last]) {
			fmt.Fprintf(e.Stdout, "%s\t%s\n", word, means)
		}
	}
	for _, c := range e.Commands() {
		if last == 0 || last == 1 && line[0] == "help" {
			add(c.Name, c.Summary)
		}
		for _, w := range c.Words {
			if last == 1 && c.Name == line[0] {
				add(w, c.Summary)
			}
		}
	}
	for _, s := range cli.Specs(e.Commands()) {
		if s.Name != line[0] || last == 0 {
			continue
		}
		for _, flag := range s.Flags {
			for _, w := range flag.Words {
				if line[last-1] == "-"+flag.Name {
					add(w, flag.Usage)
				}
			}
			if strings.HasPrefix(line[last], "-") {
				add("-"+flag.Name, flag.Usage)
			}
		}
	}
	return nil
}
