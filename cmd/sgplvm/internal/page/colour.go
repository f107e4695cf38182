package page

import (
	"fmt"
	"math"
)

// sequential returns colour t of 0 to 1 of a map from dark blue over green to pale yellow, of which lightness rises evenly: it can be read
// with any colour vision and in grey. It is a line in Oklab (Ottosson 2020), turning in hue.
func sequential(t float64) [3]byte {
	t = max(0, min(1, t))
	light := 0.28 + 0.65*t
	chroma := 0.06 + 0.05*math.Sin(math.Pi*(0.1+0.8*t))
	hue := (275 - 170*t) * math.Pi / 180
	return oklab(light, chroma*math.Cos(hue), chroma*math.Sin(hue))
}

// diverging returns colour t of −1 to 1 of a map from blue over white to orange.
func diverging(t float64) [3]byte {
	t = max(-1, min(1, t))
	hue := 55.0
	if t < 0 {
		hue = 255
	}
	return oklab(0.97-0.45*math.Abs(t), 0.15*math.Abs(t)*math.Cos(hue*math.Pi/180), 0.15*math.Abs(t)*math.Sin(hue*math.Pi/180))
}

// oklab returns a colour of Oklab in sRGB, cut to its range.
func oklab(l, a, b float64) [3]byte {
	cube := func(v float64) float64 { return v * v * v }
	x, y, z := cube(l+0.3963377774*a+0.2158037573*b), cube(l-0.1055613458*a-0.0638541728*b), cube(l-0.0894841775*a-1.2914855480*b)
	var c [3]byte
	for i, v := range [3]float64{
		4.0767416621*x - 3.3077115913*y + 0.2309699292*z,
		-1.2684380046*x + 2.6097574011*y - 0.3413193965*z,
		-0.0041960863*x - 0.7034186147*y + 1.7076147010*z,
	} {
		if v = max(0, min(1, v)); v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		c[i] = byte(math.Round(255 * v))
	}
	return c
}

// table returns 256 colours of a map as hexadecimal text.
func table(colour func(t float64) [3]byte) string {
	var text []byte
	for i := range 256 {
		text = fmt.Appendf(text, "%x", colour(float64(i)/255))
	}
	return string(text)
}

// labels are eight colours that people with any colour vision tell apart (Okabe and Ito 2008).
var labels = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#b8a800"}

// gradient is the style of the scale of the map of colours.
func gradient() string {
	text := ".sequential { background: linear-gradient(90deg"
	for i := range 9 {
		text += fmt.Sprintf(", #%x", sequential(float64(i)/8))
	}
	return text + "); }\n"
}
