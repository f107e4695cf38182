package asm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/seed-08962ecc/kronfield/internal/tier"
)

// differential names the test that compares the kernels of an operation with
// their generic twin or its model, at every level.
var differential = map[string]string{
	"gemmPanel":  "TestGemmPanel",
	"solveLower": "TestSolvePanel",
	"solveUpper": "TestSolvePanel",
	"copyRows":   "TestCopyRows",
	"dot":        "TestVectors",
	"sumSquares": "TestVectors",
	"maxAbs":     "TestVectors",
	"addScaled":  "TestVectors",
	"scale":      "TestVectors",
	"mulTo":      "TestVectors",
	"rotate":     "TestVectors",
	"rotateRows": "TestVectors",
	"dotRows":    "TestVectors",
	"axpyRows":   "TestVectors",
	"symvRows":   "TestVectors",
	"exp":        "TestElementaryBits",
	"expAdd":     "TestElementaryBits",
	"expSqrt":    "TestElementaryBits",
	"log":        "TestElementaryBits",
	"sumLog":     "TestElementaryBits",
	"transpose":  "TestTranspose",
	"peak":       "TestPeak",
	"poleSum":    "TestSecular",
	"poleRatios": "TestSecular",
	"poleVector": "TestSecular",
	"fromHalf":   "TestConvert",
	"fromSingle": "TestConvert",
}

// An instruction after macros are expanded.
type instruction struct {
	mnemonic string
	operands string
}

// A routine is a TEXT of an assembly file.
type routine struct {
	file, name, flags, frame string
	body                     []instruction
}

// macro is a #define.
type macro struct {
	parameters []string
	body       []string
}

var (
	defines  = regexp.MustCompile(`^#define\s+(\w+)(?:\(([^)]*)\))?\s*`)
	includes = regexp.MustCompile(`^#include\s+"(.*)"`)
	texts    = regexp.MustCompile(`^TEXT\s+·(\w+)\(SB\),\s*([\w|]+),\s*\$(\S+)`)
	labels   = regexp.MustCompile(`^\w+:`)
	words    = regexp.MustCompile(`\w+`)
)

