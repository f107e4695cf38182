package fuzz

import (
	"fmt"
	"math"
	"slices"
)

// Family is a kind of matrices, one or none for each order. Parameters of its formula are fixed.
type Family struct {
	Name  string
	Group string
	Takes func(n int) bool            // whether there is one of order n; nil: of every order
	Make  func(s *Source, n int) Case // s may be nil where nothing is random
}

// Collection lists all families, group by group. Orders are those of square matrices; of a rectangular one the order is the
// smaller dimension.
func Collection() []Family { return slices.Clone(collection) }

var collection = slices.Concat(
	grouped("exact", exactFamilies), // integers or powers of two, factor or eigenvalues to the bit
	grouped("closed form", closedFamilies),
	grouped("hard spectra", hardFamilies),
	grouped("displacement", displacementFamilies),
	grouped("graphs", graphFamilies),
	grouped("Kronecker", kroneckerFamilies),
	grouped("general", generalFamilies),
	grouped("extremes", extremeFamilies),
)

// row is a family in the table of its group.
type row struct {
	name  string
	takes func(n int) bool
	make  func(s *Source, n int) Case
}

func grouped(group string, rows []row) []Family {
	return values(len(rows), func(i int) Family { return Family{rows[i].name, group, rows[i].takes, rows[i].make} })
}

// FamilyNamed returns the family of that name; it panics if there is none.
func FamilyNamed(name string) Family {
	for _, f := range collection {
		if f.Name == name {
			return f
		}
	}
	panic("fuzz: no family is named " + name)
}

// drawn returns the matrix of order n, if there is one with all properties of want and none of not.
func (f Family) drawn(s *Source, n int, want, not Properties) (c Case, has bool) {
	if f.Takes != nil && !f.Takes(n) {
		return c, false
	}
	c = f.Make(s, n)
	p := c.Properties()
	return c, p.Has(want) && !p.Any(not)
}

// fixed makes a family of what takes no source.
func fixed(make func(n int) Case) func(*Source, int) Case {
	return func(_ *Source, n int) Case { return make(n) }
}

// Orders that a family takes.
func upTo(most int) func(int) bool  { return func(n int) bool { return n <= most } }
func from(least int) func(int) bool { return func(n int) bool { return n >= least } }
func threefold(n int) bool          { return n%3 == 0 }
func power(n int) bool              { return n > 0 && n&(n-1) == 0 }
func root(n int) int                { return int(math.Sqrt(float64(n)) + 0.5) }
func perfectSquare(n int) bool      { return root(n)*root(n) == n }
func even(n int) bool               { return n > 0 && n%2 == 0 }

// Cases returns one matrix of order n of each family that has all properties of want and none of not:
//
//	fuzz.Cases(s, 20, fuzz.Definite|fuzz.Toeplitz, fuzz.IllConditioned)
func Cases(s *Source, n int, want, not Properties) []Case {
	var cases []Case
	for _, f := range collection {
		if c, has := f.drawn(s, n, want, not); has {
			cases = append(cases, c)
		}
	}
	return cases
}

// Draw returns a matrix of order n with all properties of want and none of not, of a family drawn from the [Collection]. It
// panics if no family has one.
func (s *Source) Draw(n int, want, not Properties) Case {
	c, found := s.draw(n, want, not)
	if !found {
		panic(fmt.Sprintf("fuzz: Draw: no family has a matrix of order %d that is %v and not %v", n, want, not))
	}
	return c
}

// Draw is [Source.Draw]; a trial ends without a verdict if there is none.
func (t *Trial) Draw(n int, want, not Properties) Case {
	c, found := t.draw(n, want, not)
	t.Assume(found)
	return c
}

func (s *Source) draw(n int, want, not Properties) (c Case, found bool) {
	start := s.IntN(len(collection))
	for k := range collection {
		f := collection[(start+k*stride)%len(collection)]
		if c, found = f.drawn(s, n, want, not); found {
			break
		}
	}
	return c, found
}

// stride takes a search through the collection, which it has no divisor in common with, away from neighbours that are alike.
const stride = 37
