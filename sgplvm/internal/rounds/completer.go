package rounds

import (
	"math/rand/v2"
	"time"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/training"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/validation"
)

// A Completion is completed data, and what tells of it: the fields of sgplvm.Completion.
type Completion struct {
	Mean, Variance mat.Matrix
	Model          Model
	Report         field.Report
	Selection      *field.Selection // of the model; nil: it says itself how it was chosen
	Check          field.FillCheck
	Kinds          []field.FillCheck
	Transforms     []string
	TransformCheck field.TransformCheck
	Period         int

	Learnable []int           // where the model has learned from some of the examples of which something was observed, all of these; nil: it has from all
	At        []field.Instant // of the examples; nil without times
}

// A completer fills in missing values round by round.
type completer struct {
	completion.Filled              // the examples that are learned from
	d                 Set          // the same, as models learn from them
	given             field.Source // of them, NaN where values are missing
	learner           Learner
	fixed             bool // nothing is chosen
	values            bool // alone are wanted
	rng               *rand.Rand

	all  completion.Filled // also of the examples that are not learned from
	rows []int             // which of all the examples are
	none []int             // of which nothing was observed, and that have times

	times     []float64 // of the examples, also where the search found that they tell nothing
	sequences []int
	how       *Choice
	check     field.FillCheck
	scores    validation.Scores // on each example of which something was held out

	contest  *completion.Contest // of the model and the simplest methods; nil: there was none
	simplest *completion.Contest // of the simplest methods; nil: these have not filled in anything
	whole    *completion.Contest // of what predicts whole examples; nil: there was none
	hopeless bool                // the model is much worse than the simplest methods
	still    *completer          // of the frames of a film as examples in no order; nil: there is none

	doing  string        // what it is doing, before the name of a round
	rounds int           // so far
	took   roundTime     // the last one
	simple time.Duration // that the simplest methods took to fill in held-out values
}

// A roundTime says how long a round took to train its models, and to fill in with them.
type roundTime struct{ trained, imputed time.Duration }

func newCompleter(d Set, seed uint64, fixed bool, l Learner) (*completer, error) {
	n, points, channels := d.Source.Dims()
	c := &completer{d: d, times: d.Times, sequences: d.Sequences, learner: l, fixed: fixed, rng: rand.New(completion.Random(seed))}
	if _, err := data.Check(d.Source); err != nil {
		return nil, err
	}
	y, holes, err := completion.Read(d.Source)
	if err != nil {
		return nil, err
	}
	c.Filled = completion.Filled{Y: y, Variance: mat.New(n, y.Cols), Holes: holes, Points: data.InSpacings(d.Grid), Channels: channels, At: data.Instants(d.Times, d.Sequences), Start: new(simple.Start)}
	c.given, c.d.Source = d.Source, field.NewSource(y.Data, n, points, channels)
	if len(c.Incomplete()) > 0 {
		c.d.Holes, c.d.Observed = holes, d.Source
	}
	return c, nil
}

// open reports whether something is to be chosen.
func (c *completer) open(s training.Settings) bool { return s.Effort != field.EffortNone && !c.fixed }

// probeExamples is the number of examples from which probe trains its model.
const probeExamples = 500
