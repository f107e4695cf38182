package motion

import (
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A Moment is a time as one shot sees it, of which a training frame may be unknown.
type Moment struct {
	Shot    Sequence
	Time    float64
	Without int // that frame; −1: all are known

	// Chance is how likely it is that the time is in the shot.
	Chance float64
}

// Moments returns those of a time: two between shots, since the cut is as likely at any time between the frames around it.
// Errors: *field.ConfigError for an unknown sequence.
func (m *Motion) Moments(at data.Instant) ([]Moment, error) {
	shots, err := m.shots(at.Sequence)
	if err != nil {
		return nil, err
	}
	k := shotAt(shots, at.Time)
	for i := max(k-1, 0); i < min(k+1, len(shots)-1); i++ {
		if a, b := shots[i].last(), shots[i+1].Times[0]; a < at.Time && at.Time < b {
			w := (at.Time - a) / (b - a)
			return []Moment{{shots[i], at.Time, -1, 1 - w}, {shots[i+1], at.Time, -1, w}}, nil
		}
	}
	return []Moment{{shots[k], at.Time, -1, 1}}, nil
}

// LeftOut returns the moment of a training frame, as if it were unknown. It panics if there is no such frame.
func (m *Motion) LeftOut(frame int) Moment {
	s, p := m.find(frame)
	return Moment{s, s.Times[p], frame, 1}
}

// Alone tells that no frame of the shot is known.
func (x Moment) Alone() bool { return x.Without >= 0 && len(x.Shot.Examples) == 1 }

// Neighbours are those of the shot.
func (x Moment) Neighbours() []Neighbour { return x.Shot.neighbours(x.Time, x.Without) }
