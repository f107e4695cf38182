package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

// example returns frames of the model inside, of which some values are missing, and them filled in with their scores.
func example(t *testing.T) (frames, filled [][]float64) {
	t.Helper()
	m, err := edge.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	n := m.Points() * m.Channels()
	w := m.NewWorkspace(0)
	s, err := w.NewStream(edge.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for k := range 2 {
		whole, values, seen := make([]float64, n), make([]float64, n), make([]bool, n)
		latent, variance := make([]float64, m.About().Latents), make([]float64, m.About().Latents)
		latent[0], latent[1] = float64(k)-1, 0.5
		if err := w.Predict(whole, nil, latent, variance); err != nil {
			t.Fatal(err)
		}
		for i := range values {
			values[i], seen[i] = math.Round(whole[i]), i%(k+2) != 0
			if !seen[i] {
				values[i] = math.NaN()
			}
		}
		result := make([]float64, n)
		if err := s.Fill(float64(k)*m.About().Spacing, result, nil, values, seen); err != nil {
			t.Fatal(err)
		}
		frames, filled = append(frames, values), append(filled, append(result, s.Surprise(nil)))
	}
	return frames, filled
}

func near(got, want []float64) bool {
	return slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-5*max(1, math.Abs(b)) })
}

// Lines of CSV are answered by lines.
func TestCSV(t *testing.T) {
	frames, filled := example(t)
	var in, out bytes.Buffer
	for _, f := range frames {
		for i, v := range f {
			if i > 0 {
				in.WriteByte(',')
			}
			if v == v {
				fmt.Fprint(&in, v)
			}
		}
		in.WriteString("\r\n")
	}
	if err := run(file, &in, &out, options{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(frames) {
		t.Fatalf("%d lines for %d frames", len(lines), len(frames))
	}
	for k, line := range lines {
		var got []float64
		for _, field := range strings.Split(line, ",") {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, v)
		}
		if !near(got, filled[k]) {
			t.Errorf("frame %d: %v, expected %v", k, got[:5], filled[k][:5])
		}
	}
}

// numbers reads what answers arrays and raw numbers.
func numbers(b []byte) (v []float64) {
	for ; len(b) >= 4; b = b[4:] {
		v = append(v, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	}
	return v
}

func npyOf(descr string, shape string, values []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	return slices.Concat([]byte("\x93NUMPY\x01\x00"), []byte{byte(len(header)), 0}, []byte(header), values)
}

// Arrays and raw numbers are answered by raw numbers.
func TestArrays(t *testing.T) {
	frames, filled := example(t)
	var single, double []byte
	for _, v := range slices.Concat(frames...) {
		single = binary.LittleEndian.AppendUint32(single, math.Float32bits(float32(v)))
		double = binary.LittleEndian.AppendUint64(double, math.Float64bits(v))
	}
	want := slices.Concat(filled...)
	n := len(frames[0])
	for name, c := range map[string]struct {
		in  []byte
		raw bool
	}{
		"raw": {single, true},
		"<f4": {npyOf("<f4", fmt.Sprintf("2, %d", n), single), false},
		"<f8": {npyOf("<f8", fmt.Sprintf("2, %d, 1, 1", n), double), false},
	} {
		var out bytes.Buffer
		if err := run(file, bytes.NewReader(c.in), &out, options{raw: c.raw}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := numbers(out.Bytes()); !near(got, want) {
			t.Errorf("%s: %d numbers, expected %d", name, len(got), len(want))
		}
	}
}

// Frames with times are filled in as those of a stream at these times, and every value has its score.
func TestTimes(t *testing.T) {
	frames, _ := example(t)
	m, err := edge.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	n := len(frames[0])
	s, err := m.NewWorkspace(0).NewStream(edge.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	var want []float64
	for k, time := range []float64{3, 7.5} {
		seen, result, scores := make([]bool, n), make([]float64, n), make([]float64, n)
		in.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(time))))
		for i, v := range frames[k] {
			seen[i] = v == v
			in.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v))))
		}
		if err := s.Fill(time, result, nil, frames[k], seen); err != nil {
			t.Fatal(err)
		}
		want = slices.Concat(want, result, []float64{s.Surprise(scores)}, scores)
	}
	var out bytes.Buffer
	if err := run(file, bytes.NewReader(in.Bytes()), &out, options{raw: true, times: true, scores: true}); err != nil {
		t.Fatal(err)
	}
	got := numbers(out.Bytes())
	for i, v := range want { // the missing have no score
		if v != v && len(got) == len(want) && got[i] != got[i] {
			got[i], want[i] = 0, 0
		}
	}
	if !near(got, want) {
		t.Errorf("%d numbers, expected %d", len(got), len(want))
	}
	backwards := slices.Concat(in.Bytes()[4*(n+1):], in.Bytes()[:4*(n+1)])
	if err := run(file, bytes.NewReader(backwards), new(bytes.Buffer), options{raw: true, times: true}); err == nil || !strings.Contains(err.Error(), "frame 1: edge: an example at time 3") {
		t.Errorf("times that go back: %v", err)
	}
}

