package sgplvm

import (
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/outlier"
)

// What training tells. Package field declares it.
type (
	Progress    = field.Progress    // of a step of training
	Report      = field.Report      // how training went
	PhaseReport = field.PhaseReport // how a phase of it went
)

// OutlierText says in one sentence that outliers count as missing, and names the first of them.
func OutlierText(found []Outlier) string { return outlier.Text(found) }

// foundOutliers adds to a report those that counted as missing.
func foundOutliers(r *Report, found []Outlier) {
	if r.Outliers = found; len(found) > 0 {
		r.Warnings = append([]string{OutlierText(found)}, r.Warnings...)
	}
}

// A FillCheck tells how well values were filled in that were hidden on purpose.
type FillCheck struct {
	Kind    string // in which way values are missing, in words; empty where it is about all
	Missing int    // how many values are missing like this
	By      string // what fills them in: the model, or the simplest method that is better

	Values   int     // how many were hidden
	RMSE     float64 // root mean square error, in the user's units or Deviations
	NLP      float64 // mean negative log density, nats a value
	Coverage float64 // the share of them within central intervals of 90 %
	Factor   float64 // of all variances, these among them, as these values ask; 0: nothing was chosen, or factors were given

	Simplest     string // which of the simplest methods has the least error of the same values, and that; empty where there is none
	SimplestRMSE float64

	Deviations bool // errors are in standard deviations of the columns, since the data are a table of several
}
