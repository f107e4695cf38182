package data

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// Digest returns a SHA-256 checksum of sizes and values. Errors: *field.ReadError.
func Digest(source field.Source) (string, error) {
	all := &Scaled{Source: source}
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
