package redteam

import (
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/mat"
)

// A world is a drawn data set: n examples of a grid of points, or of a table, which is one point with a channel a column.
type world struct {
	name                      string
	n, height, width, columns int
	timeless, irregular       bool // examples do not follow one another; times are not evenly spaced
	draw                      func(r *rand.Rand, d *drawn)
}

// drawn is what a world draws.
type drawn struct {
	t []float64  // n
	x mat.Matrix // of each value the row and the column, p×2
	y mat.Matrix // n×p
}

func (w world) values() int { return w.height * w.width * w.columns }

// sample draws a world: the same one always.
func (w world) sample() *drawn {
	var seed uint64
	for _, c := range w.name {
		seed = seed*31 + uint64(c)
	}
	r := rand.New(rand.NewPCG(seed, 65))
	d := &drawn{t: make([]float64, w.n), x: mat.New(w.values(), 2), y: mat.New(w.n, w.values())}
	for i := 1; i < w.n; i++ {
		if d.t[i] = float64(i); w.irregular {
			d.t[i] = d.t[i-1] + 0.1 + r.ExpFloat64()
		}
	}
	for j := range d.x.Rows {
		d.x.Set(j, 0, float64(j/(w.width*w.columns)))
		d.x.Set(j, 1, float64(j%(w.width*w.columns)))
	}
	w.draw(r, d)
	return d
}

// set sets all values by a function of example and column.
func (d *drawn) set(f func(i, j int) float64) {
	for k := range d.y.Data {
		d.y.Data[k] = f(k/d.y.Cols, k%d.y.Cols)
	}
}

func (d *drawn) byColumn(draw func() []float64) {
	for j := range d.y.Cols {
		mat.Copy(d.y.Slice(0, d.y.Rows, j, j+1), mat.Vector(draw()))
	}
}

func (d *drawn) byExample(draw func() []float64) {
	for i := range d.y.Rows {
		copy(d.y.Row(i), draw())
	}
}

// mix adds a matrix of low rank, a process for each of some functions of columns, and noise.
func (d *drawn) mix(r *rand.Rand, rank int, process, function func() []float64, sd float64) {
	for range rank {
		z, w := process(), function()
		d.set(func(i, j int) float64 { return d.y.At(i, j) + z[i]*w[j] })
	}
	d.set(func(i, j int) float64 { return d.y.At(i, j) + sd*r.NormFloat64() })
}

// waves draws a smooth function of about unit variance at places, one a row.
func waves(r *rand.Rand, x mat.Matrix, length float64) func() []float64 {
	return func() []float64 {
		z, f := make([]float64, x.Rows), make([]float64, x.Cols)
		for range 16 {
			for q := range f {
				f[q] = r.NormFloat64() / length
			}
			phase := 2 * math.Pi * r.Float64()
			for i := range z {
				at := phase
				for q, v := range x.Row(i) {
					at += f[q] * v
				}
				z[i] += math.Cos(at) / math.Sqrt(8)
			}
		}
		return z
	}
}

func (d *drawn) smooth(r *rand.Rand, length float64) func() []float64 {
	return waves(r, mat.Vector(d.t), length)
}
func (d *drawn) field(r *rand.Rand, length float64) func() []float64 { return waves(r, d.x, length) }

// chain draws a process by what it is after a value, with a new normal number.
func chain(next func(r *rand.Rand, i int, last, fresh float64) float64) func(r *rand.Rand, n int) func() []float64 {
	return func(r *rand.Rand, n int) func() []float64 {
		return func() []float64 {
			z := make([]float64, n)
			for i := range z {
				z[i] = r.NormFloat64()
			}
			for i := 1; i < n; i++ {
				z[i] = next(r, i, z[i-1], z[i])
			}
			return z
		}
	}
}

var (
	noise  = chain(func(_ *rand.Rand, _ int, _, fresh float64) float64 { return fresh })
	walk   = chain(func(_ *rand.Rand, _ int, last, fresh float64) float64 { return last + fresh })
	levels = chain(func(r *rand.Rand, _ int, last, fresh float64) float64 { // that jump now and then
		if r.Float64() > 0.05 {
			return last
		}
		return fresh
	})
)

