package mixture_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/mixture"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// Where contents move, left-out frames give weight to what follows them.
func Example() {
	const width, height, frames = 64, 48, 9
	show := func(t, x, y float64) float64 {
		x -= 2 * t
		return 100 + 40*math.Sin(0.5*x+0.2*y) + 30*math.Cos(0.4*y-0.3*x)
	}
	var film, times []float64
	for t := range frames {
		times = append(times, float64(t))
		for k := range width * height {
			film = append(film, show(float64(t), float64(k%width), float64(k/width)))
		}
	}
	ctx, source := context.Background(), field.NewSource(film, frames, width*height, 1)
	kept, err := motion.Keep(ctx, source, width, height)
	if err != nil {
		log.Fatal(err)
	}
	m, err := motion.Find(ctx, kept, times, nil)
	if err != nil {
		log.Fatal(err)
	}
	law := mixture.NewLaw(m, kept, 0)
	truth, predicted := frame.New(width, height, 1), frame.New(width, height, 1)
	predicted.Mean.Fill(100) // a model that has learned nothing but the mean
	predicted.Variance.Fill(1000)
	for i := range frames {
		copy(truth.Mean.Data, film[i*width*height:])
		law.Add(truth, predicted, mixture.NewOthers(kept, new(mixture.Detail), m.LeftOut(i), width, height))
	}
	x, err := m.Moments(data.Instant{Time: 3.5})
	if err != nil {
		log.Fatal(err)
	}
	o := mixture.NewOthers(kept, new(mixture.Detail), x[0], width, height)
	mix := law.Mixture()
	mix.Combine(predicted, o, mix.Recipe(predicted, o))
	k := height/2*width + width/2
	fmt.Printf("off by %.0f\n", math.Abs(predicted.Mean.Data[k]-show(3.5, width/2, height/2)))
	// Output: off by 0
}
