package fuzz

import (
	"slices"
)

// Sizes that the laws draw, unless [Source.Orders] or [Source.Most] say otherwise or a shorter input of bytes forbids.
const (
	maxMul = 40
	maxEig = 24
)

// scalars are multiples that keep integers exact.
var scalars = []float64{1, 0, -1, 2, -0.5}

// Laws lists every law. Those that a [Library] lacks something for do not apply to it.
func Laws() []Law {
	return slices.Concat(productLaws, triangularLaws, choleskyLaws, eigenLaws, generalLaws, kroneckerLaws, robustLaws, functionLaws)
}

// LawNamed returns the law of that name; it panics if there is none.
func LawNamed(name string) Law {
	for _, l := range Laws() {
		if l.Name == name {
			return l
		}
	}
	panic("fuzz: no law is named " + name)
}

// applying returns the laws that x has all operations for.
func (x Library) applying() []Law {
	return slices.DeleteFunc(Laws(), func(l Law) bool { return !l.Applies(x) })
}

// Try tries one of the laws that apply, chosen by s, and returns nil or how it is broken.
func (x Library) Try(s *Source) *Failure {
	laws := x.applying()
	return laws[s.IntN(len(laws))].Run(x, s)
}