// Alarms name the frame of a hot patch and where it is, the sensor that is stuck and the change for long, and nothing before them; a model without alarms is refused. The model has 60 frames of waves at
// random on 6×8 points, drawn as those of TestDrawnStreams of package sgplvm are, of latent kernel rbf, and 300 more were held back.
func TestAlarms(t *testing.T) {
	faces := file
	file, err := os.ReadFile("testdata/alarms.edge")
	if err != nil {
		t.Fatal(err)
	}
	m, err := edge.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	const frames, hot, stuck, patched, changed = 100, 30, 40, 19, 70
	rng, w, latent, values := rand.New(rand.NewPCG(1, 1)), m.NewWorkspace(0), make([]float64, 3), make([]float64, 48)
	var in, alarms bytes.Buffer
	for k := range frames {
		for q := range latent {
			latent[q] = math.Sin(float64(k)/8 + float64(q))
		}
		if err := w.Predict(values, nil, latent, make([]float64, 3)); err != nil {
			t.Fatal(err)
		}
		for i := range values {
			values[i] += 0.1 * rng.NormFloat64()
			switch {
			case k == hot && (i == patched || i == patched+1 || i == patched+8 || i == patched+9):
				values[i] += 4
			case k >= stuck && k < changed && i == 44:
				values[i] = 3
			case k >= changed:
				values[i] += 0.2 * float64(i%2)
			}
			in.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(values[i]))))
		}
	}
	if err := run(file, &in, io.Discard, options{raw: true, alarms: &alarms}); err != nil {
		t.Fatal(err)
	}
	numbers, said := map[int]bool{}, alarms.String()
	for line := range strings.Lines(said) {
		number, _ := strconv.Atoi(strings.Fields(line)[1][:2])
		if numbers[number] = true; number != hot && number < stuck && !strings.HasSuffix(line, " is sound\n") {
			t.Errorf("a sound frame: %s", line)
		}
	}
	for _, want := range []string{"frame 30: unlike training, level ", "; farthest off are values around 27, by ", "frame 40: value 44 is spiking\n", "frame 44: value 44 is stuck\n", "frame 78: changed for long, sum "} {
		if !strings.Contains(said, want) {
			t.Errorf("%s\ndoes not say %q", said, want)
		}
	}
	if len(numbers) > frames/2 {
		t.Errorf("alarms in %d frames", len(numbers))
	}
	if err := run(faces, strings.NewReader(""), io.Discard, options{alarms: io.Discard}); err == nil || !strings.Contains(err.Error(), "expected one of compile -held") {
		t.Errorf("a model without alarms: %v", err)
	}
}

