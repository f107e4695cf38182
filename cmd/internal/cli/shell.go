package cli

import (
	"fmt"
	"slices"
	"strings"
)

// Shells are those for which there are completions.
var Shells = []string{"bash", "zsh", "fish"}

// Completion is the script that makes a shell complete commands, flags and their words.
func Completion(shell string, commands []Command, specs []Spec) string {
	commands = slices.Clone(commands)
	for i, c := range commands {
		if c.Name == "help" { // which explains commands, too
			commands[i].Words = append(strings.Fields(commandNames(commands)), c.Words...)
		}
	}
	switch shell {
	case "bash":
		return bashCompletion(commands, specs)
	case "zsh":
		return zshCompletion(commands, specs)
	}
	return fishCompletion(commands, specs)
}

// commandNames are the names of the commands.
func commandNames(commands []Command) string {
	return strings.ReplaceAll(names(commands), ",", "")
}

// flagNames are the flags of a command, with their dashes.
func (s Spec) flagNames() string {
	var all []string
	for _, f := range s.Flags {
		all = append(all, "-"+f.Name)
	}
	return strings.Join(all, " ")
}

// bashCompletion follows the chapter "Programmable Completion" of the Bash Reference Manual.
func bashCompletion(commands []Command, specs []Spec) string {
	var s strings.Builder
	s.WriteString("# bash completion of sgplvm: source <(sgplvm completion bash)\n_sgplvm() {\n" +
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n\tCOMPREPLY=()\n" +
		"\tif ((COMP_CWORD == 1)); then\n\t\tCOMPREPLY=($(compgen -W '" + commandNames(commands) + "' -- \"$cur\"))\n\t\treturn\n\tfi\n" +
		"\tcase \"${COMP_WORDS[1]} ${COMP_WORDS[2]} \" in\n")
	for k := len(specs) - 1; k >= 0; k-- { // the longer names before their beginnings
		p := specs[k]
		fmt.Fprintf(&s, "\t'%s '*)\n\t\twords='%s'\n", p.Name, p.flagNames())
		for _, f := range p.Flags {
			if f.Words != nil {
				fmt.Fprintf(&s, "\t\t[[ $before == -%s ]] && COMPREPLY=($(compgen -W '%s' -- \"$cur\")) && return\n", f.Name, strings.Join(f.Words, " "))
			}
		}
		s.WriteString("\t\t;;\n")
	}
	s.WriteString("\tesac\n\tif ((COMP_CWORD == 2)); then\n\t\tcase ${COMP_WORDS[1]} in\n")
	for _, c := range commands {
		if c.Words != nil {
			fmt.Fprintf(&s, "\t\t%s) words+=' %s' ;;\n", c.Name, strings.Join(c.Words, " "))
		}
	}
	s.WriteString("\t\tesac\n\tfi\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n\t[[ $cur == -* ]] || COMPREPLY+=($(compgen -f -- \"$cur\"))\n}\ncomplete -o filenames -F _sgplvm sgplvm\n")
	return s.String()
}

// zshCompletion follows the chapter "Completion System" of the Z Shell Manual.
func zshCompletion(commands []Command, specs []Spec) string {
	quoted := func(text string) string {
		return strings.NewReplacer("'", `'\''`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(text)
	}
	var s strings.Builder
	s.WriteString("#compdef sgplvm\n# zsh completion of sgplvm: source <(sgplvm completion zsh)\n_sgplvm() {\n\tif ((CURRENT == 2)); then\n\t\tlocal -a commands=(\n")
	for _, c := range commands {
		fmt.Fprintf(&s, "\t\t\t'%s:%s'\n", c.Name, quoted(c.Summary))
	}
	s.WriteString("\t\t)\n\t\t_describe command commands\n\t\treturn\n\tfi\n")
	for _, c := range commands {
		if c.Words != nil {
			fmt.Fprintf(&s, "\tif ((CURRENT == 3)) && [[ $words[2] == %s ]]; then\n\t\tcompadd %s\n\tfi\n", c.Name, strings.Join(c.Words, " "))
		}
	}
	s.WriteString("\tcase \"$words[2] $words[3] \" in\n")
	for k := len(specs) - 1; k >= 0; k-- {
		fmt.Fprintf(&s, "\t'%s '*)\n\t\t_arguments '*:file:_files'", specs[k].Name)
		for _, f := range specs[k].Flags {
			value := ":" + f.Value + ":_files"
			switch {
			case f.Words != nil:
				value = ":" + f.Value + ":(" + strings.Join(f.Words, " ") + ")"
			case f.Value == "":
				value = ""
			}
			fmt.Fprintf(&s, " \\\n\t\t\t'-%s[%s]%s'", f.Name, quoted(f.Usage), value)
		}
		s.WriteString(" ;;\n")
	}
	s.WriteString("\tesac\n}\ncompdef _sgplvm sgplvm\n")
	return s.String()
}

// fishCompletion follows the page "Writing your own completions" of the fish documentation.
func fishCompletion(commands []Command, specs []Spec) string {
	quoted := func(text string) string { return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'" }
	var s strings.Builder
	s.WriteString("# fish completion of sgplvm: sgplvm completion fish | source\n")
	for _, c := range commands {
		fmt.Fprintf(&s, "complete -c sgplvm -n __fish_use_subcommand -f -a %s -d %s\n", c.Name, quoted(c.Summary))
		if c.Words != nil {
			fmt.Fprintf(&s, "complete -c sgplvm -n '__fish_seen_subcommand_from %s' -a %s\n", c.Name, quoted(strings.Join(c.Words, " ")))
		}
	}
	for _, p := range specs {
		seen := ""
		for _, word := range strings.Fields(p.Name) {
			seen += "; and __fish_seen_subcommand_from " + word
		}
		for _, f := range p.Flags {
			fmt.Fprintf(&s, "complete -c sgplvm -n %s -o %s -d %s", quoted(strings.TrimPrefix(seen, "; and ")), f.Name, quoted(f.Usage))
			switch {
			case f.Words != nil:
				fmt.Fprintf(&s, " -x -a %s", quoted(strings.Join(f.Words, " ")))
			case f.Value != "":
				s.WriteString(" -r")
			}
			s.WriteString("\n")
		}
	}
	return s.String()
}
