// Package sgplvm is the structured Bayesian Gaussian process latent variable
// model of Atkinson and Zabaras (2018, arXiv:1805.08665).
package sgplvm
