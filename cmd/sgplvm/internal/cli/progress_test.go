package cli

import (
	"bytes"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// The line names the start that is tried or was chosen.
func TestProgressOfStarts(t *testing.T) {
	var stderr bytes.Buffer
	p := NewProgress(&Environment{Stderr: &stderr, Terminal: true})
	step := sgplvm.Progress{Phase: "start", Start: 1, Starts: 3, Iteration: 5, Total: 12}
	for _, phase := range []string{"start", "latent"} {
		p.last = p.last.AddDate(-1, 0, 0) // long ago
		step.Phase = phase
		p.Step(step)
	}
	const rest = " 5/12  bound 0.00  gradient 0  noise 0.0000  0s left"
	if got := stderr.String(); got != "\rstart 2 of 3"+rest+"\rstart 2, latent"+rest {
		t.Errorf("%q", got)
	}
}

// A line that is shorter than the one before covers it.
func TestProgressLine(t *testing.T) {
	var stderr bytes.Buffer
	p := NewProgress(&Environment{Stderr: &stderr, Terminal: true})
	for _, text := range []string{"a long line", "short", "longer"} {
		p.last = p.last.AddDate(-1, 0, 0) // long ago
		p.Show("%s", text)
	}
	p.Show("too soon")
	p.Clear()
	p.Clear()
	if got := stderr.String(); got != "\ra long line\rshort      \rlonger\r      \r" {
		t.Errorf("%q", got)
	}
}
