package experiment

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
)

// Frey runs the methods on a split of pictures, prints their errors and writes table.csv, table.html
// and strip.png.
func Frey(ctx context.Context, e *cli.Environment, o FreyOptions) (err error) {
	x := &frey{FreyOptions: o, e: e}
	if err := x.load(); err != nil {
		return err
	}
	undo, err := openFolder(x.Out, FreyResults)
	if err != nil {
		return err
	}
	defer undo(&err)
	for _, name := range FreyMethods() {
		if !wants(x.Methods, name) {
			continue
		}
		err := x.run(ctx, name)
		var size *baseline.SizeError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case x.Methods == "all" && errors.As(err, &size):
			x.about = append(x.about, fmt.Sprintf("%s: left out: %v", freyTitles[name], err))
		case err != nil:
			return fmt.Errorf("%s: %w", freyTitles[name], err)
		}
	}
	return x.write(x.Out)
}

// run fits one method, fills in the pictures and adds a row to the table.
func (x *frey) run(ctx context.Context, name string) error {
	learn := x.runBaseline
	if name == structured || name == plain {
		learn = x.runModel
	}
	a, err := learn(ctx, name)
	if err != nil {
		return err
	}
	summary, err := a.filled.Score(x.seen, x.truth)
	if err != nil {
		return err
	}
	if x.strip == nil {
		x.strip = a.filled
	}
	title := freyTitles[name]
	x.about = append(x.about, title+": "+a.about)
	x.rows = append(x.rows, newRow(title, summary, seconds(a.learned), seconds(a.filling)))
	if row, ok := x.published(name); ok {
		x.rows = append(x.rows, row)
	}
	fmt.Fprintf(x.e.Stdout, "%s: learned in %s, filled in %s\n", title, seconds(a.learned), seconds(a.filling))
	return nil
}
