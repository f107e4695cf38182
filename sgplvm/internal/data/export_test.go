package data

// WithParts calls f with sources that are read and held in parts of the given sizes.
func WithParts(read, hold int, f func()) {
	defer func(r, h int) { SlabNumbers, gramNumbers = r, h }(SlabNumbers, gramNumbers)
	SlabNumbers, gramNumbers = read, hold
	f()
}
