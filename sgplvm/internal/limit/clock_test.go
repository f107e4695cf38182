package limit

import (
	"testing"
	"time"
)

// Parts of the work get shares of what is left: those to come equal ones, a search half as much as all of them and its own.
func TestClockShares(t *testing.T) {
	c := New(time.Hour)
	c.Expects(4)
	about := func(got time.Duration, minutes float64) {
		t.Helper()
		if d := got.Minutes() - minutes; d > 0 || d < -1 {
			t.Errorf("%v, expected %v minutes", got, minutes)
		}
	}
	about(c.Search(), 20)
	for parts, minutes := range map[int]float64{4: 12, 1: 48, 0: 48} {
		c.Parts = parts
		c.Train(0.8)
		about(time.Until(c.until), minutes)
	}
	if c.Ends() || c.Cut > 0 || c.Over(0.5) || !(&Clock{Begin: time.Now().Add(-time.Hour), limit: time.Hour}).Over(0.9) {
		t.Error("ends early, or not at all")
	}
	c.until = time.Now().Add(-1)
	if first, again := c.Ends(), c.Ends(); !first || !again || c.Cut != 1 {
		t.Errorf("%d trainings counted", c.Cut)
	}
	var none *Clock
	if none.Train(1); none.Ends() || none.Over(0) || none.Untold() {
		t.Error("nothing has a limit")
	}
}

// A forecast beyond the limit is told as the limit, and what the run would have taken is kept for the report.
func TestForecastWithinLimit(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{time.Minute: time.Minute, 0: time.Hour, 2 * time.Hour: time.Hour} {
		watch := new(teller)
		c := New(limit)
		c.Watch = watch
		c.Tell(time.Hour, false)
		if len(watch.told) != 1 || watch.told[0].Round(time.Minute) != want || c.Told < time.Hour {
			t.Errorf("limit %v: told %v, kept %v", limit, watch.told, c.Told)
		}
	}
}

// A teller keeps what is told.
type teller struct{ told []time.Duration }

func (w *teller) Forecast(total time.Duration, _ bool) { w.told = append(w.told, total) }
