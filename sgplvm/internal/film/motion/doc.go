// Package motion has the training frames of a film and what two of them say of one another: the shots between cuts (cuts.go), the moments of a time, which may
// lie between two shots, the frames around it, and dense optical flow from one frame to another and back.
package motion
