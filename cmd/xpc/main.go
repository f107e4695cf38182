package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

type w struct{}

func (w) Tell(l string)                  { fmt.Fprintln(os.Stderr, l) }
func (w) Timing(t string) func()         { b := time.Now(); return func() { fmt.Fprintf(os.Stderr, "%s %.1fs\n", t, time.Since(b).Seconds()) } }
func (w) Training(t string) (func(sgplvm.Progress) bool, func()) {
	b := time.Now()
	return func(sgplvm.Progress) bool { return true }, func() { fmt.Fprintf(os.Stderr, "%s %.1fs\n", t, time.Since(b).Seconds()) }
}
func (w) Counting(string, int) (func(int), func()) { return func(int) {}, func() {} }

func main() {
	data := flag.String("data", "", "")
	times := flag.String("times", "", "")
	grid := flag.String("grid", "", "WxH")
	effort := flag.String("effort", "quick", "")
	out := flag.String("out", "", "")
	config := flag.String("config", "", "")
	period := flag.Float64("period", 0, "")
	film := flag.Bool("film", false, "")
	flag.Parse()
	load := func(p string) *npy.Array { f, err := os.Open(p); die(err); a, err := npy.Read(f); die(err); return a }
	a := load(*data)
	var wd, ht, ch int
	ch = 1
	if strings.Count(*grid, "x") == 2 { fmt.Sscanf(*grid, "%dx%dx%d", &wd, &ht, &ch) } else { fmt.Sscanf(*grid, "%dx%d", &wd, &ht) }
	n := a.Shape[0]
	d := sgplvm.Data{Examples: n, Y: mat.NewDense(n*wd*ht, ch, a.Float64s()), Grid: pix(wd, ht), Film: *film}
	if *times != "" {
		d.Times = load(*times).Float64s()
	}
	cfg := sgplvm.Config{}
	if *config != "" { f, err := os.Open(*config); die(err); cfg, err = sgplvm.ReadConfig(f); die(err) }
	cfg.Period = *period
	die(cfg.Effort.UnmarshalText([]byte(*effort)))
	cfg.Watch = w{}
	b := time.Now()
	c, err := sgplvm.Complete(context.Background(), d, cfg)
	die(err)
	fmt.Printf("check %+v %.1fs\n", c.Check, time.Since(b).Seconds())
	save(*out+".mean.npy", c.Mean, n)
	save(*out+".var.npy", c.Variance, n)
}
func save(p string, m mat.Matrix, n int) {
	f, err := os.Create(p); die(err)
	die(npy.Write(f, npy.New(m.Data, n, len(m.Data)/n))); die(f.Close())
}
func die(err error) { if err != nil { fmt.Fprintln(os.Stderr, err); os.Exit(1) } }
func pix(w, h int) sgplvm.Grid {
	c := func(n int) mat.Matrix { x := mat.New(n, 1); for i := range n { x.Set(i, 0, float64(i)) }; return x }
	return sgplvm.Grid{c(h), c(w)}
}
