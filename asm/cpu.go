package asm

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/text"
)

// level is a set of instructions that the kernels may use.
type level uint8

const (
	generic level = iota // Go
	avx2                 // amd64: AVX2, FMA and F16C
	avx512               // amd64: AVX-512 F, DQ and VL
	neon                 // arm64: Advanced SIMD
)

var levelNames = [...]string{generic: "generic", avx2: "avx2", avx512: "avx512", neon: "neon"}

func (l level) String() string { return levelNames[l] }

// active is the level in use. It is chosen once, before the first kernel runs;
// only tests change it.
var active = choose(os.Getenv("KRONFIELD_ISA"), available())

// Level returns the name of the instruction set in use: "generic", "avx2",
// "avx512" or "neon". It is the best that the processor and the operating
// system support, unless the environment variable KRONFIELD_ISA names another.
func Level() string { return active.String() }

// choose returns the level called forced, or the last of have if forced is
// empty. A level that does not exist or that is not in have panics.
func choose(forced string, have []level) level {
	if forced == "" {
		return have[len(have)-1]
	}
	i := slices.Index(levelNames[:], forced)
	if i < 0 {
		panic(text.Sprintf("asm: KRONFIELD_ISA=%s is not one of %s", forced, strings.Join(levelNames[:], ", ")))
	}
	if !slices.Contains(have, level(i)) {
		var names []string
		for _, l := range have {
			names = append(names, l.String())
		}
		panic(text.Sprintf("asm: KRONFIELD_ISA=%s: this program has only %v here", forced, names))
	}
	return level(i)
}

// CacheSize returns how many bytes the level-2 cache of a processor core has, 0 where that is not known. The environment
// variable KRONFIELD_L2, in KiB, overrides it. It decides the speed of products, never their bits.
func CacheSize() int { return chooseCache(os.Getenv("KRONFIELD_L2"), cacheSize()) }

func chooseCache(forced string, have int) int {
	if forced == "" {
		return have
	}
	kib, err := strconv.Atoi(forced)
	if err != nil || kib < 1 || kib > 1<<20 {
		panic(text.Sprintf("asm: KRONFIELD_L2=%s is not a number of KiB from 1 to %d", forced, 1<<20))
	}
	return kib << 10
}
