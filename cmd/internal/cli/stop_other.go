//go:build !unix

package cli

import (
	"os"
	"syscall"
)

// StopSignals are what stops a command, which tidies up; another one ends it at once.
var StopSignals = []os.Signal{os.Interrupt, syscall.SIGTERM}
