package asm

import (
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Instructions and their words as the GNU assembler encodes them. The two rows
// of a macro set every bit of every register's number once.
var encodings = []struct {
	macro, instruction string
	word               uint32
}{
	{"FMLAE(10, 21, 1, 6)", "fmla v6.2d, v10.2d, v21.d[1]", 0x4fd51946},
	{"FMLAE(21, 10, 0, 25)", "fmla v25.2d, v21.2d, v10.d[0]", 0x4fca12b9},
	{"FMLSE(10, 21, 1, 6)", "fmls v6.2d, v10.2d, v21.d[1]", 0x4fd55946},
	{"FMLSE(21, 10, 0, 25)", "fmls v25.2d, v21.2d, v10.d[0]", 0x4fca52b9},
	{"FMULE(10, 21, 1, 6)", "fmul v6.2d, v10.2d, v21.d[1]", 0x4fd59946},
	{"FMULE(21, 10, 0, 25)", "fmul v25.2d, v21.2d, v10.d[0]", 0x4fca92b9},
	{"FMLA(10, 21, 6)", "fmla v6.2d, v10.2d, v21.2d", 0x4e75cd46},
	{"FMLA(21, 10, 25)", "fmla v25.2d, v21.2d, v10.2d", 0x4e6aceb9},
	{"FMLS(10, 21, 6)", "fmls v6.2d, v10.2d, v21.2d", 0x4ef5cd46},
	{"FMLS(21, 10, 25)", "fmls v25.2d, v21.2d, v10.2d", 0x4eeaceb9},
	{"FADD(10, 21, 6)", "fadd v6.2d, v10.2d, v21.2d", 0x4e75d546},
	{"FADD(21, 10, 25)", "fadd v25.2d, v21.2d, v10.2d", 0x4e6ad6b9},
	{"FSUB(10, 21, 6)", "fsub v6.2d, v10.2d, v21.2d", 0x4ef5d546},
	{"FSUB(21, 10, 25)", "fsub v25.2d, v21.2d, v10.2d", 0x4eead6b9},
	{"FMUL(10, 21, 6)", "fmul v6.2d, v10.2d, v21.2d", 0x6e75dd46},
	{"FMUL(21, 10, 25)", "fmul v25.2d, v21.2d, v10.2d", 0x6e6adeb9},
	{"FDIV(10, 21, 6)", "fdiv v6.2d, v10.2d, v21.2d", 0x6e75fd46},
	{"FDIV(21, 10, 25)", "fdiv v25.2d, v21.2d, v10.2d", 0x6e6afeb9},
	{"FMAX(10, 21, 6)", "fmax v6.2d, v10.2d, v21.2d", 0x4e75f546},
	{"FMAX(21, 10, 25)", "fmax v25.2d, v21.2d, v10.2d", 0x4e6af6b9},
	{"FMIN(10, 21, 6)", "fmin v6.2d, v10.2d, v21.2d", 0x4ef5f546},
	{"FMIN(21, 10, 25)", "fmin v25.2d, v21.2d, v10.2d", 0x4eeaf6b9},
	{"FABS(10, 6)", "fabs v6.2d, v10.2d", 0x4ee0f946},
	{"FABS(21, 25)", "fabs v25.2d, v21.2d", 0x4ee0fab9},
	{"FNEG(10, 6)", "fneg v6.2d, v10.2d", 0x6ee0f946},
	{"FNEG(21, 25)", "fneg v25.2d, v21.2d", 0x6ee0fab9},
	{"FSQRT(10, 6)", "fsqrt v6.2d, v10.2d", 0x6ee1f946},
	{"FSQRT(21, 25)", "fsqrt v25.2d, v21.2d", 0x6ee1fab9},
	{"FCMGT(10, 21, 6)", "fcmgt v6.2d, v10.2d, v21.2d", 0x6ef5e546},
	{"FCMGT(21, 10, 25)", "fcmgt v25.2d, v21.2d, v10.2d", 0x6eeae6b9},
	{"FCMEQZ(10, 6)", "fcmeq v6.2d, v10.2d, #0.0", 0x4ee0d946},
	{"FCMEQZ(21, 25)", "fcmeq v25.2d, v21.2d, #0.0", 0x4ee0dab9},
	{"FCMLTZ(10, 6)", "fcmlt v6.2d, v10.2d, #0.0", 0x4ee0e946},
	{"FCMLTZ(21, 25)", "fcmlt v25.2d, v21.2d, #0.0", 0x4ee0eab9},
	{"FADDP(10, 6)", "faddp d6, v10.2d", 0x7e70d946},
	{"FADDP(21, 25)", "faddp d25, v21.2d", 0x7e70dab9},
	{"FMAXP(10, 6)", "fmaxp d6, v10.2d", 0x7e70f946},
	{"FMAXP(21, 25)", "fmaxp d25, v21.2d", 0x7e70fab9},
	{"WIDENHALF(10, 6)", "fcvtl v6.4s, v10.4h", 0x0e217946},
	{"WIDENHALF(21, 25)", "fcvtl v25.4s, v21.4h", 0x0e217ab9},
	{"WIDENHALFHIGH(10, 6)", "fcvtl2 v6.4s, v10.8h", 0x4e217946},
	{"WIDENHALFHIGH(21, 25)", "fcvtl2 v25.4s, v21.8h", 0x4e217ab9},
	{"WIDEN(10, 6)", "fcvtl v6.2d, v10.2s", 0x0e617946},
	{"WIDEN(21, 25)", "fcvtl v25.2d, v21.2s", 0x0e617ab9},
	{"WIDENHIGH(10, 6)", "fcvtl2 v6.2d, v10.4s", 0x4e617946},
	{"WIDENHIGH(21, 25)", "fcvtl2 v25.2d, v21.4s", 0x4e617ab9},
	{"MOVE(10, 6)", "mov v6.16b, v10.16b", 0x4eaa1d46},
	{"MOVE(21, 25)", "mov v25.16b, v21.16b", 0x4eb51eb9},
	{"ZERO(6)", "movi v6.2d, #0", 0x6f00e406},
	{"ZERO(25)", "movi v25.2d, #0", 0x6f00e419},
}

// The words that neon_arm64.h defines are the instructions it says. The macros
// are expanded here, so the test runs on every architecture.
func TestNeonEncodings(t *testing.T) {
	header, err := os.ReadFile("neon_arm64.h")
	if err != nil {
		t.Fatal(err)
	}
	type macro struct{ parameters, body string }
	macros := map[string]macro{}
	for _, m := range regexp.MustCompile(`(?m)^#define (\w+)\(([^)]*)\) WORD \$(.*)$`).FindAllStringSubmatch(string(header), -1) {
		macros[m[1]] = macro{m[2], m[3]}
	}
	if defined := strings.Count(string(header), "WORD"); len(macros) != defined {
		t.Errorf("%d macros of one word understood, of %d", len(macros), defined)
	}
	rows := map[string]int{}
	for _, e := range encodings {
		name, arguments, _ := strings.Cut(strings.TrimSuffix(e.macro, ")"), "(")
		rows[name]++
		values, parameters := strings.Split(arguments, ", "), strings.Split(macros[name].parameters, ", ")
		if len(values) != len(parameters) {
			t.Errorf("%s: the macro has parameters %s", e.macro, parameters)
			continue
		}
		body := macros[name].body
		for i, p := range parameters {
			body = regexp.MustCompile(`\b`+p+`\b`).ReplaceAllString(body, values[i])
		}
		tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, body)
		if err != nil {
			t.Errorf("%s: %s: %v", e.macro, body, err)
		} else if word, _ := constant.Uint64Val(tv.Value); word != uint64(e.word) {
			t.Errorf("%s is %08x, want %08x, %s", e.macro, word, e.word, e.instruction)
		}
	}
	for name := range macros {
		if rows[name] != 2 {
			t.Errorf("%s is checked %d times, want 2", name, rows[name])
		}
	}
}
