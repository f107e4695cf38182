package data

import "github.com/seed-08962ecc/kronfield/sgplvm/field"

// WithParts calls f with sources that are read and held in parts of the given sizes.
func WithParts(read, hold int, f func()) {
	defer func(r, h int) { SlabNumbers, gramNumbers = r, h }(SlabNumbers, gramNumbers)
	SlabNumbers, gramNumbers = read, hold
	f()
}

// Halved returns pictures with half the pixels each way.
func Halved(pictures field.Source, width, height int) field.Source {
	return halved{pictures, width, height}
}
