package main

import (
	"bytes"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat/netcdf"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// standIns makes a new working folder with small data under the names that documents use, and models of them.
func standIns(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	const width, height, points, most = 10, 14, 140, 70
	faces := picture.Faces(most, width, height, 5)
	levels := make([]uint8, most*points)
	for i, v := range faces.Float64s() {
		levels[i] = uint8(v)
	}
	part := func(n int) *npy.Array { return npy.New(levels[:n*points], n, height, width) }
	holey := func(n int) []float64 {
		v := make([]float64, n*points)
		for i := range v {
			if v[i] = float64(levels[i]); (i/points+i%7)%3 == 0 {
				v[i] = math.NaN()
			}
		}
		return v
	}
	writeArray(t, "frames.npy", part(8))
	writeArray(t, "whole.npy", part(8))
	writeArray(t, "frey_faces.npy", npy.New(levels, most, points))
	writeArray(t, "damaged.npy", npy.New(holey(8), 8, height, width))
	writeArray(t, "mask.npy", npy.New(maskOf(holey(8)), 8, height, width))
	order := make([]int64, most)
	for i := range order {
		order[i] = int64(i)
	}
	writeArray(t, "split.npy", npy.New(order, most))
	writeArray(t, "masks.npy", npy.New(maskOf(holey(12)), 12, points))
	writeArray(t, "times.npy", npy.New([]float64{0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5}, 8))
	clipFrames(t)
	small := func(name string, n int, missing bool) {
		v := trainingFaces()
		for k := range n {
			if missing {
				for i := range testPoints {
					if (i+k)%4 == 0 {
						v[k*testPoints+i] = math.NaN()
					}
				}
			}
		}
		var names []string
		for i := range n {
			names = append(names, string(rune('a'+i))+".png")
		}
		glass(t, name, v, names...)
	}
	small("photos", 6, false)
	small("scratched", 6, true)
	if err := os.Mkdir("masks", 0o777); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		write(t, filepath.Join("masks", string(rune('a'+i))+".png"), maskPicture(t, testWidth, testHeight))
	}
	write(t, "mask.png", maskPicture(t, width, height))
	write(t, "table.csv", csvText(measured(20, 1)))
	gaps := measured(20, 2)
	for i := range 20 {
		gaps[i*5+i%5] = math.NaN()
	}
	write(t, "gaps.csv", csvText(gaps))
	points2, values := make([]float64, 24), make([]float64, 9*12)
	for i := range points2 {
		points2[i] = math.Sin(float64(3 * i))
	}
	for i := range values {
		values[i] = math.Sin(points2[i%12] + float64(i/12))
	}
	writeArray(t, "points.npy", npy.New(points2, 12, 2))
	writeArray(t, "values.npy", npy.New(values, 9, 12))
	for k, name := range []string{"sst.nc", "chl.nc", "new.nc"} {
		writeSea(t, name, float64(k))
	}
	writeRuns(t)
	writeArray(t, "new.npy", npy.New(values[:36], 3, 3, 4))
	writeFlow(t)
	steps(t, 4, `"motion": "off"`)
	for _, args := range []string{"-data frames.npy -out faces.model", "-data photos -out photos.model", "-data frames.npy -times times.npy -out timed.model", "-data table.csv -out table.model"} {
		mustRun(t, append(strings.Fields("train -config steps4.json"), strings.Fields(args)...)...)
	}
}

// standInResults makes what the documents' commands have made before others take it.
func standInResults(t *testing.T) {
	t.Helper()
	mustRun(t, strings.Fields("train -data fields.npy -inputs runs.csv -effort quick -out emulator")...)
	mustRun(t, strings.Fields("train -data flows.npy -inputs conductivities30.npy -effort quick -out flow.emulator")...)
	write(t, "faces.list", []byte("frames.npy\nwhole.npy\n"))
	for _, part := range []string{"1", "2"} {
		mustRun(t, "shard", "-model", "faces.model", "-data", "@faces.list", "-part", part+"/2", "-out", "sums")
	}
	mustRun(t, strings.Fields("render -model faces.model -examples 0-5 -fps 10 -out film.gif")...)
	mustRun(t, strings.Fields("train -config steps4.json -data film.gif -out film.model")...)
	mustRun(t, strings.Fields("impute -model faces.model -data damaged.npy -out complete.npy -part 1/1")...)
}

