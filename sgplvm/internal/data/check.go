package data

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// Check looks through examples for what cannot be meant as data, in one pass, or two where it finds
// something. It refuses
//
//   - an infinite value, and data without any that was observed: NaN is one that was not,
//   - data without any differences: every channel constant but for rounding, or all of two or more
//     examples equal,
//   - values so far outside the rest that they must stand for something else, such as land in a map of
//     the sea: of 1e9 or more and a million times as far away as the rest is wide, or one of the usual
//     words for "no value", such as -9999 or 32767, several times and thirty times as far,
//
// and has a warning, one sentence each, for a single example and for missing values, examples and points. A constant channel beside others, equal examples among others and tails as heavy
// as Cauchy's are data like any. Errors: *ReadError, *ValueError.
func Check(source field.Source) (warnings []string, err error) {
	y := &Scaled{Source: source}
	y.Examples, y.Points, y.Channels = source.Dims()
	all := make([]census, y.Channels)
	first, alike := []float64(nil), true
	missing := absence{seen: make([]bool, y.Points)}
	err = y.EachSlab(func(slab []float64, from int) error {
		for i, v := range slab {
			if math.IsInf(v, 0) {
				return y.refuse(from*y.Size()+i, v)
			}
			if v == v {
				all[i%y.Channels].add(v)
			}
		}
		missing.add(slab, y.Channels)
		if first == nil {
			first = slices.Clone(slab[:y.Size()])
		}
		for ; alike && len(slab) > 0; slab = slab[y.Size():] {
			alike = slices.Equal(first, slab[:y.Size()])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for c := range all {
		if len(all[c].octaves) == 0 {
			return nil, nothing(y, c)
		}
	}
	if !slices.ContainsFunc(all, func(c census) bool { return !c.constant() }) {
		want := "values that differ: every channel has the same value everywhere"
		if y.Examples*y.Points == 1 {
			want = "more than a single value of each channel"
		}
		return nil, &field.ValueError{Value: all[0].octaves[0].low, Want: want}
	}
	for c := range all {
		if far, ok := all[c].farthest(); ok && far.refused() {
			return nil, y.refuseFar(c, far)
		}
	}
	warnings = append(warnings, missing.warnings(y.Examples, y.Size())...)
	switch {
	case y.Examples == 1:
		warnings = append(warnings, "a single example: the model knows how its values hang together in space, but not how examples differ")
	case alike:
		return nil, &field.ValueError{Example: 1, Value: first[0], Want: fmt.Sprintf("examples that differ: all %d are the same", y.Examples)}
	}
	return warnings, nil
}

// nothing is the error of a channel without a value.
func nothing(y *Scaled, c int) error {
	if y.Channels == 1 {
		return &field.ConfigError{Field: "Data", Err: fmt.Errorf("all %d values are missing, expected some that were observed", y.Examples*y.Points)}
	}
	return &field.ConfigError{Field: "Data", Err: fmt.Errorf("channel %d: all %d values are missing, expected some that were observed", c, y.Examples*y.Points)}
}

// An absence counts what is missing.
type absence struct {
	values   int
	examples []int  // without any value
	seen     []bool // by point: in some example
	n        int    // examples so far
}

// add counts a slab of examples.
func (a *absence) add(slab []float64, channels int) {
	for size := len(a.seen) * channels; len(slab) > 0; slab = slab[size:] {
		values := a.values
		for i, v := range slab[:size] {
			if v != v {
				a.values++
			} else {
				a.seen[i/channels] = true
			}
		}
		if a.values-values == size {
			a.examples = append(a.examples, a.n)
		}
		a.n++
	}
}

// warnings tell of it: examples and points without a value are allowed, and filled in from the others.
func (a *absence) warnings(examples, size int) (all []string) {
	if a.values == 0 {
		return nil
	}
	all = append(all, fmt.Sprintf("%d of %d values are missing (%.3g %%)", a.values, examples*size, 100*float64(a.values)/float64(examples*size)))
	if n := len(a.examples); n > 0 {
		all = append(all, fmt.Sprintf("%d of %d examples have no value, the first is example %d: nothing but what all have in common, or their time, says anything of them", n, examples, a.examples[0]))
	}
	points, first := 0, -1
	for p, seen := range a.seen {
		if !seen {
			if first < 0 {
				first = p
			}
			points++
		}
	}
	if points > 0 {
		all = append(all, fmt.Sprintf("%d of %d points have no value in any example, the first is point %d: their neighbours alone say anything of them", points, len(a.seen), first))
	}
	return all
}

// constantShare bounds the differences, as a share of the value, that are taken for rounding.
const constantShare = 0x1p-46

// A census counts the values of a channel by octaves.
type census struct {
	octaves []octave
	last    int // number of the octave of the last value
}

// An octave counts values of one sign and one exponent.
type octave struct {
	count     int
	low, high float64
}

func (c *census) add(v float64) {
	same := func(o octave) bool { return math.Float64bits(o.low)>>52 == math.Float64bits(v)>>52 }
	if len(c.octaves) == 0 || !same(c.octaves[c.last]) {
		if c.last = slices.IndexFunc(c.octaves, same); c.last < 0 {
			c.last = len(c.octaves)
			c.octaves = append(c.octaves, octave{0, v, v})
		}
	}
	o := &c.octaves[c.last]
	o.count++
	o.low, o.high = min(o.low, v), max(o.high, v)
}

// constant reports whether the values differ by no more than rounding.
func (c *census) constant() bool {
	low, high := math.Inf(1), math.Inf(-1)
	for _, o := range c.octaves {
		low, high = min(low, o.low), max(high, o.high)
	}
	return high-low <= constantShare*max(math.Abs(low), math.Abs(high))
}

// A far is a part of a channel's values that lies apart from the rest.
type far struct {
	octave         // of the part
	rest   octave  // of the others
	ratio  float64 // the distance between the two over the width of the rest; +Inf where that is 0
}

// farthest returns the part that lies farthest away: the values are cut in two where no octave has any, and
// the side that is larger in size is the part.
func (c *census) farthest() (best far, ok bool) {
	sort.Slice(c.octaves, func(i, j int) bool { return c.octaves[i].low < c.octaves[j].low })
	join := func(o []octave) octave {
		all := octave{0, o[0].low, o[len(o)-1].high}
		for _, x := range o {
			all.count += x.count
		}
		return all
	}
	for k := 1; k < len(c.octaves); k++ {
		f := far{octave: join(c.octaves[k:]), rest: join(c.octaves[:k])}
		gap := f.low - f.rest.high
		if math.Abs(c.octaves[k-1].high) > math.Abs(f.low) {
			f.octave, f.rest = f.rest, f.octave
		}
		f.ratio = gap / (f.rest.high - f.rest.low)
		if !ok || f.ratio > best.ratio || f.ratio == best.ratio && f.size() > best.size() {
			best, ok = f, true
		}
	}
	return best, ok
}

// size returns the least size of the part's values.
func (f *far) size() float64 { return min(math.Abs(f.low), math.Abs(f.high)) }

// How far away values are refused, in widths of the rest, and how large they are.
const (
	refusedRatio, refusedSize = 1e6, 1e9
	constantRatio             = 1e12 // of the rest's size, where the rest is a single value
	wordRatio                 = 30
)

// noValue are the usual words for "no value" of a moderate size.
var noValue = []float64{999, 9999, 99999, 999999, 9999999, 99999999, 32767, 32768, 2147483647, 2147483648}

// refused reports whether values cannot be meant.
func (f *far) refused() bool {
	same := f.low == f.high
	switch {
	case math.IsInf(f.ratio, 1): // the rest is a single value, as the background of drawings
		return f.size() >= refusedSize && f.size() >= constantRatio*math.Abs(f.rest.low)
	case !same && f.count > f.rest.count:
		return false
	case f.ratio >= refusedRatio && f.size() >= refusedSize:
		return true
	}
	return same && f.count > 1 && f.ratio >= wordRatio && slices.Contains(noValue, math.Abs(f.low))
}

// refuseFar says what is wrong with a part of channel c.
func (y *Scaled) refuseFar(c int, f far) error {
	place, value, least, most := -1, 0.0, math.MaxInt, 0 // least and most: of an example
	err := y.EachSlab(func(slab []float64, from int) error {
		for k := 0; k*y.Size() < len(slab); k++ {
			n := 0
			for j := c; j < y.Size(); j += y.Channels {
				if v := slab[k*y.Size()+j]; v >= f.low && v <= f.high {
					if place < 0 {
						place, value = (from+k)*y.Size()+j, v
					}
					n++
				}
			}
			least, most = min(least, n), max(most, n)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return &field.ValueError{Example: place / y.Size(), Point: place % y.Size() / y.Channels, Channel: c, Value: value,
		Want: "a value like the rest: " + f.describe(least, most, y.Examples, y.Points) + ": land or missing? A fill value or a mask says so, or such points are left out of the data"}
}

// describe counts the values of a part, of which an example has least to most.
func (f *far) describe(least, most, examples, points int) string {
	values, are := fmt.Sprintf("%.6g", f.low), "is"
	if f.low != f.high {
		values = fmt.Sprintf("from %.4g to %.4g", f.low, f.high)
	}
	if f.count > 1 {
		are = "are"
	}
	of := fmt.Sprintf("%d of %d values", f.count, examples*points)
	if least == most && examples > 1 {
		of = fmt.Sprintf("%d of %d values of each example", most, points)
	}
	return fmt.Sprintf("%s %s %s, far outside the rest (%.4g … %.4g)", of, are, values, f.rest.low, f.rest.high)
}
