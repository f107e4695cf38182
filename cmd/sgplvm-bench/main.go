// Command sgplvm-bench repeats the published experiments of sgplvm beside methods to compare with.
//
//	sgplvm-bench frey  -data F -split SPLIT.npy -observed MASKS.npy [-n 50]
//	sgplvm-bench video -frames F -truth F -train TRAIN.npy
//	sgplvm-bench holes -data F -holes random:0.3,clouds:0.6
//	sgplvm-bench runs  -data Y.npy -inputs X.csv -test Y2.npy -test-inputs X2.csv
//
// A command is one file here and one row of the table below, and learns and compares in package experiment.
// README.md says how each published figure is made.
package main

import "github.com/seed-08962ecc/kronfield/cmd/internal/cli"

var commands = []cli.Command{
	{Name: "frey", Summary: "fill in faces of which a part was observed", Run: frey},
	{Name: "video", Summary: "predict frames of a film, in a higher resolution too", Run: video},
	{Name: "holes", Summary: "hide values of all pictures and fill them in", Run: holes},
	{Name: "runs", Summary: "predict runs of a simulator from their inputs", Run: runs},
}

func main() {
	cli.Main("sgplvm-bench", "sgplvm-bench repeats published experiments: sgplvm beside methods to compare with.", commands)
}