// clipFrames writes a film in two resolutions, and the numbers of the frames to learn from.
func clipFrames(t *testing.T) {
	t.Helper()
	for name, scale := range map[string]int{"low.npy": 1, "high.npy": 2} {
		writeArray(t, name, picture.Faces(10, 6*scale, 5*scale, 3))
	}
	writeArray(t, "train.npy", npy.New([]int64{0, 1, 3, 4, 6, 7, 9}, 7))
}

// maskPicture is a PNG picture of which the right third is black.
func maskPicture(t *testing.T, width, height int) []byte {
	t.Helper()
	p := picture.Picture{Layout: dataset.Layout{Width: width, Height: height, Channels: 1}, Values: make([]float64, width*height)}
	for i := range p.Values {
		if i%width < 2*width/3 {
			p.Values[i] = 1
		}
	}
	if err := picture.SaveFrame("temporary.png", p, picture.Levels{High: 1, Bits: 8}); err != nil {
		t.Fatal(err)
	}
	defer os.Remove("temporary.png")
	return read(t, "temporary.png")
}

// writeSea writes maps with land, clouds and times.
func writeSea(t *testing.T, name string, offset float64) {
	t.Helper()
	const n, width, height = 12, 6, 5
	values := make([]float64, n*width*height)
	for i := range values {
		at := i % (width * height)
		values[i] = 15 + offset + 5*math.Sin(float64(i/(width*height))/2) + float64(at%width)/3
		if at < 2 || (i*i+i)%7 == 1 {
			values[i] = math.NaN()
		}
	}
	times := make([]float64, n)
	for i := range times {
		times[i] = float64(i)
	}
	h := netcdf.Header{Version: netcdf.Classic, Dimensions: []netcdf.Dimension{{Name: "time", Length: n}, {Name: "row", Length: height}, {Name: "column", Length: width}},
		Variables: []netcdf.Variable{{Name: "time", Type: netcdf.Double, Dimensions: []int{0}}, {Name: "sst", Type: netcdf.Double, Dimensions: []int{0, 1, 2}}}}
	if err := files.WriteAtomic(name, func(w io.Writer) error { return netcdf.Write(w, &h, netcdf.Arrays{times, values}) }); err != nil {
		t.Fatal(err)
	}
}

// smaller are texts of command lines, and what stands for them where only the data are small.
var smaller = strings.NewReplacer("1280x720", "20x28", "20x28", "10x14", "-effort thorough", "-effort none", "-effort quick", "-effort none", "-limit 90s", "")

// quickly returns the arguments of a command line of a document, with which it does little work.
func quickly(line string) []string {
	args := strings.Fields(smaller.Replace(line))
	switch args[0] {
	case "train", "fill":
		if slices.Contains(args, "-inputs") {
			args = append(args, "-effort", "quick")
		} else if !slices.Contains(args, "-config") && !slices.Contains(args, "-model") {
			args = append(args, "-config", "steps4.json")
		}
	case "demo":
		args = append(args, "-iters", "2")
		if !slices.Contains(args, "-frames") {
			args = append(args, "-frames", "8", "-grid", "5x4")
		}
	}
	return args
}

// notRun are the beginnings of lines of documents that no test runs, and why.
var notRun = map[string]string{
	"git clone ":                 "needs a network",
	"cd kronfield":               "follows git clone",
	"go install ":                "what it builds is this test's program",
	"go test ./...":              "this is a part of it",
	".ci/run":                    "it runs this test",
	"mkdir ":                     "a program of others: ffmpeg",
	"ffmpeg ":                    "a program of others",
	"source <(":                  "TestCompletion does",
	"go run ./cmd/sgplvm-bench ": "its own tests do",
	"go run ./cmd/sgplvm-serve ": "its own tests do",
}

// commandsOf are the command lines of a document: those indented or fenced that begin with a word that is known.
func commandsOf(t *testing.T, name, text string) (lines []string) {
	t.Helper()
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		if begin, ok := strings.CutPrefix(line, "```"); ok {
			if fence == "" {
				fence = "fence " + begin
			} else {
				fence = ""
			}
			continue
		}
		if fence == "" && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "  ") || fence != "" && fence != "fence " && fence != "fence sh" {
			continue
		}
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
		line = strings.TrimSuffix(line, " | head")
		if rest, ok := strings.CutPrefix(line, "go run ./cmd/sgplvm "); ok {
			line = "sgplvm " + rest
		}
		known := func(begin string) bool { return strings.HasPrefix(line, begin) }
		switch {
		case known("sgplvm "):
			lines = append(lines, strings.TrimPrefix(line, "sgplvm "))
		case strings.HasPrefix(fence, "fence") && line != "" && !slices.ContainsFunc(slices.Collect(maps.Keys(notRun)), known):
			t.Errorf("%s: no test runs %q", name, line)
		}
	}
	return lines
}

