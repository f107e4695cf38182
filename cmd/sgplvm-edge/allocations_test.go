//go:build !race

package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"strconv"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/sgplvm/edge"
)

// Frames allocate nothing, whatever their form, with times and scores or without: the program collects no garbage.
func TestAllocations(t *testing.T) {
	tier.Skip(t, tier.Emulated)
	examples, _ := example(t)
	m, err := edge.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	n := len(examples[0])
	const runs = 20
	var line, single []byte
	for i, v := range examples[0] {
		if v == v {
			line = strconv.AppendFloat(line, v, 'g', -1, 64)
		}
		if line = append(line, ','); i == n-1 {
			line[len(line)-1] = '\n'
		}
		single = binary.LittleEndian.AppendUint32(single, math.Float32bits(float32(v)))
	}
	for name, in := range map[string][]byte{"lines": bytes.Repeat(line, runs+1), "raw": bytes.Repeat(single, runs+1)} {
		frames, err := newFrames(bytes.NewReader(in), n, name == "raw")
		if err != nil {
			t.Fatal(err)
		}
		times := name == "raw" // a stream, and scores of all values
		filler, err := newFiller(m, times)
		if err != nil {
			t.Fatal(err)
		}
		var scores []float64
		if times {
			scores = make([]float64, n)
		}
		results := newResults(io.Discard, n, frames.csv())
		read, filled, seen, number := make([]float64, n), make([]float64, n), make([]bool, n), 0
		if got := testing.AllocsPerRun(runs, func() {
			if err := frames.next(read); err != nil {
				t.Fatal(err)
			}
			for i, v := range read {
				seen[i] = v == v
			}
			if err := filler.fill(float64(number), filled, read, seen); err != nil {
				t.Fatal(err)
			}
			number++
			if err := results.write(filled, filler.score(scores), scores); err != nil {
				t.Fatal(err)
			}
		}); got >= 1 {
			t.Errorf("%s: %v allocations a frame", name, got)
		}
	}
}