// rough draws a process of unit variance that forgets exponentially.
func (d *drawn) rough(r *rand.Rand, memory float64) func() []float64 {
	return chain(func(_ *rand.Rand, i int, last, fresh float64) float64 {
		a := math.Exp((d.t[i-1] - d.t[i]) / memory)
		return a*last + math.Sqrt(1-a*a)*fresh
	})(r, len(d.t))
}

// poisson draws a count.
func poisson(r *rand.Rand, rate float64) (n float64) {
	for p := r.Float64(); p > math.Exp(-rate); p *= r.Float64() {
		n++
	}
	return n
}

func season(t, phase float64) float64 { return math.Sin(2*math.Pi*t/12 + phase) }
func square(x float64) float64        { return x * x }

// worlds are the 30 data sets.
func worlds() (list []world) {
	type draw = func(r *rand.Rand, d *drawn)
	series := func(name string, f draw) {
		list = append(list, world{"series, " + name, 100, 1, 1, 1, false, false, f})
	}
	table := func(name string, f draw) { list = append(list, world{"table, " + name, 60, 1, 1, 8, false, false, f}) }
	profile := func(name string, f draw) {
		list = append(list, world{"profile, " + name, 40, 1, 16, 1, false, false, f})
	}
	maps := func(name string, f draw) { list = append(list, world{"map, " + name, 30, 6, 6, 1, false, false, f}) }
	timeless := func() { list[len(list)-1].timeless = true }

	series("smooth", func(r *rand.Rand, d *drawn) { d.mix(r, 1, d.smooth(r, 8), one, 0.05) })
	series("rough", func(r *rand.Rand, d *drawn) { d.byColumn(d.rough(r, 5)) })
	series("random walk", func(r *rand.Rand, d *drawn) { d.byColumn(walk(r, len(d.t))) })
	series("jumping", func(r *rand.Rand, d *drawn) { d.mix(r, 1, levels(r, len(d.t)), one, 0.2) })
	series("trending", func(r *rand.Rand, d *drawn) {
		d.byColumn(d.rough(r, 2))
		d.set(func(i, _ int) float64 { return d.y.Data[i] + 0.05*d.t[i] })
	})
	series("periodic", func(r *rand.Rand, d *drawn) {
		d.set(func(i, _ int) float64 { return season(d.t[i], 1) + 0.5*season(2*d.t[i], 2) + 0.2*r.NormFloat64() })
	})
	series("counts", func(r *rand.Rand, d *drawn) {
		d.byColumn(d.smooth(r, 8))
		d.set(func(i, _ int) float64 { return poisson(r, math.Exp(1.5+0.7*d.y.Data[i])) })
	})

	table("low rank, slow", func(r *rand.Rand, d *drawn) { d.mix(r, 3, d.smooth(r, 6), noise(r, 8), 0.2) })
	table("low rank, rough", func(r *rand.Rand, d *drawn) { d.mix(r, 3, d.rough(r, 4), noise(r, 8), 0.2) })
	list[len(list)-1].irregular = true
	table("low rank, independent", func(r *rand.Rand, d *drawn) { d.mix(r, 3, noise(r, len(d.t)), noise(r, 8), 0.3) })
	timeless()
	table("independent columns", func(r *rand.Rand, d *drawn) { d.byColumn(noise(r, len(d.t))) })
	table("random walks", func(r *rand.Rand, d *drawn) { d.byColumn(walk(r, len(d.t))) })
	table("periodic", func(r *rand.Rand, d *drawn) {
		d.set(func(i, j int) float64 { return season(d.t[i], 0.7*float64(j*j)) + 0.3*r.NormFloat64() })
	})
	table("trending, several units", func(r *rand.Rand, d *drawn) {
		slope := noise(r, 8)()
		d.byColumn(d.rough(r, 2))
		d.set(func(i, j int) float64 {
			return math.Pow(10, float64(j%5-2)) * (20 + d.y.At(i, j) + 0.1*slope[j]*d.t[i])
		})
	})
	table("jumping", func(r *rand.Rand, d *drawn) { d.mix(r, 2, levels(r, len(d.t)), noise(r, 8), 0.2) })
	table("integers", func(r *rand.Rand, d *drawn) {
		d.mix(r, 2, noise(r, len(d.t)), noise(r, 8), 0.5)
		d.set(func(i, j int) float64 { return math.Round(5 + 1.5*d.y.At(i, j)) })
	})
	timeless()
	table("skewed", func(r *rand.Rand, d *drawn) {
		d.mix(r, 2, d.rough(r, 6), noise(r, 8), 0.2)
		d.set(func(i, j int) float64 { return math.Exp(0.6 * d.y.At(i, j)) })
	})

	profile("smooth, independent", func(r *rand.Rand, d *drawn) { d.byExample(d.field(r, 4)); d.mix(r, 0, nil, nil, 0.05) })
	timeless()
	profile("random walks", func(r *rand.Rand, d *drawn) { d.byExample(walk(r, 16)) })
	timeless()
	profile("travelling waves", func(r *rand.Rand, d *drawn) {
		phase := d.smooth(r, 10)()
		d.set(func(i, j int) float64 { return math.Sin(0.5*float64(j)-0.4*d.t[i]+phase[i]) + 0.1*r.NormFloat64() })
	})
	profile("moving fronts", func(r *rand.Rand, d *drawn) {
		at := d.smooth(r, 6)()
		d.set(func(i, j int) float64 { return math.Tanh((float64(j)-8-5*at[i])/1.5) + 0.05*r.NormFloat64() })
	})
	profile("diffusing", func(r *rand.Rand, d *drawn) {
		for k := range 8 {
			z := d.rough(r, 30/square(float64(1+k)))()
			d.set(func(i, j int) float64 {
				return d.y.At(i, j) + z[i]*math.Cos(math.Pi*float64(k)*(float64(j)+0.5)/16)/float64(1+k) + 0.01*r.NormFloat64()
			})
		}
	})
	profile("seasonal", func(r *rand.Rand, d *drawn) {
		a, b := d.field(r, 6)(), d.field(r, 6)()
		d.set(func(i, j int) float64 { return 3*b[j] + (2+a[j])*season(d.t[i], 0.5*a[j]) + 0.3*r.NormFloat64() })
	})
	profile("integers", func(r *rand.Rand, d *drawn) {
		d.mix(r, 4, d.smooth(r, 4), d.field(r, 4), 0.2)
		d.set(func(i, j int) float64 { return math.Round(2 * d.y.At(i, j)) })
	})

	maps("smooth modes", func(r *rand.Rand, d *drawn) { d.mix(r, 3, d.smooth(r, 5), d.field(r, 3), 0.1) })
	maps("independent", func(r *rand.Rand, d *drawn) { d.byExample(d.field(r, 2.5)); d.mix(r, 0, nil, nil, 0.05) })
	timeless()
	maps("moving blob", func(r *rand.Rand, d *drawn) {
		a, b := d.smooth(r, 6)(), d.smooth(r, 6)()
		d.set(func(i, j int) float64 {
			return math.Exp(-square(d.x.At(j, 0)-2.5-2*a[i])/4-square(d.x.At(j, 1)-2.5-2*b[i])/4) + 0.03*r.NormFloat64()
		})
	})
	maps("fronts", func(r *rand.Rand, d *drawn) {
		a, b := d.smooth(r, 6)(), d.smooth(r, 6)()
		d.set(func(i, j int) float64 {
			return math.Tanh((d.x.At(j, 0)-2.5)*math.Cos(a[i])+(d.x.At(j, 1)-2.5)*math.Sin(a[i])-2*b[i]) + 0.05*r.NormFloat64()
		})
	})
	maps("seasonal and trending", func(r *rand.Rand, d *drawn) {
		a, b := d.field(r, 3)(), d.field(r, 3)()
		d.set(func(i, j int) float64 { return a[j] + 2*b[j]*season(d.t[i], 0) + 0.03*d.t[i] + 0.3*r.NormFloat64() })
	})
	maps("rough", func(r *rand.Rand, d *drawn) {
		d.byColumn(d.rough(r, 3))
		d.mix(r, 2, d.rough(r, 5), d.field(r, 3), 0.1)
	})
	return list
}

func one() []float64 { return []float64{1} }
