package sgplvm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"
)

// A search whose tasks are done by runs of their own, in any order, ends in the model of one run, to the bit.
func TestTasks(t *testing.T) {
	all := searched()
	delete(all, "sequences")
	delete(all, "pictures")
	all["holes"] = set{holed(mixed(14, 5, 4, 2), scatteredHoles(0.3, 4)), Config{Training: steps(8)}}
	for name, s := range all {
		if testing.Short() && name != "in time" {
			continue
		}
		s.config.Effort = EffortNormal
		if name == "masks" || name == "holes" {
			s.config.Effort = EffortQuick
		}
		want, _, err := Fit(t.Context(), s.data, s.config)
		if err != nil {
			t.Fatal(err)
		}
		done := map[string][]byte{}
		tasks := Tasks{Find: func(name string) (io.ReadCloser, error) {
			if b := done[name]; b != nil {
				return io.NopCloser(bytes.NewReader(b)), nil
			}
			return nil, nil
		}, Keep: func(name string, write func(io.Writer) error) error {
			var b bytes.Buffer
			err := write(&b)
			done[name] = b.Bytes()
			return err
		}}
		kept := &shelf{}
		run := func(task string) (*Model, error) {
			mine := tasks
			mine.Do = task
			c := &Checkpoints{Save: kept.save, Tasks: &mine}
			if kept.content != nil {
				c.Resume = bytes.NewReader(kept.content)
			}
			m, _, err := Run{Checkpoints: c}.Fit(context.Background(), s.data, s.config)
			return m, err
		}
		got, err := run("")
		for left := (*TasksLeft)(nil); errors.As(err, &left); got, err = run("") {
			slices.Reverse(left.Tasks)
			for _, task := range left.Tasks {
				saves := kept.saves
				if _, err := run(task.Name); !errors.Is(err, ErrTask) || done[task.Name] == nil || kept.saves != saves {
					t.Fatalf("%s, %s: %v", name, task.Text, err)
				}
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if t.Logf("%s: %d tasks", name, len(done)); len(done) < 2 {
			t.Errorf("%s: %d tasks", name, len(done))
		}
		if !bytes.Equal(saved(t, got), saved(t, want)) {
			t.Errorf("%s: another model", name)
		}
	}
}
