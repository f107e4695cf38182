package fuzz_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/internal/tier"
)

const module = "github.com/seed-08962ecc/kronfield"

// policy lists, for each package of the module, what it may import besides the
// standard library and [everywhere]: packages of the module by their path inside it,
// others in full, and unsafe. A name that ends in /* stands for all packages of that
// folder. It is the module's layout, not a description of what the files happen to
// import; a package that is listed need not exist yet.
var policy = map[string][]string{
	"asm":              {"golang.org/x/sys/cpu", "unsafe", "internal/text"},
	"mat":              {"asm", "unsafe"},
	"mat/internal/raw": {"unsafe"},
	"mat/npy":          {"mat", "mat/internal/raw"},
	"mat/netcdf":       {"mat/internal/raw"},
	"mat/safetensors":  {"mat", "mat/internal/raw"},
	"chol":             {"mat", "asm"},
	"eig":              {"mat", "asm"},
	"kronprod":         {"mat", "chol", "eig"},
	"lbfgs":            {},
	"internal/quote":   {},
	"internal/text":    {},
	"internal/record":  {"mat"},
	"internal/tier":    {}, // for tests

	"internal/opticalflow": {},
	"internal/simple":      {"asm", "mat", "chol"},

	"sgplvm/kernel":              {"asm", "mat"},
	"sgplvm/internal/work":       {"asm", "mat"},
	"sgplvm/field":               {"mat", "sgplvm/kernel", "sgplvm/internal/work", "sgplvm/internal/compare"},
	"sgplvm/internal/data":       {"asm", "mat", "sgplvm/kernel", "sgplvm/internal/work", "sgplvm/field"},
	"sgplvm/internal/outlier":    {"mat", "sgplvm/field", "sgplvm/internal/data"},
	"sgplvm/internal/pca":        {"asm", "mat", "eig"},
	"sgplvm/internal/emulator":   {"internal/simple", "asm", "mat", "chol", "eig", "lbfgs", "sgplvm/field", "sgplvm/internal/data", "sgplvm/internal/journal", "sgplvm/internal/modelfile", "sgplvm/internal/outlier", "sgplvm/internal/points", "sgplvm/internal/work", "mat/safetensors"},
	"sgplvm/internal/psi":        {"asm", "mat", "internal/record", "sgplvm/kernel", "sgplvm/internal/work"},
	"sgplvm/internal/infer":      {"mat", "asm", "lbfgs", "sgplvm/kernel", "sgplvm/internal/psi"},
	"sgplvm/internal/learn":      {"mat", "asm", "chol", "eig", "lbfgs", "sgplvm/internal/psi"}, // for small programs too
	"sgplvm/internal/points":     append([]string{"asm", "mat", "chol", "sgplvm/internal/infer", "sgplvm/internal/learn", "sgplvm/internal/psi"}, leaves[:3]...),
	"sgplvm/edge":                {"mat", "sgplvm/internal/infer", "sgplvm/internal/learn", "sgplvm/internal/points", "sgplvm/kernel"},
	"sgplvm/internal/dynamics":   append([]string{"asm", "mat", "chol", "eig", "internal/record"}, leaves...),
	"sgplvm/internal/bound":      slices.Concat(algebra, leaves, latent, []string{"internal/record"}),
	"sgplvm/internal/predict":    slices.Concat(algebra, leaves, latent, []string{"internal/simple", "sgplvm/internal/bound", "sgplvm/internal/infer", "sgplvm/internal/outlier", "sgplvm/internal/points", "sgplvm/edge"}), // edge: its tests alone
	"sgplvm/internal/sums":       slices.Concat(algebra, leaves, latent, []string{"sgplvm/internal/bound", "sgplvm/internal/learn"}),
	"sgplvm/internal/views":      {"mat", "chol", "lbfgs", "internal/simple", "sgplvm/internal/completion", "sgplvm/field", "sgplvm/internal/bound", "sgplvm/internal/data", "sgplvm/internal/pca", "sgplvm/internal/psi", "sgplvm/internal/work"},
	"sgplvm/internal/validation": {},
	"sgplvm/internal/completion": {"asm", "mat", "chol", "internal/simple", "sgplvm/field", "sgplvm/internal/data", "sgplvm/internal/dynamics", "sgplvm/internal/validation", "sgplvm/internal/work"},
	"sgplvm/internal/limit":      {},
	"sgplvm/internal/streams":    {"mat", "sgplvm/edge", "sgplvm/field", "sgplvm/internal/points", "sgplvm/internal/predict", "sgplvm/internal/sums", "sgplvm/internal/work"},
	"sgplvm/internal/update":     {"asm", "mat", "sgplvm/field", "sgplvm/internal/bound", "sgplvm/internal/dynamics", "sgplvm/internal/infer", "sgplvm/internal/learn", "sgplvm/internal/predict", "sgplvm/internal/psi", "sgplvm/internal/sums", "sgplvm/internal/work"},
	"sgplvm/internal/training": slices.Concat([]string{"internal/simple", "mat", "kronprod", "lbfgs", "internal/record", "sgplvm/internal/bound", "sgplvm/internal/completion", "sgplvm/internal/film", "sgplvm/internal/journal", "sgplvm/internal/limit", "sgplvm/internal/pca",
		"sgplvm/internal/predict"}, leaves, latent),
	"sgplvm/internal/strict":    {"sgplvm/field"},
	"sgplvm/internal/selection": slices.Concat([]string{"mat", "sgplvm/internal/bound", "sgplvm/internal/completion", "sgplvm/internal/journal", "sgplvm/internal/predict", "sgplvm/internal/training", "sgplvm/internal/validation"}, leaves),
	"sgplvm/internal/rounds": slices.Concat([]string{"asm", "mat", "internal/simple", "sgplvm/internal/bound", "sgplvm/internal/completion", "sgplvm/internal/film", "sgplvm/internal/journal", "sgplvm/internal/limit", "sgplvm/internal/outlier",
		"sgplvm/internal/predict", "sgplvm/internal/selection", "sgplvm/internal/training", "sgplvm/internal/validation", "sgplvm/internal/views"}, leaves),
	"sgplvm/internal/journal":   {"internal/record", "mat", "sgplvm/field", "sgplvm/internal/data"},
	"sgplvm/internal/modelfile": slices.Concat(algebra, leaves, latent, []string{"internal/quote", "mat/safetensors", "sgplvm/internal/bound", "sgplvm/internal/predict", "sgplvm/internal/sums"}),
	"sgplvm": slices.Concat(below, leaves, latent, []string{"sgplvm/internal/bound", "sgplvm/internal/predict", "sgplvm/internal/outlier", "sgplvm/internal/film", "sgplvm/internal/points", "sgplvm/edge", "internal/simple", "sgplvm/internal/pca",
		"sgplvm/internal/sums", "sgplvm/internal/learn", "sgplvm/internal/rounds", "sgplvm/internal/validation", "sgplvm/internal/completion", "sgplvm/internal/journal", "sgplvm/internal/modelfile", "sgplvm/internal/emulator", "sgplvm/internal/limit", "sgplvm/internal/training", "sgplvm/internal/selection", "sgplvm/internal/strict", "sgplvm/internal/update", "sgplvm/internal/streams"}, rooms),
	"sgplvm/internal/film":  append([]string{"sgplvm/internal/predict", "sgplvm/internal/outlier", "sgplvm/field", "sgplvm/internal/data", "sgplvm/internal/work", "mat", "chol"}, rooms...),
	"sgplvm/internal/table": {},
	"sgplvm/dataset":        {"sgplvm", "mat/npy", "mat/netcdf", "sgplvm/internal/table"},
	"sgplvm/evaluate":       {"mat"},

	"sgplvm/internal/film/frame":   {"mat", "sgplvm/field", "sgplvm/internal/data", "sgplvm/internal/work"},
	"sgplvm/internal/film/chroma":  {"mat", "sgplvm/field", "sgplvm/internal/data", "sgplvm/internal/film/frame"},
	"sgplvm/internal/film/motion":  append([]string{"mat", "chol", "internal/opticalflow", "sgplvm/internal/film/frame"}, leaves...),
	"sgplvm/internal/film/mixture": slices.Concat([]string{"mat", "chol"}, leaves, filmed),
	// Drawn films, and what is fitted to them: tests alone import them.
	"sgplvm/internal/film/drawn":    {"sgplvm/field", "sgplvm/internal/data"},
	"sgplvm/internal/film/filmtest": append([]string{"sgplvm/field", "sgplvm/internal/data", "sgplvm/internal/film/drawn"}, filmed...),

	// Comparisons of numbers, and the inputs and 50-digit results that tests are held to: tests alone import them.
	"sgplvm/internal/compare":   {},
	"sgplvm/internal/redteam":   {"sgplvm", "mat", "internal/simple"},
	"sgplvm/internal/reference": slices.Concat(algebra, leaves, latent, []string{"sgplvm/internal/bound", "sgplvm/internal/compare"}),

	"cmd/sgplvm":               append([]string{"cmd/sgplvm/internal/*"}, program...),
	"cmd/sgplvm/internal/page": program,
	"cmd/sgplvm-edge":          {"sgplvm/edge"},
	"cmd/sgplvm-edge/wasm":     {"sgplvm/edge"}, // for a browser
	"cmd/sgplvm-serve":         program,
	// What programs share.
	"cmd/internal/part":     {"sgplvm/dataset", "internal/record", "cmd/internal/files"},
	"cmd/internal/cli":      {"sgplvm", "sgplvm/kernel", "sgplvm/dataset", "asm", "mat", "cmd/internal/files", "cmd/internal/part"},
	"cmd/internal/engine":   program,
	"cmd/internal/files":    {"sgplvm/dataset", "mat/npy", "cmd/internal/filetest"},
	"cmd/internal/filetest": {"sgplvm/dataset", "mat/npy"},
	"cmd/internal/browser":  {},
	"cmd/internal/clitest":  {"cmd/internal/cli", "mat/npy"},
	"cmd/internal/picture":  {"sgplvm/dataset", "mat/npy", "cmd/internal/files", "cmd/internal/filetest"},
	"cmd/internal/report":   {"sgplvm/evaluate", "cmd/internal/filetest"},
	// Nobody imports the bench.
	"cmd/sgplvm-bench":                     append([]string{"cmd/sgplvm-bench/internal/*"}, program...),
	"cmd/sgplvm-bench/internal/baseline":   append([]string{"sgplvm/kernel", "internal/opticalflow", "internal/simple"}, below...),
	"cmd/sgplvm-bench/internal/experiment": append([]string{"cmd/sgplvm-bench/internal/baseline"}, program...),
	"cmd/sgplvm-bench/mutants":             {},

	"docs/draw": {"mat/npy", "mat/netcdf"}, // the data of first pages
	"fuzz":      answers,
}

