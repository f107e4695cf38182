package journal

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// taskFormat begins the result of a task and names its version.
const taskFormat = "kronfield sgplvm task 1\n"

// A result of a task is the entry of its work, made by an instruction set.
type result struct {
	Level string
	Entry entry
}

// Shared reports whether several processes do the work.
func (j *Journal) Shared() bool { return j != nil && j.Tasks != nil }

// Stage is told that the work that follows, until end is called, may be done in any order: if it is shared, each piece by a process of its own. end returns
// an error that lists what is left to do; nil: nothing is. The pieces that follow a call of name are listed with its text.
func (j *Journal) Stage() (name func(text string), end func() error) {
	if !j.Shared() {
		return func(string) {}, func() error { return nil }
	}
	j.inStage, j.first = true, j.next
	return func(text string) { j.piece = text }, func() error {
		j.inStage = false
		switch {
		case j.done:
			return field.ErrTask
		case len(j.left) > 0:
			return &field.TasksLeft{Tasks: j.left}
		}
		return nil
	}
}

// task returns the result that a process has kept of a piece of a stage, and lists it where none has. The task of this process is done then, which ends the stage. The name
// of a task has the number of entries before its stage, so that no other stage has it.
func (j *Journal) task(key string, work func() ([]byte, error)) (value []byte, err error) {
	digest := sha256.Sum256(fmt.Appendf(nil, "%d %s", j.first, key))
	what, _, _ := strings.Cut(key, " by {") // settings
	t := field.Task{Name: fmt.Sprintf("%x", digest[:8]), Text: j.piece + ": " + what}
	refuse := func(err error) error { return &field.FileError{Err: fmt.Errorf("task %s: %w", t.Name, err)} }
	found, err := j.Tasks.Find(t.Name)
	if err != nil {
		return nil, refuse(err)
	}
	if found == nil && (j.Tasks.Do != t.Name || j.done) {
		j.left = append(j.left, t)
		return nil, field.ErrTask
	}
	r := result{j.level, entry{Key: digest}}
	if found != nil {
		defer found.Close()
		if err := Unseal(bufio.NewReader(found), taskFormat, &r); err != nil {
			return nil, refuse(err)
		}
		if r.Entry.Key != digest || r.Level != j.level {
			return nil, refuse(fmt.Errorf("done with the instructions %s, expected %s as everywhere (KRONFIELD_ISA)", r.Level, j.level))
		}
		return r.Entry.Value, nil
	}
	j.StartLive()
	if r.Entry.Value, err = work(); err != nil {
		return nil, err
	}
	if err := j.Tasks.Keep(t.Name, func(w io.Writer) error { return Seal(w, taskFormat, r) }); err != nil {
		return nil, refuse(err)
	}
	j.done = true
	return nil, field.ErrTask
}
