package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	share, _ := strconv.ParseFloat(os.Args[2], 64)
	iterations, _ := strconv.Atoi(os.Args[3])
	latent, _ := strconv.Atoi(os.Args[4])
	f, _ := os.Open("/work/shared/data/frey_faces.npy")
	a, err := npy.Read(f)
	if err != nil {
		panic(err)
	}
	_ = a
	values := numbers(a)
	rng := rand.New(rand.NewPCG(1, 1))
	order := rng.Perm(len(values) / 560)[:n]
	y := mat.New(n*560, 1)
	truth := mat.New(n*560, 1)
	for i, k := range order {
		copy(truth.Data[i*560:], values[k*560:(k+1)*560])
	}
	copy(y.Data, truth.Data)
	for i := range y.Data {
		if rng.Float64() < share {
			y.Data[i] = math.NaN()
		}
	}
	plane := mat.New(560, 2)
	for i := range 560 {
		plane.Set(i, 0, float64(i/20))
		plane.Set(i, 1, float64(i%20))
	}
	cfg := sgplvm.Config{Effort: sgplvm.EffortNone, LatentDims: latent, Seed: 1}
	cfg.Spatial = []sgplvm.SpatialConfig{{Kernel: kernel.Kernel{Kind: kernel.Matern32}}}
	cfg.Training.Iterations = iterations
	last := time.Now()
	cfg.Training.Progress = func(p sgplvm.Progress) bool {
		if time.Since(last) > 10*time.Second {
			last = time.Now()
			fmt.Fprintln(os.Stderr, p.Phase, p.Iteration, p.Bound, p.Noise, p.Elapsed)
		}
		return true
	}
	tr, err := sgplvm.NewTrainer(sgplvm.Data{Examples: n, Y: y, Grid: sgplvm.Grid{plane}}, cfg)
	if err != nil {
		panic(err)
	}
	begin := time.Now()
	r, err := tr.Fit(context.Background())
	fmt.Printf("%v %+v\n%v\n", err, r, time.Since(begin))
	var square, nlp float64
	count, cover := 0, 0
	err = tr.Complete(context.Background(), sgplvm.InferOptions{}, func(i int, p sgplvm.Prediction) error {
		for j := range 560 {
			if v := y.At(i*560+j, 0); v != v {
				e, s := p.Mean.At(j, 0)-truth.At(i*560+j, 0), p.Variance.At(j, 0)
				square += e * e
				nlp += 0.5 * (math.Log(2*math.Pi*s) + e*e/s)
				count++
				if e*e < 1.6449*1.6449*s {
					cover++
				}
			}
		}
		return nil
	})
	if count > 0 {
		fmt.Println(err, "rmse", math.Sqrt(square/float64(count)), "nlp", nlp/float64(count), "cover90", float64(cover)/float64(count), time.Since(begin))
	}
}

func numbers(a *npy.Array) []float64 {
	switch d := a.Data.(type) {
	case []uint8:
		v := make([]float64, len(d))
		for i, x := range d {
			v[i] = float64(x)
		}
		return v
	case []float64:
		return d
	case []float32:
		v := make([]float64, len(d))
		for i, x := range d {
			v[i] = float64(x)
		}
		return v
	}
	panic("type")
}
