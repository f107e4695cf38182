package training

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
)

// A checkpoint whose parts do not fit the trainer is refused and changes nothing, and so is one with other settings as text.
func TestResumeRefusesParts(t *testing.T) {
	s := sets()["timed"]
	s.config.Training.Iterations = 12
	tr := newTrainer(t, s.data, s.config)
	if _, err := tr.Step(context.Background()); err != nil {
		t.Fatal(err)
	}
	var good bytes.Buffer
	settings := map[string]string{"Seed": "1"}
	if err := tr.Checkpoint(&good, settings); err != nil {
		t.Fatal(err)
	}
	other := newTrainer(t, bumps(9, 6, 5, 2).at(line(9).Data, nil), s.config).params
	before := tr.params.Clone()
	for name, change := range map[string]func(c *checkpoint){
		"no parameters":   func(c *checkpoint) { c.Params = nil },
		"bad parameters":  func(c *checkpoint) { c.Params.X.S.Data[0] = -1 },
		"other latents":   func(c *checkpoint) { c.Params = other },
		"state of others": func(c *checkpoint) { c.State.Best = other },
		"other settings":  func(c *checkpoint) { c.Settings["Seed"] = "2" },
	} {
		c, err := readCheckpoint(bytes.NewReader(good.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		change(c)
		b := new(bytes.Buffer)
		if err := journal.Seal(b, checkpointFormat, c); err != nil {
			t.Fatal(err)
		}
		var refused *field.FileError
		if err := tr.Resume(b, settings); !errors.As(err, &refused) {
			t.Errorf("%s: error %v", name, err)
		}
		if d := diff(tr.params, before); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if err := tr.Resume(&good, settings); err != nil {
		t.Error(err)
	}
}
