package picture

import (
	_ "embed"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"sync"
	"unicode"
)

// Characters are drawn of squares of inkDot pixels.
const (
	inkDot      = 2
	glyphWidth  = 5
	glyphHeight = 9 // of which two are below the line
	pitch       = glyphWidth + 1
	textHeight  = inkDot * glyphHeight
)

// glyphs are the characters of captions, nine rows of five dots each. Capitals look like small letters. In font.txt a line
// of characters stands above the rows of each of them.
//
//go:embed font.txt
var fontText string

var glyphs = sync.OnceValue(func() map[rune][]string {
	all := map[rune][]string{}
	lines := strings.Split(fontText, "\n")
	for ; len(lines) > glyphHeight; lines = lines[1+glyphHeight:] {
		for x, r := range []rune(lines[0]) {
			for _, row := range lines[1 : 1+glyphHeight] {
				if x%pitch == 0 {
					all[r] = append(all[r], row[x:x+glyphWidth])
				}
			}
		}
	}
	return all
})

// ink is the colour of captions.
var ink = color.RGBA{40, 40, 40, 255}

// unknown stands for a character without a glyph.
var unknown = []string{"#####", "#...#", "#...#", "#...#", "#...#", "#...#", "#####"}

// textWidth returns the width of a caption in pixels.
func textWidth(s string) int {
	n := len([]rune(s))
	if n == 0 {
		return 0
	}
	return inkDot * (n*pitch - 1)
}

// drawText writes a caption with its top left corner at (x, y).
func drawText(img *image.RGBA, x, y int, s string) {
	for i, r := range []rune(s) {
		glyph, ok := glyphs()[unicode.ToLower(r)]
		if !ok {
			glyph = unknown
		}
		for dy, line := range glyph {
			for dx := range glyphWidth {
				if line[dx] == '#' {
					corner := image.Pt(x+inkDot*(i*pitch+dx), y+inkDot*dy)
					draw.Draw(img, image.Rectangle{corner, corner.Add(image.Pt(inkDot, inkDot))}, image.NewUniform(ink), image.Point{}, draw.Src)
				}
			}
		}
	}
}
