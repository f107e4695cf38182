package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// measured returns n rows of five columns in units far apart that two hidden numbers make.
func measured(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 9))
	var v []float64
	for range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		for _, c := range [][3]float64{{1e6, 1, 0}, {1e-3, 0, 1}, {1, 1, 1}, {10, 1, -1}, {5, -1, 0.5}} {
			v = append(v, c[0]*(7+c[1]*a+c[2]*b+0.05*rng.NormFloat64()))
		}
	}
	return v
}

// csvText writes rows of five columns as text, with nothing for NaN.
func csvText(v []float64) []byte {
	var b strings.Builder
	b.WriteString("mass,\"length, in m\",c,d,e\n")
	for i, x := range v {
		if x == x {
			fmt.Fprintf(&b, "%v", x)
		}
		b.WriteString(map[bool]string{true: "\n", false: ","}[i%5 == 4])
	}
	return []byte(b.String())
}

// A table is learned, told, filled in and predicted: as text or as an array without a grid.
func TestTable(t *testing.T) {
	workFolder(t)
	training, truth := measured(60, 1), measured(20, 2)
	seen := append([]float64(nil), truth...)
	for i := range 20 {
		seen[i*5+i%5] = math.NaN()
	}
	writeArray(t, "table.npy", npy.New(training, 60, 5))
	writeArray(t, "gaps.npy", npy.New(seen, 20, 5))
	writeArray(t, "narrow.npy", npy.New(seen[:80], 20, 4))
	write(t, "table.csv", csvText(training))
	write(t, "gaps.csv", csvText(seen))
	steps(t, 80)
	first := mustRun(t, strings.Fields("train -data table.csv -out fromtext -config steps80.json")...)
	if want := "table.csv: taken as a table of 60 rows and 5 columns (pictures, one in a row, need -grid WIDTHxHEIGHT)\ntrained on 60 rows in "; !strings.HasPrefix(first, want) {
		t.Errorf("train printed %q", first)
	}
	mustRun(t, strings.Fields("train -data table.npy -out fromarray -config steps80.json")...)
	write(t, "truth.csv", csvText(truth))
	impute := strings.Fields("impute -model fromtext -data gaps.csv -truth truth.csv -out shown.csv")
	errors := mustRun(t, impute...)
	var about struct {
		Errors  any
		Columns []struct {
			Name   string
			Errors map[string]map[string]float64
		}
	}
	if err := json.Unmarshal([]byte(mustRun(t, append(impute, "-json")...)), &about); err != nil || about.Errors != nil || len(about.Columns) != 5 {
		t.Fatalf("%+v, error %v", about, err)
	}
	for k, c := range about.Columns { // in its own units
		var want, n float64
		filled := tableValues(t, "shown.csv", 5)
		for i := range 20 {
			if x := seen[i*5+k]; x != x {
				want += (filled[i*5+k] - truth[i*5+k]) * (filled[i*5+k] - truth[i*5+k])
				n++
			}
		}
		if want = math.Sqrt(want / n); math.Abs(c.Errors["rmse"]["mean"]-want) > 1e-6*want || !strings.Contains(errors, c.Name) {
			t.Errorf("column %s: %v, expected %v\n%s", c.Name, c.Errors, want, errors)
		}
	}
	mustRun(t, strings.Fields("predict -model fromtext -out p.npy")...)
	mustRun(t, strings.Fields("predict -model fromarray -out q.npy")...)
	if shaped(t, "p.npy", 60, 5); string(read(t, "p.npy")) != string(read(t, "q.npy")) {
		t.Error("text and array give different models")
	}
	told := mustRun(t, "info", "-model", "fromtext")
	for _, want := range []string{"60 rows of 5 columns", "latent dimensions      4\n"} {
		if !strings.Contains(told, want) {
			t.Errorf("info does not tell %q:\n%s", want, told)
		}
	}
	if strings.Contains(told, "spatial") || strings.Count(told, "noise  ") != 1 {
		t.Errorf("info:\n%s", told)
	}
	mustRun(t, strings.Fields("impute -model fromtext -data gaps.csv -out filled.csv -variance variance.csv")...)
	mustRun(t, strings.Fields("impute -model fromtext -data gaps.npy -out filled.npy")...)
	filled, err := dataset.Load("filled.csv", dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(filled.Columns) != "[mass length, in m c d e]" {
		t.Errorf("columns %q", filled.Columns)
	}
	same := shaped(t, "filled.npy", 20, 5)
	for i := range 20 {
		k := i % 5
		unit := []float64{1e6, 1e-3, 1, 10, 5}[k]
		if got := filled.Values(i)[k]; got != same[i*5+k] || !(math.Abs(got-truth[i*5+k]) < 0.5*unit) {
			t.Errorf("row %d, column %d: %v and %v, expected about %v", i, k, got, same[i*5+k], truth[i*5+k])
		}
	}
	mustRun(t, strings.Fields("sample -model fromtext -count 3 -out drawn.npy")...)
	shaped(t, "drawn.npy", 3, 5)
	for _, c := range []struct {
		code       int
		args, line string
	}{
		{2, "predict -model fromtext -out p", `predict: -out "p" of values that are no pictures, expected a name that ends in .npy or .csv`},
		{2, "predict -model fromtext -out p.npy -grid 2x2", "predict: -points or -grid with a model of a table, expected neither"},
		{2, "impute -model fromtext -data gaps.npy -out p.npy -sheet s.png", "impute: -sheet of a table, expected pictures"},
		{2, "render -model fromtext -out p.npy", "render: a model of a table, expected one of pictures"},
		{1, "impute -model fromtext -data narrow.npy -out p.npy", "narrow.npy: shape 20×4: found 4 columns, expected a table of 5 columns"},
		{1, "impute -model model -data gaps.csv -out p.npy", "gaps.csv: shape 20×5: found rows of 5 values, expected 20 for a grid of 5x4 and 1 channel (20 points do not divide the row)"},
	} {
		mustFail(t, c.code, c.line, strings.Fields(c.args)...)
	}
}

// Tables of few columns or rows train, too; one row says nothing.
func TestSmallTables(t *testing.T) {
	workFolder(t)
	steps(t, 20)
	for _, shape := range [][2]int{{60, 1}, {40, 2}, {2, 5}} {
		var values []float64
		for i := range shape[0] {
			values = append(values, measured(60, 3)[i*5:i*5+shape[1]]...)
		}
		writeArray(t, "table.npy", npy.New(values, shape[0], shape[1]))
		seen := make([]float64, shape[1])
		for i := range seen {
			seen[i] = math.NaN()
		}
		writeArray(t, "gaps.npy", npy.New(seen, 1, shape[1]))
		for _, with := range []string{"-effort quick", "-config steps20.json"} {
			succeed(t, strings.Fields("train -data table.npy -out small "+with)...)
		}
		if o := sgplvmRun(strings.Fields("impute -model small -data gaps.npy -out filled.npy")...); o.code != 0 {
			t.Errorf("%v: %+v", shape, o)
			continue
		}
		shaped(t, "filled.npy", 1, shape[1])
	}
	writeArray(t, "row.npy", npy.New(measured(1, 3), 1, 5))
	o := sgplvmRun(strings.Fields("train -data row.npy -out none")...)
	if o.code != 1 || !strings.HasSuffix(o.stderr, "expected more than a single value of each channel\n") {
		t.Errorf("%+v", o)
	}
}

// tableValues returns the values of a table.
func tableValues(t *testing.T, path string, columns int) (values []float64) {
	t.Helper()
	f, err := dataset.LoadTable(path, columns, dataset.SetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Count {
		values = append(values, f.Values(i)...)
	}
	return values
}

// A model finds its columns by their names, in any order and among others; a long table's likewise, of which some may not be there.
func TestColumnsByName(t *testing.T) {
	workFolder(t)
	steps(t, 40)
	values := measured(40, 4)
	wide, other, long := "a,b,c\n", "id,c,x,a,b\n", "t,s,value\n"
	for i := range 40 {
		v := values[5*i:]
		wide += fmt.Sprintf("%v,%v,%v\n", v[0], v[2], v[3])
		if i < 10 {
			other += fmt.Sprintf("N%d,,7,%v,%v\n", i, v[0], v[2])
			long += fmt.Sprintf("%d,b,%v\n%d,a,%v\n", i, v[2], i, v[0])
		}
	}
	write(t, "wide.csv", []byte(wide))
	write(t, "other.csv", []byte(other))
	write(t, "long.csv", []byte(long))
	write(t, "few.csv", []byte("a,b\n1,2\n"))
	mustRun(t, strings.Fields("train -data wide.csv -config steps40.json -out m")...)
	var got [][]float64
	for _, name := range []string{"other", "long"} {
		succeed(t, strings.Fields("impute -model m -data "+name+".csv -out "+name+".npy")...)
		got = append(got, shaped(t, name+".npy", 10, 3))
	}
	for i := range 10 {
		for k, c := range []int{0, 2, 3} {
			v := values[5*i+c]
			if got[0][3*i+k] != got[1][3*i+k] || k < 2 && got[0][3*i+k] != v || math.Abs(got[0][3*i+k]-v) > 5 {
				t.Errorf("row %d, column %d: %v and %v, want %v", i, k, got[0][3*i+k], got[1][3*i+k], v)
			}
		}
	}
	mustFail(t, 1, `few.csv: found no column "c", expected all of "a", "b", "c" (-columns names others, in this order)`, strings.Fields("impute -model m -data few.csv -out f.npy")...)
}

// fill takes a logger's table without a word of help: the result is that table with the gaps filled in, beside one of standard errors. train, impute and latents read the same
// tables, and impute fills in at their times.
func TestTableOfText(t *testing.T) {
	workFolder(t)
	var text, whole strings.Builder
	text.WriteString("Station 7\nDatum;Wetter;Temperatur;Druck\n;;°C;hPa\n")
	whole.WriteString(text.String())
	for k := range 30 {
		day := time.Date(2020, 2, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, k).Format("02.01.2006")
		x := math.Sin(float64(k) / 5)
		row := func(gap bool) string {
			temp := strings.Replace(fmt.Sprintf("%.2f", 10+3*x), ".", ",", 1)
			if gap {
				temp = ""
			}
			return fmt.Sprintf("%s;trüb;%s;%s\n", day, temp, strings.Replace(fmt.Sprintf("%.1f", 1000+10*x), ".", ",", 1))
		}
		text.WriteString(row(k%7 == 3))
		whole.WriteString(row(false))
	}
	write(t, "gaps.csv", []byte(text.String()))
	write(t, "whole.csv", []byte(whole.String()))
	run := func(args string) string { t.Helper(); return succeed(t, strings.Fields(args)...) }
	said := run("fill -data gaps.csv -out filled.csv -effort none")
	if want := "Temperatur: 4 of 30 missing, filled in with a standard error of "; !strings.Contains(said, want) {
		t.Errorf("fill printed %q", said)
	}
	before, after, truth := strings.Split(text.String(), "\n"), strings.Split(string(read(t, "filled.csv")), "\n"), tableValues(t, "whole.csv", 2)
	values, errors := tableValues(t, "filled.csv", 2), tableValues(t, "filled_standard_error.csv", 2)
	for line, was := range before {
		k := line - 3
		if k < 0 || k >= 30 || k%7 != 3 {
			if after[line] != was {
				t.Errorf("line %d was %q and is %q", line+1, was, after[line])
			}
			continue
		}
		if e := math.Abs(values[2*k] - truth[2*k]); e > 0.2 || !(errors[2*k] > 0) || len(after[line]) != len(was)+len(strings.Replace(fmt.Sprintf("%.2f", values[2*k]), ".", ",", 1)) {
			t.Errorf("line %d is %q, off by %v ± %v", line+1, after[line], e, errors[2*k])
		}
	}
	steps(t, 80)
	run("train -data whole.csv -config steps80.json -out weather")
	run("impute -model weather -data gaps.csv -out imputed.csv -variance v.csv")
	for k, v := range tableValues(t, "imputed.csv", 2) {
		if math.Abs(v-truth[k]) > 0.5 {
			t.Errorf("value %d is imputed as %v, want %v", k, v, truth[k])
		}
	}
	run("latents -model weather -data gaps.csv -out latents.tsv")
	write(t, "labels.csv", []byte(strings.Repeat("1\n2\n", 15)))
	run("report -model weather -data whole.csv -labels labels.csv -out page.html") // whose labels are no columns
	mustFail(t, 2, `fill: -save "filled_standard_error.csv", expected a name for a model, which has an ending of its own or none: filled_standard_error.model`, strings.Fields("fill -data gaps.csv -out filled.csv -save filled_standard_error.csv")...)
	mustFail(t, 2, `fill: -variance "filled_standard_error.csv" is the name for the standard errors of -out "filled.csv", expected another one`, strings.Fields("fill -data gaps.csv -out filled.csv -variance filled_standard_error.csv")...)
	mustFail(t, 1, `gaps.csv: found no column "Wind", expected one of "Datum", "Wetter", "Temperatur", "Druck", or a number from 1 to 4, or a range such as 2-3`, strings.Fields("fill -data gaps.csv -out filled.csv -columns Wind")...)
	mustFail(t, 1, `whole.npy: found no words, expected a number for a fill value, not "none"`, strings.Fields("fill -data whole.npy -out filled.csv -fill-value none")...)
}
