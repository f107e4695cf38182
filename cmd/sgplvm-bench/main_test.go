package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/clitest"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// tested is the program in this process.
var tested = clitest.Program{Name: "sgplvm-bench", Commands: func() []cli.Command { return commands }}

var (
	mustRun, mustFail, terminalRun = tested.Must, tested.Fail, tested.AtTerminal
	folder, sameFolder             = clitest.Folder, clitest.SameFolder
	read, write, writeArray        = clitest.Read, clitest.Write, clitest.WriteArray
)

// Pictures of most tests.
const testWidth, testHeight, testPoints = 5, 4, 20

// Every command has flags for every day, examples and a word on each flag.
func TestHelp(t *testing.T) {
	for _, s := range cli.Specs(commands) {
		if len(s.Examples) == 0 || !slices.ContainsFunc(s.Flags, func(f cli.FlagSpec) bool { return f.Everyday }) {
			t.Errorf("%s: no examples or no flags for every day", s.Name)
		}
		help := mustRun(t, s.Name, "-h")
		for _, flag := range regexp.MustCompile(`(?m)^  -([\w-]+).*\n(.*)`).FindAllStringSubmatch(help, -1) {
			if len(strings.TrimSpace(flag[2])) < 10 {
				t.Errorf("%s -%s: %q", s.Name, flag[1], flag[2])
			}
		}
		if !strings.Contains(mustRun(t, "-h"), "\n  sgplvm-bench "+s.Name+" ") {
			t.Errorf("%s is not in the overview", s.Name)
		}
	}
}

// Every command of the page and of README runs, on small data with few methods.
func TestDocumentedCommands(t *testing.T) {
	var lines []string
	for _, path := range []string{"README.md", "../../README.md"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Skip("not inside the module: ", err)
		}
		for _, found := range regexp.MustCompile(`(?m)^(?:go run ./cmd/)?sgplvm-bench (.+)`).FindAllStringSubmatch(string(text), -1) {
			lines = append(lines, found[1])
		}
	}
	for _, s := range cli.Specs(commands) {
		for _, example := range s.Examples {
			lines = append(lines, strings.TrimPrefix(example, "sgplvm-bench "))
		}
	}
	splitFolder(t)
	low := clipFolder(t)
	faces := picture.Faces(14, 20, 28, 5)
	writeArray(t, "frey_faces.npy", npy.New(faces.Float64s(), 14, 560))
	order := make([]int64, 14)
	for i := range order {
		order[i] = int64(i)
	}
	writeArray(t, "split.npy", npy.New(order, 14))
	masks := make([]uint8, 4*560)
	for i := range masks {
		masks[i] = uint8(i * i / 7 % 2)
	}
	writeArray(t, "masks.npy", npy.New(masks, 4, 560))
	writeArray(t, "high.npy", npy.New(slices.Clone(low), clipCount, clipHeight, clipWidth, 3))
	writeArray(t, "sea.npy", npy.New(low, clipCount, clipHeight, clipWidth, 3))
	writeArray(t, "months.npy", npy.New(order[:clipCount], clipCount))
	writeRuns(t, "fields.npy", "runs.csv", 40, 0)
	writeRuns(t, "others.npy", "others.csv", 20, 0.37)
	cheap := map[string]string{"frey": "nearest", "video": "interpolation", "holes": "cubic", "runs": "sgplvm,ridge"}
	number := regexp.MustCompile(`-(n|examples) \d+`)
	for _, line := range lines {
		args := strings.Fields(number.ReplaceAllString(line, "-$1 9"))
		if strings.Contains(line, "clouds:0.4:20") && !strings.Contains(line, "sea") { // few pictures
			args = strings.Fields(strings.Replace(line, "clouds:0.4:20", "clouds:0.4:4", 1))
		}
		mustRun(t, append(args, "-quick", "-methods", cheap[args[0]])...)
	}
	if len(lines) < 10 {
		t.Errorf("%d command lines", len(lines))
	}
}
