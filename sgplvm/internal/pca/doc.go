// Package pca finds leading principal components of many rows in time and room that grow no faster than they do: of few rows by
// their Gram matrix, of few columns by the covariance of these, of many of both in a subspace, with residuals that say how
// exact they are.
package pca
