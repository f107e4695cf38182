// Package motion gives the model of package sgplvm a layer that moves things: a film's contents
// are displaced by a smooth field that changes with time, and the model learns the film as it
// looks when they are held still.
//
// # The model
//
// Channel c of the frame at time t is, at the point s of the frame,
//
//	y_c(t, s) = f_c(x(t), φ_t⁻¹(s)) + noise,   φ_t(r) = r + d(t, r)
//
// with a function f in reference coordinates r. A structured model of f alone, which sees a point
// of the frame at all times and knows nothing of its neighbours' past, has to blend an edge that
// moves; with d it only has to follow what changes where the contents are. f is the SGPLVM of the
// registered frames y(t_i, φ_i(r)), so that all its Kronecker products remain, and d is a Gaussian
// process over time.
//
// In space d is bilinear between the nodes of a coarse grid. Its unit is the width of the frame, that of
// a position its width and height, so that a field estimated on frames of one size serves any other.
//
// # Estimation
//
// Fit halves the frames until they have 2¹⁶ pixels at most, and goes on to a pyramid. From the
// coarsest level to the finest it minimises, over the displacements d_p of all frames,
//
//	Σ ρ(y_{p+1}(φ_{p+1}(r)) − y_p(φ_p(r))) + λ·Ḡ·Σ (‖d_p‖² + a²·‖∇(d_{p+1} − d_p)‖²)
//
// the first sum over frames that follow one another and the mean over pixels, the norms means over
// the nodes. ρ is 2σ²·(√(1 + e²/σ²) − 1) with e² the mean square of the standardised channels'
// differences and σ = 0.1: what appears, vanishes or glitters must not pull the field along. Ḡ is
// the mean squared derivative of the intensities, so that λ, the strength of the prior, has no unit.
// A step linearises the differences in the displacements (Lucas and Kanade 1981), both frames
// resampled to where they are supposed to be; the normal equations are block tridiagonal over time and are
// solved exactly, damped so that the sum falls. The field never folds over.
//
// The first term of the prior keeps the contents where they are on average: only differences
// between frames are seen, and errors in them would add up to a drift over the film, which stretches
// the frames and loses resolution. By it, too, the mean displacement of a sequence is near 0.
// The second fills in where there is nothing to see, over the distance a, an eighth of the width.
//
// The number of nodes and λ are chosen by cross-validation: every third frame of a sequence is left
// out, the motion of the rest estimated, and the frames predicted from those around them, linearly
// and by cubics in time, whichever does better, and carried as below. No motion at all is among the choices, and is what a film gets whose frames it does not
// predict better by 2 % (Options.Gain): one that changes smoothly in every pixel; among the others those that stretch least have an advantage of 1 %, since
// what is resampled loses a little on the full grid that the trials do not see. Trials tells how they all did.
//
// # Over time
//
// All components of all nodes are independent Gaussian processes over time with one Matérn
// correlation and one ratio of noise to signal, whose maximum of marginal likelihood Fit finds
// (Rasmussen and Williams 2006, section 5.4.1); the two components of a node have a covariance of their own. At
// predicts them at any time with their variances.
//
// # From frame to frame
//
// What the nodes are too coarse for, an eyelid or what opens and closes, is followed between each training
// frame and the next by paths on a finer lattice (path.go). They do not move the reference
// coordinates, and the model knows nothing of them: with them Motion.Restore corrects a frame that was
// carried to a time. It adds the linear interpolation in time of the training frames before and after,
// each sampled once and where its contents have gone in between, and takes off that of the registered
// frames, which stand still in between and were sampled twice. So the model says how the film
// changes, and the frames next to a time what it looks like in detail. Paths are a choice, too: the frames left
// out in the trials are predicted along them, and they have to do better by 1 %.
//
// # Errors
//
// Variances from the model and from the displacement are held to what leaving frames out shows where and
// when it does (Unrest). Finer pixels than those of training add the variance of what they may show
// (Detail). Package film puts it all together.
//
// # Use
//
//	m, err := motion.Fit(ctx, film, times, nil, motion.Options{Width: 640, Height: 360})
//	model, err := sgplvm.New(sgplvm.Data{Source: m.Register(film)}, cfg)
//	originals, err := m.Originals(ctx, film)
//	// train the model; predict mean and variance of a frame at its points; then
//	fields, err := m.At(0, []float64{t})
//	fields[0].Carry(fine, frame) // motion.Frames, the finer one of 1280×720 pixels
//	err = m.Restore(fine, originals, fields[0], data.Instant{Time: t}, -1)
//
// Pictures are sampled as cubic B-splines through their pixels (Unser 1999); beyond an edge the
// nearest pixel of the edge stands for the rest. MarshalBinary writes each
// part, most of them as JSON text. The same input gives the same bits at any GOMAXPROCS.
//
// # Measured
//
// Two clips, half of the frames for training at half size, the others predicted in full size:
// linear interpolation in time between registered frames, a cubic spline in space, and
// Carry. Root mean square errors in standard deviations, the mean over every fourth frame left out:
//
//	                                     without   with motion   nodes   λ
//	eye clip, a camera held by hand      0.0662    0.0492        17×10   0.001
//	a flower opens                       0.0789    0.0775        17×10   0.01
//
// 0.026 of the first is what doubling the frame's size costs if the frame is known. Fit took less than
// a minute of one processor for 78 frames of 640×360 pixels, trials included.
//
// On every fourth of the eye clip's frames linear interpolation in time gives 0.0662 as they are, 0.0492 with
// their motion taken out, and 0.0474 where each pixel is sampled straight from the neighbouring training
// frames, as Restore does. Paths were developed on 22 of the training frames, at half the size: 0.0415
// without, 0.0401 with even movement along them, 0.0384 where they bend; nodes 23 to 65 across and λ 0.03
// to 1 differ by 2 %. Package film has what all of it brings.
//
// # Sources
//
//   - B. D. Lucas and T. Kanade, "An iterative image registration technique with an application to
//     stereo vision", IJCAI 1981.
//   - M. Unser, "Splines: a perfect fit for signal and image processing", IEEE Signal Processing
//     Magazine 16(6), 1999.
//   - C. E. Rasmussen and C. K. I. Williams, "Gaussian processes for machine learning", 2006.
//   - G. H. Golub and C. F. Van Loan, "Matrix computations", 4th edition, 2013.
//   - D. J. Field, "Relations between the statistics of natural images and the response properties of
//     cortical cells", Journal of the Optical Society of America A 4(12), 1987.
//   - A. C. Harvey, "Estimating regression models with multiplicative heteroscedasticity",
//     Econometrica 44(3), 1976.
//   - R. Hooke and T. A. Jeeves, "Direct search solution of numerical and statistical problems",
//     Journal of the ACM 8(2), 1961.
package flow
