package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// topics are texts about what several commands share; the first line of each is its summary.
//
//go:embed topics
var topics embed.FS

// topicNames are the names of the topics.
func topicNames() []string {
	entries, err := topics.ReadDir("topics")
	if err != nil {
		panic(err) // embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return names
}

// topic is the text of a topic.
func topic(name string) string {
	text, err := topics.ReadFile("topics/" + name + ".txt")
	if err != nil {
		panic(err) // embedded
	}
	return string(text)
}

func help(ctx context.Context, e *cli.Environment, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		if err := cli.Overview(e); err != nil {
			return err
		}
		text := "\n"
		for _, name := range topicNames() {
			summary, _, _ := strings.Cut(topic(name), "\n")
			text += fmt.Sprintf("  sgplvm help %-10s %s\n", name, summary)
		}
		_, err := io.WriteString(e.Stdout, text)
		return err
	}
	for _, c := range e.Commands() {
		if c.Name == args[0] {
			return c.Run(ctx, e, append(slices.Clone(args[1:]), "-h"))
		}
	}
	if !slices.Contains(topicNames(), args[0]) || len(args) > 1 {
		return cli.Usagef("help: unknown topic %s, expected a command or one of %s", quote.Text(strings.Join(args, " ")), strings.Join(topicNames(), ", "))
	}
	_, err := io.WriteString(e.Stdout, topic(args[0]))
	return err
}
