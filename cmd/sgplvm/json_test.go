package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// Results for scripts are one object on standard output, with the numbers that people get as text.
func TestJSON(t *testing.T) {
	workFolder(t)
	steps(t, 8)
	writeArray(t, "patchy.npy", npy.New(patchy(), testTraining, testHeight, testWidth))
	object := func(args string) map[string]any {
		t.Helper()
		o := sgplvmRun(strings.Fields(args)...)
		var v map[string]any
		if err := json.Unmarshal([]byte(o.stdout), &v); err != nil || o.code != 0 {
			t.Fatalf("%s: %v, code %d, %s%s", args, err, o.code, o.stdout, o.stderr)
		}
		return v
	}
	trained := object("train -data train.npy -config steps8.json -out learned -json")
	if trained["examples"] != 9. || trained["steps"] != 8. || trained["seconds"].(float64) <= 0 {
		t.Errorf("train: %v", trained)
	}
	about := object("info -model learned -json")
	if about["points"] != 20. || about["examples"] != 9. || about["attributes"].(map[string]any)["grid"] != "5x4" {
		t.Errorf("info: %v", about)
	}
	if noise := about["noise"].([]any)[0]; noise != trained["noise"].([]any)[0] {
		t.Errorf("noise %v after training %v", noise, trained["noise"])
	}
	cfg, _ := json.Marshal(about["configuration"])
	write(t, "again.json", cfg)
	mustRun(t, strings.Fields("train -data train.npy -config again.json -out again")...)
	if string(tensorsOf(t, "again")) != string(tensorsOf(t, "learned")) {
		t.Error("the configuration makes another model")
	}
	filled := object("impute -model model -data seen.npy -truth truth.npy -out filled.npy -json")
	missing := 0
	for _, v := range holes(newFaces()) {
		if math.IsNaN(v) {
			missing++
		}
	}
	text := mustRun(t, strings.Fields("impute -model model -data seen.npy -truth truth.npy -out filled.npy")...)
	rmse := filled["errors"].(map[string]any)["rmse"].(map[string]any)["mean"].(float64)
	if filled["missing"] != float64(missing) || !strings.Contains(text, fmt.Sprintf("%#.4g", rmse)) {
		t.Errorf("impute: %v, in words %s", filled, text)
	}
	completed := object("fill -data patchy.npy -config steps8.json -out completed.npy -json")
	hidden := completed["hidden"].(map[string]any)
	if completed["examples"] != 9. || !(hidden["values"].(float64) > 0) || !(hidden["rmse"].(float64) > 0) || completed["sureness"] == nil {
		t.Errorf("fill: %v", completed)
	}
	if v := object("version -json"); !slices.Contains([]any{"generic", "avx2", "avx512", "neon"}, v["instructions"]) {
		t.Errorf("version: %v", v)
	}
}
