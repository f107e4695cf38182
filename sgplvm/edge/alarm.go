package edge

import (
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/points"
)

// An Alarm says from which levels on an example of a stream is not like those of training.
type Alarm struct {
	Level float64 // of one example (Stream.Level)
	Sum   float64 // of the cumulative sum (Stream.Sum)
	Rate  float64 // of false alarms of each that these have: the wanted one, or the least that can be had
}

// Alarm returns thresholds for a rate of false alarms, a part of all examples: the lowest with which no more of the n examples like those of training, with which the model was
// compiled, and one more raise one. No rate below 1/(n + 1) can be had, and that of an alarm is off by about 1/√(n·rate) of itself. ok is false where the model was compiled without such examples.
func (m *Model) Alarm(rate float64) (a Alarm, ok bool) {
	n := float64(len(m.c.Scores))
	if n < 2 || !(rate > 0 && rate < 1) {
		return a, false
	}
	a.Rate = max(rate, 1/(n+1))
	a.Level = lowest(slices.Min(m.c.Scores), slices.Max(m.c.Scores), func(threshold float64) bool {
		return n-m.below(threshold, true)+1 <= a.Rate*(n+1)
	})
	a.Sum = lowest(0, n*n, func(threshold float64) bool { return m.sums(threshold)+1 <= a.Rate*(n+1) })
	return a, true
}

// lowest returns about the lowest threshold up to high that will do, by bisection.
func lowest(low, high float64, do func(threshold float64) bool) float64 {
	for range 64 {
		if middle := (low + high) / 2; do(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// below returns how many levels of the file are below a level, or equal.
func (m *Model) below(level float64, equal bool) (count float64) {
	for _, v := range m.c.Scores {
		if v < level || equal && v == level {
			count++
		}
	}
	return count
}

// sums returns how often the cumulative sum of the levels of the file exceeds a threshold.
func (m *Model) sums(threshold float64) (count float64) {
	var sum float64
	for _, level := range m.c.Scores {
		if sum = m.accumulated(sum, level); sum > threshold {
			sum = 0
			count++
		}
	}
	return count
}

// slack is what a cumulative sum of levels loses for each example, in their deviations.
const slack = 0.5

// accumulated returns a cumulative sum with one more level, of the mean and deviation of those of the file.
func (m *Model) accumulated(sum, level float64) float64 {
	deviation := 1.0
	if m.c.Scores != nil {
		level, deviation = level-m.levelMean, m.levelDeviation
	}
	return max(0, sum+level/deviation-slack)
}

// Transform returns the probability integral transform of a level: the part of the examples with which the model was compiled that is below it, (k + ½)/(n + 1). Those of examples like
// training's are uniform. NoEvidence where there are none or there was no level.
func (m *Model) Transform(level float64) float64 {
	if len(m.c.Scores) == 0 || level == NoEvidence {
		return NoEvidence
	}
	return (m.below(level, false) + 0.5) / float64(len(m.c.Scores)+1)
}

// normal returns a mean square of so many numbers as a standard normal number, if they are independent and normal (Wilson and Hilferty 1931).
func normal(square float64, count int) float64 {
	v := 2 / (9 * float64(count))
	return (math.Cbrt(square) - (1 - v)) / math.Sqrt(v)
}

// setLevel sets the level of an example with a score.
func (s *Stream) setLevel(f points.Foresight, count int) {
	if f.Score != f.Score {
		return
	}
	s.score, s.level, s.patch, s.place = f.Score, normal(f.Score, count), f.Patch, f.Place
	if v := s.w.c.Spreads; len(v) > 0 {
		s.level = max((s.level-v[0])/v[1], (s.patch-v[2])/v[3])
	}
	s.sum = s.w.m.accumulated(s.sum, s.level)
}

// Level returns how unlike training the last example was, of what was observed: the score on a scale on which it is about standard normal however much was observed. Of a model that was compiled with
// examples like those of training it is that, or that of the patch that is farthest off, in spreads of theirs. NoEvidence where there is no score.
func (s *Stream) Level() float64 { return s.level }

// Patch returns how many standard deviations the patch of values is off that is farthest off in the last example, and the index of the value in its middle. A patch is a value and those around it
// up to some distance, an eighth of those observed at most.
func (s *Stream) Patch() (deviations float64, index int) { return s.patch, s.place }

// Sum returns the one-sided cumulative sum of levels up to the last example, which tells that the world has changed a little for long. Whoever has heard of that calls Acknowledge.
func (s *Stream) Sum() float64 { return s.sum }

// Acknowledge begins the cumulative sum anew.
func (s *Stream) Acknowledge() { s.sum = 0 }

// Raised says which alarms the last example raises.
func (s *Stream) Raised(a Alarm) (level, sum bool) {
	return s.level > a.Level, s.sum > a.Sum
}
