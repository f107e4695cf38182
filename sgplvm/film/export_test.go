package film

import "github.com/seed-08962ecc/kronfield/sgplvm/internal/flow"

// Motion returns the film's motion.
func (f *Film) Motion() *flow.Motion { return f.motion }
