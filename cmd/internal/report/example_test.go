package report_test

import (
	"log"
	"os"

	"github.com/seed-08962ecc/kronfield/cmd/internal/report"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// One method and a published number.
func Example() {
	summary := evaluate.Summarize([]evaluate.Scores{{Count: 4, RMSE: 2, MAE: 1.5, MNLP: 2.1, NLP: 2.2, Coverage: [3]float64{0.5, 0.75, 1}}})
	table := report.Table{Rows: []report.Row{
		{Name: "model", Summary: summary, Notes: []string{"3 s"}},
		report.Published("theirs", report.Only(2.5), report.Only(2.4), ""),
	}, Notes: []string{"learning"}}
	if err := table.WriteCSV(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// name,published,pictures,values,rmse,rmse_low,rmse_high,mae,mae_low,mae_high,mnlp,mnlp_low,mnlp_high,nlp,nlp_low,nlp_high,coverage50,coverage50_low,coverage50_high,coverage90,coverage90_low,coverage90_high,coverage99,coverage99_low,coverage99_high,learning
	// model,false,1,4,2,2,2,1.5,1.5,1.5,2.1,2.1,2.1,2.2,2.2,2.2,0.5,0.5,0.5,0.75,0.75,0.75,1,1,1,3 s
	// theirs,true,,,2.5,,,,,,2.4,,,,,,,,,,,,,,,
}
