// Command draw makes the data of the pages in docs, the same in every run.
//
//	go run ./docs/draw sea                      sea.nc: 60 monthly maps with land, clouds and two missing months; truth.nc: all of them
//	go run ./docs/draw sea 30                   the first 30 of them
//	go run ./docs/draw sensors                  sensors.csv: 100 days of five sensors with gaps; truth.csv: without
//	go run ./docs/draw inputs 40 runs.csv       inputs of the simulator, drawn from a box
//	go run ./docs/draw plate runs.csv out.npy   the simulator: the temperatures of a heated plate for each row of inputs
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"github.com/seed-08962ecc/kronfield/mat/netcdf"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

func main() {
	if err := draw(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "draw:", err)
		os.Exit(2)
	}
}

func draw(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "sea":
		return sea(60)
	case len(args) == 2 && args[0] == "sea":
		months, err := strconv.Atoi(args[1])
		if err != nil || months < 1 {
			return fmt.Errorf("%s months, expected a number from 1 on", args[1])
		}
		return sea(months)
	case len(args) == 1 && args[0] == "sensors":
		return sensors()
	case len(args) == 3 && args[0] == "inputs":
		n, err := strconv.Atoi(args[1])
		if err != nil || n < 1 {
			return fmt.Errorf("%s runs, expected a number from 1 on", args[1])
		}
		return inputs(n, args[2])
	case len(args) == 3 && args[0] == "plate":
		return plates(args[1], args[2])
	}
	return errors.New("expected sea [MONTHS], sensors, inputs N FILE.csv or plate INPUTS.csv OUT.npy; docs/draw/main.go says what they are")
}

// write makes a file.
func write(name string, content func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(content(f), f.Close())
}

// random returns the numbers behind a data set.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

const seaWidth, seaHeight = 24, 16

// sea is a season, a front that meanders and a slow anomaly, in °C.
func sea(months int) error {
	r := random(1)
	truth, seen := make([]float32, 0, months*seaHeight*seaWidth), []float32(nil)
	anomaly := 0.0
	for month := range months {
		anomaly = 0.8*anomaly + 0.5*r.NormFloat64()
		cloudX, cloudY := r.Float64()*seaWidth, r.Float64()*seaHeight
		for i := range seaHeight {
			for j := range seaWidth {
				x, y := float64(j)/seaWidth, float64(i)/seaHeight
				phase := 2 * math.Pi * (float64(month) - 7) / 12
				front := math.Tanh((y - 0.5 - 0.15*math.Sin(2*math.Pi*x-float64(month)/5)) / 0.15)
				v := float32(15 + (3+2*y)*math.Cos(phase) + 3*front + anomaly*(0.5+x) + 0.1*r.NormFloat64())
				if x+y < 0.3 { // land
					v = float32(math.NaN())
				}
				truth = append(truth, v)
				dx, dy := float64(j)-cloudX, float64(i)-cloudY
				if dx*dx+dy*dy < 40 || month == 22 || month == 41 {
					v = float32(math.NaN())
				}
				seen = append(seen, v)
			}
		}
	}
	for name, v := range map[string][]float32{"sea.nc": seen, "truth.nc": truth} {
		if err := maps(name, months, v); err != nil {
			return err
		}
	}
	return nil
}

// maps writes a NetCDF file as an archive of sea temperatures has it.
func maps(name string, months int, values []float32) error {
	coordinate := func(n int, from, step float64) (v []float64) {
		for i := range n {
			v = append(v, from+step*float64(i))
		}
		return v
	}
	var days []float64
	first := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range months {
		days = append(days, first.AddDate(0, i, 0).Sub(first).Hours()/24)
	}
	text := netcdf.NewAttribute
	h := &netcdf.Header{
		Version:    netcdf.Classic,
		Dimensions: []netcdf.Dimension{{Name: "time", Length: months}, {Name: "lat", Length: seaHeight}, {Name: "lon", Length: seaWidth}},
		Variables: []netcdf.Variable{
			{Name: "time", Type: netcdf.Double, Dimensions: []int{0}, Attributes: []netcdf.Attribute{text("units", "days since 2015-01-01")}},
			{Name: "lat", Type: netcdf.Double, Dimensions: []int{1}, Attributes: []netcdf.Attribute{text("units", "degrees_north")}},
			{Name: "lon", Type: netcdf.Double, Dimensions: []int{2}, Attributes: []netcdf.Attribute{text("units", "degrees_east")}},
			{Name: "sst", Type: netcdf.Float, Dimensions: []int{0, 1, 2}, Attributes: []netcdf.Attribute{text("units", "degree_Celsius"), text("_FillValue", []float32{float32(math.NaN())})}},
		},
	}
	return write(name, func(w io.Writer) error {
		return netcdf.Write(w, h, netcdf.Arrays{days, coordinate(seaHeight, 40, 0.25), coordinate(seaWidth, -10, 0.25), values})
	})
}

