package field

import "github.com/seed-08962ecc/kronfield/internal/text"

// UpdateReport tells how new examples fit a model. Errors are root mean squares of what a model leaves of their observed values, given their
// latent variables, in standard deviations of the channels.
type UpdateReport struct {
	Examples      int     // new ones
	Count         float64 // how many examples the model now counts, forgotten ones in part
	Before, After float64 // errors of the model as it was and as it is now
	Noise         float64 // the error that the noise of the model as it was makes

	// Unexplained is the share of the variance of the new examples that neither the model as it is now nor that noise explains: what lies
	// beyond its inducing points and kernels, which training with these examples would move.
	Unexplained float64

	// Outliers are values far outside what the model can explain, which counted as missing.
	Outliers []Outlier
}

// A ShardPart is one of Count parts of the examples, by its number from 1.
type ShardPart struct{ Index, Count int }

// A PartError reports a part that cannot be used, or that is missing.
type PartError struct {
	Part ShardPart // zero where the file does not say
	Err  error
}

func (e *PartError) Error() string {
	if e.Part.Count == 0 {
		return e.Err.Error()
	}
	return text.Sprintf("part %d of %d %s", e.Part.Index, e.Part.Count, e.Err.Error())
}

func (e *PartError) Unwrap() error { return e.Err }
