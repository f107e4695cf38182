package experiment

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Two methods, one of which has nothing to score, and a published row.
func TestTable(t *testing.T) {
	a := evaluate.Summary{Pictures: 965, Values: 270200,
		RMSE: statistic(12.4321, 7.1, 20.0049), MAE: statistic(8, 5, 13), MNLP: statistic(3.21, 2.9, 4.05),
		NLP: statistic(3.9, 3.1, 123456), Coverage: [3]evaluate.Statistic{statistic(0.501, 0.4, 0.62), statistic(0.899, 0.8, 0.95), statistic(0.985, 0.9, 1)}}
	one := scoreTable{Rows: []scoreRow{newRow("modèle", a, "5 s")}, Notes: []string{"time"}}
	all := scoreTable{Title: "Half <missing>", Notes: []string{"time"}, Rows: []scoreRow{
		one.Rows[0],
		newRow("no, \"data\"", evaluate.Summarize(nil), ""),
		published("theirs", statistic(14.5, 8, 25), only(3.25), "<1 h"),
	}}
	for _, test := range []struct {
		name  string
		write func(io.Writer) error
		want  string
	}{
		{"text of one", one.writeText, `
               modèle
pictures       965
values         270200
RMSE           12.43 [7.100, 20.00]
MAE            8.000 [5.000, 13.00]
MNLP (median)  3.210 [2.900, 4.050]
NLP (mean)     3.900 [3.100, 1.235e+05]
coverage 50 %  50.1 % [40.0 %, 62.0 %]
coverage 90 %  89.9 % [80.0 %, 95.0 %]
coverage 99 %  98.5 % [90.0 %, 100.0 %]
time           5 s
`},
		{"text", all.writeText, `
Half <missing>
                    pictures  values  RMSE                  MAE                   MNLP (median)         NLP (mean)                coverage 50 %  coverage 90 %  coverage 99 %  time
modèle              965       270200  12.43 [7.100, 20.00]  8.000 [5.000, 13.00]  3.210 [2.900, 4.050]  3.900 [3.100, 1.235e+05]  50.1 %         89.9 %         98.5 %         5 s
no, "data"          0         0       –                     –                     –                     –                         –              –              –
theirs (published)  –         –       14.50 [8.000, 25.00]  –                     3.250                 –                         –              –              –              <1 h
`},
		{"CSV", all.writeCSV, `
name,published,pictures,values,rmse,rmse_low,rmse_high,mae,mae_low,mae_high,mnlp,mnlp_low,mnlp_high,nlp,nlp_low,nlp_high,coverage50,coverage50_low,coverage50_high,coverage90,coverage90_low,coverage90_high,coverage99,coverage99_low,coverage99_high,time
modèle,false,965,270200,12.4321,7.1,20.0049,8,5,13,3.21,2.9,4.05,3.9,3.1,123456,0.501,0.4,0.62,0.899,0.8,0.95,0.985,0.9,1,5 s
"no, ""data""",false,0,0,,,,,,,,,,,,,,,,,,,,,,
theirs,true,,,14.5,8,25,,,,3.25,,,,,,,,,,,,,,,<1 h
`},
		{"HTML", all.writeHTML, `
<table>
<caption>Half &lt;missing&gt;</caption>
<thead>
<tr><th></th><th>pictures</th><th>values</th><th>RMSE</th><th>MAE</th><th>MNLP (median)</th><th>NLP (mean)</th><th>coverage 50 %</th><th>coverage 90 %</th><th>coverage 99 %</th><th>time</th></tr>
</thead>
<tbody>
<tr><th>modèle</th><td>965</td><td>270200</td><td>12.43 [7.100, 20.00]</td><td>8.000 [5.000, 13.00]</td><td>3.210 [2.900, 4.050]</td><td>3.900 [3.100, 1.235e+05]</td><td>50.1 % [40.0 %, 62.0 %]</td><td>89.9 % [80.0 %, 95.0 %]</td><td>98.5 % [90.0 %, 100.0 %]</td><td>5 s</td></tr>
<tr><th>no, &#34;data&#34;</th><td>0</td><td>0</td><td>–</td><td>–</td><td>–</td><td>–</td><td>–</td><td>–</td><td>–</td><td></td></tr>
<tr class="published"><th>theirs (published)</th><td>–</td><td>–</td><td>14.50 [8.000, 25.00]</td><td>–</td><td>3.250</td><td>–</td><td>–</td><td>–</td><td>–</td><td>&lt;1 h</td></tr>
</tbody>
</table>
`},
	} {
		var b strings.Builder
		if err := test.write(&b); err != nil {
			t.Fatal(err)
		}
		if got := "\n" + strings.ReplaceAll(b.String(), "              \n", "\n"); got != test.want {
			t.Errorf("%s is%s\nexpected%s", test.name, got, test.want)
		}
		if err := test.write(brokenWriter{}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: error %v", test.name, err)
		}
	}
	all.Rows[1].Notes = nil
	for _, write := range []func(io.Writer) error{all.writeText, all.writeCSV, all.writeHTML} {
		tier.Panics(t, `experiment: table: row "no, \"data\"" has 0 notes, expected 1`, func() { write(io.Discard) })
	}
}

func statistic(mean, low, high float64) evaluate.Statistic {
	return evaluate.Statistic{Mean: mean, Low: low, High: high}
}
