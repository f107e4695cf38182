package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm"
)

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

// The time left is that of all training where it is known, else that of its part, else nothing.
func TestTimeLeft(t *testing.T) {
	for want, s := range map[string]sgplvm.Progress{
		"":                                    {Phase: "warm-up"},
		"  12s left at most":                  {Phase: "latent", PhaseLeft: 3 * time.Second, TimeLeft: 12 * time.Second},
		"  1m30s of the warm-up left at most": {Phase: "warm-up", PhaseLeft: 90 * time.Second},
		"  3s of these steps left at most":    {Phase: "joint", PhaseLeft: 3 * time.Second},
		"  3s of the residual rounds left at most": {Phase: "residual", PhaseLeft: 3 * time.Second},
	} {
		if got := timeLeft(s); got != want {
			t.Errorf("%+v: %q, expected %q", s, got, want)
		}
	}
}

// Where nobody watches, a line is written now and then, whichever task it is of.
func TestProgressUnwatched(t *testing.T) {
	var stderr bytes.Buffer
	e := &Environment{Stderr: &stderr, LineEvery: time.Hour}
	first, second := NewProgress(e), NewProgress(e)
	first.Show("too soon")
	second.Show("too soon")
	e.lines.last = time.Now().Add(-2 * e.LineEvery)
	second.Show("%d done", 7)
	first.Show("too soon")
	first.Clear()
	second.Clear()
	if got := stderr.String(); got != "sgplvm: 7 done\n" {
		t.Errorf("%q", got)
	}
}
