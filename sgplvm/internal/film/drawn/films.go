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

// Bending moves rows and columns, each its own way.
func Bending(t, u, v float64) (x, y float64) {
	return u + 0.02*math.Sin(0.8*t)*math.Sin(3*v), v + 0.025*math.Cos(0.6*t)*math.Sin(4*u+1)
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

// Grain is a pattern of which much is as fine as pixels are.
func Grain(u, v float64) float64 {
	return Pattern(u, v, 0) + 20*math.Sin(2.4*Width*u)*math.Cos(2.2*Width*v)
}

// GrainFilm returns frames of grain that moves by translation.
func GrainFilm(times []float64) []float64 {
	var film []float64
	for _, t := range times {
		x0, y0 := Translation(t, 0, 0)
		for y := range Height {
			for x := range Width {
				film = append(film, Grain((float64(x)+0.5)/Width-x0, (float64(y)+0.5)/Width-y0))
			}
		}
	}
	return film
}

// Disc returns frames of a textured disc that crosses a picture that does not move, by speed widths
// in a unit of time.
func Disc(times []float64, speed float64) []float64 {
	var film []float64
	for _, t := range times {
		for y := range Height {
			for x := range Width {
				u, v := (float64(x)+0.5)/Width, (float64(y)+0.5)/Width
				du, dv := u-0.3-speed*t, v-0.3-speed/2*t
				disc := 1 / (1 + math.Exp((math.Hypot(du, dv)-0.1)/0.01))
				film = append(film, (1-disc)*Pattern(u, v, 0)+disc*(100+60*math.Sin(40*du)*math.Cos(35*dv)))
			}
		}
	}
	return film
}
