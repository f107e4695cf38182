// Command camera draws films of textures that move in known ways, as a camera sees them: each pixel is the mean over its area, and contents go on below it.
// They measure how well frames that are missing are predicted:
//
//	go run ./sgplvm/internal/film/camera -out films
//	sgplvm reproduce video -frames films/zoom/low.npy -truth films/zoom/high.npy -train films/zoom/every.npy
//
// Each folder has the film at twice the size of training (high.npy, 20 frames of 320×192 pixels in colour), that of training (low.npy, the means over 2×2
// pixels, rounded), and which frames to learn from: every second one (every.npy), or a half at random (random.npy).
package main
