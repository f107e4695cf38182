package edge

import (
	"os"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/learn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

// LearnOptions steer a Learner. The zero value works.
type LearnOptions struct {
	Stream StreamOptions
	Most   int     // observed values of a channel; 0: all of them
	Every  int     // examples that are learned from together; default 100, negative: Learn alone learns
	Forget float64 // how much each example leaves of the weight of all before it, 0 < Forget ≤ 1; default 1
	Rate   float64 // of the false alarms that keep examples from being learned from; default 0.01

	// Surprising has examples that raise an alarm be learned from too, and models that have no alarms.
	Surprising bool
}

// A Learner is a stream with a model of its own that learns from what Fill fills in, as sgplvm.Model.Update does: kernels, inducing points and the latent variables of earlier examples stay, predictions and
// noise become those of all examples (docs/math.md, section 26). Examples count of which at least half of the values are observed and believed, and the level raises no alarm.
// What an example adds up to takes a product of all points and features, and every hundredth example, as a rule, one eigenproblem of the latent inducing points. All room is fixed, and nothing is allocated after that. Thresholds of alarms stay those of the model that was compiled.
type Learner struct {
	*Stream
	o     LearnOptions
	l     *points.Learner
	alarm Alarm

	digest       uint64    // of the model's file
	solved       []float64 // precision and sums after Learn, and then those before it
	fresh        int       // examples since
	count        float64   // of left and square
	left, square float64   // recent mean squares: what the model leaves of observed values, and these
}

// NewLearner returns a stream that learns, of a model that was compiled to (sgplvm.CompileOptions.Learn). Errors: *LearnError, *StreamError.
func (m *Model) NewLearner(o LearnOptions) (*Learner, error) {
	if o.Every == 0 {
		o.Every = 100
	}
	if o.Forget == 0 {
		o.Forget = 1
	}
	if o.Rate == 0 {
		o.Rate = 0.01
	}
	alarm, ok := m.Alarm(o.Rate)
	switch {
	case m.c.Learning.Totals == nil:
		return nil, &LearnError{"a model that was compiled without what its examples add up to, expected compile -learn"}
	case !(o.Forget > 0 && o.Forget <= 1):
		return nil, &LearnError{"Forget is to be above 0 and at most 1"}
	case !ok && !o.Surprising:
		return nil, &LearnError{"a model without alarms, which say what not to learn from, expected compile -held or LearnOptions.Surprising"}
	}
	l, own := points.NewLearner(m.c)
	if !finite(l.Numbers()) {
		return nil, &LearnError{"sums that are not finite"}
	}
	if err := l.SetModel(); err != nil {
		return nil, &LearnError{err.Error()}
	}
	model := *m
	model.m, model.c = own, own.Contents()
	s, err := model.NewWorkspace(o.Most).NewStream(o.Stream)
	if err != nil {
		return nil, err
	}
	n := l.Numbers()
	return &Learner{Stream: s, o: o, l: l, alarm: alarm, digest: m.digest, solved: append(append(make([]float64, 0, 2*len(n)), n...), n...)}, nil
}

func finite(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return x-x != 0 })
}

// Bytes returns what the learner takes, its model, workspace and stream included.
func (l *Learner) Bytes() int {
	return l.Stream.Bytes() + l.w.Bytes() + l.w.m.Bytes() + 8*len(l.solved) + l.l.Bytes()
}

// Multiplications returns about how many Learn takes.
func (l *Learner) Multiplications() float64 { return l.l.Multiplications() }

// Fill is Stream.Fill, and learns. The example itself is filled in by what was learned before it. After an error of Learn, the last one, everything else is done.
func (l *Learner) Fill(time float64, dst, variance, values []float64, mask []bool) error {
	if err := l.Stream.Fill(time, dst, variance, values, mask); err != nil {
		return err
	}
	observed, left, square := l.l.Take(l.w.w)
	if 2*observed < len(values) {
		return nil
	}
	l.count = min(l.count+1, float64(max(l.o.Every, 100)))
	l.left += (left - l.left) / l.count
	l.square += (square - l.square) / l.count
	if level, _ := l.Raised(l.alarm); (level || l.level == NoEvidence) && !l.o.Surprising {
		return nil
	}
	l.l.Add(l.o.Forget)
	if l.fresh++; l.fresh == l.o.Every {
		return l.Learn()
	}
	return nil
}

// Learn has the model be that of all examples that were learned from. After an error, a *LearnError, it is as it was.
func (l *Learner) Learn() error {
	if err := l.l.Learn(); err != nil {
		return &LearnError{err.Error()}
	}
	n := len(l.solved) / 2
	copy(l.solved[n:], l.solved[:n])
	copy(l.solved, l.l.Numbers())
	l.fresh = 0
	l.w.w.Relearned()
	return nil
}

// Rollback has the model be what it was before the last Learn, and forgets all examples since. The stream stays where it is.
func (l *Learner) Rollback() error {
	n := len(l.solved) / 2
	copy(l.solved[:n], l.solved[n:])
	return l.back()
}

// back has the model be that of solved.
func (l *Learner) back() error {
	copy(l.l.Numbers(), l.solved)
	l.fresh = 0
	if err := l.l.SetModel(); err != nil {
		return &LearnError{err.Error()}
	}
	l.w.w.Relearned()
	return nil
}

// Unexplained returns the share of the mean square of the last hundred examples' observed values, or of as many as are learned together, that neither the model nor its noise explains, surprising ones included: what lies beyond its inducing points and kernels. Where it is a tenth, training again is
// advised. It is NoEvidence before the first example.
func (l *Learner) Unexplained() float64 {
	if l.count == 0 || l.square == 0 {
		return NoEvidence
	}
	return learn.Unexplained(l.left, 1/l.w.c.Beta, l.square)
}

// Examples returns how many examples the model counts, forgotten ones in part.
func (l *Learner) Examples() float64 {
	n := l.l.Numbers()
	return n[len(n)-learn.Totals]
}

// State returns what was learned up to the last Learn and before it, as a file of which SetState refuses every part. It has no examples since, nor where the stream is.
func (l *Learner) State() []byte { return points.EncodeState(l.digest, l.solved) }

// SetState has the learner go on with what another of the same model learned: the numbers are the same to the last bit. After an error it is as it was. Errors: *VersionError, *FormatError, *LearnError.
func (l *Learner) SetState(file []byte) error {
	solved := make([]float64, len(l.solved))
	if err := points.DecodeState(file, l.digest, solved); err != nil {
		return refused(err)
	}
	if !finite(solved) {
		return &LearnError{"a state with numbers that are not finite"}
	}
	before := l.solved
	l.solved = solved
	err := l.back()
	if err != nil {
		l.solved = before
		_ = l.back() // which was solved
	}
	return err
}

// Save writes State to a file, which at any moment is the old or the new one, and Load reads it. Errors: those of package os and of SetState.
func (l *Learner) Save(path string) error {
	f, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	if _, err = f.Write(l.State()); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	return err
}

// Load is SetState of the file that Save wrote.
func (l *Learner) Load(path string) error {
	file, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return l.SetState(file)
}