// sensors have a season and weather in common: temperatures, a humidity and a pressure.
func sensors() error {
	r := random(2)
	names := []string{"date", "north_C", "south_C", "valley_C", "humidity_pct", "pressure_hPa"}
	truth, seen := [][]string{names}, [][]string{names}
	weather, front := 0.0, 0.0
	for day := range 100 {
		weather = 0.8*weather + 1.5*r.NormFloat64()
		front = 0.7*front + 3*r.NormFloat64()
		base := 10 - 9*math.Cos(2*math.Pi*float64(day)/365.25) + weather
		numbers := []float64{base - 2, base + 3, 0.9*base + 0.2*front, 70 - 2*weather - 1.5*front, 1013 + front}
		digits := []int{1, 1, 1, 0, 1}
		date := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, day).Format(time.DateOnly)
		all, gaps := []string{date}, []string{date}
		for k, v := range numbers {
			text := strconv.FormatFloat(v+[]float64{0.3, 0.3, 0.3, 1, 0.3}[k]*r.NormFloat64(), 'f', digits[k], 64)
			all = append(all, text)
			switch {
			case r.Float64() < 0.06, k == 2 && day >= 40 && day < 54: // here and there; for two weeks
				text = ""
			case k == 0 && day == 77:
				text = "999.0" // a broken value
			}
			gaps = append(gaps, text)
		}
		truth, seen = append(truth, all), append(seen, gaps)
	}
	for name, rows := range map[string][][]string{"sensors.csv": seen, "truth.csv": truth} {
		if err := write(name, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) }); err != nil {
			return err
		}
	}
	return nil
}

// box is where the simulator's inputs lie.
var box = []struct {
	name      string
	low, high float64
}{{"x", 0.2, 0.8}, {"y", 0.2, 0.8}, {"power_W", 20, 60}, {"conductivity", 0.5, 3}}

// inputs draws a Latin hypercube: of n runs one in each n-th of every side of the box (McKay, Beckman and Conover 1979).
func inputs(n int, name string) error {
	r := random(uint64(n))
	rows := make([][]string, n+1)
	for _, side := range box {
		rows[0] = append(rows[0], side.name)
		for i, k := range r.Perm(n) {
			v := side.low + (side.high-side.low)*(float64(k)+r.Float64())/float64(n)
			rows[i+1] = append(rows[i+1], strconv.FormatFloat(v, 'g', 6, 64))
		}
	}
	return write(name, func(w io.Writer) error { return csv.NewWriter(w).WriteAll(rows) })
}

const side = 24 // pixels of a plate

// plates runs the simulator for each row of a table that has the columns of the box; others do not count.
func plates(name, out string) error {
	text, err := os.Open(name)
	if err != nil {
		return err
	}
	defer text.Close()
	rows, err := csv.NewReader(text).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	column := map[string]int{}
	for i, title := range rows[0] {
		column[title] = i
	}
	values := make([]float64, 0, (len(rows)-1)*side*side)
	for line, row := range rows[1:] {
		in := make([]float64, len(box))
		for k, b := range box {
			c, ok := column[b.name]
			if !ok {
				return fmt.Errorf("%s: no column %s", name, b.name)
			}
			if in[k], err = strconv.ParseFloat(row[c], 64); err != nil {
				return fmt.Errorf("%s, line %d: %w", name, line+2, err)
			}
		}
		values = append(values, plate(in[0], in[1], in[2], in[3])...)
	}
	return write(out, func(w io.Writer) error { return npy.Write(w, npy.New(values, len(rows)-1, side, side)) })
}

// plate returns the temperatures, in °C, of a plate with edges at 20 °C that is heated around (x, y): the steady state of conduction,
// conductivity c on the left half and 1 on the right one, in differences, by successive over-relaxation (Young 1954).
func plate(x, y, power, c float64) []float64 {
	const n = side + 2
	t, heat, conductivity := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			px, py := (float64(j)-0.5)/side, (float64(i)-0.5)/side
			heat[i*n+j] = power / 10 * math.Exp(-((px-x)*(px-x)+(py-y)*(py-y))/(2*0.1*0.1))
			conductivity[i*n+j] = 1
			if px < 0.5 {
				conductivity[i*n+j] = c
			}
		}
	}
	for range 400 {
		for i := 1; i <= side; i++ {
			for j := 1; j <= side; j++ {
				at, sum, flow := i*n+j, 0.0, heat[i*n+j]
				for _, next := range [...]int{at - 1, at + 1, at - n, at + n} {
					k := 2 * conductivity[at] * conductivity[next] / (conductivity[at] + conductivity[next])
					sum, flow = sum+k, flow+k*t[next]
				}
				t[at] += 1.7 * (flow/sum - t[at])
			}
		}
	}
	out := make([]float64, 0, side*side)
	for i := 1; i <= side; i++ {
		for j := 1; j <= side; j++ {
			out = append(out, 20+t[i*n+j])
		}
	}
	return out
}
