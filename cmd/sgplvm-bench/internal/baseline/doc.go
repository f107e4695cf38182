// Package baseline holds the methods that a latent variable model is compared
// with: they fill in the missing part of a picture, given complete pictures of its
// kind, each fitted as well as its training pictures allow.
//
// # The methods
//
//	nearest         the training picture nearest on the observed values
//	ppca            probabilistic principal component analysis (Tipping and
//	                Bishop 1999), fitted by maximum likelihood
//	gaussian        a Gaussian of all values, its covariance tapered and shrunk
//	local-gaussian  the same for each picture anew, from training pictures
//	                weighted by how much they look like it where it is seen
//	gp              Gaussian-process regression on each picture alone
//
// [Fit] fits one of them to [Data], and the [Method] fills in pictures with NaN
// where values are missing: a mean and a variance, noise included, for each.
//
// # How parameters are selected
//
// Numbers of components, shrinkage, bandwidths and the like are selected by
// cross-validation inside the training pictures. A fold of them is left out, values are
// hidden under masks like those expected later, and the parameters are those under
// which the hidden values are likeliest. All variances have one factor in common, which
// takes its best value for any parameters, the mean of squared residuals over
// variances.
//
// # Covariances from few pictures
//
// With n pictures of p > n values the sample covariance S is singular, and what it
// says of distant values is mostly chance. So it is tapered, S∘C with correlations C
// that fall with the distance (Houtekamer and Mitchell, Monthly Weather Review
// 129(1), 2001; Furrer and Bengtsson, Journal of Multivariate Analysis 98(2),
// 2007), and shrunk towards a target with a kernel over space (after Ledoit and
// Wolf, Journal of Portfolio Management 30(4), 2004). No taper and a target without
// correlations are among the parameters.
//
// Pictures differ in how far they stray from what is usual. The conditional
// covariances of ppca, gaussian and local-gaussian are those of Student's t: they
// grow with the Mahalanobis distance of what was observed. ∞ degrees of freedom, the normal
// distribution, is among the parameters.
//
// # Data with holes
//
// [Complete] fills in pictures of which each may have holes, from what is seen of all of them:
//
//	dineof          the singular value decomposition of the completed pictures, filled in
//	                again and again (Beckers and Rixen 2003; Alvera-Azcárate et al. 2005)
//	softimpute      the same with singular values lowered, not cut off (Mazumder, Hastie
//	                and Tibshirani 2010)
//	ppca-em         probabilistic principal component analysis by the EM algorithm
//	                (Tipping and Bishop 1999; Roweis 1998)
//	gaussian-em     a Gaussian of all values by the EM algorithm, its covariance shrunk
//	                towards one with correlations that fall with the distance
//	                (Little and Rubin 2002; Schneider 2001)
//	oi              optimal interpolation from the nearest values in space and time
//	                (Gandin 1963; Bretherton, Davis and Fandry 1976)
//	cubic           cubic interpolation within each picture, the nearest value outside
//
// Each has one parameter or a few, selected by observed values that are hidden as others are
// missing: whole masks of other pictures where some pictures are whole, scattered values where holes are
// scattered, else parts of the blobs of other pictures. The hidden values give all variances one factor too.
// DINEOF and SoftImpute have no variances of their own: they get those of an optimal interpolation with the
// components found (Beckers, Barth and Alvera-Azcárate 2006); the cubic gets mean squared residuals by distance.
// A picture of which nothing is seen and a point that nobody has seen are filled in too.
//
// # Films
//
// [FitFilm] learns from some frames of a film, and the [FilmMethod] predicts frames at
// any times and in any finer resolution, slab by slab, so that no more than some rows of
// some frames are ever in memory:
//
//	interpolation   between the frames before and after, linearly for each pixel
//	climatology     the mean of the frames of the same phase of a period
//	gp-time         Gaussian-process regression in time for each pixel alone, with an
//	                unknown constant (ordinary kriging)
//	gp-space-time   Gaussian-process regression in time and space, exactly, with a
//	                covariance that is a Kronecker product
//	flow            dense optical flow between the frames before and after, both of them
//	                warped along it and blended by time
//
// The first three are weighted sums of frames, with the same weights for all pixels. Their
// parameters are those under which training frames that are left out are likeliest, for which
// the n×n matrix of the inner products of the frames is enough. Each pixel has a
// variance of its own, from its residuals when left out, shrunk towards that of its
// channel. Resampling is bicubic; what it cannot know is judged one octave lower, where
// the truth is known, and added to the variance.
//
// The last maximises the marginal likelihood of all values. With the spectra of the three
// factors, one evaluation with all gradients costs two products of the data with a matrix for
// each axis, and predictions with exact variances one each; for 78 frames of 640×360 pixels
// and three channels that is about 2·10¹¹ operations, and memory is four times that of
// the data.
//
// The flow is that of package opticalflow, estimated both ways between the means of the channels. Frames are warped bicubically
// and enlarged by Lanczos. Its variances are those of interpolation, for errors of its own.
//
// Pixels of both resolutions cover the same area: one of the coarse grid is the mean of
// the fine cells that it covers.
//
// Covariance functions are those of package kernel.
//
// The same data, options and seed give the same bits at any GOMAXPROCS.
package baseline
