package cli

// Exit codes of the program.
const (
	ExitDone    = 0
	ExitFailed  = 1   // data that cannot be used, or a result that cannot be written
	ExitUsage   = 2   // a command line that cannot be understood
	ExitStopped = 130 // one of StopSignals came
)
