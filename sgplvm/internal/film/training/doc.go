// Package training keeps the training frames as they are, beside the model that learns them registered: their values in
// 16 bits, which is exact for pictures, the dense flows between pairs of them, and the splines that were sampled last. A
// prediction takes from them what two samplings blur (package detail) and what they say by themselves (package mixture).
package training
