// Command sgplvm trains structured Bayesian Gaussian process latent variable
// models of pictures and fills in what pictures miss.
//
// sgplvm -h lists the commands, each explains itself with -h, and sgplvm help lists topics such as data, missing values and exit codes.
//
// A command is one file here and one row of the table below. What several
// commands use is in the rooms under cmd/internal: cli (flags, errors, progress),
// engine (models), picture and others.
package main

import "github.com/seed-08962ecc/kronfield/cmd/internal/cli"

var commands = []cli.Command{
	{Name: "demo", Summary: "train on drawn faces, hide half of some others, fill them in", Run: demo},
	{Name: "train", Summary: "learn a model from pictures", Run: train},
	{Name: "fill", Summary: "complete examples of which values are missing, in one step", Run: fill},
	{Name: "impute", Summary: "fill in missing pixels with a model", Run: impute},
	{Name: "compile", Summary: "make a file of a model for small static programs", Run: compile},
	{Name: "predict", Summary: "predict pictures of any resolution, or at any points", Run: predict},
	{Name: "render", Summary: "predict pictures of any resolution as frames, a GIF or an array", Run: render},
	{Name: "sample", Summary: "draw pictures from a model", Run: sample},
	{Name: "latents", Summary: "write the latent variables of examples as a table", Run: latents},
	{Name: "parts", Summary: "print what runs a command in parts on a cluster or by a shell", Run: parts},
	{Name: "join", Summary: "put the parts of another command's results together", Run: join},
	{Name: "invert", Summary: "find the inputs behind outputs, by an emulator", Run: invert},
	{Name: "sensitivity", Summary: "tell which inputs the outputs of an emulator depend on", Run: sensitivity},
	{Name: "design", Summary: "choose the next runs of a simulator, by an emulator", Run: design},
	{Name: "update", Summary: "add examples to a model, or runs to an emulator, without training again", Run: update},
	{Name: "shard", Summary: "sum up a part of more examples than one machine holds, for reduce", Run: shard},
	{Name: "reduce", Summary: "make a model of all parts that shard has summed up", Run: reduce},
	{Name: "report", Summary: "show what a model has learned as one page for a browser", Run: reportPage},
	{Name: "info", Summary: "print what a model file holds", Run: info},
	{Name: "version", Summary: "print the version, the build and the instruction set", Run: version},
	{Name: "completion", Summary: "print a script that completes commands in a shell", Words: shells, Run: completion},
	{Name: "help", Summary: "explain a command or a topic", Words: topicNames(), Run: help},
}

func main() {
	cli.Main("sgplvm", `sgplvm learns a structured Bayesian Gaussian process latent variable model from
pictures of one kind and fills in what other pictures of that kind miss.`, commands)
}
