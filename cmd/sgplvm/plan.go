package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/engine"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/internal/part"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// A plan is a folder by which several processes share a search: what was done so far, the tasks that are left, a line each, and a file for each that is done.
type plan struct {
	folder string
	number int // of the task to do, from 1; 0: none
	tasks  []string
	old    *os.File // what was done so far; nil: nothing
}

const planUsage = "the `folder` by which several processes share the search: without -task the search goes on as far as it can, and lists in FOLDER/tasks what must be tried then"

// openPlan opens a folder, which need not be there.
func openPlan(f *cli.Flags, folder, task string) (p *plan, err error) {
	if err := f.Refuse("with -plan, expected one of the two", "limit", "resume", "inputs", "sample"); err != nil {
		return nil, err
	}
	p = &plan{folder: folder}
	text, err := os.ReadFile(p.path("tasks"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &dataset.Error{Path: p.path("tasks"), Err: err, Want: "a list of tasks"}
	}
	p.tasks = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if len(text) == 0 {
		p.tasks = nil
	}
	if task != "" {
		if p.number, err = p.numbered(task); err != nil {
			return nil, f.Usagef("-task %s: %v", cli.Text(task), err)
		}
	}
	if p.old, err = os.Open(p.path("search")); errors.Is(err, fs.ErrNotExist) {
		p.old, err = nil, nil
	}
	return p, err
}

func (p *plan) path(name string) string { return filepath.Join(p.folder, name) }

// write replaces a file of the folder, which it makes.
func (p *plan) write(name string, write func(w io.Writer) error) error {
	if err := os.MkdirAll(p.folder, 0o777); err != nil {
		return &dataset.Error{Path: p.folder, Err: err, Want: "a folder for tasks"}
	}
	return files.WriteAtomic(p.path(name), write)
}

// numbered returns the number of a task, which may be that of a scheduler's environment.
func (p *plan) numbered(task string) (int, error) {
	if len(p.tasks) == 0 {
		return 0, fmt.Errorf("%s lists no tasks: the command without -task makes the list", cli.Text(p.path("tasks")))
	}
	if task == "auto" {
		a, err := part.Auto(len(p.tasks))
		return a.Index, err
	}
	n, err := strconv.Atoi(task)
	if err != nil || n < 1 || n > len(p.tasks) {
		return 0, fmt.Errorf("%s lists %s, expected auto or a number from 1 on", cli.Text(p.path("tasks")), quote.Counted(len(p.tasks), "task"))
	}
	return n, nil
}

// name returns the name of the task to do.
func (p *plan) name() string {
	if p.number == 0 {
		return ""
	}
	name, _, _ := strings.Cut(p.tasks[p.number-1], " ")
	return name
}

// done reports whether the task to do was done before.
func (p *plan) done() bool {
	_, err := os.Stat(p.path(p.name() + ".task"))
	return p.number > 0 && err == nil
}

// Checkpoints returns what the library is given.
func (p *plan) Checkpoints() *sgplvm.Checkpoints {
	t := &sgplvm.Tasks{Do: p.name(), Find: func(name string) (io.ReadCloser, error) {
		f, err := os.Open(p.path(name + ".task"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return f, err
	}, Keep: func(name string, write func(w io.Writer) error) error {
		return p.write(name+".task", write)
	}}
	c := &sgplvm.Checkpoints{Every: engine.CheckpointEvery, Tasks: t, Save: func(write func(w io.Writer) error) error { return p.write("search", write) }}
	if p.old != nil {
		c.Resume = p.old
	}
	return c
}

// ended reports whether a run ended before its model because of tasks, and writes the list of what is left.
func (p *plan) ended(e *cli.Environment, run error) (bool, error) {
	var left *sgplvm.TasksLeft
	switch {
	case p == nil:
		return false, nil
	case errors.Is(run, sgplvm.ErrTask):
		e.Note("task %d of %d is done", p.number, len(p.tasks))
		return true, nil
	case p.number > 0 && errors.As(run, &left):
		e.Note("task %d is needed no longer: the search has gone on", p.number)
		return true, nil
	case !errors.As(run, &left):
		return false, nil
	}
	var list strings.Builder
	for _, t := range left.Tasks {
		fmt.Fprintf(&list, "%s %s\n", t.Name, t.Text)
	}
	e.Note("%s left, a line each of %s: the same command with -task NUMBER does one, all at once if you like; then without -task it goes on",
		quote.Counted(len(left.Tasks), "task"), p.path("tasks"))
	return true, p.write("tasks", func(w io.Writer) error {
		_, err := io.WriteString(w, list.String())
		return err
	})
}

// End ends the run that has the model, and removes what is no longer needed.
func (p *plan) End(e *cli.Environment, err error) error {
	if p.old != nil {
		p.old.Close()
	}
	if refused := (*sgplvm.FileError)(nil); errors.As(err, &refused) {
		return fmt.Errorf("%s: %w; remove the file of the task, which is then done again, or name another folder", p.folder, refused.Err)
	}
	if err != nil {
		return err
	}
	done, _ := filepath.Glob(p.path("*.task"))
	for _, path := range append(done, p.path("search"), p.path("tasks")) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			e.Note("%s is no longer needed and could not be removed: %v", path, err)
		}
	}
	os.Remove(p.folder) // unless something else is in it
	return nil
}
