package field

import "time"

// Progress describes a step of training.
type Progress struct {
	Phase            string  // "start", "warm-up", "joint", "latent" (all but space free), "residual" or "film" (whose frames are left out one by one)
	Iteration, Total int     // steps so far, and at most
	Bound            float64 // lower bound on the log evidence of the scaled data
	GradNorm         float64 // largest derivative of the bound in an optimised variable
	Noise            float64 // noise standard deviation as a fraction of the data's

	// StepsLeft is how many steps the part of training that goes on takes at most from here: all starts, the
	// warm-up, the steps "joint" and "latent" in turn, or all residual rounds.
	StepsLeft int

	// Elapsed is the time spent on training. PhaseLeft and TimeLeft are how long that part and all of
	// training take at most from here, at the pace of the last steps of each kind; 0 where steps of a
	// kind to come, or the calibration after them, have not been measured.
	Elapsed, PhaseLeft, TimeLeft time.Duration
}

// Report tells how training went.
type Report struct {
	Bound       float64       // lower bound on the log evidence of the scaled data
	Iterations  int           // L-BFGS steps, of all starts
	Evaluations int           // evaluations of the bound and its gradient
	Phases      []PhaseReport // how each phase went, in order
	Collapses   int           // times that training went back from a collapse into noise
	Converged   bool          // the last phase ended by itself, not at the limit
	Status      string        // how the last phase ended
	Warnings    []string      // what a user should know, one sentence each

	Missing int // values of the data, outliers among them

	// Outliers are the observed values that counted as missing; Config.KeepOutliers keeps them.
	Outliers []Outlier

	// How long Fit or Complete would take in all, as was said beforehand (0: nothing was), and how long the
	// search took. Nothing else depends on them.
	Forecast, Searched time.Duration
}

// PhaseReport tells how a phase of training went. A model's file keeps the name, the steps, the status and the bounds.
type PhaseReport struct {
	Name        string  `json:"name"`   // "start 0", "start 1", …, "warm-up", "alternating", "joint" or "residual 1", "residual 2", …
	Steps       int     `json:"steps"`  // L-BFGS steps
	Evaluations int     `json:"-"`      // evaluations of the bound and its gradient
	Bound       float64 `json:"-"`      // at its end
	Status      string  `json:"status"` // how it ended: an lbfgs.Status in words, or "collapsed"

	// Bounds are those after the steps Every, 2·Every, …; there are fewer than maxBounds of them.
	Every  int       `json:"every,omitempty"`
	Bounds []float64 `json:"bounds,omitempty"`
}

// A FillCheck tells how well values were filled in that were hidden on purpose.
type FillCheck struct {
	Kind    string // in which way values are missing, in words; empty where it is about all
	Missing int    // how many values are missing like this
	By      string // what fills them in: the methods that have a tenth of the shares or more, the largest first

	Values   int     // how many were hidden
	RMSE     float64 // root mean square error, in the user's units or Deviations
	NLP      float64 // mean negative log density, nats a value
	Coverage float64 // the share of them within central intervals of 90 %
	Factor   float64 // of all variances, these among them, as these values ask; 0: nothing was chosen, or factors were given

	Simplest     string // which of the simplest methods has the least error of the same values, and that; empty where there is none
	SimplestRMSE float64

	Deviations bool // errors are in standard deviations of the columns, since the data are a table of several
}

// A TransformCheck compares how well principal components of transforms and of values filled in observed values that were hidden, in standard deviations of the channels.
type TransformCheck struct {
	Score   string  `json:"score"` // "CRPS" (continuous ranked probability score) where values have a limit, else "root mean square error"
	With    float64 `json:"with"`
	Without float64 `json:"without"`
}

// A ViewCheck tells how well observed values of a view were predicted that were hidden from the models, in the units of the data.
type ViewCheck struct {
	Name string `json:"name"`

	// Of whole examples: by the other views, and by the mean of all examples. FromOther says that the first is used.
	Whole     float64 `json:"whole"`
	ByMean    float64 `json:"byMean"`
	FromOther bool    `json:"fromOther"`

	// Of examples that were seen in part: by all views, and by a model of the view alone. Together says that the first is used.
	Part     float64 `json:"part"`
	Alone    float64 `json:"alone"`
	Together bool    `json:"together"`
}
