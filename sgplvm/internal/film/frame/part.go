package frame

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// A Part is one of the things that are known of a film beside its model, and written with it.
type Part interface {
	// Encode returns the part as bytes, which must not be changed.
	Encode() ([]byte, error)

	// Decode sets the part to what Encode returned, or reports what is wrong in it and changes nothing. Nothing
	// in it is trusted. It may keep content, which must not be changed afterwards.
	Decode(content []byte) error

	// Check reports an error unless the part was made from frames of that shape.
	Check(Shape) error
}

// Shape is what the parts of a film have in common: the size of its frames in pixels, their channels
// and their times.
type Shape struct {
	Width, Height, Channels int
	At                      []data.Instant
}

// BadPart reports a part of a file that cannot be used, in a text of bounded length.
func BadPart(name, format string, args ...any) error {
	return fmt.Errorf("film: attached %s: %.300s", name, fmt.Sprintf(format, args...))
}

// MaxNumber bounds the numbers of parts that have no unit.
const MaxNumber = 1e9

// CheckNumbers reports numbers of a part that are not between least and most.
func CheckNumbers(part, name string, least, most float64, numbers ...float64) error {
	for _, v := range numbers {
		if !(v >= least && v <= most) {
			return BadPart(part, "%s %v, expected %v to %v", name, v, least, most)
		}
	}
	return nil
}
