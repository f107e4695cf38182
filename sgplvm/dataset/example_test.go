package dataset_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Two pictures of 3×2 pixels, each a row of the array, and a mask that
// hides the last column of both.
func Example() {
	folder, err := os.MkdirTemp("", "frames")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	save := func(name string, a *npy.Array) string {
		path := filepath.Join(folder, name)
		var file bytes.Buffer
		if err := errors.Join(npy.Write(&file, a), os.WriteFile(path, file.Bytes(), 0o666)); err != nil {
			log.Fatal(err)
		}
		return path
	}
	data := save("frames.npy", npy.New([]uint8{
		10, 11, 12, 13, 14, 15,
		20, 21, 22, 23, 24, 25}, 2, 6))
	hidden := save("mask.npy", npy.New([]uint8{
		1, 1, 0,
		1, 1, 0}, 2, 3))

	width, height, err := dataset.ParseGrid("3x2")
	if err != nil {
		log.Fatal(err)
	}
	frames, err := dataset.Load(data, dataset.Layout{Width: width, Height: height})
	if err != nil {
		log.Fatal(err)
	}
	mask, err := dataset.LoadMask(hidden, &frames.Form)
	if err != nil {
		log.Fatal(err)
	}
	frames = frames.WithMask(mask)
	frames.Name = "frames.npy"
	fmt.Println(frames.Values(1), frames.Missing(1), "missing")
	fmt.Println(dataset.CheckComplete(frames))

	grid, err := dataset.Grid(width, height, "product")
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range grid {
		fmt.Println(f.Data)
	}
	// Output:
	// [20 21 NaN 23 24 NaN] 2 missing
	// frames.npy: frame 0, row 0, column 2, channel 0: found NaN (4 missing or infinite values in all), expected a finite number in every place
	// [0 1]
	// [0 1 2]
}

// A row of three pixels in twice the resolution: Cover keeps the outermost points, Pixels
// the area.
func ExamplePixels() {
	g := sgplvm.Grid{mat.Vector([]float64{0}), mat.Vector([]float64{0, 1, 2})}
	points, err := dataset.Cover(g, 6, 1)
	if err != nil {
		log.Fatal(err)
	}
	pixels, err := dataset.Pixels(g, dataset.Layout{Width: 3, Height: 1}, 6, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(points[1].Data)
	fmt.Println(pixels[1].Data)
	// Output:
	// [0 0.4 0.8 1.2 1.6 2]
	// [-0.25 0.25 0.75 1.25 1.75 2.25]
}

// Two months of temperatures at three places and one on land, in a long table: a model's numbers (here made up) go to
// the places where values are missing.
func ExampleLoadSet() {
	folder, err := os.MkdirTemp("", "set")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "sea.csv")
	table := `time,lat,lon,value
1990-01-31,60,0,4.5
1990-01-31,60,5,
1990-01-31,50,0,9
1990-01-31,50,5,
1990-02-28,60,0,
1990-02-28,60,5,5
1990-02-28,50,0,9.5
1990-02-28,50,5,
`
	if err := os.WriteFile(path, []byte(table), 0o666); err != nil {
		log.Fatal(err)
	}
	set, err := dataset.LoadSet(path, dataset.SetOptions{})
	if err != nil {
		log.Fatal(err)
	}
	missing, of := set.Missing()
	fmt.Println(set.Count, "examples,", dataset.FormatGrid(set.Width, set.Height), "points,", missing, "of", of, "values missing")
	fmt.Println(set.Notes)

	data, points := set.Data(2048) // NaN where a value is missing
	fmt.Println(points, data.Grid[0].Data, data.Times)
	mean := []float64{0, 4.75, 0, 4.25, 0, 0} // of 2 examples × 3 points
	variance := []float64{1, 0.25, 1, 0.04, 1, 1}
	filled, err := set.Fill(points, mean, variance, false)
	if err != nil {
		log.Fatal(err)
	}
	if err := set.Write(os.Stdout, "filled.csv", filled); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2 examples, 2x2 points, 2 of 6 values missing
	// [a value in a row: 2 examples at 4 points (by "lat", "lon") times: column "time", read as %Y-%m-%d 1 point of 4 has no value in any example: outside the model (a mask of the points that exist says otherwise)]
	// [0 1 2] [60 0 60 5 50 0] [7335 7363]
	// time,lat,lon,value
	// 1990-01-31,60,0,4.5
	// 1990-01-31,60,5,4.8
	// 1990-01-31,50,0,9
	// 1990-01-31,50,5,
	// 1990-02-28,60,0,4.2
	// 1990-02-28,60,5,5
	// 1990-02-28,50,0,9.5
	// 1990-02-28,50,5,
}
