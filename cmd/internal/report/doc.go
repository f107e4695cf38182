// Package report sets the scores of several methods, and published numbers, side by side in a [Table]:
// as text, CSV or HTML.
package report
