// Package limits has between which limits the values of a film's frames lie, and whether they were clipped there: what is too bright for a camera is shown
// as the greatest value. Predicted values end there as well, and no variance is larger than values between the limits can have (docs/math.md, 19.14).
//
//   - Find measures the Limits of training frames.
//   - Bound bounds variances.
//   - Clip makes of a predicted frame one whose values end at the limits (clipping.go).
//   - Within takes means that lie beyond the range of their channel to its end.
//
// # Sources
//
//   - J. Tobin, "Estimation of relationships for limited dependent variables", Econometrica 26(1), 1958.
//   - T. Popoviciu, "Sur les équations algébriques ayant toutes leurs racines réelles", Mathematica 9, 1935.
package limits
