// Package predict is everything that a trained model says.
package predict
