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
)

// slack and room are by how much more than what is needed the garbage collector may take before it works harder, and resident is what the program takes besides.
const slack, room, resident = 1.15, 8 << 20, 15 << 20

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

// Memory of what is done with a model, as measured (docs/measurements.md, "Memory"): the file and what is made of it, and matrices of all points where noise has
// a covariance, which are of those that were seen of an example.
const fileTimes, modelMatrices = 3, 54

// checkModelMemory is checkMemory of what is done with a model in a file of some bytes.
func checkModelMemory(m *sgplvm.Model, bytes int64) error {
	need := sgplvm.Memory{Data: fileTimes*float64(bytes) + resident}
	if p := m.Summary(); p.Residual.Kind != "" {
		points := float64(min(m.Grid().Len(), 2000))
		need.Space = 8 * modelMatrices * points * points
	}
	return holdTo(need, 0)
}

// holdTo refuses what takes more memory than is free, and holds the garbage collector to what is needed. inducing is how many inducing points
// training has; 0: it is of a model that is there.
func holdTo(need sgplvm.Memory, inducing int) error {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	free := givenLimit - float64(now.HeapAlloc)
	if givenLimit == math.MaxInt64 {
		if free = freeMemory("/"); !math.IsInf(free, 0) {
			debug.SetMemoryLimit(int64(min(0.95*free, slack*(need.Total()+resident)+room)) + int64(now.HeapAlloc))
		}
	}
	return tooMuch(need, free, inducing)
}

// tooMuch is the error where more is needed than is free, with so many inducing points.
func tooMuch(need sgplvm.Memory, free float64, inducing int) error {
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
	return fmt.Errorf("needs about %s of memory, and %s are free: %s (GOMEMLIMIT says how much may be taken)", bytesText(total), bytesText(max(0, free)), lever)
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
