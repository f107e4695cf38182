// Package experiment repeats the two experiments of Atkinson and Zabaras (2018, arXiv:1805.08665):
// the model and its baselines learn from the same data, predict the same, and stand in one table.
//
// [Frey] fills in pictures of which a part is seen, [Video] predicts frames of a film. [Holes] hides values of
// all pictures and has them filled in by methods that learn from data with holes. A method that
// is added to one of them is a row of its list and a function that learns.
package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/sgplvm-bench/internal/baseline"
	"github.com/seed-08962ecc/kronfield/mat"
)

// The latent variable models: that of the library, and the Bayesian GP-LVM (Titsias and Lawrence
// 2010), which knows no space.
const (
	structured = "sgplvm"
	plain      = "bgplvm"
)

// stride is how many pictures a quick look passes over for one that it predicts.
const stride = 10

// wants reports whether a list of methods, or all, has a name.
func wants(methods, name string) bool {
	return methods == "all" || slices.Contains(strings.Split(methods, ","), name)
}

// every returns every stride-th number.
func every(numbers []int) (some []int) {
	for i := 0; i < len(numbers); i += stride {
		some = append(some, numbers[i])
	}
	return some
}

// openFolder makes the folder of the results and refuses it where one of them cannot be written. undo takes it back if it was made, is empty and there was an error.
func openFolder(folder string, results []string) (undo func(err *error), err error) {
	made := os.Mkdir(folder, 0o777) == nil
	undo = func(err *error) {
		if *err != nil && made {
			os.Remove(folder)
		}
	}
	err = files.CheckFolder(folder)
	for _, name := range results {
		if err == nil {
			err = cli.Writable(filepath.Join(folder, name))
		}
	}
	undo(&err)
	return undo, err
}

// gridPoints returns the pixels (row, column) of a picture, n_s×2.
func gridPoints(width, height int) mat.Matrix {
	x := mat.New(height*width, 2)
	for i := range x.Rows {
		x.Set(i, 0, float64(i/width))
		x.Set(i, 1, float64(i%width))
	}
	return x
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// parametersText lists what a baseline has selected.
func parametersText(parameters []baseline.Parameter) string {
	var s []string
	for _, x := range parameters {
		s = append(s, fmt.Sprintf("%s %.4g", x.Name, x.Value))
	}
	return strings.Join(s, ", ")
}

// pageStyle is how a page with a table looks.
const pageStyle = `
body { font-family: sans-serif; margin: 2em; }
table { border-collapse: collapse; margin-bottom: 2em; display: block; max-width: 100%; overflow-x: auto; }
caption { text-align: left; font-weight: bold; padding-bottom: 0.5em; }
th, td { padding: 0.25em 0.5em; text-align: right; vertical-align: top; border-bottom: 1px solid #ddd; }
th:first-child { text-align: left; position: sticky; left: 0; background: #fff; }
td { min-width: 4em; font-variant-numeric: tabular-nums; }
img { max-width: 100%; }
tr.published { color: #777; font-style: italic; }
`

// MethodsFlag defines -methods, which takes different ones of some words, separated by commas, or all.
func MethodsFlag(f *cli.Flags, words []string) *string {
	return cli.Add(f, "methods", "all", "the `methods`, separated by commas: "+strings.Join(words, ", "), func(s string) (string, error) {
		if s == "all" {
			return s, nil
		}
		found := strings.Split(s, ",")
		for k, w := range found {
			if !slices.Contains(words, w) || slices.Contains(found[:k], w) {
				return "", fmt.Errorf("expected all, or different ones of %s, separated by commas", strings.Join(words, ", "))
			}
		}
		return s, nil
	})
}
