// Package redteam holds completions to the simplest methods: 30 drawn data sets, of which values are missing in several ways, with times
// and without, are filled in by the least effort and by every method of package simple, and both are judged by what was drawn.
//
// A row is a fault where the error is more than 5 % and two standard errors above that of the best simple method, which is
// known only because the truth is, or where 90 % intervals cover less than 80 %. The standard error is that of the sum of differences of squared errors over
// what went missing together: an example, a run of examples, a sensor. The data are there to find faults: nothing may be tuned to them.
//
// A few rows are part of the ordinary tests. All of them, with their table:
//
//	go test ./sgplvm/internal/redteam -run TestRedTeam -long -v -timeout 3h
//
// The flag -rows takes a regular expression of rows by their names, as in -rows 'walk.*steps'.
package redteam
