// Package journal keeps what a run has done, so that a run that was stopped goes on to the same bits: the results of pieces of work under digests of what they
// were, and the training under way; and it seals files by a checksum.
package journal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/record"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// A Journal is what a run has done: the results of parts of it that will not be done again, in their order, and the
// training under way.
type Journal struct {
	keep     func(write func(w io.Writer) error) error // replaces what was kept before by what write writes
	every    time.Duration                             // passes at least before it is called again; 0: as long as that takes, and half a minute
	tell     func(line string)
	settings map[string]string // what the run is about, by name
	level    string            // instruction set

	entries  []entry
	next     int                     // the entry that the run has come to
	training []byte                  // what Trainer.Checkpoint wrote of the training after the last entry; nil: none
	trainer  func(w io.Writer) error // writes that of the training under way; nil: none is
	live     func(time.Duration)     // is called with the time searched before work that no earlier run has done; nil: nothing is

	stage stage // of a search that several processes share

	searched time.Duration // by a search before searching
	search   time.Time     // when it began to go on; zero: it does not

	saved    time.Time
	took     time.Duration // the last time
	failed   bool          // it did, and that was told
	Worked   bool          // a step of training was taken
	stopped  bool          // by Progress
	Warnings []string
}

// An entry is the result of a part of the work, as package record writes it, under the digest of what the part was.
type entry struct {
	Key   [sha256.Size]byte
	Value []byte
}

// runFormat begins what is kept of a run and names its version. The sealed log follows, and what Trainer.Checkpoint
// writes where a training was under way.
const runFormat = "kronfield sgplvm run 1\n"

// A log is a journal as it is kept.
type log struct {
	Settings map[string]string
	Level    string
	Entries  []entry
	Searched time.Duration
}

// New begins a journal, or goes on with that of an earlier run, which resume reads; nil: there is none. Errors: *field.FileError.
func New(keep func(write func(w io.Writer) error) error, every time.Duration, resume io.Reader, settings map[string]string, level string, tell func(line string)) (*Journal, error) {
	j := &Journal{keep: keep, every: every, tell: tell, settings: settings, level: level, saved: time.Now()}
	if resume == nil {
		return j, nil
	}
	var r log
	b := bufio.NewReader(resume)
	err := Unseal(b, runFormat, &r)
	if err == nil {
		j.training, err = io.ReadAll(b)
	}
	if err == nil {
		err = j.recognise(r)
	}
	if err != nil {
		return nil, &field.FileError{Err: fmt.Errorf("checkpoint: %w", err)}
	}
	j.entries, j.searched = r.Entries, r.Searched
	if r.Level != level {
		j.Warnings = append(j.Warnings, fmt.Sprintf("the run began with the instructions %s and went on with %s: the model is the same but for rounding", r.Level, level))
	}
	return j, nil
}

// recognise returns why a log is none of this run's.
func (j *Journal) recognise(r log) error {
	for _, name := range slices.Sorted(maps.Keys(j.settings)) {
		if r.Settings[name] != j.settings[name] {
			return fmt.Errorf("of a run with other %s", name)
		}
	}
	return nil
}

// Share has processes share the stages of a search; nil: they do not.
func (j *Journal) Share(t *field.Tasks) { j.stage.Tasks = t }

// Shared reports whether several processes do the work.
func (j *Journal) Shared() bool { return j != nil && j.stage.Tasks != nil }

// Stage is told that the work that follows, until end is called, may be done in any order: if it is shared, each piece by a process of its own. end returns
// an error that lists what is left to do; nil: nothing is. The pieces that follow a call of name are listed with its text.
func (j *Journal) Stage() (name func(text string), end func() error) {
	if !j.Shared() {
		return func(string) {}, func() error { return nil }
	}
	j.stage.open, j.stage.first = true, j.next
	return func(text string) { j.stage.piece = text }, j.stage.end
}

// Replaying reports whether the run repeats what an earlier one has done.
func (j *Journal) Replaying() bool { return j != nil && j.next < len(j.entries) }

// Once returns what work returns, or what it returned in an earlier run; key names the work. Values are exported structures,
// numbers and lists.
func Once[T any](j *Journal, key string, work func() (T, error)) (T, error) {
	return Within(j, key, func() (value T, err error) {
		if j == nil || !j.stage.open {
			j.begins()
			return work()
		}
		b, err := j.stage.task(j.level, key, func() ([]byte, error) {
			j.StartLive()
			v, err := work()
			return written(&v), err
		})
		if err == nil {
			err = record.Read(bytes.NewReader(b), &value)
		}
		return value, err
	})
}

