package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// partsFolder makes a working folder with models and data that are worth parts.
func partsFolder(t *testing.T) {
	t.Helper()
	standIns(t)
	const n = 67 // more than are predicted together
	faces := picture.Faces(n, 10, 14, 5).Float64s()
	seen := slices.Clone(faces)
	for i := range seen {
		if (i/140+i%11)%3 == 0 || i/140 == 6 {
			seen[i] = math.NaN()
		}
	}
	writeArray(t, "many.npy", npy.New(faces, n, 14, 10))
	writeArray(t, "many_mask.npy", npy.New(maskOf(seen), n, 14, 10))
	writeArray(t, "a10.npy", npy.New(seen[140*5:140*12], 7, 14, 10))
	writeArray(t, "a9.npy", npy.New(seen[:140*5], 5, 14, 10))
	writeArray(t, "few.npy", npy.New(faces[:140*12], 12, 14, 10))
	writeArray(t, "few_mask.npy", npy.New(maskOf(seen[:140*12]), 12, 14, 10))
	succeed(t, strings.Fields("fill -data sst.nc -out learned.nc -save sst.model -config steps4.json")...)
}

// results are the files that a command wrote, and what it printed.
func results(t *testing.T, stdout string) map[string]string {
	t.Helper()
	all := map[string]string{"": stdout}
	for name, content := range folder(t) {
		if strings.HasPrefix(name, "R") && !strings.Contains(name, ".part") {
			all[name] = content
		}
	}
	return all
}

