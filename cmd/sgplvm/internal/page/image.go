package page

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"slices"
)

// tones are how values of pictures become colours: a range, and grey or the map of colours.
type tones struct {
	Low  []float64 `json:"low"` // of each channel that is shown
	High []float64 `json:"high"`
	Grey bool      `json:"grey"`
}

// byteOf returns where a value lies in the range of a channel.
func (t *tones) share(v float64, channel int) float64 {
	return max(0, min(1, (v-t.Low[channel])/(t.High[channel]-t.Low[channel])))
}

// missing is the colour of what was not seen.
var missing = color.RGBA{0xe9, 0xe4, 0xda, 0xff}

// drawn draws a picture of a shape, of which colour has the pixels; those that are not known are missing.
func drawn(s *shape, colour func(i int) (c [3]byte, known bool)) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, s.Width, s.Height))
	for i := range s.size() {
		c := missing
		if v, known := colour(i); known {
			c = color.RGBA{v[0], v[1], v[2], 0xff}
		}
		p.SetRGBA(i%s.Width, i/s.Width, c)
	}
	return p
}

// picture draws a field of a shape; NaN is missing.
func (t *tones) picture(s *shape, field []float64) *image.RGBA {
	return drawn(s, func(i int) (c [3]byte, known bool) {
		v := field[i*s.Channels : (i+1)*s.Channels]
		if slices.ContainsFunc(v, math.IsNaN) {
			return c, false
		}
		if s.Channels != 3 && !t.Grey {
			return sequential(t.share(v[0], 0)), true
		}
		for k := range c {
			channel := k * (s.Channels / 3) // of grey the first
			c[k] = byte(255*t.share(v[channel], channel) + 0.5)
		}
		return c, true
	})
}

// mapped draws a field of one channel with a map of colours.
func mapped(s *shape, field []float64, colour func(v float64) [3]byte) *image.RGBA {
	return drawn(s, func(i int) (c [3]byte, known bool) {
		if known = !math.IsNaN(field[i]); known {
			c = colour(field[i])
		}
		return c, known
	})
}

// pictureURL returns a picture of a shape as the address of itself: of photographs in colour JPEG, which is smaller, else PNG.
func pictureURL(s *shape, p image.Image) (markup, error) {
	if s.Channels == 3 {
		text, err := jpegText(p, 85)
		return markup("data:image/jpeg;base64," + text), err
	}
	return pngURL(p)
}

// pngURL returns a picture as the address of itself.
func pngURL(p image.Image) (markup, error) {
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&b, p); err != nil {
		return "", err
	}
	return markup("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())), nil
}

// jpegText returns a picture as JPEG of some quality, in base64.
func jpegText(p image.Image, quality int) (string, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p, &jpeg.Options{Quality: quality}); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}
