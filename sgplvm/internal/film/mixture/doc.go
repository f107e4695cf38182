// Package mixture weighs the model's prediction against three that need the two training frames around a time alone
// (Others): linear interpolation of each pixel, the nearer frame, and interpolation along the dense optical flow between the two
// (dense.go), on paths that bend as far as the frames beside them say (bends.go).
//
// A Mixture's weights are the same everywhere between frames; its variances (variancelaw.go) depend on what the model expects, on how far what both frames show along the flow's paths is apart, and on
// slopes. A Law (law.go) learns both where frames are left out, so that what is behind there has no weight; of few frames it takes what usually holds (fewframes.go).
//
// What training frames around a time show of a frame that was seen in part is in followed.go.
package mixture
