package table

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// writeWith returns the table with one number in place of all of its values; NaN: of none.
func writeWith(t *testing.T, table *Table, value float64) string {
	t.Helper()
	var b strings.Builder
	if err := table.Write(&b, Result{Columns: table.Values, Value: func(int, int) float64 { return value }}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkTable reads any bytes: an error of one line, or a table that comes back to the byte where nothing is replaced, and that has the numbers that replaced others.
func checkTable(t *testing.T, file string) {
	t.Helper()
	table, err := Read(file, Options{})
	if err != nil {
		var known *Error
		if !errors.As(err, &known) || strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 3000 {
			t.Fatalf("error %q of %q", err, file)
		}
		return
	}
	if got := writeWith(t, table, math.NaN()); got != file {
		t.Fatalf("%q comes back as %q", file, got)
	}
	if len(table.Values) == 0 || slices.ContainsFunc(table.Values, func(k int) bool { return table.column(k).isLevels() }) {
		return
	}
	again, err := Read(writeWith(t, table, 7), Options{Columns: ranges(table.Values), Time: "none"})
	if err == nil && again.Rows == table.Rows && again.width == table.width && again.format == table.format && again.separator == table.separator && len(again.ends) == len(table.ends) && again.body == table.body {
		got, err := again.Numbers(again.Values)
		for i, v := range got {
			if math.Abs(v-7) > 1e-6 || err != nil {
				t.Fatalf("%q: value %d is %v (%v)", file, i, v, err)
			}
		}
	}
}

// ranges writes columns as an option takes them.
func ranges(columns []int) string {
	var all []string
	for _, k := range columns {
		all = append(all, strconv.Itoa(k+1))
	}
	return strings.Join(all, ",")
}

var fuzzSeeds = []string{
	"a,b\n1.5,\n2,3\n", "# a b\n1 NA\n2 3.5\n", "\uFEFFd;x;y\r\n01.02.2020;1.234,5;\r\n02.02.2020;2,5;3\r\n", "\"a\"\t\"b, c\"\n\"1\"\t\"\"\n", "t,s,v\n0,n,1\n0,s,\n1,n,2\n1,s,3\n",
	"\xff\xfea\x00,\x00b\x00\n\x001\x00,\x002\x00\n\x00", "title\na,b\n(s),(m)\n$1.5,20%\n-,3%\n", "x\n1,5\n2,25\n", "1e5,2\r3,4e-3\r", "a\tb\n1.5 p\t: c\n2 ± 0.1\t3*\n", " a | b\n---+----\n 1 | 2\n", "* Sea-Bird\n# name 0 = a: x\n# bad_flag = -9e-9\n*END*\n 1 -9e-9\n 2 3\n", "a|b\n'|1\n,|2\n",
}

// Mutated tables: no panic, errors of one line, and every byte back.
func TestMutatedTables(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	alphabet := "0123456789.,;:\t \n\r\"'#-+eE%$/TZNaab|\x00\xff\u00a0"
	for k := range 20000 {
		b := []byte(fuzzSeeds[k%len(fuzzSeeds)])
		for range 1 + r.IntN(5) {
			if len(b) == 0 {
				break
			}
			switch at := r.IntN(len(b)); r.IntN(4) {
			case 0:
				b[at] = alphabet[r.IntN(len(alphabet))]
			case 1:
				b = append(b[:at:at], b[min(len(b), at+1+r.IntN(3)):]...)
			case 2:
				b = append(b[:at:at], append([]byte{alphabet[r.IntN(len(alphabet))]}, b[at:]...)...)
			case 3:
				b = append(b, b[at:]...)
			}
		}
		checkTable(t, string(b))
	}
}

// FuzzTable reads any bytes; see checkTable.
func FuzzTable(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, file string) {
		if len(file) < 1<<12 {
			checkTable(t, file)
		}
	})
}
