package safetensors

// SetMaxHeader sets the longest header allowed, in bytes, until restore is
// called.
func SetMaxHeader(n int) (restore func()) {
	old := maxHeader
	maxHeader = n
	return func() { maxHeader = old }
}
