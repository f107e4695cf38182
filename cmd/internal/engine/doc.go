// Package engine is what the commands do with models: choose and train them and tell how that went, save, load
// and describe them and their configurations, fill in pictures, and predict frames and fields on an output grid. Beside
// package experiment it is the only caller of the library's model.
package engine
