// Package data holds what examples are to the model: where they are read from (Source), at which
// points they were seen (Grid), at which times (Instant, Sequence), in which units the model has
// them (Scaler, Scaled), and what can be wrong with them (ConfigError, ValueError, ReadError).
//
// It knows nothing of the model: films, kernels in time and the bound all stand on it.
package data