var (
	// everywhere is what any package but asm may import.
	everywhere = []string{"internal/quote", "internal/text"}
	// below is all that lies under the model: the algebra and three file formats.
	algebra = []string{"asm", "mat", "chol", "eig", "kronprod", "lbfgs"}
	below   = append([]string{"mat/npy", "mat/netcdf", "mat/safetensors"}, algebra...)
	// leaves and latent are the model's packages under the bound.
	leaves = []string{"sgplvm/kernel", "sgplvm/internal/work", "sgplvm/field", "sgplvm/internal/data"}
	latent = []string{"sgplvm/internal/psi", "sgplvm/internal/dynamics"}
	// filmed is what lies under the rooms of a film that learn what finer pixels show.
	filmed = []string{"internal/opticalflow", "sgplvm/internal/film/frame", "sgplvm/internal/film/motion"}
	// rooms are those of a film.
	rooms = append([]string{"sgplvm/internal/film/chroma", "sgplvm/internal/film/mixture"}, filmed[1:]...)
	// program is what a program may know: public packages and what programs share.
	program = append([]string{"sgplvm", "sgplvm/edge", "sgplvm/kernel", "sgplvm/dataset", "sgplvm/evaluate", "cmd/internal/*"}, below...)
	// answers is all that package fuzz and, besides what their package knows, tests may know.
	answers = []string{"mat", "chol", "eig", "kronprod"}
)

