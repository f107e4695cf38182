package dynamics

// WithStates is withStates, for external tests.
var WithStates = withStates