// Every command line of the documents, of the topics and of the help does what it should, on small data.
func TestDocumentedCommands(t *testing.T) {
	standIns(t)
	standInResults(t)
	folder, err := filepath.Abs(filepath.Join(sourceFolder, "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "sgplvm/docs/config.md", "sgplvm/docs/modelfile.md"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Skip("not inside the module: ", err)
		}
		texts[name] = string(text)
	}
	for _, name := range topicNames() {
		texts["help "+name] = topic(name)
	}
	for _, s := range cli.Specs(commands) {
		texts[s.Name+" -h"] = "  " + strings.Join(s.Examples, "\n  ")
	}
	seen, total := map[string]bool{}, 0
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		for _, line := range commandsOf(t, name, texts[name]) {
			line = strings.Join(strings.Fields(line), " ")
			if total++; seen[line] {
				continue
			}
			seen[line] = true
			if at := strings.Index(line, " > "); at > 0 { // of a shell
				line = line[:at]
			}
			if o := sgplvmRun(quickly(line)...); o.code != 0 {
				t.Errorf("%s: sgplvm %s: exit code %d\n%s", name, line, o.code, o.stderr)
			}
		}
	}
	if total < 30 {
		t.Errorf("%d command lines found", total)
	}
}

// sourceFolder is where the tests started.
var sourceFolder = func() string {
	folder, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return folder
}()

// Every command has flags for every day and examples, and its help has no riddles.
func TestHelpTexts(t *testing.T) {
	specs := cli.Specs(commands)
	if len(specs) < len(commands)-1 { // help has none
		t.Errorf("%d specifications of %d commands", len(specs), len(commands))
	}
	for _, s := range specs {
		if len(s.Examples) == 0 || s.Name != "completion" && !slices.ContainsFunc(s.Flags, func(f cli.FlagSpec) bool { return f.Everyday }) {
			t.Errorf("%s: no examples or no flags for every day: Flags.Examples and Flags.Everyday", s.Name)
		}
		o := sgplvmRun(append(strings.Fields(s.Name), "-h")...)
		for _, riddle := range []string{"(0:", "(-1:", "(default 0", "(default NaN", "default false", "one of these forms"} {
			if flags, _, _ := strings.Cut(o.stdout[strings.Index(o.stdout, "\nFlags:")+1:], "\nExamples:"); strings.Contains(flags, riddle) {
				t.Errorf("%s: %q in its help:\n%s", s.Name, riddle, o.stdout)
			}
		}
		for line := range strings.SplitSeq(o.stdout, "\n") {
			if n := len([]rune(line)); n > 100 && !strings.HasPrefix(line, "  sgplvm ") {
				t.Errorf("%s: a line of %d characters: %s", s.Name, n, line)
			}
		}
		if again := mustRun(t, append([]string{"help"}, strings.Fields(s.Name)...)...); again != o.stdout {
			t.Errorf("help %s and -h differ", s.Name)
		}
	}
	for _, name := range topicNames() {
		if text := mustRun(t, "help", name); text != topic(name) || !strings.Contains(text, "\nExamples:\n") {
			t.Errorf("help %s: %q", name, text)
		}
	}
	if text := mustRun(t, "help"); !strings.Contains(text, "sgplvm help missing") {
		t.Errorf("%q", text)
	}
	if module := read(t, "../../python/kronfield.py"); !strings.Contains(string(module), "__version__ = \""+release+"\"") {
		t.Error("the Python package has another version")
	}
	t.Chdir(t.TempDir())
	mustFail(t, 2, `help: unknown topic "nothing", expected a command or one of `+strings.Join(topicNames(), ", "), "help", "nothing")
	mustFail(t, 2, "completion: expected one of bash, zsh, fish", "completion", "sh")
	for _, flag := range []string{"-version", "--version"} {
		if mustRun(t, flag) != mustRun(t, "version") {
			t.Errorf("%s is not version", flag)
		}
	}
	if text := mustRun(t, "version"); !strings.HasPrefix(text, "sgplvm "+release+"\n") || !strings.Contains(text, "\ninstruction set ") || !strings.Contains(text, "\ngo1.") {
		t.Errorf("%q", text)
	}
}

