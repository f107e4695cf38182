package table

import (
	"math"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// chance is that of numbers to be sums or means of those above, below which they are, and the same of rows with a name of totals that may be another.
const chance, namedChance = 1e-4, 0.05

// totals are the names of rows with sums or means of those above, ambiguous those of them that other rows may have.
var ambiguous, totals = []string{"all", "overall", "media", "means", "sums", "mittel"}, []string{"total", "totals", "grand total", "subtotal", "sum", "sums", "summe", "gesamt", "insgesamt", "somme", "suma", "totale", "totaal",
	"all", "overall", "mean", "means", "average", "avg", "mittel", "mittelwert", "durchschnitt", "moyenne", "media", "promedio", "gemiddelde"}

// before is the text before the line of a row.
func (t *Table) before(r *row) string { return t.text[:strings.LastIndexAny(t.text[:r.at], "\r\n")+1] }

// cut ends the table before a row.
func (t *Table) cut(r *row) { t.end = t.start + t.dialect.end(t.before(r)[t.start:]) }

// cutNotes leaves out the last lines, of fewer cells or of nothing but a text, from a text alone in its line or a line of nothing on.
func (t *Table) cutNotes(l *tail) {
	isNote := func(r *row) bool {
		return r.width != t.width || present(*r) < 2 && !slices.ContainsFunc(r.cells, isNumber)
	}
	opens := func(r *row) bool {
		text := t.before(r)
		blank := strings.Count(text[len(strings.TrimRight(text, " \t\r\n")):], "\n") > 1
		return blank || present(*r) == 0 || r.width == 1 && t.width > 1 && !isNumber(r.cells[0]) && !isMissing(r.cells[0])
	}
	notes := 0
	for k := 0; k < min(footerRows, l.count-1) && isNote(l.last(k)); k++ {
		if opens(l.last(k)) {
			notes = k + 1
		}
	}
	if notes > 0 {
		t.note("%s behind the last row: kept", quote.Counted(notes, "line"))
		t.cut(l.last(notes - 1))
	}
}

// cutTotals leaves out last rows that have sums or means of those above, by their name or by their numbers, and tells whether there are any.
func (t *Table) cutTotals(l *tail, o Options) bool {
	n := 0
	for k := range min(footerRows, l.count) {
		r := l.last(k)
		if r.width != t.width {
			continue
		}
		if len(r.cells) != t.width || t.Rows-n <= 3 {
			break
		}
		name := t.nameOfTotals(r)
		switch {
		case n == 0 && (!o.NumbersOnly && t.isTotal(r, chance) || name != "" && t.isTotal(r, namedChance)):
			t.note("line %d has totals or means of the rows above: kept as it is", r.line)
		case name != "" && (n > 0 || !slices.Contains(ambiguous, name)):
			t.note("line %d is taken for totals by its name, %s: kept as it is", r.line, quote.Text(name))
		default:
			return n > 0
		}
		t.cut(r)
		n++
	}
	return n > 0
}

// nameOfTotals returns the first text of a row, where that is a name of totals that no other row has in that column.
func (t *Table) nameOfTotals(r *row) string {
	k := slices.IndexFunc(r.cells, func(s string) bool { return s != "" })
	if k < 0 {
		return ""
	}
	name := strings.ToLower(strings.TrimRight(r.cells[k], ":."))
	if !slices.Contains(totals, name) {
		return ""
	}
	same := 0
	for _, text := range t.Texts(k) {
		if text == r.cells[k] {
			same++
		}
	}
	if same > 1 {
		return ""
	}
	return name
}

// isTotal tells whether the numbers of the last row are the sums, or the means, of those above to their last digits, and hardly so by chance.
func (t *Table) isTotal(r *row, chance float64) bool {
	sums, means := 1., 1.
	for k, text := range r.cells {
		c := t.column(k)
		v, n := t.value(text), float64(c.numbers-1)
		if c.kind != Number || v != v || c.least == c.most {
			continue
		}
		sum, unit := c.sum-v, math.Pow10(-int(c.decimals))
		mean := sum / n
		deviation := math.Sqrt(max(0, (c.squares-v*v)/n-mean*mean))
		near := func(to, most float64) float64 {
			off := math.Abs(v - to)
			if !(off <= most+1e-12*math.Abs(c.sum)) {
				return math.Inf(1)
			}
			return min(1, 2*max(off, unit/2)/deviation)
		}
		sums *= near(sum, unit*math.Sqrt(n))
		means *= near(mean, unit)
	}
	return min(sums, means) < chance
}
