package frame

import (
	"encoding/json"
)

// Known tells whether there are limits.
func (l *Limits) Known() bool { return len(l.Channels) > 0 }

// Check is that of Part.
func (l *Limits) Check(s Shape) error {
	if l.Known() && len(l.Channels) != s.Channels {
		return BadPart("limits", "those of %d channels, expected %d", len(l.Channels), s.Channels)
	}
	return nil
}

// Encode returns JSON text.
func (l *Limits) Encode() ([]byte, error) { return json.Marshal(l) }

// Decode is that of Part.
func (l *Limits) Decode(text []byte) error {
	var t Limits
	if err := json.Unmarshal(text, &t); err != nil {
		return BadPart("limits", "%v", err)
	}
	for c, r := range t.Channels {
		if !(r.Least <= r.Most) {
			return BadPart("limits", "from %v to %v in channel %d, expected a range", r.Least, r.Most, c)
		}
	}
	*l = t
	return nil
}
