package field

import (
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/internal/text"
)

// Effort is how much work goes into choosing what a Config leaves open: fixed amounts of work, so that the
// same data, seed and effort lead to the same choice.
type Effort int

// The efforts.
const (
	EffortNormal   Effort = iota // candidates are tried one stage after the other
	EffortQuick                  // hardly any are: rules that held on other data
	EffortThorough               // more candidates, each validated by more held-out examples
	EffortNone                   // nothing is tried: what is open takes its plain default
)

var efforts = []string{"normal", "quick", "thorough", "none"}

// Factors says how the points of a grid of several factors are seen. Empty: not decided.
type Factors string

// How points are seen.
const (
	FactorsProduct Factors = "product" // a kernel for each factor
	FactorsJoint   Factors = "joint"   // one kernel over all points together
)

// Switch is on, off or, at its zero value, left to Fit of package sgplvm.
type Switch int

// The positions of a Switch.
const (
	Choose Switch = iota
	On
	Off
)

var switches = []string{"choose", "on", "off"}

func (e Effort) String() string { return word(efforts, int(e)) }
func (s Switch) String() string { return word(switches, int(s)) }

// MarshalText writes the effort as a word.
func (e Effort) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads normal, quick, thorough or none.
func (e *Effort) UnmarshalText(text []byte) error {
	i, err := fromWord(efforts, string(text))
	*e = Effort(i)
	return err
}

// MarshalText writes the switch as a word.
func (s Switch) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads choose, on or off.
func (s *Switch) UnmarshalText(text []byte) error {
	i, err := fromWord(switches, string(text))
	*s = Switch(i)
	return err
}

// UnmarshalText reads product or joint.
func (f *Factors) UnmarshalText(text []byte) error {
	words := []string{"", string(FactorsProduct), string(FactorsJoint)}
	i, err := fromWord(words, string(text))
	*f = Factors(words[i])
	return err
}

func word(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return text.Sprintf("%d", i)
	}
	return words[i]
}

func fromWord(words []string, s string) (int, error) {
	for i, w := range words {
		if w == s {
			return i, nil
		}
	}
	return 0, text.Errorf("%s, expected one of %v", quote.Text(s), words)
}
