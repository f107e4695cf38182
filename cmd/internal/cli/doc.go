// Package cli is what every command of the program needs, whatever it does: where it reads and
// writes, typed flags and their checks, errors with exit codes, and a line of progress.
//
// A command is a function of an [Environment] and its arguments. [Run] picks it and turns its error
// into one line and an exit code:
//
//	0    success
//	1    data that cannot be used, or a result that cannot be written
//	2    a command line that cannot be understood ([Usagef])
//	130  an interrupt, or another of [StopSignals]
//
// Text of the user and of files is printed on one line with control characters spelled out, and
// long texts are shortened ([Text]).
package cli
