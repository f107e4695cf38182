package mixture

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/detail"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/training"
)

// mostUnfollowed is by which squared distance, in pixels of half the size, flows there and back may disagree where contents count as followed.
const mostUnfollowed = 0.04

// besidesOf returns what the two frames around one that was left out show of it, in pixels of some size, weighted as between them, and where both do, 0 or 1 for each pixel of the frames. Where its contents are in these the flows from
// itself tell: what is sharp then differs from the truth by what is no contents, and not as paths between the two miss them. ok is false where there are not two, or light fades.
func besidesOf(f *training.Frames, d *detail.Detail, x motion.Moment, size frame.Size) (shown, both frame.Image[float64], ok bool) {
	around := x.Neighbours()
	if len(around) != 2 {
		return shown, both, false
	}
	shown, both = frame.NewImage[float64](size.Width, size.Height, f.Channels), frame.NewImage[float64](f.Width, f.Height, 1)
	for k := range both.Data {
		both.Data[k] = 1
	}
	for _, n := range around {
		other := x.Shot.Examples[n.Place]
		flows := f.FlowsBetween(min(x.Without, other), max(x.Without, other))
		if flows.Light != nil {
			return shown, both, false
		}
		trip := flows.RoundTrip(x.Without > other)
		mat.Parallel(f.Height, func(row int) {
			for column := range f.Width {
				if _, _, apart, inside := trip.Follow(float64(column), float64(row)); !inside || apart > mostUnfollowed {
					both.Data[row*f.Width+column] = 0
				}
			}
		})
		picture := detail.Sharp(f, d, x.Shot, n.Place, x.Without, size.Width)
		across, down := float64(f.Width)/float64(size.Width), float64(f.Height)/float64(size.Height)
		mat.Parallel(size.Height, func(row int) {
			value, to := make([]float64, f.Channels), shown.Row(row)
			for column := range size.Width {
				p, q := trip.There.Follow(across*(float64(column)+0.5)-0.5, down*(float64(row)+0.5)-0.5)
				picture.At(value, p, q)
				for c, v := range value {
					to[column*f.Channels+c] += n.Weight * (f.Least + f.Step*v)
				}
			}
		})
	}
	return shown, both, true
}
