package engine

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// resident is what the program takes besides what it computes with; slack is by how much more than what is told the garbage collector may take before it works harder, and
// collected how much it takes in all, beside what is live, where nothing bounds it.
const resident, slack, collected = 18 << 20, 1.1, 1.6

// givenLimit is what the user allows, in bytes.
var givenLimit = float64(debug.SetMemoryLimit(-1))

// checkMemory refuses a run that takes more memory than there is, and names what lowers it. Where the user has not set
// GOMEMLIMIT, it holds the garbage collector to what is free, and to a little more than what is needed. more is what is needed besides, in bytes.
func checkMemory(d sgplvm.Data, cfg sgplvm.Config, more float64) error {
	need, err := sgplvm.MemoryNeeded(d, cfg)
	if err != nil {
		return nil // which the run says itself, in its place
	}
	need.Data += more
	n := d.Examples
	if d.Source != nil {
		n, _, _ = d.Source.Dims()
	}
	return holdTo(need, min(cmp.Or(cfg.Inducing, 100), n))
}

// CheckViews is checkMemory of several views: one after the other is learned from by itself, and all together.
func CheckViews(all []sgplvm.View, cfg sgplvm.Config) error {
	var need sgplvm.Memory
	values := 0.
	for _, v := range all {
		m, err := sgplvm.MemoryNeeded(v.Data, cfg)
		if err != nil {
			return nil // which the run says itself, in its place
		}
		n, points, channels := v.Data.Source.Dims()
		if values += 8 * viewValues * float64(n*points*channels); m.Total() > need.Total() {
			need = m
		}
	}
	need.Data, need.Search = need.Data+values, need.Search+values
	return holdTo(need, 0)
}

// What is done with a model takes, as measured (docs/measurements.md, "Memory"): more than its file; means and variances that are filled in, more of several views; of a film that moves its frames.
const predictTimes, updateTimes, filledValues, viewValues, frameTimes = 3, 7, 2, 10, 8

// loaded is how many bytes the files of the models that are in use have.
var loaded float64

// An Inference is what is done with a model: latent variables of so many examples of so many values in all are found, of at most so many observed points (0: all), and they are filled in
// and compared with the simplest methods, or make another model.
type Inference struct {
	Examples, Values, Seen int
	Filled, Updates        bool
}

// InferenceOf is that of some examples.
func InferenceOf(f *dataset.Frames) (n Inference) {
	size := f.Points() * f.Channels
	n = Inference{Examples: f.Count, Values: f.Count * size, Seen: 1}
	for i := range f.Count {
		n.Seen = max(n.Seen, (size-f.Missing(i))/f.Channels)
	}
	return n
}

// CheckInferring refuses an inference that takes more memory than is free. After the first example, for which there is room then, each processor has room for one.
func CheckInferring(m *sgplvm.Model, n Inference) error {
	var need sgplvm.Memory
	room := 0.
	if n.Examples > 0 {
		room = m.RoomMemory(n.Seen)
		need.Space = room * float64(max(0, min(n.Examples-1, runtime.GOMAXPROCS(0))-1))
	}
	if n.Updates {
		need.Inducing = updateTimes * loaded
	}
	if n.Filled {
		need.Data = 8*filledValues*float64(n.Values) + m.CheckMemory(n.Examples)
	}
	if n.Updates || n.Filled {
		return holdTo(need, 0)
	}
	if need.Total()+room < resident { // as fits, which does not know of the room that is there now
		return nil
	}
	now, free := memoryNow()
	return tooMuch(need, now, free, 0)
}

// CheckCompiling refuses to compile a model for so many points where its room, and what is told of it, is more memory than is free.
func CheckCompiling(m *sgplvm.Model) error {
	p, points := m.Summary(), float64(min(m.Grid().Len(), 2000))
	values := float64(m.Grid().Len() * m.Channels() * (p.Inducing + p.LatentDims))
	return fits(sgplvm.Memory{Inducing: predictTimes * loaded, Space: collected * 8 * (points*points + values)})
}

// CheckNumbers refuses what takes so many numbers of 8 bytes where that is more memory than is free.
func CheckNumbers(numbers float64) error { return fits(sgplvm.Memory{Data: 8 * numbers}) }

