package film

import (
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/mixture"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// workNumbers is how many numbers of 8 bytes a value of a frame takes while it is predicted: what training frames say, what is doubtful of that, pixels that show it, and enlarged ones.
const workNumbers = 40

// Memory returns about how many bytes it takes to learn from frames of a film, beside the frames and their model: flows and splines that are kept, samples of errors, and a frame that is predicted.
func Memory(frames, points, channels int) float64 {
	return motion.CacheMemory(frames, points, channels) + mixture.LawMemory(channels) + 8*workNumbers*float64(points)*float64(channels)
}
