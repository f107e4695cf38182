package tier

import "testing"

// A test is skipped in the kinds of runs that it names, and in no other.
func TestSkip(t *testing.T) {
	for _, emulated := range []string{"", "1"} {
		t.Setenv("KRONFIELD_EMULATED", emulated)
		for runs, want := range map[Run]bool{0: false, Race: Raced, Emulated: emulated != "", Race | Emulated: Raced || emulated != ""} {
			t.Run("", func(t *testing.T) {
				skipped := true
				defer func() {
					if skipped != want {
						t.Errorf("%d, emulated %q: skipped %t", runs, emulated, skipped)
					}
				}()
				Skip(t, runs)
				skipped = false
			})
		}
	}
}
