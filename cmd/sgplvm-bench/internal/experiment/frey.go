package experiment

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// FreyMethods lists the methods of the experiment in the order of its table.
func FreyMethods() []string {
	names := []string{structured, plain}
	for _, k := range baseline.Kinds {
		names = append(names, string(k))
	}
	return names
}

// FreyOptions are the command line of the experiment.
type FreyOptions struct {
	Data, Grid   string // the pictures, and their size where the file does not say
	Split, Masks string // the order of the pictures, and what is seen of the last ones
	Training     int    // number of pictures to learn from
	Quick, Paper bool   // a quick look; the models as published
	Methods      string // all, or names separated by commas
	Seed         uint64
	Out          string // folder of the results
}

// frey is one training set, one test set and what the methods made of them.
type frey struct {
	FreyOptions
	e *cli.Environment

	source      string          // of the pictures, for the title
	original    bool            // they have the number and the size of the Frey faces
	training    *dataset.Frames // the first of the split
	truth, seen *dataset.Frames // the last ones, complete and as observed
	numbers     []int           // of those, in the data

	rows  []scoreRow
	about []string       // a line for each method: its settings
	strip *engine.Result // what the first method filled in
}

// load reads the files and divides the pictures.
func (x *frey) load() error {
	layout := cli.Layout(x.Grid, 0)
	if x.Grid == "" && rowLength(x.Data) == 560 {
		layout = dataset.Layout{Width: 20, Height: 28}
	}
	all, err := dataset.Load(x.Data, layout)
	if err != nil {
		return err
	}
	if err := dataset.CheckPictures(all); err != nil {
		return err
	}
	if err := dataset.CheckComplete(all); err != nil {
		return fmt.Errorf("%w (sgplvm-bench hides values itself, where the masks say so)", err)
	}
	split, err := loadPermutation(x.Split, all.Count)
	if err != nil {
		return err
	}
	mask, tests, err := dataset.LoadMasks(x.Masks, all.Layout)
	if err != nil {
		return err
	}
	if tests > all.Count-x.Training {
		return cli.Usagef("frey: -n %d and %d masks in %s, expected at most %d together, the number of pictures in %s", x.Training, tests, x.Masks, all.Count, x.Data)
	}
	last := split[all.Count-tests:]
	x.source, x.numbers = filepath.Base(x.Data), last
	x.original = all.Count == 1965 && all.Layout == dataset.Layout{Width: 20, Height: 28, Channels: 1}
	x.training, x.truth = all.Select(split[:x.Training]), all.Select(last)
	x.seen = x.truth.WithMask(mask)
	if err := x.checkMasks(); err != nil {
		return err
	}
	if x.Quick {
		order := make([]int, tests)
		for i := range order {
			order[i] = i
		}
		x.truth, x.seen, x.numbers = x.truth.Select(every(order)), x.seen.Select(every(order)), every(last)
	}
	return nil
}

// checkMasks refuses masks that show nothing of a picture, or all of all pictures.
func (x *frey) checkMasks() error {
	missing := 0
	for i := range x.seen.Count {
		m := x.seen.Missing(i)
		if m == x.seen.Points()*x.seen.Channels {
			return &dataset.Error{Path: x.Masks, Place: fmt.Sprintf("mask %d", i), Found: "nothing observed", Want: "at least one value"}
		}
		missing += m
	}
	if missing == 0 {
		return &dataset.Error{Path: x.Masks, Found: "everything observed", Want: "some values to fill in"}
	}
	return nil
}

// rowLength returns the length of the rows of a two-dimensional array in a file, 0 of anything else.
func rowLength(path string) int {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return 0 // what cannot be read twice
	}
	file, err := npy.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	if len(file.Shape) != 2 {
		return 0
	}
	return file.Shape[1]
}