// The parts of each command that has some, joined, give the bytes of one process: arrays, tables, pictures, sheets and what is printed, for any number of parts,
// of which some may have no example.
func TestPartsAreTheWhole(t *testing.T) {
	partsFolder(t)
	film := filepath.Join(sourceFolder, "..", "internal", "engine", "testdata", "film.model")
	for n, c := range []string{
		"impute -model faces.model -data few.npy -observed few_mask.npy -truth few.npy -json -out R.npy -variance Rv.npy -sheet Rs.png",
		"impute -model faces.model -data a*.npy -truth few.npy -out Rdir -variance Rv.csv",
		"impute -model table.model -data gaps.csv -out R.csv",
		"impute -model timed.model -data damaged.npy -times times.npy -out R.npy",
		"predict -model faces.model -data many.npy -observed many_mask.npy -grid 5x7 -out R.npy -variance Rv.npy -sheet Rs.png",
		"predict -model timed.model -out R.npy -sheet Rs.png",
		"latents -model faces.model -data many.npy -out R.csv",
		"latents -model timed.model -out R.npy",
		"render -model timed.model -from 0 -to 3 -fps 25 -out R.gif -variance Rv.npy",
		"render -model " + film + " -from 0 -to 2 -fps 4 -out Rdir",
		"sample -model faces.model -count 70 -noise -out R.npy -latent Rl.csv -sheet Rs.png",
		"sample -model timed.model -from 0 -to 2 -fps 2 -count 4 -out R.npy -latent Rl.npy -sheet Rs.png",
		"fill -model sst.model -data sst.nc -out R.nc -variance Rv.npy",
		"fill -model sst.model -data sst.nc -smooth -out R.csv",
		"fill -model faces.model -data a*.npy -out R.npy",
	} {
		args := strings.Fields(c)
		clear := func() {
			for name := range folder(t) {
				if strings.HasPrefix(name, "R") {
					os.RemoveAll(strings.Split(name, string(filepath.Separator))[0])
				}
			}
		}
		timeless := func(text string) string { // fill says how long it took
			text, _, _ = strings.Cut(text, "completed in")
			return text
		}
		want := results(t, timeless(succeed(t, args...)))
		count := []int{3, 7, 2}[n%3]
		clear()
		for i := range count {
			k := (i*5)%count + 1 // in another order
			succeed(t, append(slices.Clone(args), "-part", fmt.Sprintf("%d/%d", k, count))...)
		}
		parts, err := filepath.Glob("R*.part*of*")
		if err != nil || len(parts) != count || len(results(t, "")) != 1 {
			t.Fatalf("%s: %d parts left %v", c, count, parts)
		}
		got := results(t, timeless(succeed(t, append([]string{"join"}, parts...)...)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s in %d parts: %.2000s", c, count, diff)
		}
		clear()
	}
}

// What is wrong with parts is named, all of it, and nothing is written: parts that are missing, there twice, cut short, changed in a byte, of other choices, of another model, of other data
// or of another command; parts whose names were exchanged are joined by what they are.
func TestWrongParts(t *testing.T) {
	workFolder(t)
	base := strings.Fields("impute -model model -data seen.npy -out R.npy")
	part := func(i, n int, more ...string) {
		mustRun(t, slices.Concat(base, more, []string{"-part", fmt.Sprintf("%d/%d", i, n)})...)
	}
	all := func(more ...string) {
		for i := range 3 {
			part(i+1, 3, more...)
		}
	}
	all()
	good := map[string][]byte{}
	for i := range 3 {
		name := fmt.Sprintf("R.npy.part%dof3", i+1)
		good[name] = read(t, name)
	}
	changed := func(name string, at int) []byte {
		b := slices.Clone(good[name])
		b[(at+len(b))%len(b)] ^= 1
		return b
	}
	write(t, "other.npy", read(t, "truth.npy"))
	for _, c := range []struct {
		what   string
		change func()
		want   []string
	}{
		{"deleted", func() { os.Remove("R.npy.part2of3") }, []string{"missing: 2/3"}},
		{"two deleted", func() { os.Remove("R.npy.part2of3"); os.Remove("R.npy.part3of3") }, []string{"missing: 2/3, 3/3"}},
		{"twice", func() { write(t, "R.npy.part3of3", good["R.npy.part1of3"]) }, []string{"part3of3: found part 1/3, expected each once", "missing: 3/3"}},
		{"a byte changed", func() { write(t, "R.npy.part2of3", changed("R.npy.part2of3", 200)) }, []string{"part2of3: found a damaged file", "missing: 2/3"}},
		{"the last byte changed", func() { write(t, "R.npy.part2of3", changed("R.npy.part2of3", -1)) }, []string{"part2of3: found a damaged file"}},
		{"the first byte changed", func() { write(t, "R.npy.part2of3", changed("R.npy.part2of3", 0)) }, []string{"part2of3: found another file"}},
		{"cut short", func() { write(t, "R.npy.part2of3", good["R.npy.part2of3"][:300]) }, []string{"part2of3: found a damaged file"}},
		{"empty", func() { write(t, "R.npy.part2of3", nil) }, []string{"part2of3: found another file"}},
		{"other choices", func() { part(2, 3, "-keep-outliers") }, []string{"part2of3: found a part made with -keep-outliers, expected nothing else, as others"}},
		{"another number of parts", func() { part(2, 2); os.Rename("R.npy.part2of2", "R.npy.part2of3") }, []string{"part2of3: found part 2/2, expected one of 3"}},
		{"another model", func() {
			mustRun(t, "train", "-config", steps(t, 3), "-data", "train.npy", "-out", "model2")
			part(2, 3, "-model", "model2")
		}, []string{"part2of3: found a part made with -model of SHA-256"}},
		{"other data", func() { part(3, 3, "-data", "other.npy") }, []string{"part3of3: found a part of other data"}},
		{"another command", func() {
			mustRun(t, strings.Fields("latents -model model -data seen.npy -out R.npy -part 2/3")...)
		}, []string{"part2of3: found a part made with latents, expected impute, as others"}},
	} {
		for name, b := range good {
			write(t, name, b)
		}
		c.change()
		o := sgplvmRun("join", "R.npy.part1of3", "R.npy.part2of3", "R.npy.part3of3")
		for _, name := range []string{"R.npy.part2of3", "R.npy.part3of3"} {
			if _, err := os.Stat(name); err != nil { // as a pattern of a shell has it
				o = sgplvmRun("join", "R.npy.part*of3")
			}
		}
		for _, w := range c.want {
			if o.code != 1 || !strings.Contains(o.stderr, w) || strings.Count(o.stderr, "\n") != 1 {
				t.Errorf("%s: code %d, %q, expected %q", c.what, o.code, o.stderr, w)
			}
		}
		if _, err := os.Stat("R.npy"); err == nil {
			t.Fatalf("%s: there are results", c.what)
		}
	}
	write(t, "R.npy.part1of3", good["R.npy.part2of3"])
	write(t, "R.npy.part2of3", good["R.npy.part1of3"])
	write(t, "R.npy.part3of3", good["R.npy.part3of3"])
	mustRun(t, "join", "R.npy.part1of3", "R.npy.part2of3", "R.npy.part3of3", "-out", "exchanged.npy")
	mustRun(t, base...)
	if string(read(t, "exchanged.npy")) != string(read(t, "R.npy")) {
		t.Error("parts with exchanged names give other results")
	}
	mustFail(t, 2, "join: no part, expected the files of all before any flag", "join", "-out", "x.npy")
	mustFail(t, 2, "impute: -part 4/3: expected auto, or a number from 1 and a count of at most 1000000, as 3/100", append(base, "-part", "4/3")...)
	mustFail(t, 2, "impute: -parts without -part auto", append(base, "-parts", "3")...)
	mustFail(t, 2, "fill: -part without -model, expected both: a model is learned from all examples", strings.Fields("fill -data seen.npy -out f.npy -part 1/2")...)
}

// What parts prints for a shell and for GNU parallel does the work, a round of sums too, with names that a shell would take apart, and does again what was deleted; without parallel that is skipped.
func TestPartsScripts(t *testing.T) {
	workFolder(t)
	if err := os.Rename("seen.npy", "what's $seen.npy"); err != nil {
		t.Fatal(err)
	}
	impute := []string{"impute", "-model", "model", "-data", "what's $seen.npy", "-out", "R x.npy"}
	sums := append(append([]string{"shard"}, impute[1:6]...), "R x")
	want := map[string][]byte{}
	mustRun(t, impute...)
	want["impute"] = read(t, "R x.npy")
	mustRun(t, sums...)
	mustRun(t, "reduce", "R x", "-model", "model", "-out", "reduced")
	want["shard"] = read(t, "reduced")
	c := program(t) // skips where there are no processes
	if err := os.Symlink(c.Path, "sgplvm"); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		engine  string
		command []string
	}{{"shell", impute}, {"parallel", impute}, {"shell", sums}} {
		name, out := c.command[0], c.command[6]
		t.Run(c.engine+" "+name, func(t *testing.T) {
			if _, err := exec.LookPath("parallel"); err != nil && c.engine == "parallel" {
				t.Skip("no GNU parallel")
			}
			script := mustRun(t, append([]string{"parts", "-engine", c.engine, "-count", "2", "--"}, c.command...)...)
			if !strings.Contains(script, "2 parts, each about 2 examples, ") {
				t.Errorf("no costs:\n%s", script)
			}
			for _, deleted := range []string{out + ".part1of2", out + ".part2of2"} {
				os.Remove(deleted)
				os.Remove(out)
				run := exec.Command("sh", "-c", script)
				run.Env = append(os.Environ(), asProgram+"=1", "PATH="+mustGetwd(t)+":"+os.Getenv("PATH"))
				if text, err := run.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s\n%s", err, script, text)
				}
				if !bytes.Equal(read(t, out), want[name]) {
					t.Error("other results")
				}
			}
			os.Remove(out + ".part1of2")
			os.Remove(out + ".part2of2")
		})
	}
}

