// Package psi holds the kernel of the latent variables and its psi statistics.
package psi
