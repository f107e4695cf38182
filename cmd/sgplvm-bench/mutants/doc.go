// Command mutants tests the tests: it puts one fault after another into a copy of the module
// and tells which of them the tests do not notice.
//
//	go run ./cmd/sgplvm-bench/mutants                     all of them: half an hour on two processors
//	go run ./cmd/sgplvm-bench/mutants -run 'mat/|psi'     those whose file or name matches
//	go run ./cmd/sgplvm-bench/mutants -sample 5 -seed 3   five, chosen by the seed
//	go run ./cmd/sgplvm-bench/mutants -check              only whether each fits its file
//
// # The list
//
// Faults are in the .txt files beside this one:
//
//	file mat/pack.go
//	tests ./mat ./chol
//
//	: one column that is left over is not packed
//	-		if rest := b.Cols - full*nr; rest > 0 {
//	+		if rest := b.Cols - full*nr; rest > 1 {
//
// What follows "-" must occur in the file exactly once and is replaced by what follows "+";
// both may have several lines, and without "+" the text goes. A fault that does not fit any more
// is an error, so whoever changes the line changes the list, or chooses another fault of the kind. A line
// that begins with "?" says why the tests cannot notice a fault; one that they do not notice
// without such a line fails the run, as does one that does not compile.
//
// # What is run
//
// First the short tests of the file's package, then those of the other packages in the line
// "tests", then all tests of the package: each until a test fails. A fault that makes tests
// run for ever is noticed by their time limit. Before that the same tests must pass
// without a fault. Faults in assembly need a processor that has its instructions and are
// left out on others; the command is for amd64. fuzz/RUNS.md has the totals of the last run.
package main
