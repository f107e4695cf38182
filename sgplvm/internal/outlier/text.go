package outlier

import (
	"fmt"
	"strings"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// named is how many values a text names.
const named = 5

// Text says in one sentence that values count as missing, and names the first.
func Text(found []field.Outlier) string {
	var names []string
	for _, v := range found[:min(named, len(found))] {
		names = append(names, v.String())
	}
	text, more := "1 value lies far outside what the others say and counts", ""
	if n := len(found); n > 1 {
		text = fmt.Sprintf("%d values lie far outside what the others say and count", n)
		if n > named {
			more = ", …"
		}
	}
	return text + " as missing: " + strings.Join(names, ", ") + more
}

// Report adds those that counted as missing to a report.
func Report(r *field.Report, found []field.Outlier) {
	if r.Outliers = found; len(found) > 0 {
		r.Warnings = append([]string{Text(found)}, r.Warnings...)
	}
}