// written returns what package record writes of a value.
func written(v any) []byte {
	var b bytes.Buffer
	record.Write(&b, v)
	return b.Bytes()
}

// Within is once of work parts of which have entries of their own, or a training: its entry replaces theirs.
func Within[T any](j *Journal, key string, work func() (T, error)) (value T, err error) {
	if j == nil {
		return work()
	}
	digest, at := sha256.Sum256([]byte(key)), j.next
	if j.Replaying() && j.entries[at].Key == digest {
		err := record.Read(bytes.NewReader(j.entries[at].Value), &value)
		if err != nil {
			err = &field.FileError{Err: fmt.Errorf("checkpoint: %w", err)}
		}
		j.next++
		return value, err
	}
	if value, err = work(); err != nil {
		return value, err
	}
	j.entries = append(j.entries[:at], entry{digest, written(&value)})
	j.next, j.training, j.trainer = at+1, nil, nil
	if j.Due() {
		j.Save()
	}
	return value, nil
}

// begins is told before work that no earlier run has done: what one has done else after what is repeated is forgotten.
func (j *Journal) begins() {
	if j == nil {
		return
	}
	j.StartLive()
	j.entries, j.training, j.trainer = j.entries[:j.next], nil, nil
}

// State returns what an earlier run has kept of a training: its end, if that has an entry under the key, or where the training
// after the last entry was; nil where there is nothing.
func (j *Journal) State(key string) (state []byte) {
	switch {
	case j == nil:
	case !j.Replaying():
		state = j.training
	case j.entries[j.next].Key == sha256.Sum256([]byte(key)):
		if record.Read(bytes.NewReader(j.entries[j.next].Value), &state) != nil {
			state = nil
		}
	}
	if len(state) == 0 {
		j.begins()
		return nil
	}
	return state
}

// Train is told what writes the state of the training that goes on, unless its end has an entry.
func (j *Journal) Train(write func(w io.Writer) error) {
	if j != nil && !j.Replaying() {
		j.training, j.trainer = nil, write
	}
}

// Stop is told whether Progress has stopped the run.
func (j *Journal) Stop(stopped bool) {
	if j != nil {
		j.stopped = stopped
	}
}

// Due reports whether it is time to save.
func (j *Journal) Due() bool {
	every := j.every
	if every == 0 {
		every = max(30*time.Second, 20*j.took)
	}
	return time.Since(j.saved) >= every
}

// Save keeps the run as it is.
func (j *Journal) Save() error {
	begin := time.Now()
	r := log{j.settings, j.level, j.entries, j.searchTime()}
	err := j.keep(func(w io.Writer) error {
		if err := Seal(w, runFormat, r); err != nil {
			return err
		}
		if j.trainer != nil {
			return j.trainer(w)
		}
		_, err := w.Write(j.training)
		return err
	})
	j.saved = time.Now()
	j.took = j.saved.Sub(begin)
	if err != nil && !j.failed {
		j.failed = true
		j.tell(fmt.Sprintf("the checkpoint could not be saved: %v", err))
	}
	return err
}

// Close ends a run that returns err, and keeps what was done where it did not come to its end.
func (j *Journal) Close(err error) error {
	if (err != nil || j.stopped) && (j.Worked || len(j.entries) > 0) {
		return errors.Join(err, j.Save())
	}
	return err
}

// BeginSearch is told that a search begins, and calls live with the time that it had in earlier runs before it does what these have not.
// It returns that time.
func (j *Journal) BeginSearch(live func(spent time.Duration)) time.Duration {
	if j == nil {
		live(0)
		return 0
	}
	j.live, j.search = live, time.Now()
	if !j.Replaying() {
		j.StartLive()
	}
	return j.searched
}

// StartLive ends the repetition of what an earlier run has done.
func (j *Journal) StartLive() {
	if j != nil && j.live != nil {
		live := j.live
		j.live = nil
		live(j.searched)
	}
}

// EndSearch is told at the end of a search: another begins to count afresh.
func (j *Journal) EndSearch() {
	if j != nil {
		j.searched, j.search = 0, time.Time{}
	}
}

// searchTime returns how long the run has searched.
func (j *Journal) searchTime() time.Duration {
	if j.search.IsZero() {
		return j.searched
	}
	return j.searched + time.Since(j.search)
}
