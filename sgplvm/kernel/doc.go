// Package kernel holds the covariance functions of Gaussian processes in space and in
// time.
package kernel
