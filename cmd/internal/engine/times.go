package engine

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// TimeFlags are the flags of a command that takes times: from a file and, where Rate is defined, evenly spaced.
type TimeFlags struct {
	f        *cli.Flags
	file     *string
	sequence *int
	from, to *float64
	Rate     *float64 // frames to a unit of time; nil where there are no evenly spaced times
}

// NewTimeFlags defines -times, with its description, and -sequence.
func NewTimeFlags(f *cli.Flags, about string) *TimeFlags {
	return &TimeFlags{f: f, file: f.Input("times", about),
		sequence: f.Whole("sequence", 0, -math.MaxInt32, math.MaxInt32, "the `label` of the sequence whose times these are")}
}

// Even defines -from, -to and -fps, with the description of the last.
func (t *TimeFlags) Even(about string) *TimeFlags {
	t.from = t.f.Finite("from", 0, "the first `time`, -fps frames to a unit of time ; by default the first training time")
	t.to = t.f.Finite("to", 0, "the last `time` ; by default the last training time")
	t.Rate = t.f.Between("fps", 25, 0.01, picture.MostRate, about)
	return t
}

// InFile reports whether the times are in a file, and Spaced whether they are evenly spaced.
func (t *TimeFlags) InFile() bool { return *t.file != "" }

func (t *TimeFlags) Spaced() bool { return t.f.Given("from") || t.f.Given("to") }

// Priors returns the latent posteriors at the times in the file, those of the examples of a form, or at those of a table of text itself; nil where there are none, which
// the model of a film with motion does not allow.
func (t *TimeFlags) Priors(m *sgplvm.Model, form *dataset.Form) ([]sgplvm.Latent, error) {
	switch {
	case t.InFile():
	case Timed(m) && form.FromText() && form.Times != nil:
		return t.at(m, form, form.WholeTimes())
	case Moves(m):
		return nil, t.f.Usagef("a model of a film with motion without -times, expected the times of the pictures: contents are elsewhere at every time")
	default:
		return nil, t.f.Refuse("without -times", "sequence")
	}
	if _, _, err := t.span(m); err != nil {
		return nil, err
	}
	times, err := dataset.LoadTimes(*t.file, form.Whole())
	if err != nil {
		return nil, err
	}
	return t.at(m, form, times)
}

// at returns the latent posteriors of the examples of a form, which may be a slice; the times are those of all, as posteriors that are found together round in other ways.
func (t *TimeFlags) at(m *sgplvm.Model, form *dataset.Form, times []float64) ([]sgplvm.Latent, error) {
	all, err := m.LatentAt(*t.sequence, times)
	if err != nil || form.Whole() == form.Count {
		return all, err
	}
	return all[form.First:][:form.Count], nil
}

// Film returns the times that are asked for, in the file or evenly spaced, and their sequence.
func (t *TimeFlags) Film(m *sgplvm.Model) (times []float64, sequence int, err error) {
	first, last, err := t.span(m)
	if err != nil {
		return nil, 0, err
	}
	if t.InFile() {
		times, err = dataset.LoadTimes(*t.file, 0)
		return times, *t.sequence, err
	}
	if t.f.Given("from") {
		first = *t.from
	}
	if t.f.Given("to") {
		last = *t.to
	}
	times, err = t.between(first, last)
	return times, *t.sequence, err
}

// Trained returns the training times of the sequence, in order.
func (t *TimeFlags) Trained(m *sgplvm.Model) (times []float64, sequence int, err error) {
	if _, _, err := t.span(m); err != nil {
		return nil, 0, err
	}
	for _, at := range m.Times() {
		if at.Sequence == *t.sequence {
			times = append(times, at.Time)
		}
	}
	slices.Sort(times)
	return times, *t.sequence, nil
}

// span returns the first and the last training time of the sequence.
func (t *TimeFlags) span(m *sgplvm.Model) (first, last float64, err error) {
	switch first, last, ok := TimeSpan(m, *t.sequence); {
	case !Timed(m) && t.InFile():
		return 0, 0, t.f.Usagef("-times with a model that was trained without any, expected none")
	case !Timed(m):
		return 0, 0, t.f.Usagef("times with a model that was trained without any, expected none")
	case !ok:
		return 0, 0, t.f.Usagef("-sequence %d, expected one that the model was trained on", *t.sequence)
	default:
		return first, last, nil
	}
}

// between returns times from first to last, as many to a unit as the rate says.
func (t *TimeFlags) between(first, last float64) ([]float64, error) {
	n := math.Floor((last-first)**t.Rate*(1+1e-12)) + 1
	if !(last >= first) || !(n <= cli.MaxFields) {
		return nil, t.f.Usagef("times from %v to %v, %v to a unit, expected a number of 1 to %d", first, last, *t.Rate, cli.MaxFields)
	}
	times := EvenTimes(int(n), *t.Rate)
	for i := range times {
		times[i] += first
	}
	return times, nil
}
