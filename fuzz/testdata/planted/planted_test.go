package planted

import (
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/fuzz"
)

// smallest is the order at which a fault begins to show, where that is above 8.
var smallest = map[Fault]int{BlockEdge: 42}

// Without a fault all laws hold; of each fault a law is broken, by a
// counterexample of order at most 8.
func TestPlanted(t *testing.T) {
	for f := None; f < faults; f++ {
		if testing.Short() && f%4 != 1 {
			continue
		}
		t.Run(f.String(), func(t *testing.T) {
			o := fuzz.Options{Draws: 100, Shrink: 4 * time.Second}
			switch f {
			case HangsOnNaN, EndlessInverse:
				o.Limit = 2 * time.Second
			case BlockEdge: // which laws do not reach by themselves
				o.Orders = []int{40, 41, 42, 43, 48}
			case SharedBuffer: // which shows where two calls meet
				o.Draws = 1000
			}
			x := f.Library()
			var found *fuzz.Failure
			for _, l := range fuzz.Laws() {
				if f == SharedBuffer && l.Name != "goroutines" {
					continue
				}
				if v := l.Try(x, o); v.Failure != nil {
					found = v.Failure
					break
				}
			}
			if f == None {
				if found != nil {
					t.Error(found)
				}
				return
			}
			if found == nil {
				t.Fatal("no law is broken")
			}
			if most := max(8, smallest[f]); found.Order > most {
				t.Errorf("the counterexample is of order %d, want at most %d", found.Order, most)
			}
			t.Logf("order %d by %q, from order %d:\n%v", found.Order, found.Law.Name, found.First, found)
		})
	}
}
