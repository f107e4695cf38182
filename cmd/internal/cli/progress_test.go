package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
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

// Where a step takes long, a line says what the work is about and for how long it goes on: of a watched line in its place.
func TestOverdue(t *testing.T) {
	for terminal, want := range map[bool]string{false: "sgplvm: at 7 (40s so far)\nsgplvm: fill (1m0s so far)\n", true: "\rat 7\rat 7 (40s so far)\r                 \rsgplvm: fill (1m0s so far)\n"} {
		var stderr bytes.Buffer
		e := &Environment{Stderr: &stderr, Terminal: terminal, LineEvery: time.Hour}
		e.lines.last = time.Now()
		p := NewProgress(e)
		p.Show("at %d", 7)
		e.sayOverdue("fill", time.Second) // too soon
		late := func() { e.lines.last = time.Now().Add(-2 * e.LineEvery) }
		late()
		e.sayOverdue("fill", 40*time.Second)
		p.Clear()
		late()
		e.sayOverdue("fill", time.Minute)
		if got := stderr.String(); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}

// A command that does not hear an interrupt ends all the same, once with what is to be said then, and removes what it was writing.
func TestLeave(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	var stderr bytes.Buffer
	ended := make(chan int, 1)
	deaf := func(_ context.Context, e *Environment, _ []string) error {
		e.OnLeave(func() { e.Note("kept") })
		return files.WriteAtomic("result", func(io.Writer) error {
			cancel()
			select {} // hears nothing
		})
	}
	e := &Environment{Stdout: io.Discard, Stderr: &stderr, Exit: func(code int) {
		if list, err := os.ReadDir("."); err != nil || len(list) > 0 {
			t.Errorf("left %v, %v", list, err)
		}
		ended <- code
		select {}
	}}
	go Run(ctx, e, []Command{{Name: "deaf", Run: deaf}}, []string{"deaf"})
	code := <-ended
	if got := stderr.String(); code != ExitStopped || got != "sgplvm: kept\nsgplvm: interrupted\n" {
		t.Errorf("code %d, %q", code, got)
	}
}
