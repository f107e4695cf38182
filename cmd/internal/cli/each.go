package cli

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm"
)

// Each calls body for every one of the examples from ≤ i < to, several at a time, and returns the error of the
// first that has one; noun is what one is called, verb what body does to it, name where they are from.
func (e *Environment) Each(ctx context.Context, noun, verb, name string, from, to int, body func(i int) error) error {
	count := to - from
	show, stop := e.Counting(noun+"s "+verb, count)
	defer stop()
	var done atomic.Int64
	failures := make([]error, count)
	one := func(i int) {
		if ctx.Err() != nil {
			return
		}
		if failures[i] = body(from + i); failures[i] == nil {
			show(int(done.Add(1)))
		}
	}
	if count > 0 { // alone, with all processors: what all have in common is made then, which others would wait for
		one(0)
	}
	mat.Parallel(max(0, count-1), func(i int) { one(i + 1) })
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, err := range failures {
		if value, ok := errors.AsType[*sgplvm.ValueError](err); ok {
			value.Example = from + i
			return fmt.Errorf("%s: %w", name, value)
		}
		if err != nil {
			return fmt.Errorf("%s: %s %d: %w", name, noun, from+i, err)
		}
	}
	return nil
}
