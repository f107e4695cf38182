// Package motion finds out what moves in a film, takes the motion out, and puts it back: a film's contents
// are displaced by a smooth field that changes with time, and the model of package sgplvm learns the film
// with these displacements undone. Package film joins the two.
//
// # The model
//
// Channel c of the frame at time t is, at the point s of the frame,
//
//	y_c(t, s) = f_c(x(t), φ_t⁻¹(s)) + noise,   φ_t(r) = r + d(t, r)
//
// with a function f in reference coordinates r. A model without d cannot follow an edge that moves: it
// blends the edge's places. With d it only has to follow what changes where the contents are. f is the SGPLVM
// of the registered frames y(t_i, φ_i(r)), so that all its Kronecker products remain, and d is a Gaussian
// process over time.
//
// In space d is bilinear between the nodes of a coarse lattice. Its unit is the width of the frame, that of
// a position its width and height, so that a field estimated on frames of one size serves any other.
//
// # Estimation
//
// Nothing is followed across a cut (cuts.go); at a time between two shots, frames are those of either (moments.go).
// Fit halves the frames until they have 2¹⁶ pixels at most, and builds a pyramid on them. From the coarsest level to the finest it minimises, over the displacements d_p of all frames,
//
//	Σ ρ(y_{p+1}(φ_{p+1}(r)) − y_p(φ_p(r))) + λ·Ḡ·Σ (‖d_p‖² + a²·‖∇(d_{p+1} − d_p)‖²)
//
// The first sum is over frames that follow one another and the mean over pixels; the norms are means over
// the nodes. ρ is 2σ²·(√(1 + e²/σ²) − 1) with e² the mean square of the standardised channels'
// differences and σ = 0.1, so that what appears, vanishes or glitters does not pull the field along. Ḡ is
// the mean squared derivative of the intensities, so that λ, the strength of the prior, has no unit.
// A step linearises the differences in the displacements (Lucas and Kanade 1981), both frames
// resampled to where they are supposed to be. The normal equations are block tridiagonal over time; they are
// solved exactly, and damped so that the sum falls. The field never folds over.
//
// The first term of the prior keeps the contents where they are on average: only differences
// between frames are seen, and errors in them would add up to a drift over the film, which stretches
// the frames and loses resolution. The second fills in where there is nothing to see, over the distance a,
// an eighth of the width.
//
// The number of nodes and λ are chosen by cross-validation. Every third frame of a sequence is left
// out and the motion of the rest is estimated. The frames left out are then predicted from the registered
// frames around them, linearly and by cubics in time, whichever does better, and warped to where they belong.
// No motion at all is among the choices; motion must predict better by 2 % (Options.Gain), and of two
// settings with motion the one that stretches more must be better by 1 %, since the full frames, which the
// trials do not see, lose more by resampling.
//
// # Over time
//
// All components of all nodes are independent Gaussian processes over time with one Matérn
// correlation and one ratio of noise to signal, whose maximum of marginal likelihood Fit finds
// (Rasmussen and Williams 2006, section 5.4.1); the two components of a node have a covariance of their own.
// Motion.Fields predicts them at any time, with their variances.
//
// Whatever two frames alone say of one another, pixel by pixel, is a PairFlow: dense optical flow both ways. Cuts are found by it.
//
// # Use
//
//	m, err := motion.Fit(ctx, film, times, nil, motion.Options{Width: 640, Height: 360})
//	registered := m.Register(film) // a source to train a model on
//	// the model predicts mean and variance of a frame at its points; then
//	moments, err := m.Moments(data.Instant{Time: t}) // two between shots
//	field := m.Field(moments[0])
//	field.Warp(fine, coarse) // frames, the finer one of 1280×720 pixels
//
// Encode writes a motion as JSON text. The same input gives the same bits at any GOMAXPROCS.
//
// Fit takes less than a minute of one processor for 78 frames of 640×360 pixels, trials included;
// sgplvm/docs/measurements.md has what it brings.
//
// # Sources
//
//   - B. D. Lucas and T. Kanade, "An iterative image registration technique with an application to
//     stereo vision", IJCAI 1981.
//   - C. E. Rasmussen and C. K. I. Williams, "Gaussian processes for machine learning", 2006.
//   - G. H. Golub and C. F. Van Loan, "Matrix computations", 4th edition, 2013.
package motion
