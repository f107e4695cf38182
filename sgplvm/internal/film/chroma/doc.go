// Package chroma finds pixels that share their chroma, and puts right what follows from it (docs/math.md, 19.8).
//
// Video keeps colours in larger pixels than luma, and frames that were unpacked from it have them repeated: pairs of pixels
// across, down or both, wherever they begin. Nobody filmed these steps. Find tells them by what R − G and B − G do between
// pixels, Interpolated is the film without them, and Repeat shares chroma again in predicted pixels, as frames of the film do
// (repeat.go): finer pixels in pairs of their own. Films that share nothing go through untouched.
//
// Weights of the interpolation are learned an octave below (law.go): pairs twice as large, whose truth is seen. Of what it
// misses training frames show nothing where contents rest, since it is the same in all of them; AddVariance adds it to finer pixels (variance.go).
//
// # Sources
//
//   - C. Poynton, "Digital video and HD: algorithms and interfaces", 2nd edition, 2012.
//   - Recommendation ITU-R BT.601-7, "Studio encoding parameters of digital television for standard 4:3 and
//     wide screen 16:9 aspect ratios", 2011.
package chroma
