package asm_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/tier"
)

// The best level is chosen unless another one is asked for; one that is missing
// or misspelt panics, by name.
func TestChoose(t *testing.T) {
	amd64 := []string{"generic", "avx2", "avx512"}
	for _, c := range []struct {
		forced string
		have   []string
		want   string // the level, or part of the panic
	}{
		{"", []string{"generic"}, "generic"},
		{"", amd64[:2], "avx2"},
		{"", amd64, "avx512"},
		{"", []string{"generic", "neon"}, "neon"},
		{"generic", amd64, "generic"},
		{"avx2", amd64, "avx2"},
		{"avx512", amd64, "avx512"},
		{"avx512", amd64[:2], "KRONFIELD_ISA=avx512: this program has only [generic avx2] here"},
		{"neon", amd64, "KRONFIELD_ISA=neon: this program has only [generic avx2 avx512] here"},
		{"avx2", []string{"generic", "neon"}, "KRONFIELD_ISA=avx2: this program has only [generic neon] here"},
		{"AVX2", amd64, "KRONFIELD_ISA=AVX2 is not one of generic, avx2, avx512, neon"},
		{"none", amd64, "KRONFIELD_ISA=none is not one of generic, avx2, avx512, neon"},
	} {
		var got string
		text := tier.Panic(func() { got = asm.Choose(c.forced, c.have) })
		if got != c.want && (text == "" || !strings.HasSuffix(text, c.want)) {
			t.Errorf("%q of %v: %q, panic %q, want %q", c.forced, c.have, got, text, c.want)
		}
	}
}

// The level in use is the one asked for, or the best; KRONFIELD_REQUIRE names one
// that must be there.
func TestLevel(t *testing.T) {
	levels := asm.Levels()
	want := levels[len(levels)-1]
	if forced := os.Getenv("KRONFIELD_ISA"); forced != "" {
		want = forced
	}
	if got := asm.Level(); got != want {
		t.Errorf("the level is %s, want %s", got, want)
	}
	if require := os.Getenv("KRONFIELD_REQUIRE"); require != "" && !slices.Contains(levels, require) {
		t.Errorf("KRONFIELD_REQUIRE=%s, but this program has only %v here", require, levels)
	}
	if levels[0] != "generic" {
		t.Errorf("the levels are %v, want generic first", levels)
	}
	// Each level is really used: the tiles tell them apart.
	seen := map[[2]int]string{}
	eachLevel(t, func(t *testing.T) {
		mr, nr := asm.Tile()
		if other := seen[[2]int{mr, nr}]; other != "" {
			t.Errorf("%s has the tile of %s, %d×%d", asm.Level(), other, mr, nr)
		}
		seen[[2]int{mr, nr}] = asm.Level()
	})
}

// The size of the level-2 cache is found, but for another asked for; what is no size panics.
func TestCacheSize(t *testing.T) {
	if os.Getenv("KRONFIELD_L2") == "" {
		if size := asm.CacheSize(); size != 0 && (size < 64<<10 || size > 64<<20) {
			t.Errorf("a level-2 cache of %d bytes", size)
		}
	}
	for forced, want := range map[string]int{"": 7, "512": 512 << 10} {
		if got := asm.ChooseCache(forced, 7); got != want {
			t.Errorf("%q: %d, want %d", forced, got, want)
		}
	}
	for _, forced := range []string{"0", "-1", "1M", "99999999"} {
		if text := tier.Panic(func() { asm.ChooseCache(forced, 7) }); !strings.Contains(text, "KRONFIELD_L2="+forced+" is not") {
			t.Errorf("%q: panic %q", forced, text)
		}
	}
}
