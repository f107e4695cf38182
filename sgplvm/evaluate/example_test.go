package evaluate_test

import (
	"fmt"
	"log"
	"math"
	"os"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/evaluate"
)

// Two pictures of three pixels, of which the first pixel was seen.
func Example() {
	nan := math.NaN()
	truth := mat.NewDense(2, 3, []float64{50, 60, 70, 80, 90, 100})
	seen := mat.NewDense(2, 3, []float64{50, nan, nan, 80, nan, nan})
	mean := mat.NewDense(2, 3, []float64{50, 58, 71, 80, 93, 99})
	variance := mat.NewDense(2, 3, []float64{0, 4, 4, 0, 4, 4})

	scores, summary, err := evaluate.Evaluate(truth, seen, mean, variance, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("MAE of the first picture: %.1f\n", scores[0].MAE)
	if err := (evaluate.Table{Rows: []evaluate.Row{{Name: "model", Summary: summary}}}).WriteText(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// MAE of the first picture: 1.5
	//                model
	// pictures       2
	// values         4
	// RMSE           1.909 [1.598, 2.220]
	// MAE            1.750 [1.512, 1.988]
	// MNLP (median)  2.081 [1.932, 2.229]
	// NLP (mean)     2.081 [1.932, 2.229]
	// coverage 50 %  50.0 % [50.0 %, 50.0 %]
	// coverage 90 %  100.0 % [100.0 %, 100.0 %]
	// coverage 99 %  100.0 % [100.0 %, 100.0 %]
}
