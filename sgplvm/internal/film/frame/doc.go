// Package frame has the pictures that the rooms of package film work on, and nothing that knows of motion.
//
// A Frame is a prediction: mean and variance of each pixel, a row a pixel. An Image is numbers to compute with, in rows as
// pictures have them. Both count pixels from the upper left; the centre of pixel (x, y) is the point (x, y), and a picture of
// other pixels that covers the same ground has its own numbers there (SampleOver). Beyond an edge the nearest pixel stands for the rest.
//
// Pictures become coarser as means over pixels (Downsample), and are sampled between pixels bilinearly (SampleLinear) or as
// cubic B-splines through their pixels (ToSpline, Sample; M. Unser, "Splines: a perfect fit for signal and image processing", IEEE
// Signal Processing Magazine 16(6), 1999).
//
// A Part is what a film's file has beside its model; each room has its own, and checks them with the names and bounds of part.go.
package frame
