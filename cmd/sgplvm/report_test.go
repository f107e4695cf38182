package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// A page of a model alone, with pictures and with those it has learned from; train writes one too, of the same model.
func TestReport(t *testing.T) {
	workFolder(t)
	fast := steps(t, 8)
	mustRun(t, "train", "-data", "train.npy", "-out", "made", "-config", fast, "-report", "trained.html")
	writeArray(t, "labels.npy", npy.New(make([]int32, 9), 9))
	for _, c := range []struct{ args, has, hasNot string }{
		{"-model made -labels labels.npy", "What the model takes to be alike", "Filling in what is missing"},
		{"-model made -data train.npy", "What it learned from, and what it made of it", "true values inside"},
		{"-model made -data truth.npy", "Half of each picture was hidden", "What is missing where"},
		{"-model made -data truth.npy -observed mask.npy", "What is missing where", "Half of each picture was hidden"},
		{"-model made -data seen.npy -truth truth.npy", "true values inside", "Half of each picture was hidden"},
		{"-model made -data seen.npy", "What is missing where", "true values inside"},
	} {
		mustRun(t, append(strings.Fields("report -out page.html"), strings.Fields(c.args)...)...)
		text := read(t, "page.html")
		if !bytes.Contains(text, []byte(c.has)) || bytes.Contains(text, []byte(c.hasNot)) {
			t.Errorf("%s: %q %v, %q %v", c.args, c.has, bytes.Contains(text, []byte(c.has)), c.hasNot, bytes.Contains(text, []byte(c.hasNot)))
		}
		mustRun(t, append(strings.Fields("report -out again.html"), strings.Fields(c.args)...)...)
		if !bytes.Equal(read(t, "again.html"), text) {
			t.Errorf("%s: other bytes the second time", c.args)
		}
	}
	mustRun(t, "report", "-model", "made", "-data", "train.npy", "-out", "page.html")
	if !bytes.Equal(read(t, "page.html"), read(t, "trained.html")) {
		t.Error("train -report writes another page than report")
	}
}

// What cannot be used is refused in a line, and no page is written.
func TestReportRefuses(t *testing.T) {
	workFolder(t)
	mustRun(t, "train", "-data", "train.npy", "-out", "made", "-config", steps(t, 3))
	before := folder(t)
	for _, c := range []struct {
		code       int
		args, line string
	}{
		{2, "-out page.html", "report: -model is missing, expected the model file"},
		{2, "-model made", "report: -out is missing, expected the HTML file to write"},
		{2, "-model made -out page.pdf", `report: -out "page.pdf", expected a name that ends in .html`},
		{2, "-model made -out page.html -truth truth.npy", "report: -truth without -data"},
		{2, "-model made -out page.html -data seen.npy -times times.npy", "report: -times with a model that was trained without any, expected none"},
		{2, "-model page.html -out page.html", `report: -out "page.html" is the file of -model, expected another one`},
		{1, "-model absent -out page.html", "absent: no such file or directory, expected a model file"},
		{1, "-model made -out page.html -labels mask.npy", "expected 9 labels of sequences"},
	} {
		o := sgplvmRun(append([]string{"report"}, strings.Fields(c.args)...)...)
		if o.code != c.code || !strings.Contains(o.stderr, c.line) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%s: code %d, %q, expected %d, %q", c.args, o.code, o.stderr, c.code, c.line)
		}
		sameFolder(t, before)
	}
	if _, err := os.Stat("page.html"); err == nil {
		t.Error("there is a page")
	}
}
