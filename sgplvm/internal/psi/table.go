package psi

import (
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/text"
)

// table holds all parts, in the order in which a kernel has them. A new part is a row here
// and a file of its own.
var table = []struct {
	name  string
	empty func() Part
}{
	{"rbf", func() Part { return new(RBF) }},
	{"linear", func() Part { return new(Linear) }},
	{"bias", func() Part { return new(Bias) }},
	{"time", func() Part { return new(Time) }},
}

// Parts returns a part of every kind, without parameters: what package record must know before it reads a kernel.
func Parts() []Part {
	var all []Part
	for _, row := range table {
		all = append(all, row.empty())
	}
	return all
}

func tableNames() []string {
	var names []string
	for _, row := range table {
		names = append(names, row.name)
	}
	return names
}

// listed writes names as in "rbf, linear or bias".
func listed(names []string, and string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + and + " " + names[last]
}

// Names say which parts a kernel has, in the order of the table.
type Names []string

// Parse reads a sum of parts such as rbf+linear+bias, in any order.
func Parse(s string) (Names, error) {
	given := strings.Split(s, "+")
	var names Names
	for _, row := range table {
		if slices.Contains(given, row.name) {
			names = append(names, row.name)
		}
	}
	if len(names) != len(given) {
		return nil, text.Errorf("expected %s, or a sum of different ones, as rbf+linear", listed(tableNames(), "or"))
	}
	if err := names.validate(); err != nil {
		return nil, err
	}
	return names, nil
}

// String writes the names as Parse reads them.
func (n Names) String() string { return strings.Join(n, "+") }

// Has reports whether name is among the names.
func (n Names) Has(name string) bool { return slices.Contains(n, name) }

// validate reports whether the parts are some of the table's, in its order, and go together.
func (n Names) validate() error {
	at, first := -1, ""
	for _, name := range n {
		i := slices.Index(tableNames(), name)
		if i <= at {
			return text.Errorf("kernel of the parts %v, expected different ones of %v in this order", []string(n), tableNames())
		}
		at = i
		if _, is := table[i].empty().(nonlinear); is {
			if first != "" {
				return text.Errorf("kernel of the parts %s and %s, expected one of them", first, name)
			}
			first = name
		}
	}
	return nil
}
