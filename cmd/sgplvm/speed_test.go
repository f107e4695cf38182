//go:build count

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/mat"
)

// A place of a profile is known by the names of functions, of which the first in a list that
// contains one of these words decides.
type place struct {
	name  string
	words []string
}

// stages tell what the command was doing: the outermost function decides.
var stages = []place{
	{"choice", []string{"sgplvm.Select", "sgplvm.(*search)", "sgplvm.fitIncomplete", "sgplvm.Complete"}},
	{"training", []string{"sgplvm.(*Trainer).Fit", "sgplvm.(*Trainer).Step"}},
	{"calibration", []string{"sgplvm.(*Trainer)"}},
	{"filling in", []string{"sgplvm.(*Model)", "engine.Fill", "predict.(*Posterior)"}},
}

// parts tell which room it was in: the innermost function decides.
var parts = []place{
	{"Psi statistics", []string{"internal/psi."}},
	{"eigenproblems", []string{"kronfield/eig."}},
	{"Cholesky factors", []string{"kronfield/chol."}},
	{"Kronecker products", []string{"kronfield/kronprod."}},
	{"kernels", []string{"sgplvm/kernel."}},
	{"latent variables of one example", []string{"internal/infer."}},
	{"bound", []string{"internal/bound."}},
	{"time", []string{"internal/dynamics."}},
	{"prediction", []string{"internal/predict."}},
	{"motion", []string{"internal/opticalflow.", "internal/film/"}},
	{"films", []string{"internal/film."}},
	{"L-BFGS", []string{"kronfield/lbfgs."}},
	{"files", []string{"sgplvm/dataset.", "mat/npy.", "mat/safetensors.", "internal/files."}},
	{"orders, lists, weights", []string{"kronfield/sgplvm", "cmd/sgplvm"}},
}

// loops tell what kind of loop ran: the innermost function alone decides.
var loops = []place{
	{"products", []string{"asm.gemmPanel", "asm.chol", "asm.solveLower", "asm.solveUpper"}},
	{"streams", []string{"asm.dot", "asm.sumSquares", "asm.addScaled", "asm.scale", "asm.mulTo", "asm.axpyRows", "asm.symvRows"}},
	{"exp, log", []string{"asm.exp", "asm.log", "asm.sumLog"}},
}

// find returns the first place, in the order of the functions, that one of them is in.
func find(places []place, functions []string, otherwise string) string {
	for _, f := range functions {
		for _, p := range places {
			if slices.ContainsFunc(p.words, func(w string) bool { return strings.Contains(f, w) }) {
				return p.name
			}
		}
	}
	return otherwise
}

// spent is processor time in seconds, of a row of the table: all, and in each kind of loop.
type spent struct {
	stage, part string
	all, serial float64 // serial: outside mat.Run
	loops       map[string]float64
}

// attribute reads what "go tool pprof -traces -unit=ms" prints: blocks of a time and functions, the innermost first.
func attribute(traces io.Reader) ([]*spent, error) {
	rows := map[[2]string]*spent{}
	var seconds float64
	var functions []string
	flush := func() {
		if len(functions) == 0 {
			return
		}
		loop := find(loops, functions[:1], "")
		part := find(parts, functions, "Go's runtime")
		slices.Reverse(functions)
		key := [2]string{find(stages, functions, "before and after"), part}
		if rows[key] == nil {
			rows[key] = &spent{stage: key[0], part: key[1], loops: map[string]float64{}}
		}
		rows[key].all += seconds
		if !slices.ContainsFunc(functions, func(f string) bool { return strings.Contains(f, "mat.run") }) {
			rows[key].serial += seconds
		}
		rows[key].loops[loop] += seconds
		functions = nil
	}
	lines := bufio.NewScanner(traces)
	lines.Buffer(nil, 1<<20)
	begun := false
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		switch {
		case strings.HasPrefix(lines.Text(), "---"):
			flush()
			begun = true
		case !begun || len(fields) == 0:
		case len(functions) == 0 && strings.HasSuffix(fields[0], "ms"):
			ms, err := strconv.ParseFloat(strings.TrimSuffix(fields[0], "ms"), 64)
			if err != nil {
				return nil, err
			}
			seconds = ms / 1e3
			functions = append(functions, strings.Join(fields[1:], " "))
		default:
			functions = append(functions, strings.Join(fields, " "))
		}
	}
	flush()
	var list []*spent
	for _, r := range rows {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *spent) int { return int(1e6*b.all) - int(1e6*a.all) })
	return list, lines.Err()
}

