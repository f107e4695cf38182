package evaluate_test

import (
	"fmt"
	"log"
	"math"

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
	fmt.Printf("%d values of %d pictures\n", summary.Values, summary.Pictures)
	fmt.Printf("RMSE %.3f, from %.3f to %.3f\n", summary.RMSE.Mean, summary.RMSE.Low, summary.RMSE.High)
	fmt.Printf("MNLP %.3f, from %.3f to %.3f\n", summary.MNLP.Mean, summary.MNLP.Low, summary.MNLP.High)
	for k, p := range evaluate.Levels {
		fmt.Printf("%.0f %% intervals hold %.0f %% of the values\n", 100*p, 100*summary.Coverage[k].Mean)
	}
	// Output:
	// MAE of the first picture: 1.5
	// 4 values of 2 pictures
	// RMSE 1.909, from 1.598 to 2.220
	// MNLP 2.081, from 1.932 to 2.229
	// 50 % intervals hold 50 % of the values
	// 90 % intervals hold 100 % of the values
	// 99 % intervals hold 100 % of the values
}
