package cli_test

import (
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/sgplvm/internal/cli"
)

// An interrupt ends a search once, and neither one that is over nor one that cannot be interrupted.
func TestInterrupt(t *testing.T) {
	var stderr strings.Builder
	e := &cli.Environment{Stderr: &stderr}
	if e.Searching() != nil || e.Interrupt() {
		t.Error("a search that nobody can interrupt is interrupted")
	}
	e.Interruptible()
	if e.Interrupt() {
		t.Error("an interrupt ends a search before there is one")
	}
	ended := e.Searching()
	select {
	case <-ended:
		t.Error("a search ends by itself")
	default:
	}
	if !e.Interrupt() || e.Interrupt() {
		t.Error("an interrupt does not end a search once")
	}
	<-ended
	if !strings.HasPrefix(stderr.String(), "sgplvm: the search ends here") || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("%q", stderr.String())
	}
	ended = e.Searching()
	_, stop := e.Training("")
	stop()
	if e.Interrupt() {
		t.Error("an interrupt ends a search that is over")
	}
	select {
	case <-ended:
		t.Error("a search that is over was interrupted")
	default:
	}
}