// matches reports whether a name of a package is pattern, or in its folder.
func matches(pattern, name string) bool {
	folder, all := strings.CutSuffix(pattern, "*")
	return name == pattern || all && strings.HasPrefix(name, folder)
}

// imports returns what the package of that name may import.
func imports(name string) (allowed []string, known bool) {
	for pattern, allowed := range policy {
		if !matches(pattern, name) {
			continue
		}
		if name == "asm" {
			return allowed, true
		}
		return append(slices.Clone(allowed), everywhere...), true
	}
	return nil, false
}

// listed is what "go list -json" tells of a package.
type listed struct {
	ImportPath   string
	Standard     bool
	CgoFiles     []string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

// violations returns a line for each import that the policy does not allow.
func violations(packages []listed) []string {
	var lines []string
	complain := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, p := range packages {
		name, inside := strings.CutPrefix(p.ImportPath, module+"/")
		switch allowed, known := imports(name); {
		case p.Standard:
		case !inside:
			if p.ImportPath != "golang.org/x/sys/cpu" {
				complain("the module depends on %s", p.ImportPath)
			}
		case !known:
			complain("%s is not a package of the layout", name)
		default:
			check := func(kind string, imported []string, more ...string) {
				for _, path := range imported {
					short := strings.TrimPrefix(path, module+"/")
					may := func(pattern string) bool { return matches(pattern, short) }
					if !standard(path) && short != name && !slices.ContainsFunc(allowed, may) && !slices.Contains(more, short) {
						complain("%s: %s import %s", name, kind, short)
					}
				}
			}
			tests := append([]string{"github.com/google/go-cmp/cmp", "github.com/google/go-cmp/cmp/cmpopts", "internal/tier"}, answers...)
			if strings.HasPrefix(name, "sgplvm") {
				tests = append(tests, "sgplvm/internal/reference", "sgplvm/internal/compare", "sgplvm/internal/film/drawn", "sgplvm/internal/film/filmtest")
			}
			check("its files", p.Imports)
			check("its tests", p.TestImports, tests...)
			check("its external tests", p.XTestImports, append(tests, "fuzz", "unsafe")...)
			if len(p.CgoFiles) > 0 {
				complain("%s: cgo in %s", name, p.CgoFiles[0])
			}
		}
	}
	return lines
}

// standard reports whether any package may import path: the standard library
// without unsafe and cgo.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && path != "unsafe" && path != "C"
}

func TestLayers(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	if _, err := os.Stat("../go.mod"); err != nil {
		t.Skip("not inside the module: ", err)
	}
	touchSources(t)
	platforms := []string{"linux/amd64", "linux/arm64", "windows/amd64", "wasip1/wasm"}
	if testing.Short() {
		platforms = platforms[:2]
	}
	for _, platform := range platforms {
		t.Run(platform, func(t *testing.T) {
			packages := list(t, platform)
			if !slices.ContainsFunc(packages, func(p listed) bool { return p.ImportPath == module+"/mat" }) {
				t.Error("go list does not list mat")
			}
			for _, line := range violations(packages) {
				t.Error(line)
			}
		})
	}
}

// touchSources looks at every source file of the module, so that the go command
// does not reuse a cached result of this test after one of them has changed.
func touchSources(t *testing.T) {
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go"):
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func list(t *testing.T, platform string) []listed {
	goos, goarch, _ := strings.Cut(platform, "/")
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,CgoFiles,Imports,TestImports,XTestImports", "./...")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=1", "GOFLAGS=")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var packages []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages
		case err != nil:
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}
