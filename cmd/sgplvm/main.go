// Command sgplvm trains structured Bayesian Gaussian process latent variable
// models of pictures and fills in what pictures miss.
//
//	sgplvm demo    [-out DIR]
//	sgplvm train   -data F -grid 20x28 [-film | -times T.npy] [-config C.json] -out MODEL
//	sgplvm fill    -data F -out G [-variance V]
//	sgplvm impute  -model MODEL -data F [-points P.npy] [-observed MASK.npy] -out FILLED.npy
//	sgplvm compile -model MODEL [-grid 40x56 | -points P.npy] [-type f32] -out M.edge
//	sgplvm predict -model MODEL [-data F] [-grid 40x56 | -points P.npy] -out MEAN.npy
//	sgplvm render  -model MODEL [-times T.npy] [-grid 1280x720] -out DIR|FILM.gif|FILM.npy
//	sgplvm sample  -model MODEL [-grid 40x56 | -points P.npy] -out FIELDS.npy
//	sgplvm latents -model MODEL [-data F] -out L.npy|L.csv
//	sgplvm parts   -engine slurm -count N -- COMMAND ...
//	sgplvm join    PART... [-out X]
//	sgplvm invert  -model MODEL -data SEEN.npy -out INPUTS.csv
//	sgplvm sensitivity -model MODEL [-out TABLE.csv] [-sheet MAPS.png]
//	sgplvm design  -model MODEL -count 8 -out NEXT.csv
//	sgplvm update  -model MODEL -data NEW -out MODEL2
//	sgplvm shard   -model MODEL -data 'F*.npy' -part 3/8 -out SUMS
//	sgplvm reduce  SUMS.part* -model MODEL -out MODEL2
//	sgplvm report  -model MODEL [-data F] -out REPORT.html
//	sgplvm info    -model MODEL [-write-config C.json]
//	sgplvm version
//	sgplvm completion bash|zsh|fish
//	sgplvm help    [COMMAND | TOPIC]
//
// Every command explains itself with -h, and sgplvm help lists topics such as data, missing values and exit codes.
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