func mustGetwd(t *testing.T) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// The manifest for Kubernetes has the fields of its objects and no others, with values of their types, and commands that are those of the parts.
func TestPartsManifest(t *testing.T) {
	workFolder(t)
	text := mustRun(t, strings.Fields("parts -engine kubernetes -count 5 -- impute -model model -data seen.npy -out R.npy")...)
	var manifest any
	var schema map[string]map[string]string
	if err := json.Unmarshal([]byte(text), &manifest); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(read(t, filepath.Join(sourceFolder, "testdata", "job.schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	fits := func(v any, kind string) (wrong []string) { return misfits(schema, v, kind, kind) }
	if wrong := fits(manifest, "List"); wrong != nil {
		t.Errorf("%s\n%s", strings.Join(wrong, "\n"), text)
	}
	for _, bad := range []string{`{"apiVersion": "v1", "kind": "List", "items": [{"kind": "Job"}]}`, `{"apiVersion": "v1", "kind": "List", "items": [], "item": 1}`, `{"apiVersion": "v1", "kind": "List", "items": 1}`} {
		var v any
		if err := json.Unmarshal([]byte(bad), &v); err != nil || fits(v, "List") == nil {
			t.Errorf("%s fits", bad)
		}
	}
	if !strings.Contains(text, `"Indexed"`) || !strings.Contains(text, "sgplvm join R.npy.part*of5") {
		t.Error(text)
	}
}

// misfits holds a value to a kind of the schema: string, integer, an object by its name, a list as []kind, or a map as {}kind. A field whose kind ends in ! must be there.
func misfits(schema map[string]map[string]string, v any, kind, place string) (wrong []string) {
	switch kind = strings.TrimSuffix(kind, "!"); v := v.(type) {
	case string:
		if kind == "string" {
			return nil
		}
	case float64:
		if kind == "integer" && v == math.Trunc(v) {
			return nil
		}
	case []any:
		if of, ok := strings.CutPrefix(kind, "[]"); ok {
			for i, e := range v {
				wrong = append(wrong, misfits(schema, e, of, fmt.Sprintf("%s[%d]", place, i))...)
			}
			return wrong
		}
	case map[string]any:
		fields, ok := schema[kind]
		of, isMap := strings.CutPrefix(kind, "{}")
		for name, e := range v {
			if isMap {
				wrong = append(wrong, misfits(schema, e, of, place+"."+name)...)
			} else {
				wrong = append(wrong, misfits(schema, e, fields[name], place+"."+name)...)
			}
		}
		for name, k := range fields {
			if _, there := v[name]; strings.HasSuffix(k, "!") && !there {
				wrong = append(wrong, place+" has no "+name)
			}
		}
		if ok || isMap {
			return wrong
		}
	}
	return []string{fmt.Sprintf("%s is %v, expected %q", place, v, kind)}
}
