// Package views trains a model of several views of the same examples over one q(X) (docs/math.md, 27): each view has its own points, channels, spatial
// kernels, noise, latent length scales and inducing points.
//
// A View comes with the parameters of a model of the view by itself: spatial kernels stay as these have them. The latent variables start from the principal
// components of all views together (start.go) and are trained, with noise and latent kernels of all views, on the sum of the bounds (train.go).
package views
