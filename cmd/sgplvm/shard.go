package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/internal/part"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// measuredSums is of how many examples sums are measured.
const measuredSums = 16

func shard(ctx context.Context, e *cli.Environment, args []string) error {
	f := cli.NewFlags(e, "shard", `sgplvm shard -model MODEL -data F -part 3/8 -out SUMS [flags]

Makes of a part of more examples than one machine holds what sgplvm reduce needs of them. MODEL was trained on some of them, as by
train -sample. Each part is a process of its own, here or elsewhere; it reads its slice of the data alone, and its memory does not
depend on their number. When all are done, reduce makes a better model of them, with which the next round begins:

  sgplvm train -data 'faces*.npy' -sample 2000 -out m0
  sgplvm shard -model m0 -data 'faces*.npy' -part 1/2 -out s
  sgplvm shard -model m0 -data 'faces*.npy' -part 2/2 -out s
  sgplvm reduce s.part* -model m0 -out m1`)
	model := f.Input("model", "the model `file`")
	data := f.Input("data", "all examples: "+engine.DataUsage+", a pattern such as 'faces*.npy', or @LIST, a file with a name in each line")
	f.String("part", "", "which `part` of how many, as 3/8, or auto: the number that a scheduler gives; its file is then OUT.part3of8. By default all is one part")
	f.Whole("parts", 0, 0, part.Most, "the `number` of parts, where -part auto does not find it")
	out := f.Result("out", "the `file` to write")
	engine.NewReadFlags(f)
	f.Need("model", "data", "out")
	f.Everyday("model", "data", "part", "out")
	f.Examples("sgplvm shard -model faces.model -data @faces.list -part 3/8 -out sums")
	if err := f.Read(args); err != nil {
		return err
	}
	p, path, work := sgplvm.ShardPart{Index: 1, Count: 1}, *out, f.Work()
	if work != nil && !work.Measures() {
		p, path = sgplvm.ShardPart(work.Part), part.Name(work.Part, path)
	}
	m, err := engine.Load(*model)
	if err == nil {
		err = engine.CheckInferring(m, engine.Inference{Updates: true})
	}
	if err != nil {
		return err
	}
	examples, err := engine.OpenSlices(f, *model, m, *data)
	if err != nil {
		return err
	}
	if work.Measures() {
		if err := f.ModelName("out"); err != nil { // which reduce is to write
			return err
		}
		d, err := measureSums(ctx, m, *examples, work)
		if err == nil {
			d.Model = *model
			return d
		}
		return cmp.Or(aboutSums(err, *model, *data), err)
	}
	var show func(done int)
	var failed error
	stop, done := func() {}, 0
	err = files.WriteAtomic(path, func(w io.Writer) error {
		failed = m.Shard(ctx, examples, p, filepath.Base(*data), w, func(d, of int) {
			if show == nil {
				show, stop = e.Counting(engine.Noun(m)+"s summed", of)
			}
			show(d)
			done = d
		})
		return failed
	})
	stop()
	if err != nil {
		return cmp.Or(ctx.Err(), aboutSums(failed, *model, *data), err)
	}
	fmt.Fprintf(e.Stdout, "%s has %s of %d\n", quote.Line(path), quote.Counted(done, "example"), examples.Count)
	return nil
}

// measureSums sums up a few examples, one before, as all have some work in common.
func measureSums(ctx context.Context, m *sgplvm.Model, examples engine.Slices, work *part.Work) (d *part.Done, err error) {
	all := examples.Count
	var begin time.Time
	for _, n := range []int{1, min(all, measuredSums)} {
		begin, examples.Count = time.Now(), n
		if err := m.Shard(ctx, &examples, sgplvm.ShardPart{Index: 1, Count: 1}, "", io.Discard, nil); err != nil {
			return nil, err
		}
	}
	d = work.Measured(examples.Count, all, begin, 0)
	d.Size = func(count int) int64 { return m.ShardSize(all, count) }
	return d, nil
}

// aboutSums says what an error of summing up is about, nil where it is not about model or data.
func aboutSums(err error, model, data string) error {
	if config, ok := errors.AsType[*sgplvm.ConfigError](err); ok {
		return fmt.Errorf("%s: %w", model, config.Err)
	}
	_, value := errors.AsType[*sgplvm.ValueError](err)
	if _, read := errors.AsType[*sgplvm.ReadError](err); value || read {
		return engine.AboutData(data, err)
	}
	return nil
}
