package asm

import "slices"

// Levels returns the names of the levels that run here.
func Levels() []string {
	var names []string
	for _, l := range available() {
		names = append(names, l.String())
	}
	return names
}

// SetLevel makes the kernels use a level and returns a function that restores
// the former one.
func SetLevel(name string) (restore func()) {
	former := active
	active = level(slices.Index(levelNames[:], name))
	return func() { active = former }
}
