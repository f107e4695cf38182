package main

import (
	"context"
	"fmt"
	"os"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// aboutRound is what JSON tells of a round.
type aboutRound struct {
	sgplvm.RoundReport
	Again bool `json:"again"`
}

func reduce(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "reduce", `sgplvm reduce PART... -model MODEL -out MODEL2 [flags]

Makes of all parts that sgplvm shard has written with MODEL, in any order, a model of all examples: predictions and noise are those of all,
kernels and inducing points those of MODEL. It tells by how much the bound rose; while that is more than -enough, a further round with MODEL2
is worth while. Where MODEL keeps examples that others are compared with, MODEL2 keeps all of them, or as many as 64 MiB hold, spread evenly.`)
	model := f.String("model", "", "the model `file` that the parts were made with")
	enough := f.Between("enough", 1, 0, 1e6, "another round is worth while where the bound rises by more `nats` an example")
	out := f.Model("out", "the model `file` to write")
	asJSON := f.JSON()
	f.Need("model", "out")
	f.Everyday("model", "out", "enough", "json")
	f.Examples("sgplvm reduce sums.part1of2 sums.part2of2 -model faces.model -out all.model")
	parts, args := cli.Leading(args)
	if err := f.Read(args); err != nil {
		return err
	}
	if len(parts) == 0 {
		return f.Usagef("no part, expected the files of all before the flags")
	}
	m, err := engine.Load(*model)
	if err == nil {
		err = engine.CheckInferring(m, engine.Inference{Updates: true})
	}
	if err != nil {
		return err
	}
	var shards []*sgplvm.Shard
	for _, path := range parts {
		file, err := os.Open(path)
		if err != nil {
			return &dataset.Error{Path: path, Err: err, Want: "a file of shard"}
		}
		defer file.Close()
		s, err := sgplvm.OpenShard(file)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		shards = append(shards, s)
	}
	next, r, err := m.Reduce(ctx, shards)
	if err != nil {
		return err
	}
	if err := engine.Save(*out, next); err != nil {
		return err
	}
	again := r.Rounds == 1 || r.Rise > *enough
	if *asJSON {
		return e.PrintJSON(aboutRound{r, again})
	}
	text, advice := "the first round", "enough"
	if r.Rounds > 1 {
		text = fmt.Sprintf("%.3g nats an example above the round before", r.Rise)
	}
	if again {
		advice = "another round is worth while"
	}
	_, err = fmt.Fprintf(e.Stdout, "round %d of %s: bound %.8g, %s: %s\n", r.Rounds, quote.Counted(r.Examples, "example"), r.Bound, text, advice)
	return err
}
