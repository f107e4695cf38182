package pca

// WithMostWhole calls f with another limit of what is decomposed as a whole.
func WithMostWhole(most int, f func()) {
	defer func(m int) { maxWhole = m }(maxWhole)
	maxWhole = most
	f()
}
