package film

import "github.com/seed-08962ecc/kronfield/sgplvm/motion"

// Motion returns the film's motion.
func (f *Film) Motion() *motion.Motion { return f.moves }
