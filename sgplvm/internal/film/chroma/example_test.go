package chroma_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/chroma"
)

// A film whose pixels share their chroma in pairs, as unpacked video has it: green is luma alone, and red what
// two pixels have more of it.
func Example() {
	const width, height = 64, 48
	film := make([]float64, 0, 3*width*height)
	for y := range height {
		for x := range width {
			green := 128 + 60*math.Sin(0.7*float64(x)+0.4*float64(y))
			red := 20 * math.Sin(0.3*float64(x/2*2)+0.2*float64(y))
			film = append(film, math.Round(green+red), math.Round(green), math.Round(green-red))
		}
	}
	c, err := chroma.Find(context.Background(), field.NewSource(film, 1, width*height, 3), width, height)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Shared(), c.Across.Shared, c.Down.Shared)
	// Output: true true false
}