// The shells take their scripts, and bash completes with them.
func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, shell := range shells {
		script := mustRun(t, "completion", shell)
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("no %s here", shell)
			continue
		}
		write(t, shell, []byte(script))
		if out, err := exec.Command(path, "-n", shell).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
	}
	for line, want := range map[string]string{"sgplvm tr": "train", "sgplvm impute -ob": "-observed", "sgplvm train -effort q": "quick",
		"sgplvm help mis": "missing", "sgplvm help tra": "train", "sgplvm completion z": "zsh"} {
		words := strings.Fields(line)
		out := mustRun(t, append([]string{"completion", "words"}, words[1:]...)...)
		if word, means, ok := strings.Cut(out, "\t"); word != want || !ok || strings.Count(out, "\n") != 1 || len(means) < 4 {
			t.Errorf("%s: %q, expected %q", line, out, want)
		}
		path, err := exec.LookPath("bash")
		if err != nil {
			continue
		}
		c := exec.Command(path, "-c", `source ./bash; sgplvm() { printf '%s' "$ANSWER"; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sgplvm; echo "${COMPREPLY[@]}"`, "bash")
		c.Args = append(c.Args, words...)
		c.Env = append(os.Environ(), "ANSWER="+out)
		if out, err := c.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %q, expected %q, %v", line, out, want, err)
		}
	}
	if out := mustRun(t, "completion", "words", "impute", "-data", "fa"); out != "" {
		t.Errorf("%q where a file belongs", out)
	}
}

// The JSON in config.md is a configuration.
func TestConfigExample(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(sourceFolder, "..", "..", "sgplvm", "docs", "config.md"))
	if err != nil {
		t.Skip("not inside the module: ", err)
	}
	_, example, _ := strings.Cut(string(text), "\n    {\n")
	example, _, ok := strings.Cut(example, "\n    }\n")
	if !ok {
		t.Fatal("no example")
	}
	if _, err := sgplvm.ReadConfig(bytes.NewReader([]byte("{" + example + "}"))); err != nil {
		t.Error(err)
	}
}

// The reader in the document about model files reads one, to the bit, and the document has all tensors that the code lists.
func TestPythonReader(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(sourceFolder, "..", "..", "sgplvm", "docs", "modelfile.md"))
	if err != nil {
		t.Skip("not inside the module: ", err)
	}
	code, err := os.ReadFile(filepath.Join(sourceFolder, "..", "..", "sgplvm", "internal", "modelfile", "file.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^//\t([A-Za-z][\w.]*(?:, \.?[A-Za-z][\w.]*)*) {2,}`).FindAllStringSubmatch(string(code), -1)
	if len(names) < 25 {
		t.Errorf("%d tensors in file.go", len(names))
	}
	for _, match := range names {
		for name := range strings.SplitSeq(match[1], ", ") {
			if strings.HasPrefix(name, ".") {
				name = "attached" + name
			}
			if !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("modelfile.md has no tensor %s", name)
			}
		}
	}
	_, script, _ := strings.Cut(string(text), "```python\n")
	script, _, ok := strings.Cut(script, "```")
	if !ok {
		t.Fatal("no script")
	}
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import numpy").Run() != nil {
		t.Skip("no python3 with numpy here")
	}
	workFolder(t)
	m := loadTestModel(t, "model")
	write(t, "faces.model", read(t, "model"))
	write(t, "reader.py", []byte(script+"numpy.save('mu.npy', tensors['mu'])\n"))
	out, err := exec.Command(python, "reader.py").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "kronfield sgplvm 1 (9, ") {
		t.Fatalf("%s%v", out, err)
	}
	var want []float64
	for i := range m.Examples() {
		want = append(want, m.TrainingLatent(i).Mu...)
	}
	sameBits(t, "latent means", readArray(t, "mu.npy").Float64s(), want)
}

// The sentences of README are short.
func TestShortSentences(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(sourceFolder, "..", "..", "README.md"))
	if err != nil {
		t.Skip("not inside the module: ", err)
	}
	plain := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(text), ".")
	plain = regexp.MustCompile(`\]\([^)]*\)`).ReplaceAllString(plain, "]") // addresses of links
	plain = regexp.MustCompile("`[^`]*`").ReplaceAllString(plain, "code")
	for _, paragraph := range strings.Split(plain, "\n\n") {
		if strings.HasPrefix(paragraph, "|") || strings.HasPrefix(paragraph, "#") {
			continue
		}
		for _, sentence := range regexp.MustCompile(`[.?!](\s|$)`).Split(paragraph, -1) {
			if n := len(strings.Fields(sentence)); n > 25 {
				t.Errorf("%d words: %s", n, sentence)
			}
		}
	}
}