// fits refuses what is done with a model where it takes more memory than is free. Of less than the program itself takes nobody is asked: a server would ask at each request.
func fits(need sgplvm.Memory) error {
	if need.Total() < resident {
		return nil
	}
	now, free := memoryNow()
	return tooMuch(need, now, free, 0)
}

// holdTo refuses what takes more memory than is free, and holds the garbage collector to what is needed. inducing is how many inducing points
// training has; 0: it has none.
func holdTo(need sgplvm.Memory, inducing int) error {
	now, free := memoryNow()
	if givenLimit == math.MaxInt64 && !math.IsInf(free, 0) {
		debug.SetMemoryLimit(int64(min(0.95*free+now, slack*(need.Total()+resident+now))))
	}
	return tooMuch(need, now, free, inducing)
}

// memoryNow returns how many bytes the program has now, and how many more are free.
func memoryNow() (now, free float64) {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	if now, free = float64(s.HeapAlloc), givenLimit-float64(s.HeapAlloc); givenLimit == math.MaxInt64 {
		free = freeMemory("/")
	}
	return now, free
}

// tooMuch is the error where more is needed beside what the program has now than is free, with so many inducing points.
func tooMuch(need sgplvm.Memory, now, free float64, inducing int) error {
	total := need.Total() + resident
	if !(total > free) {
		return nil
	}
	training := need
	training.Search = 0
	lever := "fewer examples, or fewer points of each, take less"
	switch fewer := int(float64(inducing) * (free - resident - training.Total() + need.Inducing) / max(1, need.Inducing)); {
	case inducing == 0:
		lever = "a model of fewer points takes less"
	case training.Total()+resident <= free:
		lever = "-effort none takes less, as nothing is tried"
	case need.Inducing > max(need.Space, need.Data) && fewer > 1:
		lever = fmt.Sprintf(`"inducing": %d in -config, fewer inducing points than %d, takes less`, fewer, inducing)
	case need.Space > need.Data:
		lever = `"factors": "product" in -config takes less, a kernel for each factor of the grid`
	}
	return fmt.Errorf("needs about %s of memory, and %s are free: %s (GOMEMLIMIT says how much may be taken)", bytesText(total+now), bytesText(max(0, free+now)), lever)
}

func bytesText(n float64) string {
	if n < 1e9 {
		return fmt.Sprintf("%.0f MB", n/1e6)
	}
	return fmt.Sprintf("%.1f GB", n/1e9)
}

// freeMemory returns how many bytes the system, and the control groups that the program is in, leave; infinity where they do not
// say. The files of Linux are those below root.
func freeMemory(root string) float64 {
	free := math.Inf(1)
	if v, ok := field(filepath.Join(root, "proc/meminfo"), "MemAvailable:"); ok {
		free = 1024 * v
	}
	groups, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	for line := range bytes.Lines(groups) {
		parts := strings.SplitN(strings.TrimSpace(string(line)), ":", 3)
		if len(parts) != 3 {
			continue
		}
		hierarchy, most, used, cache := "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		if strings.Contains(","+parts[1]+",", ",memory,") {
			hierarchy, most, used, cache = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
		} else if parts[1] != "" {
			continue
		}
		for group := path.Clean("/" + parts[2]); ; group = path.Dir(group) {
			folder := filepath.Join(root, hierarchy, group)
			limit, limited := field(filepath.Join(folder, most), "")
			taken, known := field(filepath.Join(folder, used), "")
			if limited && known {
				spare, _ := field(filepath.Join(folder, "memory.stat"), cache)
				free = min(free, limit-taken+spare)
			}
			if group == "/" {
				break
			}
		}
	}
	return free
}

// field returns the number behind a word at the beginning of a line.
func field(path, word string) (v float64, ok bool) {
	file, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if word != "" {
			if len(words) < 2 || words[0] != word {
				continue
			}
			words = words[1:]
		}
		if len(words) > 0 {
			v, err := strconv.ParseFloat(words[0], 64)
			return v, err == nil
		}
	}
	return 0, false
}