// Bad input is refused in one line that names the frame.
func TestBadInput(t *testing.T) {
	frames, _ := example(t)
	n := len(frames[0])
	for name, c := range map[string]struct {
		in   string
		raw  bool
		want string
	}{
		"few values":      {"1,2\n", false, fmt.Sprintf("frame 0: 2 values, expected %d", n)},
		"many values":     {strings.Repeat("1,", n) + "1\n", false, fmt.Sprintf("frame 0: %d values, expected %d", n+1, n)},
		"no number":       {"x" + strings.Repeat(",1", n-1), false, `frame 0: value 0 is "x"`},
		"infinite":        {"inf" + strings.Repeat(",1", n-1), false, "frame 0: edge: value 0 is +Inf"},
		"a long line":     {strings.Repeat("1", 65*n), false, "frame 0: a line of more than"},
		"half a frame":    {strings.Repeat("\x00", 4*n+1), true, "frame 1: the input ends after 1"},
		"array's type":    {string(npyOf("<i8", "1, 2", nil)), false, "of another type"},
		"array's shape":   {string(npyOf("<f8", "1, 2", nil)), false, "shape (1, 2)"},
		"array's end":     {string(npyOf("<f8", fmt.Sprintf("1, %d", n), nil)), false, "frame 0: the input ends"},
		"array's header":  {"\x93NUMPY\x01\x00", false, "ends in its header"},
		"array's version": {"\x93NUMPY\x02\x00\x00\x00\x00\x00", false, "another version"},
	} {
		err := run(file, strings.NewReader(c.in), new(bytes.Buffer), options{raw: c.raw})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
	}
	if err := run(file[:100], strings.NewReader(""), new(bytes.Buffer), options{}); err == nil {
		t.Error("a truncated model was taken")
	}
}

// A small model is left to one processor, a large one is not.
func TestLeaveToOne(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	leaveToOne(make([]byte, little))
	if got := runtime.GOMAXPROCS(0); got != 2 {
		t.Errorf("%d processors for a large model", got)
	}
	leaveToOne(file)
	if got := runtime.GOMAXPROCS(0); got != 1 {
		t.Errorf("%d processors for a small model", got)
	}
}

// With a model of 50 Frey faces inside (fast, 16 bits) in place of this one the program has little more than 3 MB on small machines.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for other machines take long")
	}
	const faces = 801_440
	for _, target := range []struct {
		arch, arm string
		most      int // in pages of 64 kB; ARMv5 has no floating point of its own
	}{{"arm", "5", 3_150_000}, {"arm64", "", 3_160_000}} {
		program := filepath.Join(t.TempDir(), "program")
		build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+target.arch, "GOARM="+target.arm)
		if out, err := build.CombinedOutput(); err != nil {
			t.Skipf("no build: %v: %s", err, out)
		}
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		if size := int(info.Size()) - len(file) + faces; size > target.most {
			t.Errorf("%s%s: %d bytes, expected at most %d", target.arch, target.arm, size, target.most)
		}
	}
}

// The program links nothing that uses reflection, nor what trains. Package runtime/debug imports package fmt, of which it calls nothing here.
func TestSmall(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}{{range .Imports}} {{.}}{{end}}", ".").Output()
	if err != nil {
		t.Skip("no go command:", err)
	}
	apart := []string{"runtime/debug", "fmt", "internal/fmtsort", "reflect"}
	for line := range strings.Lines(string(out)) {
		names := strings.Fields(line)
		for _, name := range names[1:] {
			short := strings.TrimPrefix(name, "github.com/seed-08962ecc/kronfield/")
			if !slices.Contains(apart, names[0]) && slices.Contains([]string{"fmt", "reflect", "encoding/json", "encoding/gob", "encoding/binary", "kronprod", "sgplvm", "sgplvm/internal/bound", "sgplvm/internal/predict"}, short) {
				t.Errorf("%s needs %s", names[0], short)
			}
		}
	}
}