// routines expands the macros of an assembly file and returns its TEXTs.
func routines(name string, read func(name string) string) []routine {
	macros := map[string]macro{}
	var all []routine
	emit := func(line string) {
		line = strings.TrimSpace(labels.ReplaceAllString(line, ""))
		if line == "" {
			return
		}
		if m := texts.FindStringSubmatch(line); m != nil {
			all = append(all, routine{file: name, name: m[1], flags: m[2], frame: m[3]})
			return
		}
		mnemonic, operands, _ := strings.Cut(line, " ")
		if len(all) > 0 {
			r := &all[len(all)-1]
			r.body = append(r.body, instruction{mnemonic, strings.TrimSpace(operands)})
		}
	}
	var expand func(line string)
	expand = func(line string) {
		line = strings.TrimSpace(strings.ReplaceAll(line, "\t", " "))
		if label := labels.FindString(line); label != "" {
			line = strings.TrimSpace(line[len(label):])
		}
		m, ok := macros[words.FindString(line)]
		if !ok {
			emit(line)
			return
		}
		arguments := map[string]string{}
		if len(m.parameters) > 0 {
			for i, a := range split(line[strings.Index(line, "(")+1 : strings.LastIndex(line, ")")]) {
				arguments[m.parameters[i]] = a
			}
		}
		for _, l := range m.body {
			expand(words.ReplaceAllStringFunc(l, func(w string) string {
				if a, ok := arguments[w]; ok {
					return a
				}
				return w
			}))
		}
	}
	var scan func(text string)
	scan = func(text string) {
		lines := strings.Split(text, "\n")
		for i := 0; i < len(lines); i++ {
			line, _, _ := strings.Cut(lines[i], "//")
			if m := includes.FindStringSubmatch(line); m != nil {
				if m[1] != "textflag.h" {
					scan(read(m[1]))
				}
				continue
			}
			m := defines.FindStringSubmatch(line)
			if m == nil {
				for statement := range strings.SplitSeq(line, ";") {
					expand(statement)
				}
				continue
			}
			var d macro
			for p := range strings.SplitSeq(m[2], ",") {
				if p = strings.TrimSpace(p); p != "" {
					d.parameters = append(d.parameters, p)
				}
			}
			rest := line[len(m[0]):]
			for strings.HasSuffix(strings.TrimSpace(rest), `\`) {
				d.body = append(d.body, strings.TrimSuffix(strings.TrimSpace(rest), `\`))
				i++
				rest = lines[i]
			}
			d.body = append(d.body, rest)
			macros[m[1]] = d
		}
	}
	scan(read(name))
	return all
}

// split cuts the arguments of a macro at the commas outside parentheses.
func split(s string) []string {
	var parts []string
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(s[from:]))
}

var (
	stackPointer = regexp.MustCompile(`\((SP|RSP)\)|\b(SP|RSP)\b`)
	wide         = regexp.MustCompile(`\b[YZ]\d+\b`)
	vectorName   = regexp.MustCompile(`\b[XYZ]\d+\b`)
	evex         = regexp.MustCompile(`\bZ\d+\b|\bK[0-7]\b|\b[XY](1[6-9]|2\d|3[01])\b`)
	reservedIn   = map[string]*regexp.Regexp{
		"amd64": regexp.MustCompile(`\b(BP|BPB|BPW|BPL)\b`), // the frame pointer
		// The platform's, the assembler's, g, the frame pointer, the link.
		"arm64": regexp.MustCompile(`\b(R18|R18_PLATFORM|R27|R28|g|R29|R30|LR)\b`),
	}
	// In position-independent code what names a global overwrites R15.
	spare  = regexp.MustCompile(`\bR15[BWL]?\b`)
	global = regexp.MustCompile(`\(SB\)`)
	// Not part of AVX2, FMA, AVX-512 F, DQ and VL.
	beyond = regexp.MustCompile(`^(BZHI|SHLX|SHRX|SARX|RORX|PDEP|PEXT|MULX|ANDN|BEXTR|BLS|TZCNT|LZCNT|POPCNT|KMOV[DQ]|VP(ADD|SUB|MUL|MAX|MIN|CMP|MOV)\w*[BW]$|VPERM[BW]|VMOVDQU(8|16))`)
)

// problems returns what a routine does that a kernel must not do.
func problems(r routine) []string {
	var found []string
	complain := func(format string, args ...any) {
		found = append(found, fmt.Sprintf("%s: %s: ", r.file, r.name)+fmt.Sprintf(format, args...))
	}
	parts := strings.Split(strings.TrimSuffix(r.file, ".s"), "_")
	if len(parts) != 3 || !strings.HasSuffix(r.name, strings.ToUpper(parts[1])) {
		complain("a file is named <operation>_<instruction set>_<architecture>.s, its kernels <operation><INSTRUCTION SET>")
		return found
	}
	isa, arch := parts[1], parts[2]
	if !slices.Contains(strings.Split(r.flags, "|"), "NOSPLIT") {
		complain("not NOSPLIT")
	}
	if !strings.HasPrefix(r.frame, "0-") {
		complain("a frame of $%s", r.frame)
	}
	usesWide := slices.ContainsFunc(r.body, func(i instruction) bool { return wide.MatchString(i.operands) })
	overwritten := false
	for at, i := range r.body {
		if arch == "amd64" && spare.MatchString(i.operands) {
			overwritten = true
		}
		switch {
		case i.mnemonic == "CALL" || i.mnemonic == "BL" || strings.HasPrefix(i.mnemonic, "PUSH") || strings.HasPrefix(i.mnemonic, "POP"):
			complain("%s", i.mnemonic)
		case stackPointer.MatchString(i.operands):
			complain("%s %s: the stack", i.mnemonic, i.operands)
		case reservedIn[arch].MatchString(i.operands):
			complain("%s %s: a reserved register", i.mnemonic, i.operands)
		case overwritten && global.MatchString(i.operands):
			complain("%s %s: a global where R15 is in use", i.mnemonic, i.operands)
		case arch != "amd64":
		case i.mnemonic == "RET" && usesWide && (at == 0 || r.body[at-1].mnemonic != "VZEROUPPER"):
			complain("RET without VZEROUPPER")
		case i.mnemonic == "BYTE" || i.mnemonic == "WORD" || i.mnemonic == "LONG" || i.mnemonic == "QUAD":
			complain("%s: an instruction that the assembler does not know", i.mnemonic)
		case beyond.MatchString(i.mnemonic):
			complain("%s is not on every processor of the level", i.mnemonic)
		case vectorName.MatchString(i.operands) && !strings.HasPrefix(i.mnemonic, "V") && !strings.HasPrefix(i.mnemonic, "K"):
			complain("%s %s: SSE among AVX", i.mnemonic, i.operands)
		case isa == "avx2" && (evex.MatchString(i.operands) || strings.Contains(i.mnemonic, ".")):
			complain("%s %s: AVX-512", i.mnemonic, i.operands)
		}
	}
	if n := len(r.body); n == 0 || r.body[n-1].mnemonic != "RET" && r.body[n-1].mnemonic != "B" && r.body[n-1].mnemonic != "JMP" {
		complain("runs on behind its end")
	}
	return found
}

// operation is the name of a kernel without its instruction set and the number
// of rows it takes.
func operation(r routine) string {
	return strings.TrimRightFunc(strings.TrimRightFunc(r.name, func(c rune) bool {
		return unicode.IsUpper(c) || unicode.IsDigit(c)
	}), unicode.IsDigit)
}

// Every kernel in assembly is a leaf without a frame that leaves the stack and
// reserved registers alone, and has a generic twin, a stub documented by the loop
// it equals and a differential test.
func TestLint(t *testing.T) {
	tier.Skip(t, tier.Race|tier.Emulated)
	read := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Skip("not beside the sources: ", err)
		}
		return string(b)
	}
	glob := func(pattern string) []string {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	var code, tests strings.Builder
	for _, name := range glob("*.go") {
		if strings.HasSuffix(name, "_test.go") {
			tests.WriteString(read(name))
		} else {
			code.WriteString(read(name))
		}
	}
	files := slices.DeleteFunc(glob("*.s"), func(name string) bool { return name == "cpu_amd64.s" })
	if len(files) == 0 {
		t.Skip("not beside the sources")
	}
	count := 0
	for _, file := range files {
		for _, r := range routines(file, read) {
			count++
			for _, p := range problems(r) {
				t.Error(p)
			}
			op := operation(r)
			if !strings.Contains(code.String(), "\nfunc "+op+"Generic(") {
				t.Errorf("%s: %s has no generic twin %sGeneric", file, r.name, op)
			}
			before, _, found := strings.Cut(code.String(), "\nfunc "+r.name+"(")
			if !found || !strings.HasPrefix(before[strings.LastIndex(before, "\n")+1:], "//") {
				t.Errorf("%s: %s has no stub with a comment", file, r.name)
			}
			test := differential[op]
			if !strings.Contains(tests.String(), "\nfunc "+test+"(t *testing.T)") {
				t.Errorf("%s: %s has no differential test (%q)", file, r.name, test)
			}
			listed := strings.ToUpper(op[:1]) + op[1:]
			switch test {
			case "TestVectors":
				if !slices.ContainsFunc(vectors, func(k vectorKernel) bool { return k.name == listed }) {
					t.Errorf("%s: TestVectors does not know %s", file, listed)
				}
			case "TestElementaryBits":
				if !slices.ContainsFunc(elementaries, func(k elementary) bool { return k.name == listed }) {
					t.Errorf("%s: TestElementaryBits does not know %s", file, listed)
				}
			}
		}
	}
	// AVX2 and NEON have no dotRows of their own, NEON no copyRows, and nothing for
	// secular equations.
	if want := 3*len(differential) - 6; count < want {
		t.Errorf("%d kernels found, want at least %d", count, want)
	}
}

// Each rule of the lint refuses something.
func TestLintRefuses(t *testing.T) {
	const good = "#include \"h.h\"\nTEXT ·dotAVX2(SB), NOSPLIT, $0-56\n\tCLEAR(Y0, X1)\nloop: DECQ CX; JNZ loop\n\tLEAVE\n"
	for _, c := range []struct {
		name, file, text string
		want             string // part of the only complaint; none if empty
	}{
		{"good", "dot_avx2_amd64.s", good, ""},
		{"file name", "dot_amd64.s", good, "a file is named"},
		{"wrong set", "dot_avx512_amd64.s", good, "a file is named"},
		{"split", "dot_avx2_amd64.s", strings.Replace(good, "NOSPLIT", "0", 1), "not NOSPLIT"},
		{"frame", "dot_avx2_amd64.s", strings.Replace(good, "$0-", "$8-", 1), "a frame of $8-56"},
		{"call", "dot_avx2_amd64.s", strings.Replace(good, "DECQ CX", "CALL ·f(SB)", 1), "CALL"},
		{"stack", "dot_avx2_amd64.s", strings.Replace(good, "DECQ CX", "MOVQ AX, 8(SP)", 1), "the stack"},
		{"push", "dot_avx2_amd64.s", strings.Replace(good, "DECQ CX", "PUSHQ AX", 1), "PUSHQ"},
		{"frame pointer", "dot_avx2_amd64.s", strings.Replace(good, "DECQ CX", "MOVQ AX, BP", 1), "a reserved register"},
		{"global", "dot_avx2_amd64.s", strings.Replace(good, "DECQ CX", "MOVQ CX, R15; LEAQ ·laneMask(SB), AX; DECQ R15", 1), "a global where R15 is in use"},
		{"global before", "dot_avx2_amd64.s", strings.Replace(good, "DECQ CX", "LEAQ ·laneMask(SB), AX; MOVQ CX, R15; DECQ R15", 1), ""},
		{"no VZEROUPPER", "dot_avx2_amd64.s", strings.Replace(good, "LEAVE", "RET", 1), "RET without VZEROUPPER"},
		{"second RET", "dot_avx2_amd64.s", strings.Replace(good, "JNZ loop", "RET", 1), "RET without VZEROUPPER"},
		{"SSE", "dot_avx2_amd64.s", strings.Replace(good, "DECQ CX", "MOVSD X0, X1", 1), "SSE among AVX"},
		{"AVX-512", "dot_avx2_amd64.s", strings.Replace(good, "DECQ CX", "VADDPD Y16, Y1, Y2", 1), "AVX-512"},
		{"mask", "dot_avx2_amd64.s", strings.Replace(good, "DECQ CX", "VMOVUPD Y1, K1, Y2", 1), "AVX-512"},
		{"BMI2", "dot_avx2_amd64.s", strings.Replace(good, "DECQ CX", "BZHIQ AX, BX, CX", 1), "not on every processor"},
		{"BW", "dot_avx512_amd64.s", strings.NewReplacer("AVX2", "AVX512", "DECQ CX", "KMOVQ AX, K1").Replace(good), "not on every processor"},
		{"bytes", "dot_avx2_amd64.s", strings.Replace(good, "DECQ CX", "BYTE $0x90", 1), "does not know"},
		{"no end", "dot_avx2_amd64.s", strings.Replace(good, "LEAVE", "NOP", 1), "runs on behind"},
		{"link register", "dot_neon_arm64.s", "TEXT ·dotNEON(SB), NOSPLIT, $0-56\n\tMOVD R1, R30\n\tRET\n", "a reserved register"},
	} {
		read := func(name string) string {
			if name == "h.h" {
				return "#define LEAVE \\\n\tVZEROUPPER \\\n\tRET\n#define CLEAR(y, x) \\\n\tVXORPD y, y, y \\\n\tMOVES(x)\n#define MOVES(x) VMOVAPD x, x\n"
			}
			return c.text
		}
		all := routines(c.file, read)
		if len(all) != 1 {
			t.Fatalf("%s: %d routines", c.name, len(all))
		}
		got := problems(all[0])
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s: complaints %q, want %q", c.name, got, c.want)
		}
	}
}
