package asm

import "slices"

// Levels returns the names of the levels that run here, the best one last.
func Levels() []string {
	var names []string
	for _, l := range available() {
		names = append(names, l.String())
	}
	return names
}

// TilesTogether is tilesTogether.
func TilesTogether(k int) int { return tilesTogether(k) }

// SetLevel makes the kernels use a level and returns a function that restores
// the former one.
func SetLevel(name string) (restore func()) {
	former := active
	active = named(name)
	return func() { active = former }
}

// Choose is choose, with levels by name.
func Choose(forced string, have []string) string {
	var levels []level
	for _, name := range have {
		levels = append(levels, named(name))
	}
	return choose(forced, levels).String()
}

// ChooseCache is chooseCache.
var ChooseCache = chooseCache

func named(name string) level {
	i := slices.Index(levelNames[:], name)
	if i < 0 {
		panic("no level " + name)
	}
	return level(i)
}
