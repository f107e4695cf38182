// Package mixture weighs the model's prediction against three that need the two training frames around a time alone
// (Others): linear interpolation of each pixel, the nearer frame, and interpolation along the dense optical flow between the two
// (dense.go), on paths that bend as far as the frames beside them say (bends.go), weighed against those through points nearby (hypotheses.go). Frames with noise are averaged with those beside them first (smoothing.go).
//
// A Mixture's weights depend on what the two frames disagree about at a place; its variances (variancelaw.go) on that, on how far model and
// flow are apart, on what the two flows disagree about, on the texture (in finer pixels, steep.go), on what rests at a pixel, and on how much whole frames flicker. A Law (law.go, lesson.go) learns both where
// frames are left out, so that what is behind there has no weight; of few frames it takes what usually holds (fewframes.go). Two more
// laws are learned beside it:
//
//   - an EnlargingLaw: how much finer pixels still miss where two frames show more together than one, and, by what frames beside a left-out one
//     show of it (besides.go), which part of what is sharp in them is contents;
//   - a NoiseLaw: what of the frames is white noise, which no prediction can know.
//
// What training frames around a time show of a frame that was seen in part is in followed.go.
// What pixels miss between them is in aliasedlaw.go. Frames around resolve some of it: enlarged.go chooses, by left-out frames, between the flow between frames as they are and
// that between enlarged ones, for pixels of training.
package mixture