// rate returns the best of some rounds of work: units in a second.
func rate(body func() (units float64)) (best float64) {
	for range 500 {
		begin := time.Now()
		units := body()
		best = max(best, units/time.Since(begin).Seconds())
	}
	return best
}

// TestSpeed runs commands, one in each line of the file that SGPLVM_SPEED names, and prints for each
// where its processor time went. With the build tag count all runs on one processor:
//
//	SGPLVM_SPEED=commands.txt go test -tags count ./cmd/sgplvm -run TestSpeed -v
func TestSpeed(t *testing.T) {
	file := os.Getenv("SGPLVM_SPEED")
	if file == "" {
		t.Skip("SGPLVM_SPEED names no file of commands")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	peak := rate(func() float64 { return asm.Peak(1 << 14) })
	memory := make([]float64, 1<<23)
	for i := range memory {
		memory[i] = 1
	}
	stream := rate(func() float64 { asm.SumSquares(memory); return float64(8 * len(memory)) })
	t.Logf("%s: products at most at %.1f GFLOPS, memory read at %.1f GB/s", asm.Level(), peak/1e9, stream/1e9)
	for line := range strings.Lines(string(text)) {
		if args := strings.Fields(line); len(args) > 0 {
			t.Logf("sgplvm %s\n%s", strings.Join(args, " "), table(t, args, peak, stream))
		}
	}
}

// table runs a command and returns its rows.
func table(t *testing.T, args []string, peak, stream float64) string {
	profile := filepath.Join(t.TempDir(), "profile")
	f, err := os.Create(profile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	flops, bytes0 := asm.Counted()
	shared, several := mat.Counted()
	begin := time.Now()
	if err := pprof.StartCPUProfile(f); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	code := cli.Run(context.Background(), &cli.Environment{Stdout: &out, Stderr: &out}, commands, args)
	pprof.StopCPUProfile()
	wall := time.Since(begin).Seconds()
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	flops1, bytes1 := asm.Counted()
	shared1, several1 := mat.Counted()
	traces, err := exec.Command("go", "tool", "pprof", "-traces", "-unit=ms", profile).Output()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := attribute(bytes.NewReader(traces))
	if err != nil {
		t.Fatal(err)
	}
	var all, products, streams float64
	for _, r := range rows {
		all += r.all
		products += r.loops["products"]
		streams += r.loops["streams"]
	}
	speed := float64(flops1-flops) / max(products, 1e-3) / peak
	var s strings.Builder
	fmt.Fprintf(&s, "%.2f s, %.2f s of processors; loops of products at %.2f of the peak, of vectors at %.2f of the memory's\n", wall, all, speed,
		float64(bytes1-bytes0)/max(streams, 1e-3)/stream)
	outside := wall - (shared1 - shared).Seconds()
	fmt.Fprintf(&s, "%.2f s in no part; if parts cost nothing to share,", outside)
	for i, p := range mat.Processors {
		fmt.Fprintf(&s, " %.2f s on %d", outside+(several1[i]-several[i]).Seconds(), p)
	}
	fmt.Fprintf(&s, " processors\n| %-16s | %-32s | %8s | %5s | %6s | %8s | %8s | %8s | %7s |\n|---|---|---|---|---|---|---|---|---|\n", "stage", "part", "seconds", "share", "serial", "products", "vectors", "exp, log", "of peak")
	for _, r := range rows {
		if r.all < 0.01*all {
			break
		}
		fmt.Fprintf(&s, "| %-16s | %-32s | %8.2f | %5.2f | %6.2f | %8.2f | %8.2f | %8.2f | %7.2f |\n", r.stage, r.part, r.all, r.all/all, r.serial/all,
			r.loops["products"]/r.all, r.loops["streams"]/r.all, r.loops["exp, log"]/r.all, r.loops["products"]*speed/r.all)
	}
	return s.String()
}
