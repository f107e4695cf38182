package engine

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// What is free is the least of what the system and all control groups leave; what does not say so does not count.
func TestFreeMemory(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  float64
	}{
		{"nothing", nil, math.Inf(1)},
		{"no group", map[string]string{"proc/meminfo": "MemTotal: 8000 kB\nMemAvailable:   3000 kB\n"}, 3000 * 1024},
		{"unlimited", map[string]string{"proc/meminfo": "MemAvailable: 3000 kB\n", "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/memory.current": "5\n"}, 3000 * 1024},
		{"second version", map[string]string{"proc/meminfo": "MemAvailable: 3000 kB\n", "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/memory.max": "100000\n", "sys/fs/cgroup/a/memory.current": "90000\n", "sys/fs/cgroup/a/memory.stat": "anon 3\ninactive_file 5000\n",
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/b/memory.current": "1\n"}, 15000},
		{"first version", map[string]string{"proc/self/cgroup": "4:cpu,memory:/a\n3:pids:/a\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "70000\n", "sys/fs/cgroup/memory/a/memory.usage_in_bytes": "50000\n"}, 20000},
	} {
		root := t.TempDir()
		for name, text := range c.files {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := freeMemory(root); got != c.want {
			t.Errorf("%s: %v bytes, expected %v", c.name, got, c.want)
		}
	}
}

// What does not fit is refused with what lowers it most.
func TestTooMuch(t *testing.T) {
	const end = " (GOMEMLIMIT says how much may be taken)"
	for _, c := range []struct {
		need sgplvm.Memory
		want string
	}{
		{sgplvm.Memory{Inducing: 5e8, Data: 4e8}, ""},
		{sgplvm.Memory{Inducing: 1.6e9, Data: 6e8}, `needs about 2.2 GB of memory, and 1.0 GB are free: "inducing": 23 in -config, fewer inducing points than 100, takes less` + end},
		{sgplvm.Memory{Inducing: 3e9, Data: 2e9}, `needs about 5.0 GB of memory, and 1.0 GB are free: fewer examples, or fewer points of each, take less` + end},
		{sgplvm.Memory{Space: 3e9, Data: 2e9}, `needs about 5.0 GB of memory, and 1.0 GB are free: "factors": "product" in -config takes less, a kernel for each factor of the grid` + end},
		{sgplvm.Memory{Data: 5e8, Search: 1.5e9}, `needs about 1.5 GB of memory, and 1.0 GB are free: -effort none takes less, as nothing is tried` + end},
	} {
		text := ""
		if err := tooMuch(c.need, 0, 1e9, 100); err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("%+v: %q, expected %q", c.need, text, c.want)
		}
	}
}

// What is done with a model, what it predicts and what several views take are refused before they begin where less memory is free, and go on where more is.
func TestMemoryOfWork(t *testing.T) {
	m, err := Load("../../../sgplvm/testdata/models/calibrated.model")
	if err != nil {
		t.Fatal(err)
	}
	line := func(n int) mat.Matrix {
		x := mat.New(n, 1)
		for i := range n {
			x.Data[i] = float64(i)
		}
		return x
	}
	before := givenLimit
	t.Cleanup(func() { givenLimit = before })
	view := sgplvm.View{Name: "a", Data: sgplvm.Data{Source: sgplvm.NewSource(make([]float64, 40*400), 40, 400, 1), Grid: sgplvm.Grid{line(20), line(20)}}}
	for name, f := range map[string]func() error{
		"filling in": func() error { return CheckInferring(m, Inference{Examples: 1, Values: 1 << 20, Filled: true}) },
		"predicting": func() error {
			return (&Fields{Model: m, Grid: OutputGrid{Points: sgplvm.Grid{line(1000), line(1000)}, Layout: dataset.Layout{Width: 1000, Height: 1000, Channels: 1}}, Out: &Output{kind: ".npy"}, Other: new(Output)}).Holding(100)
		},
		"numbers": func() error { return CheckNumbers(1 << 24) },
		"views":   func() error { return CheckViews([]sgplvm.View{view, view}, sgplvm.Config{}) },
	} {
		givenLimit = 1 << 20
		if err := f(); err == nil || !strings.Contains(err.Error(), "needs about") {
			t.Errorf("%s: %v", name, err)
		}
		givenLimit = 1 << 40
		if err := f(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
