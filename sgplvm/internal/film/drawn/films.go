package drawn

import (
	"math"
	"slices"
)

// Width and Height are the size of most films, in pixels.
const Width, Height = 64, 48

// A Move is the place in the frame, both coordinates in widths, where the contents of the
// reference point (u, v) are at time t.
type Move func(t, u, v float64) (x, y float64)

// Pattern is a smooth picture with structure everywhere, for u and v in widths.
func Pattern(u, v float64, c int) float64 {
	return 100 + 40*math.Sin(17*u+5*v+float64(c))*math.Cos(13*v-6*u) + 25*math.Sin(23*v+9*u+2*float64(c)) + 15*math.Cos(31*u-8*v)
}

// Film returns frames of a moving pattern: at each pixel the pattern at the point that m brings
// there.
func Film(times []float64, width, height, channels int, m Move) []float64 {
	film := make([]float64, 0, len(times)*width*height*channels)
	for _, t := range times {
		for y := range height {
			for x := range width {
				px, py := (float64(x)+0.5)/float64(width), (float64(y)+0.5)/float64(width)
				u, v := px, py
				for range 40 {
					mx, my := m(t, u, v)
					u, v = u+px-mx, v+py-my
					if math.Abs(px-mx)+math.Abs(py-my) < 1e-15 {
						break
					}
				}
				for c := range channels {
					film = append(film, Pattern(u, v, c))
				}
			}
		}
	}
	return film
}

// Translation moves all contents alike, to and fro.
func Translation(t, u, v float64) (x, y float64) {
	return u + 0.03*math.Sin(0.9*t), v + 0.025*math.Cos(0.7*t) - 0.01
}

// Rotation turns the contents about the middle, to and fro.
func Rotation(t, u, v float64) (x, y float64) {
	a := 0.08 * math.Sin(0.8*t)
	du, dv := u-0.5, v-0.375
	return 0.5 + du*math.Cos(a) - dv*math.Sin(a), 0.375 + du*math.Sin(a) + dv*math.Cos(a)
}

// Times returns n times from 0.
func Times(n int, spacing float64) []float64 {
	t := make([]float64, n)
	for i := range t {
		t[i] = float64(i) * spacing
	}
	return t
}

// Cut draws frames of which those from one on show something else, darker and mirrored.
func Cut(times []float64, from int, m Move) []float64 {
	film := Film(times, Width, Height, 1, m)
	for k := from * Width * Height; k < len(film); k += Width {
		slices.Reverse(film[k : k+Width])
		for x := range Width {
			film[k+x] = 40 - 0.9*film[k+x]
		}
	}
	return film
}
