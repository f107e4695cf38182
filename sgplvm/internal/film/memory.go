package film

import (
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/mixture"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// Memory returns about how many bytes it takes to learn from frames of a film, beside the frames and their model: flows and splines that are kept, samples of errors, and a frame that is predicted: 40 numbers a value.
func Memory(frames, points, channels int) float64 {
	return motion.CacheMemory(frames, points, channels) + mixture.LawMemory(channels) + 8*40*float64(points)*float64(channels)
}
