// Package mixture weighs the model's prediction against three that need the two training frames around a time alone
// (Others): linear interpolation of each pixel, the nearer frame, and interpolation along the dense optical flow between the two
// (dense.go), on paths that bend as far as the frames beside them say (bends.go).
//
// A Mixture's weights depend on what the two frames disagree about at a place; its variances (variancelaw.go) on what the model expects, on that mismatch, on
// slopes and on what rests at a pixel, and on how much whole frames flicker. A Law (law.go, weightfit.go) learns both where
// frames are left out, so that what is behind there has no weight; of few frames it takes what usually holds (fewframes.go).
//
// What training frames around a time show of a frame that was seen in part is in followed.go.
package mixture
