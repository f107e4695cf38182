// Package part divides the work of a command into parts that know nothing of each other, one a process: which examples a part has, and
// the sealed file with what it made of them.
package part
