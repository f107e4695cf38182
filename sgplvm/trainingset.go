package sgplvm

import (
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/completion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film"
)

// A trainingSet is Data as a run works on them, with what it has found out about them.
type trainingSet struct {
	Data
	run Run // that works on them

	film     *film.Film // whose motion was taken out, with its frames; nil: none was
	observed Source     // what Source was before values were filled in, NaN where they were missing; nil: all were observed

	holes            *completion.Mask // of values that were filled in; nil: all were observed
	imputationErrors imputationErrors // about those values
	guessed          *completion.Mask // of values that were filled in, by which nothing is validated; nil: there are none
	absent           []Instant        // of examples of which nothing was observed, which are none of these

	searched bool      // outliers were searched for; those that were found are missing
	outliers []Outlier // that were found
}

// checked is Data.checked.
func (d trainingSet) checked() (trainingSet, error) {
	var err error
	d.Data, err = d.Data.checked()
	return d, err
}

// quiet returns the set without the run: what is trained on it is neither shown nor kept, and no limit ends it.
func (d trainingSet) quiet() trainingSet {
	d.run = Run{}
	return d
}
