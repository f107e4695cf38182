// Package field declares what callers of package sgplvm hold: where data come from, the points and times that they are of, partly
// seen examples, predictions, options and errors. Package sgplvm has them by the same names.
package field
