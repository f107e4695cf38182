package journal

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// taskFormat begins the result of a task and names its version.
const taskFormat = "kronfield sgplvm task 1\n"

// A result is what a task has found, with an instruction set, under the digest of what it was.
type result struct {
	Level string
	Key   [sha256.Size]byte
	Value []byte
}

// A stage is work that several processes share, in pieces whose order does not matter.
type stage struct {
	*field.Tasks              // nil: one process does all
	open         bool         // pieces of work are tasks
	piece        string       // the name of those that follow
	first        int          // entry of the journal
	left         []field.Task // that no process has done
	done         bool         // the task of this one is
}

// task returns the result that a process has kept of a piece, and lists it where none has. The task of this process is done then, which ends the stage. The name
// of a task has the number of entries before its stage, so that no other stage has it.
func (s *stage) task(level, key string, work func() ([]byte, error)) ([]byte, error) {
	r := result{level, sha256.Sum256(fmt.Appendf(nil, "%d %s", s.first, key)), nil}
	what, _, _ := strings.Cut(key, " by {") // settings
	t := field.Task{Name: fmt.Sprintf("%x", r.Key[:8]), Text: s.piece + ": " + what}
	refuse := func(err error) ([]byte, error) {
		return nil, &field.FileError{Err: fmt.Errorf("task %s: %w", t.Name, err)}
	}
	found, err := s.Find(t.Name)
	switch {
	case err != nil:
		return refuse(err)
	case found != nil:
		defer found.Close()
		got := result{}
		if err := Unseal(bufio.NewReader(found), taskFormat, &got); err != nil {
			return refuse(err)
		}
		if got.Key != r.Key {
			return refuse(errors.New("found the result of another task"))
		}
		if got.Level != level {
			return refuse(fmt.Errorf("done with the instructions %s, expected %s as everywhere (KRONFIELD_ISA)", got.Level, level))
		}
		return got.Value, nil
	case s.Do != t.Name:
		s.left = append(s.left, t)
		return nil, field.ErrTask
	}
	if r.Value, err = work(); err != nil {
		return nil, err
	}
	if err := s.Keep(t.Name, func(w io.Writer) error { return Seal(w, taskFormat, r) }); err != nil {
		return refuse(err)
	}
	s.done = true
	return nil, field.ErrTask
}

// end ends the stage. The error lists what is left of it; nil: nothing is.
func (s *stage) end() error {
	s.open = false
	switch {
	case s.done:
		return field.ErrTask
	case len(s.left) > 0:
		return &field.TasksLeft{Tasks: s.left}
	}
	return nil
}
