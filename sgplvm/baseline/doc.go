// Package baseline holds what else one would try for filling in the missing part
// of a picture, given complete pictures of its kind: the rivals that a latent
// variable model has to beat, each fitted as well as its training pictures
// allow.
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
// # How settings are chosen
//
// Numbers of components, shrinkage, bandwidths and the like are chosen by
// cross-validation inside the training pictures. A fold of them is left out, values are
// hidden under masks like those expected later, and the settings are those under
// which the hidden values are likeliest. All variances have one factor in common, which
// takes its best value for any settings, the mean of squared residuals over
// variances. [Method.Residuals] are the standardised residuals of
// cross-validation; from them a caller may calibrate intervals further.
//
// # Covariances from few pictures
//
// With n pictures of p > n values the sample covariance S is singular, and what it
// says of distant values is mostly chance. So it is tapered, S∘C with correlations C
// that fall with the distance (Houtekamer and Mitchell, Monthly Weather Review
// 129(1), 2001; Furrer and Bengtsson, Journal of Multivariate Analysis 98(2),
// 2007), and shrunk towards a target with a kernel over space (after Ledoit and
// Wolf, Journal of Portfolio Management 30(4), 2004). No taper and a target without
// correlations are among the settings.
//
// Pictures differ in how far they stray from what is usual. The conditional
// covariances of ppca, gaussian and local-gaussian are those of Student's t: they
// grow with the Mahalanobis distance of what was observed. ∞ degrees of freedom, the normal
// distribution, is among the settings.
//
// # Models of other packages
//
// [Each] makes a [Filler] of any function that fills in one picture, such as
// a trained model's. A plain Bayesian GP-LVM (Titsias and Lawrence 2010) is
// package sgplvm's model with one white spatial kernel.
//
// The same data, options and seed give the same bits at any GOMAXPROCS.
package baseline
