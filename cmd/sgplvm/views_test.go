package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/clitest"
)

// sensorViews writes two tables of dates that share all dates but one, of which the second is twice the first; of that some rows are missing.
func sensorViews(t *testing.T) (a, b string) {
	folder := t.TempDir()
	a, b = filepath.Join(folder, "a.csv"), filepath.Join(folder, "b.csv")
	first, second := "date,p,q,r\n", "date;u;v\n"
	for i := range 40 {
		p, q := float64((i*37)%41)/10, float64((i*i*11)%23)/10
		first += fmt.Sprintf("2024-%02d-%02d,%.3f,%.3f,%.3f\n", 1+i/28, 1+i%28, p, q, p+q)
		if i == 0 {
			continue
		}
		u, v := fmt.Sprintf("%.3f", 2*p-q), fmt.Sprintf("%.3f", q+3)
		if i%5 == 2 {
			u, v = "", ""
		}
		second += fmt.Sprintf("2024-%02d-%02d;%s;%s\n", 1+i/28, 1+i%28, u, v)
	}
	for path, text := range map[string]string{a: first, b: second} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return a, b
}

// Two tables are matched by their dates; rows that the second misses come from the first, in the form of the second, a model of both predicts one from the other, says what they share, and has a model of
// each that other commands take.
func TestViews(t *testing.T) {
	if testing.Short() {
		t.Skip("completes and trains two views")
	}
	a, b := sensorViews(t)
	out := filepath.Join(t.TempDir(), "filled")
	text := succeed(t, "fill", "-view", "a="+a, "-view", "b="+b, "-out", out, "-effort", "quick")
	if !strings.Contains(text, "all views") {
		t.Errorf("no row is filled in by all views:\n%s", text)
	}
	filled, err := os.ReadFile(filepath.Join(out, "b.csv"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(filled)), "\n")
	if len(lines) != 40 || lines[0] != "date;u;v" {
		t.Fatalf("%d lines, the first %q", len(lines), lines[0])
	}
	for _, i := range []int{7, 12, 17, 22} {
		p, q := float64((i*37)%41)/10, float64((i*i*11)%23)/10
		var u, v float64
		cells := strings.Split(lines[i], ";")
		fmt.Sscan(cells[1], &u)
		fmt.Sscan(cells[2], &v)
		if du, dv := u-(2*p-q), v-(q+3); du*du+dv*dv > .25 {
			t.Errorf("row %d: %v, %v, expected %.3f, %.3f", i, u, v, 2*p-q, q+3)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "b_standard_error.csv")); err != nil {
		t.Error(err)
	}
	model := filepath.Join(t.TempDir(), "both.model")
	succeed(t, "train", "-view", "a="+a, "-view", "b="+b, "-out", model, "-effort", "quick")
	predicted := filepath.Join(t.TempDir(), "predicted")
	succeed(t, "impute", "-model", model, "-view", "a="+a, "-out", predicted)
	y := clitest.ReadArray(t, filepath.Join(predicted, "b.npy"))
	if fmt.Sprint(y.Shape) != "[40 2]" {
		t.Errorf("shape %v", y.Shape)
	}
	models := filepath.Join(t.TempDir(), "models")
	if text := succeed(t, "info", "-model", model, "-views", models); !strings.Contains(text, "latent dimensions of a and b: ") {
		t.Errorf("two tables of the same two causes, and nothing is said to be shared:\n%s", text)
	}
	l := filepath.Join(models, "latents.npy")
	succeed(t, "latents", "-model", filepath.Join(models, "b.model"), "-out", l)
	if shape := clitest.ReadArray(t, l).Shape; shape[0] != 31 {
		t.Errorf("latent variables of %d examples of view b, expected those of 31", shape[0])
	}
	for want, args := range map[string][]string{
		"expected one of several": {"-model", filepath.Join(models, "b.model"), "-views", models},
		"with a model of several": {"-model", model, "-write-config", filepath.Join(models, "c.json")},
	} {
		if code, _, stderr := tested.Run(append([]string{"info"}, args...)...); code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("info %v: %q, expected %q", args, stderr, want)
		}
	}
}

// What does not go with views is refused before any work.
func TestViewsUsage(t *testing.T) {
	a, b := sensorViews(t)
	for want, args := range map[string][]string{
		"expected at least 2":     {"fill", "-view", "a=" + a, "-out", "x"},
		"-data with -view":        {"fill", "-data", a, "-view", "a=" + a, "-view", "b=" + b, "-out", "x"},
		"a second view a":         {"fill", "-view", "a=" + a, "-view", "a=" + b, "-out", "x"},
		"expected NAME=FILE":      {"train", "-view", a, "-out", "x"},
		"not a usable model file": {"impute", "-model", a, "-view", "a=" + a, "-out", "x"},
	} {
		if code, stdout, stderr := tested.Run(args...); code == 0 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%v: code %d, %q, expected %q", args, code, stderr, want)
		}
	}
	if _, err := os.Stat("x"); err == nil {
		t.Error("a result was written")
	}
}
