package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Everyday names the flags that most people need, in the order of their importance; the others are for experts. It
// panics if there is no such flag.
func (f *Flags) Everyday(names ...string) {
	for _, name := range names {
		if f.Lookup(name) == nil {
			panic(fmt.Sprintf("cli: %s has no flag %s", f.Name(), name))
		}
	}
	f.everyday = names
}

// Examples are command lines for the end of the help, of which a test runs each.
func (f *Flags) Examples(lines ...string) { f.examples = lines }

// helpWidth is how long lines of the help are at most.
const helpWidth = 100

// help is all that -h prints.
func (f *Flags) help() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s\n", narrow(f.synopsis))
	groups := [2][]*flag.Flag{}
	for _, name := range f.everyday {
		groups[0] = append(groups[0], f.Lookup(name))
	}
	f.VisitAll(func(g *flag.Flag) {
		if !slices.Contains(f.everyday, g.Name) {
			groups[1] = append(groups[1], g)
		}
	})
	for k, title := range []string{"Flags:", "For experts:"} {
		if len(groups[k]) > 0 {
			fmt.Fprintf(&s, "\n%s\n", title)
		}
		for _, g := range groups[k] {
			writeFlag(&s, g)
		}
	}
	if len(f.examples) > 0 {
		fmt.Fprintf(&s, "\nExamples:\n  %s\n", strings.Join(f.examples, "\n  "))
	}
	return s.String()
}

// writeFlag writes a flag and, below it, what it means.
func writeFlag(s *strings.Builder, g *flag.Flag) {
	value, usage := flag.UnquoteUsage(g)
	if value != "" {
		value = " " + value
	}
	if d := defaultOf(g); d != "" {
		usage += " (default " + d + ")"
	}
	fmt.Fprintf(s, "  -%s%s\n", g.Name, value)
	for line := range strings.SplitSeq(wrap(usage, helpWidth-6), "\n") {
		fmt.Fprintf(s, "      %s\n", line)
	}
}

// defaultOf is what help says of a flag's default: nothing where that is nothing, or where the usage says it.
func defaultOf(g *flag.Flag) string {
	if slices.Contains([]string{"", "0", "0s", "-1", "false", "NaN"}, g.DefValue) || strings.Contains(g.Usage, "default") {
		return ""
	}
	return g.DefValue
}

// narrow breaks those paragraphs of a text that have long lines.
func narrow(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if slices.ContainsFunc(strings.Split(p, "\n"), func(line string) bool { return utf8.RuneCountInString(line) > helpWidth }) {
			paragraphs[i] = wrap(p, helpWidth)
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// wrap breaks a text between words.
func wrap(text string, width int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}

// spec is what the flags' command takes.
func (f *Flags) spec() Spec {
	s := Spec{Name: f.Name(), Examples: f.examples}
	f.VisitAll(func(g *flag.Flag) {
		value, usage := flag.UnquoteUsage(g)
		s.Flags = append(s.Flags, FlagSpec{g.Name, value, usage, f.words[g.Name], slices.Contains(f.everyday, g.Name)})
	})
	return s
}

// Specs asks all commands what they take.
func Specs(commands []Command) []Spec {
	var all []Spec
	for _, c := range commands {
		lines := [][]string{{"-h"}}
		for _, word := range c.Words {
			lines = append(lines, []string{word, "-h"})
		}
		for _, args := range lines {
			asked := &Environment{Stdout: io.Discard, Stderr: io.Discard, commands: commands}
			asked.describe = func(s Spec) {
				if !slices.ContainsFunc(all, func(known Spec) bool { return known.Name == s.Name }) {
					all = append(all, s)
				}
			}
			c.Run(context.Background(), asked, args)
		}
	}
	return all
}
