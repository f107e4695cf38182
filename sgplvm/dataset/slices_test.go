package dataset_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/netcdf"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// slicer takes some of the examples.
func slicer(from, to int) func(int) (int, int) { return func(int) (int, int) { return from, to } }

// Slices of a source of any form have, one after the other, the values, times, names of files and masks of the whole, and places count from its first example; so do the sources of
// several files.
func TestSlices(t *testing.T) {
	t.Chdir(t.TempDir())
	save := func(name string, a *npy.Array) string {
		if err := os.Rename(saveArray(t, name, a), name); err != nil {
			t.Fatal(err)
		}
		return name
	}
	place := func(name, from string) string {
		if err := os.Rename(from, name); err != nil {
			t.Fatal(err)
		}
		return name
	}
	order := maps(netcdf.Double)
	order.Dimensions[0].Length = 5
	turned := maps(netcdf.Float)
	turned.Dimensions[0].Length = 5
	turned.Variables[0].Dimensions = []int{1, 2, 0}
	for i, first := range []float64{0, 2} { // two files of 2 and 3 maps with their times
		h := maps(netcdf.Double)
		h.Dimensions[0].Length = 2 + i
		h.Variables = append(h.Variables, netcdf.Variable{Name: "time", Type: netcdf.Double, Dimensions: []int{0}, Attributes: []netcdf.Attribute{netcdf.NewAttribute("units", "days since 2001-01-01")}})
		values, times := ramp[float64](4*(2+i)), ramp[float64](2+i)
		for k := range values {
			values[k] += 4 * first
		}
		for k := range times {
			times[k] += first
		}
		place(fmt.Sprintf("month%d.nc", i), saveNC(t, h, netcdf.Arrays{values, times}))
		h.Variables[1].Attributes[0] = netcdf.NewAttribute("units", "days since 2001-02-01")
		place(fmt.Sprintf("other%d.nc", i), saveNC(t, h, netcdf.Arrays{values, times}))
	}
	mask := ramp[uint8](5 * 4)
	for i := range mask {
		mask[i] = 255 * (mask[i] % 3 / 2)
	}
	save("mask.npy", npy.New(mask, 5, 2, 2))
	save("one.npy", npy.New([]uint8{1, 0, 1, 1}, 2, 2))
	save("b10.npy", npy.New([]float64{12, 13, 14, 15, 16, 17, 18, 19}, 2, 2, 2))
	save("b2.npy", npy.New(ramp[float64](12), 3, 2, 2))
	if err := os.WriteFile("list", []byte("b2.npy\n\nb10.npy\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("long.csv", []byte("time,x,y,value\n"+strings.Join(func() (rows []string) {
		for k := range 20 {
			rows = append(rows, fmt.Sprintf("%d,%d,%d,%d", k/4, k/2%2, k%2, k))
		}
		return rows
	}(), "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	pixels := dataset.SetOptions{Layout: dataset.Layout{Width: 2, Height: 2}}
	for _, c := range []struct {
		name string
		o    dataset.SetOptions
	}{
		{save("a.npy", npy.New(ramp[uint8](20), 5, 2, 2)), dataset.SetOptions{}},
		{save("rows.npy", npy.New(ramp[float32](20), 5, 4)), pixels},
		{"rows.npy", dataset.SetOptions{}},
		{"rows.npy", dataset.SetOptions{At: 4}},
		{place("order.nc", saveNC(t, order, netcdf.Arrays{ramp[float64](20)})), dataset.SetOptions{}},
		{place("turned.nc", saveNC(t, turned, netcdf.Arrays{ramp[float32](20)})), dataset.SetOptions{}},
		{"long.csv", dataset.SetOptions{}},
		{"b*.npy", dataset.SetOptions{}},
		{"@list", dataset.SetOptions{}},
		{"month*.nc:v", dataset.SetOptions{}},
	} {
		whole, err := dataset.LoadWith(c.name, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if whole.Count != 5 || whole.Whole() != 5 {
			t.Fatalf("%s: %+v", c.name, whole.Form)
		}
		for _, masked := range []string{"", "mask.npy", "one.npy"} {
			if masked != "" && (whole.Scattered || whole.Table) {
				continue
			}
			var values []float64
			for i, cut := range []int{0, 0, 1, 4, 5} {
				to := []int{0, 1, 4, 5, 5}[i]
				o := c.o
				o.Slice = slicer(cut, to)
				f, err := dataset.LoadWith(c.name, o)
				if err != nil {
					t.Fatal(err)
				}
				if f.Count != to-cut || f.First != cut || f.Whole() != 5 || whole.Times != nil && (!slices.Equal(f.Times, whole.Times[cut:to]) || !slices.Equal(f.WholeTimes(), whole.Times)) {
					t.Errorf("%s: slice %d to %d: %+v", c.name, cut, to, f.Form)
				}
				if masked != "" {
					m, err := dataset.LoadMask(masked, &f.Form)
					if err != nil {
						t.Fatal(err)
					}
					f = f.WithMask(m)
				}
				for i := range f.Count {
					values = append(values, f.Values(i)...)
				}
			}
			want, all := []float64(nil), whole
			if masked != "" {
				m, err := dataset.LoadMask(masked, &whole.Form)
				if err != nil {
					t.Fatal(err)
				}
				all = whole.WithMask(m)
			}
			for i := range all.Count {
				want = append(want, all.Values(i)...)
			}
			if !equal(values, want) {
				t.Errorf("%s with mask %q: slices have %v, the whole %v", c.name, masked, values, want)
			}
		}
	}
	infinite := ramp[float64](20)
	infinite[17] = math.Inf(1)
	f, err := dataset.LoadWith(save("infinite.npy", npy.New(infinite, 5, 2, 2)), dataset.SetOptions{Slice: slicer(3, 5)})
	if err != nil {
		t.Fatal(err)
	}
	checkError(t, dataset.CheckNoInf(f), ".", "infinite.npy: frame 4, row 0, column 1, channel 0: found +Inf (1 infinite value in all), expected a finite number, or NaN for a missing one")
	save("wide.npy", npy.New(ramp[float64](6), 1, 2, 3))
	_, err = dataset.LoadWith("[bw]*.npy", dataset.SetOptions{})
	checkError(t, err, ".", "wide.npy: found examples of {3 2 1}, expected examples of {2 2 1}, as in b2.npy")
	if f, err := dataset.LoadWith("month*.nc", dataset.SetOptions{}); err != nil || !slices.Equal(f.Times, []float64{0, 1, 2, 3, 4}) {
		t.Errorf("times %v, %v", f.Times, err)
	}
	if f, err := dataset.LoadWith("[mo][ot][nh]*.nc", dataset.SetOptions{}); err != nil || !slices.Equal(f.Times, []float64{0, 1, 2, 3, 4, 31, 32, 33, 34, 35}) {
		t.Errorf("times since two dates %v, %v", f.Times, err)
	}
	_, err = dataset.LoadWith("c*.npy", dataset.SetOptions{})
	checkError(t, err, ".", "c*.npy: found no file, expected a pattern that fits some")
}

// A slice of a folder has the pictures of its files, whose names go with them, and grey ones in as many channels as are asked for.
func TestSliceOfFolder(t *testing.T) {
	pictures := map[string][]byte{}
	for i := range 4 {
		pictures[fmt.Sprintf("f%d.png", i)] = grey(uint8(10*i), 1)
	}
	folder := folderOf(t, pictures)
	f, err := dataset.LoadWith(folder, dataset.SetOptions{Layout: dataset.Layout{Channels: 3}, Slice: slicer(1, 3)})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(f.Files) != "[f1.png f2.png]" || f.Channels != 3 || f.Whole() != 4 || f.Values(1)[2] != 20 {
		t.Errorf("%+v, values %v", f.Form, f.Values(1))
	}
}

// Of a file of 10⁷ numbers in 100 slices each reads a hundredth, and one buffer at most besides.
func TestSliceReadsItsOwn(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc/self/io")
	}
	read := func() (n int) {
		text, err := os.ReadFile("/proc/self/io")
		if err != nil {
			t.Skip(err)
		}
		_, after, _ := strings.Cut(string(text), "rchar: ")
		line, _, _ := strings.Cut(after, "\n")
		if n, err = strconv.Atoi(line); err != nil {
			t.Fatal(err)
		}
		return n
	}
	h := maps(netcdf.Double)
	h.Dimensions[0].Length, h.Dimensions[1].Length, h.Dimensions[2].Length = 1000, 100, 100
	numbers := make([]float64, 1e7)
	for i := range numbers {
		numbers[i] = float64(i)
	}
	for _, name := range []string{saveArray(t, "big.npy", npy.New(numbers, 1000, 100, 100)), saveNC(t, h, netcdf.Arrays{numbers})} {
		for _, k := range []int{0, 57, 99} {
			before := read()
			s, err := dataset.LoadSet(name, dataset.SetOptions{Slice: slicer(10*k, 10*k+10)})
			if err != nil {
				t.Fatal(err)
			}
			if n := read() - before; n < 8e5 || n > 8e5+1<<17 {
				t.Errorf("%s, part %d: read %d bytes of 800000", filepath.Base(name), k, n)
			}
			if s.Values[0] != float64(k)*1e5 || len(s.Values) != 1e5 {
				t.Errorf("part %d has %d values from %v on", k, len(s.Values), s.Values[0])
			}
		}
	}
}
