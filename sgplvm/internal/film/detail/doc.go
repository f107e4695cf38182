// Package detail has what pixels finer than those of training show: how they are sampled, and the variance of what
// nobody has seen.
//
// Scenes look alike from octave to octave (D. J. Field, "Relations between the statistics of natural images and the response
// properties of cortical cells", Journal of the Optical Society of America A 4(12), 1987). So all of it is learned where it can be checked: frames are
// halved, and sampled at their own size again. Measure (law.go) learns a Detail of training frames: the variance of what finer pixels
// miss, given the energy nearby; the filter that sharpens a picture before it is sampled (sharpening.go); and how values go on across the
// outermost pixels, where cameras and codecs leave lines (edges.go). Energies and classes of texture are in spectrum.go.
//
//   - AddResidual (residual.go) adds the motion-compensated residual to a frame that was warped: what registered frames lose
//     since they are sampled twice, and what moves between two frames beyond the motion. The model says how the film
//     changes, and the frames next to a time what it looks like.
//   - Sharp (superresolution.go) is what a training frame is sampled from. Where contents move by parts of pixels, frames around
//     show what one alone does not: shownpixels.go gathers pixels that show the same, shownsystem.go solves for finer ones, and
//     superresolutionlaw.go chooses how much they are trusted. What is left unresolved is in unresolved.go.
//   - A CoringLaw (coringlaw.go) learns which part of what is sharp in finer pixels is contents, and Core (coring.go) takes off the rest.
//   - An Aliasing (aliasing.go) tells what pixels miss between which contents have moved.
//   - An EnergyLoss (energyloss.go) tells how much less texture predictions show than frames have.
//   - Parts and Resolving (parts.go) scale a detail by what was measured of it.
//
// # Sources
//
//   - J. P. Rossi, "Digital techniques for reducing television noise", Journal of the SMPTE 87(3), 1978.
//   - A. C. Harvey, "Estimating regression models with multiplicative heteroscedasticity",
//     Econometrica 44(3), 1976.
//   - M. Elad and A. Feuer, "Restoration of a single superresolution image from several blurred, noisy, and
//     undersampled measured images", IEEE Transactions on Image Processing 6(12), 1997.
//   - R. C. Hardie, K. J. Barnard and E. E. Armstrong, "Joint MAP registration and high-resolution image
//     estimation using a sequence of undersampled images", the same, 1997.
//   - R. Hooke and T. A. Jeeves, "Direct search solution of numerical and statistical problems",
//     Journal of the ACM 8(2), 1961.
package detail
