package sgplvm

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Checkpoints keep what a run of Fit or Complete has done: a run that was stopped, by an interrupt, an error or the end of the
// process, goes on later to the same bits on the same instruction set.
type Checkpoints struct {
	// Save replaces what was kept before by what write writes, as a whole or not at all. It is called now and then, by the
	// goroutine of Fit, and just before Fit returns an error or was stopped. An error of it is told at once and does
	// not end the run; of the last call it is returned.
	Save func(write func(w io.Writer) error) error

	// Every is how much time passes at least between two calls. Default: half a minute, or twenty times what Save takes.
	Every time.Duration

	// Resume is what Save has kept of a run of the same data and configuration; Run.Limit may be another. nil: begin anew.
	Resume io.Reader
}

// about returns what a run is about, by name: the settings, and digests of the data.
func (c Config) about(d Data) (map[string]string, error) {
	about := c.settings()
	if c.Partly != nil {
		about["Partly"] = text(*c.Partly)
	}
	about["PartlyReach"] = fmt.Sprint(c.PartlyReach)
	if c.Start != nil {
		sum := sha256.New()
		if err := c.Start.Save(sum); err != nil {
			return nil, err
		}
		about["Start"] = fmt.Sprintf("%x", sum.Sum(nil))
	}
	for name, part := range map[string]any{"points": d.Grid, "times": d.Times, "sequences": d.Sequences, "masks": d.Hide, "Film": d.Film} {
		about[name] = fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, part)))
	}
	sources := map[string]Source{"values": d.Source, "known errors": d.Errors}
	for name, source := range sources {
		if source == nil {
			continue
		}
		sum, err := digest(source)
		if err != nil {
			return nil, err
		}
		about[name] = sum
	}
	return about, nil
}

// digest returns a SHA-256 checksum of sizes and values. Errors: *ReadError.
func digest(source Source) (string, error) {
	all := &data.Scaled{Source: source}
	all.Examples, all.Points, all.Channels = source.Dims()
	sum := sha256.New()
	fmt.Fprintln(sum, all.Examples, all.Points, all.Channels)
	var b []byte
	err := all.EachSlab(func(slab []float64, _ int) error {
		b = b[:0]
		for _, v := range slab {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		sum.Write(b)
		return nil
	})
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}
