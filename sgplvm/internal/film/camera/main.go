package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

func main() {
	out := flag.String("out", "films", "the `folder` to write to")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "camera: argument %q, expected flags alone\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := write(*out, slices.Sorted(maps.Keys(films))); err != nil {
		fmt.Fprintln(os.Stderr, "camera:", err)
		os.Exit(1)
	}
}

// write writes films to folders of a folder.
func write(folder string, names []string) error {
	textures := []*texture{newTexture(1), newTexture(2)}
	for _, name := range names {
		of := filepath.Join(folder, name)
		if err := os.MkdirAll(of, 0o777); err != nil {
			return err
		}
		high := films[name].high(textures, frames)
		for file, a := range map[string]*npy.Array{
			"high.npy":   npy.New(high, frames, height, width, channels),
			"low.npy":    npy.New(halved(high), frames, height/2, width/2, channels),
			"every.npy":  npy.New(every(), frames/2),
			"random.npy": npy.New(random(), frames/2),
		} {
			if err := save(filepath.Join(of, file), a); err != nil {
				return err
			}
		}
		fmt.Println("wrote", of)
	}
	return nil
}

// save writes an array to a file, or leaves none.
func save(path string, a *npy.Array) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(npy.Write(f, a), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// every returns the numbers of every second frame.
func every() (numbers []int64) {
	for k := range int64(frames / 2) {
		numbers = append(numbers, 2*k)
	}
	return numbers
}

// random returns those of a half of the frames at random, in order.
func random() (numbers []int64) {
	for _, k := range rand.New(rand.NewPCG(7, 0)).Perm(frames)[:frames/2] {
		numbers = append(numbers, int64(k))
	}
	slices.Sort(numbers)
	return numbers
}
