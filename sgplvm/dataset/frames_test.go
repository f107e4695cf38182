package dataset_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// ramp returns 0, 1, 2, …, modulo the range of the type.
func ramp[T npy.Number](n int) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = T(i)
	}
	return v
}

// product returns the number of elements of a shape.
func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// saveArray writes an array to a file in a new folder and returns its path.
func saveArray(t *testing.T, name string, a *npy.Array) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(npy.Write(file, a), file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkError wants an *Error of one line: the folder of the test and the given
// text, in which * stands for words of the standard library's.
func checkError(t *testing.T, err error, folder, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, expected %q", want)
	}
	if e := (*dataset.Error)(nil); !errors.As(err, &e) {
		t.Errorf("%T, expected *dataset.Error: %v", err, err)
	}
	got := strings.ReplaceAll(err.Error(), folder+string(filepath.Separator), "")
	begin, end, open := strings.Cut(want, "*")
	match := got == want || open && len(got) > len(want) && strings.HasPrefix(got, begin) && strings.HasSuffix(got, end)
	if !match || strings.Contains(got, "\n") {
		t.Errorf("error\n\t%s\nexpected\n\t%s", got, want)
	}
}

func TestLoadShapes(t *testing.T) {
	type layout = dataset.Layout
	tests := []struct {
		shape []int
		want  layout // asked for
		got   layout
		err   string
		table bool
	}{
		{shape: []int{5, 560}, want: layout{20, 28, 0}, got: layout{20, 28, 1}},
		{shape: []int{5, 560}, want: layout{20, 28, 1}, got: layout{20, 28, 1}},
		{shape: []int{5, 560}, want: layout{20, 14, 2}, got: layout{20, 14, 2}},
		{shape: []int{1, 1}, want: layout{1, 1, 0}, got: layout{1, 1, 1}},
		{shape: []int{5, 28, 20}, got: layout{20, 28, 1}},
		{shape: []int{5, 28, 20}, want: layout{20, 28, 1}, got: layout{20, 28, 1}},
		{shape: []int{5, 28, 20}, want: layout{20, 0, 0}, got: layout{20, 28, 1}},
		{shape: []int{2, 4, 6, 3}, got: layout{6, 4, 3}},
		{shape: []int{2, 4, 6, 3}, want: layout{6, 4, 3}, got: layout{6, 4, 3}},

		{shape: []int{5, 560}, got: layout{1, 1, 560}, table: true},
		{shape: []int{5, 3}, want: layout{0, 0, 3}, got: layout{1, 1, 3}, table: true},
		{shape: []int{5, 560}, want: layout{0, 0, 3}, err: "shape 5×560: found rows of 560 values and no grid, expected a table of 3 columns, or pictures and a grid, WIDTHxHEIGHT"},
		{shape: []int{5, 0}, err: "shape 5×0: found a table of 0 columns, expected 1 to 65536"},
		{shape: []int{5, 560}, want: layout{20, 0, 0}, err: "shape 5×560: found rows of 560 values and no grid, expected a grid, WIDTHxHEIGHT, to divide them"},
		{shape: []int{50, 560}, want: layout{20, 27, 0}, err: "shape 50×560: found rows of 560 values, expected 540 for a grid of 20x27 and 1 channel (540 points do not divide the row)"},
		{shape: []int{5, 560}, want: layout{20, 14, 0}, err: "shape 5×560: found rows of 560 values, expected 280 for a grid of 20x14 and 1 channel (2 channels would fit)"},
		{shape: []int{5, 560}, want: layout{20, 28, 3}, err: "shape 5×560: found rows of 560 values, expected 1680 for a grid of 20x28 and 3 channels (1 channel would fit)"},
		{shape: []int{5, 0}, want: layout{20, 28, 0}, err: "shape 5×0: found rows of 0 values, expected 560 for a grid of 20x28 and 1 channel"},
		{shape: []int{5, 560}, want: layout{1 << 14, 1 << 13, 0}, err: "shape 5×560: found pictures of 16384x8192 (width x height), expected sides of 1 to 16384 and at most 67108864 pixels"},
		{shape: []int{5, 560}, want: layout{20, -28, 0}, err: "shape 5×560: found pictures of 20x-28 (width x height), expected sides of 1 to 16384 and at most 67108864 pixels"},
		{shape: []int{5, 560}, want: layout{20, 28, -1}, err: "shape 5×560: found -1 channels, expected 1 to 1024"},
		{shape: []int{5, 28, 20}, want: layout{28, 20, 0}, err: "shape 5×28×20: found pictures of 20x28 (width x height), expected a grid of 28x20"},
		{shape: []int{5, 28, 20}, want: layout{21, 0, 0}, err: "shape 5×28×20: found pictures of 20x28 (width x height), expected a width of 21"},
		{shape: []int{5, 2048}, want: layout{1, 1, 0}, err: "shape 5×2048: found rows of 2048 values, expected 1 for a grid of 1x1 and 1 channel"},
		{shape: []int{5, 28, 20}, want: layout{0, 27, 0}, err: "shape 5×28×20: found pictures of 20x28 (width x height), expected a height of 27"},
		{shape: []int{5, 28, 20}, want: layout{20, 28, 3}, err: "shape 5×28×20: found 1 channel, expected 3"},
		{shape: []int{2, 4, 6, 3}, want: layout{0, 0, 1}, err: "shape 2×4×6×3: found 3 channels, expected 1"},
		{shape: []int{0, 28, 20}, err: "shape 0×28×20: found no frame, expected at least one"},
		{shape: []int{2, 0, 20}, err: "shape 2×0×20: found pictures of 20x0 (width x height), expected sides of 1 to 16384 and at most 67108864 pixels"},
		{shape: []int{1, 1, 16385}, err: "shape 1×1×16385: found pictures of 16385x1 (width x height), expected sides of 1 to 16384 and at most 67108864 pixels"},
		{shape: []int{2, 4, 6, 0}, err: "shape 2×4×6×0: found 0 channels, expected 1 to 1024"},
		{shape: []int{1, 1, 1, 1025}, err: "shape 1×1×1×1025: found 1025 channels, expected 1 to 1024"},
		{shape: []int{560}, want: layout{20, 28, 0}, err: "shape 560: found 1 axis, expected n×columns (a table; pictures with a grid), n×height×width or n×height×width×channels"},
		{shape: []int{}, err: "shape (): found 0 axes, expected n×columns (a table; pictures with a grid), n×height×width or n×height×width×channels"},
		{shape: []int{1, 1, 2, 2, 1}, err: "shape 1×1×2×2×1: found 5 axes, expected n×columns (a table; pictures with a grid), n×height×width or n×height×width×channels"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.shape, test.want), func(t *testing.T) {
			path := saveArray(t, "faces.npy", npy.New(ramp[uint8](product(test.shape)), test.shape...))
			f, err := dataset.Load(path, test.want)
			if test.err != "" {
				checkError(t, err, filepath.Dir(path), "faces.npy: "+test.err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := dataset.Form{Name: path, Count: test.shape[0], Layout: test.got, Table: test.table, Shape: test.shape, Type: npy.Uint8}
			if diff := cmp.Diff(want, f.Form, cmpopts.IgnoreUnexported(dataset.Form{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if f.Points() != test.got.Width*test.got.Height {
				t.Errorf("%d points", f.Points())
			}
		})
	}
}

// Every type is delivered as the same numbers, and the numbers stay where they
// are.
func TestFromArrayTypes(t *testing.T) {
	arrays := []*npy.Array{
		npy.New(ramp[uint8](24), 2, 12), npy.New(ramp[int8](24), 2, 12), npy.New(ramp[uint16](24), 2, 12),
		npy.New(ramp[int16](24), 2, 12), npy.New(ramp[uint32](24), 2, 12), npy.New(ramp[int32](24), 2, 12),
		npy.New(ramp[uint64](24), 2, 12), npy.New(ramp[int64](24), 2, 12), npy.New(ramp[float32](24), 2, 12),
		npy.New(ramp[float64](24), 2, 12),
	}
	for _, a := range arrays {
		f, err := dataset.FromArray("memory", a, dataset.Layout{Width: 3, Height: 2, Channels: 2})
		if err != nil {
			t.Fatal(err)
		}
		if f.Type != a.Type {
			t.Errorf("%v became %v", a.Type, f.Type)
		}
		if got, want := f.Values(1), ramp[float64](24)[12:]; !slices.Equal(got, want) {
			t.Errorf("%v: values %v, expected %v", a.Type, got, want)
		}
		if n := testing.AllocsPerRun(10, func() { f.Values(1) }); n > 1 {
			t.Errorf("%v: %v allocations for a frame", a.Type, n)
		}
	}
}

// Value (frame i, row r, column c, channel k) of each of the three shapes stands
// at row (i·height + r)·width + c, column k of the training data, and at point
// r·width + c of the observed frame.
func TestOrder(t *testing.T) {
	const n, h, w, k = 3, 4, 5, 2
	value := func(i, r, c, ch int) float64 { return float64(1000*i + 100*r + 10*c + ch) }
	var flat []float64
	for i := range n {
		for r := range h {
			for c := range w {
				for ch := range k {
					flat = append(flat, value(i, r, c, ch))
				}
			}
		}
	}
	for _, shape := range [][]int{{n, h * w * k}, {n, h, w, k}} {
		f, err := dataset.FromArray("memory", npy.New(flat, shape...), dataset.Layout{Width: w, Height: h, Channels: k})
		if err != nil {
			t.Fatal(err)
		}
		examples, points, channels := f.Dims()
		if examples != n || points != h*w || channels != k {
			t.Fatalf("%d examples of %d×%d values", examples, points, channels)
		}
		y := make([]float64, n*h*w*k)
		if err := f.ReadExamples(y, 0, n); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			obs := f.Observed(i)
			if obs.Grid != nil || obs.Values.Rows != h*w || obs.Values.Cols != k {
				t.Fatalf("observed %d×%d values", obs.Values.Rows, obs.Values.Cols)
			}
			for r := range h {
				for c := range w {
					for ch := range k {
						want := value(i, r, c, ch)
						if got := y[((i*h+r)*w+c)*k+ch]; got != want {
							t.Fatalf("data: %v, expected %v", got, want)
						}
						if got := obs.Values.At(r*w+c, ch); got != want {
							t.Fatalf("observed: %v, expected %v", got, want)
						}
					}
				}
			}
		}
	}
}

func TestFramePanics(t *testing.T) {
	f, err := dataset.FromArray("memory", npy.New(ramp[uint8](8), 2, 2, 2), dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	for _, frame := range []int{-1, 2} {
		tier.Panics(t, fmt.Sprintf("dataset: frame %d of 2", frame), func() { f.Values(frame) })
	}
}

func TestLoadRefusesFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("notes.txt", "frames of 2024")
	write("empty.npy", "")
	write("odd\nname.npy", "frames of 2024")
	whole, err := os.ReadFile(saveArray(t, "x.npy", npy.New(ramp[uint8](8), 2, 2, 2)))
	if err != nil {
		t.Fatal(err)
	}
	write("cut.npy", string(whole[:len(whole)-3]))
	system := func(name string) string {
		_, err := os.Stat(filepath.Join(folder, name))
		return name + ": " + err.(*fs.PathError).Err.Error()
	}
	inside := filepath.Join("notes.txt", "x.npy")
	for _, test := range []struct{ name, err string }{
		{"gone.npy", system("gone.npy")},
		{"notes.txt", "notes.txt: found no row, expected rows of numbers below the names of the columns"},
		{"empty.npy", "empty.npy: magic: found 0 bytes, expected a .npy, .npz, .nc or .csv file, a GIF, a PNG or JPEG picture or a folder of them"},
		{"cut.npy", "cut.npy: data: found 5 bytes, expected 8 (the file is truncated)"},
		{inside, system(inside)},
	} {
		_, err := dataset.Load(filepath.Join(folder, test.name), dataset.Layout{})
		checkError(t, err, folder, test.err)
	}
	if _, err := dataset.Load(filepath.Join(folder, "gone.npy"), dataset.Layout{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	_, err = dataset.Load(filepath.Join(folder, "odd\nname.npy"), dataset.Layout{})
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), `odd\nname.npy`) {
		t.Errorf("a name of two lines: %v", err)
	}
	if _, err := dataset.LoadMask(folder, new(dataset.Form)); err == nil || !strings.HasSuffix(err.Error(), ": found no frame, expected files whose names end in .png, .jpg or .jpeg") {
		t.Errorf("a folder as mask: %v", err)
	}
}

func TestChecks(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	frames := func(name string, change func(v []float64)) *dataset.Frames {
		v := ramp[float64](2 * 3 * 4 * 2)
		change(v)
		f, err := dataset.FromArray(name, npy.New(v, 2, 3, 4, 2), dataset.Layout{})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	at := func(i, r, c, k int) int { return ((i*3+r)*4+c)*2 + k }

	whole := frames("a.npy", func([]float64) {})
	if err := errors.Join(dataset.CheckComplete(whole), dataset.CheckNoInf(whole)); err != nil {
		t.Error(err)
	}
	holes := frames("b.npy", func(v []float64) { v[at(1, 2, 3, 1)], v[at(1, 0, 2, 0)] = nan, nan })
	checkError(t, dataset.CheckComplete(holes), ".",
		"b.npy: frame 1, row 0, column 2, channel 0: found NaN (2 missing or infinite values in all), expected a finite number in every place")
	if err := dataset.CheckNoInf(holes); err != nil {
		t.Error(err)
	}
	if n := []int{holes.Missing(0), holes.Missing(1)}; !slices.Equal(n, []int{0, 2}) {
		t.Errorf("%v missing values, expected [0 2]", n)
	}
	wild := frames("c.npy", func(v []float64) { v[at(0, 1, 1, 0)], v[at(0, 1, 1, 1)], v[at(1, 2, 3, 1)] = nan, -inf, inf })
	checkError(t, dataset.CheckComplete(wild), ".",
		"c.npy: frame 0, row 1, column 1, channel 0: found NaN (3 missing or infinite values in all), expected a finite number in every place")
	checkError(t, dataset.CheckNoInf(wild), ".",
		"c.npy: frame 0, row 1, column 1, channel 1: found -Inf (2 infinite values in all), expected a finite number, or NaN for a missing one")
	one := frames("d.npy", func(v []float64) { v[at(1, 2, 3, 1)] = inf })
	checkError(t, dataset.CheckNoInf(one), ".",
		"d.npy: frame 1, row 2, column 3, channel 1: found +Inf (1 infinite value in all), expected a finite number, or NaN for a missing one")
}

// maskForms lists the shapes of a mask for 2 frames of 3×4 pixels and 2
// channels, with whether frames and channels have entries of their own.
var maskForms = []struct {
	shape            []int
	frames, channels bool
}{
	{[]int{2, 3, 4, 2}, true, true}, {[]int{2, 24}, true, true},
	{[]int{2, 3, 4}, true, false}, {[]int{2, 12}, true, false},
	{[]int{3, 4, 2}, false, true}, {[]int{24}, false, true},
	{[]int{3, 4}, false, false}, {[]int{12}, false, false},
}

func TestMask(t *testing.T) {
	const n, h, w, k = 2, 3, 4, 2
	data := ramp[float64](n * h * w * k)
	for _, form := range maskForms {
		t.Run(fmt.Sprint(form.shape), func(t *testing.T) {
			// A pattern without a period that fits the shape.
			entries := make([]uint8, product(form.shape))
			for i := range entries {
				entries[i] = uint8(i * i / 3 % 2)
			}
			values := slices.Clone(data)
			index := func(i, p, c int) int {
				if !form.frames {
					i = 0
				}
				if !form.channels {
					return i*h*w + p
				}
				return (i*h*w+p)*k + c
			}
			// What is not observed may be anything.
			for i := range n {
				for p := range h * w {
					for c := range k {
						if entries[index(i, p, c)] == 0 {
							values[(i*h*w+p)*k+c] = []float64{math.Inf(1), math.Inf(-1), math.NaN(), 7}[p%4]
						}
					}
				}
			}
			f, err := dataset.FromArray("data.npy", npy.New(values, n, h*w*k), dataset.Layout{Width: w, Height: h, Channels: k})
			if err != nil {
				t.Fatal(err)
			}
			m, err := dataset.LoadMask(saveArray(t, "mask.npy", npy.New(entries, form.shape...)), &f.Form)
			if err != nil {
				t.Fatal(err)
			}
			g := f.WithMask(m)
			if err := dataset.CheckNoInf(g); err != nil {
				t.Error(err)
			}
			if dataset.CheckNoInf(f) == nil {
				t.Error("the frames themselves have lost their infinities")
			}
			for i := range n {
				obs, missing := g.Observed(i), 0
				for p := range h * w {
					for c := range k {
						seen := entries[index(i, p, c)] == 1
						if m.Observed(i, p, c) != seen {
							t.Fatalf("frame %d, point %d, channel %d: observed = %v", i, p, c, !seen)
						}
						got := obs.Values.At(p, c)
						if !seen {
							missing++
						}
						if seen && got != data[(i*h*w+p)*k+c] || !seen && !math.IsNaN(got) {
							t.Fatalf("frame %d, point %d, channel %d: value %v, observed %v", i, p, c, got, seen)
						}
					}
				}
				if g.Missing(i) != missing {
					t.Errorf("frame %d: %d missing, expected %d", i, g.Missing(i), missing)
				}
			}
		})
	}
}

// A mask of a shape that could mean two things is one of frames.
func TestMaskAmbiguous(t *testing.T) {
	f, err := dataset.FromArray("data.npy", npy.New(ramp[float64](81), 3, 3, 3, 3), dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	entries := make([]uint8, 27)
	entries[9+3+2] = 1 // as n×h×w: frame 1, row 1, column 2, any channel
	m, err := dataset.LoadMask(saveArray(t, "mask.npy", npy.New(entries, 3, 3, 3)), &f.Form)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		for p := range 9 {
			for c := range 3 {
				if got, want := m.Observed(i, p, c), i == 1 && p == 5; got != want {
					t.Errorf("frame %d, point %d, channel %d: observed = %v", i, p, c, got)
				}
			}
		}
	}
}

// A value that is NaN is missing even if the mask says that it was observed.
func TestMaskKeepsNaN(t *testing.T) {
	f, err := dataset.FromArray("data.npy", npy.New([]float64{1, math.NaN(), 3, 4}, 1, 2, 2), dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := dataset.LoadMask(saveArray(t, "mask.npy", npy.New([]float64{1, 1, 0, 1}, 4)), &f.Form)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(f.WithMask(m).Values(0)); got != "[1 NaN NaN 4]" {
		t.Errorf("values %v", got)
	}
}

func TestMaskRefused(t *testing.T) {
	f, err := dataset.FromArray("faces.npy", npy.New(ramp[uint8](48), 2, 24), dataset.Layout{Width: 4, Height: 3, Channels: 2})
	if err != nil {
		t.Fatal(err)
	}
	const forms = "expected 2×3×4×2, 2×24, 2×3×4, 2×12, 3×4×2, 24, 3×4, 12 for the data of shape 2×24 in faces.npy"
	float := make([]float64, 24)
	float[23] = math.NaN()
	half := make([]float32, 24)
	half[13] = 0.5
	long := make([]int64, 12)
	long[3] = -1
	two := make([]uint8, 48)
	two[24+7] = 2
	for _, test := range []struct {
		a   *npy.Array
		err string
	}{
		{npy.New(two, 2, 24), "element (1, 7): found 2, expected 1 (observed) or 0 (not observed)"},
		{npy.New(two, 2, 3, 4, 2), "element (1, 0, 3, 1): found 2, expected 1 (observed) or 0 (not observed)"},
		{npy.New(float, 24), "element (23): found NaN, expected 1 (observed) or 0 (not observed)"},
		{npy.New(half, 2, 12), "element (1, 1): found 0.5, expected 1 (observed) or 0 (not observed)"},
		{npy.New(long, 3, 4), "element (0, 3): found -1, expected 1 (observed) or 0 (not observed)"},
		{npy.New(make([]uint8, 72), 3, 24), "shape 3×24: found 72 values, " + forms},
		{npy.New(make([]uint8, 24), 1, 24), "shape 1×24: found 24 values, " + forms},
		{npy.New(make([]uint8, 12), 4, 3), "shape 4×3: found 12 values, " + forms},
		{npy.New(make([]uint8, 1)), "shape (): found 1 value, " + forms},
	} {
		path := saveArray(t, "mask.npy", test.a)
		_, err := dataset.LoadMask(path, &f.Form)
		checkError(t, err, filepath.Dir(path), "mask.npy: "+test.err)
	}
	other, err := dataset.FromArray("other.npy", npy.New(ramp[uint8](72), 3, 3, 4, 2), dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := dataset.LoadMask(saveArray(t, "mask.npy", npy.New(make([]uint8, 48), 2, 24)), &f.Form)
	if err != nil {
		t.Fatal(err)
	}
	tier.Panics(t, "dataset: WithMask: a mask of 2 frames of {4 3 2} for 3 frames of {4 3 2}", func() { other.WithMask(m) })
}

func TestGrid(t *testing.T) {
	for _, test := range []struct {
		s    string
		w, h int
	}{{"20x28", 20, 28}, {"1x1", 1, 1}, {"16384x4096", 16384, 4096}, {"1x16384", 1, 16384}} {
		w, h, err := dataset.ParseGrid(test.s)
		if err != nil || w != test.w || h != test.h {
			t.Errorf("%q: %d, %d, %v", test.s, w, h, err)
		}
		if got := dataset.FormatGrid(w, h); got != test.s {
			t.Errorf("%q became %q", test.s, got)
		}
	}
	for _, s := range []string{"", "x", "20", "20x", "x28", "20×28", "20X28", " 20x28", "20x28 ", "20 x 28", "-1x5", "+1x5", "0x5", "5x0",
		"0x10", "05x7", "1e3x5", "20x28x3", "16385x1", "1x16385", "9223372036854775808x1", "18446744073709551617x1", "NaNxInf", "20,28"} {
		if w, h, err := dataset.ParseGrid(s); err == nil {
			t.Errorf("%q: %d, %d", s, w, h)
		} else if want := fmt.Sprintf("grid %q: expected WIDTHxHEIGHT such as 20x28, sides of 1 to 16384", s); err.Error() != want {
			t.Errorf("%q: %v", s, err)
		}
	}
	_, _, err := dataset.ParseGrid("16384x4097")
	if err == nil || err.Error() != `grid "16384x4097": 67125248 points, expected at most 67108864` {
		t.Error(err)
	}
}

func TestPixelGrid(t *testing.T) {
	for _, test := range []struct {
		w, h    int
		factors string
		rows    []int // points of each factor
	}{
		{20, 28, "joint", []int{560}}, {20, 28, "auto", []int{560}}, {20, 28, "product", []int{28, 20}},
		{64, 32, "auto", []int{2048}}, {2049, 1, "auto", []int{1, 2049}}, {128, 128, "joint", []int{16384}},
		{16384, 4096, "auto", []int{4096, 16384}}, {1, 7, "product", []int{7, 1}},
	} {
		factors, err := dataset.Grid(test.w, test.h, test.factors)
		if err != nil {
			t.Fatal(err)
		}
		var rows []int
		for _, f := range factors {
			rows = append(rows, f.Rows)
		}
		if !slices.Equal(rows, test.rows) {
			t.Errorf("%+v: factors of %v points", test, rows)
			continue
		}
		// Point row·width + column is pixel (row, column).
		for point := range min(test.w*test.h, 5000) {
			var at []float64
			if len(factors) == 1 {
				at = factors[0].Row(point)
			} else {
				n := factors[1].Rows
				at = slices.Concat(factors[0].Row(point/n), factors[1].Row(point%n))
			}
			if want := []float64{float64(point / test.w), float64(point % test.w)}; !slices.Equal(at, want) {
				t.Fatalf("%+v: point %d is at %v, expected %v", test, point, at, want)
			}
		}
	}
	for _, test := range []struct {
		w, h         int
		factors, err string
	}{
		{5, 5, "", `factors "": expected joint, product or auto`},
		{5, 5, "Joint", `factors "Joint": expected joint, product or auto`},
		{16384, 2, "joint", "factors joint: a grid of 16384x2 has 32768 points, expected at most 16384 (larger pictures take product)"},
	} {
		if _, err := dataset.Grid(test.w, test.h, test.factors); err == nil || err.Error() != test.err {
			t.Errorf("%+v: %v", test, err)
		}
	}
	tier.Panics(t, "dataset: Grid: no grid of 0×5 points", func() { dataset.Grid(0, 5, "joint") })
	tier.Panics(t, "dataset: Grid: no grid of 16384×16384 points", func() { dataset.Grid(16384, 16384, "product") })
}

// Long text of a user or of a file does not make a message long, and a path keeps its end.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("20x28", 1<<18)
	_, _, grid := dataset.ParseGrid(long)
	_, space := dataset.Grid(2, 2, long)
	_, file := dataset.Load(long+"/frames.npy", dataset.Layout{})
	_, shape := dataset.FromArray("frames", &npy.Array{Shape: slices.Repeat([]int{math.MaxInt}, 64), Type: npy.Uint8}, dataset.Layout{})
	cause := &dataset.Error{Path: "frames.npy", Err: errors.New(long)}
	for name, err := range map[string]error{"grid": grid, "factors": space, "path": file, "shape": shape, "cause": cause} {
		if err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: %.1100v", name, err)
		}
	}
	if !strings.Contains(file.Error(), "20x28/frames.npy: ") {
		t.Errorf("%v does not end the path with the name of the file", file)
	}
}
