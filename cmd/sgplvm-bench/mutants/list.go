package main

import (
	"bufio"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed *.txt
var lists embed.FS

// A mutant is one fault.
type mutant struct {
	file     string   // in the module, with slashes
	name     string   // what is wrong
	old, new string   // text of the file, and what takes its place
	tests    []string // packages: that of the file, then others
	excuse   string   // why no test can notice it; empty if one should
	place    string   // in the list, for messages
}

// readLists returns the faults of all lists, in the order of files and lines.
func readLists(lists fs.FS) ([]mutant, error) {
	names, err := fs.Glob(lists, "*.txt")
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, name := range names {
		text, err := fs.ReadFile(lists, name)
		if err != nil {
			return nil, err
		}
		some, err := parse(name, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	seen := map[string]string{}
	for _, m := range all {
		key := m.file + ": " + m.name
		if seen[key] != "" {
			return nil, fmt.Errorf("%s: %s is in %s already, expected another name", m.place, key, seen[key])
		}
		seen[key] = m.place
	}
	return all, nil
}

// parse reads a list.
func parse(name, text string) ([]mutant, error) {
	var all []mutant
	var file string
	var tests []string
	line := 0
	fail := func(want string) error {
		return fmt.Errorf("%s:%d: expected %s", name, line, want)
	}
	scanner := bufio.NewScanner(strings.NewReader(text))
	for scanner.Scan() {
		line++
		s := scanner.Text()
		last := len(all) - 1
		switch {
		case s == "" || s[0] == '#':
		case strings.HasPrefix(s, "file "):
			file = strings.TrimSpace(s[len("file "):])
			tests = []string{"./" + path.Dir(file)}
		case strings.HasPrefix(s, "tests "):
			for _, p := range strings.Fields(s)[1:] {
				if !slices.Contains(tests, p) {
					tests = append(tests, p)
				}
			}
		case strings.HasPrefix(s, ": "):
			if file == "" {
				return nil, fail(`a line "file …" before the first fault`)
			}
			all = append(all, mutant{file: file, name: s[2:], tests: tests, place: fmt.Sprintf("%s:%d", name, line)})
		case last < 0:
			return nil, fail(`"file …" or ": what is wrong"`)
		case s[0] == '-':
			if all[last].new != "" {
				return nil, fail(`no more "-" after "+"`)
			}
			all[last].old += s[1:] + "\n"
		case s[0] == '+':
			all[last].new += s[1:] + "\n"
		case strings.HasPrefix(s, "? "):
			all[last].excuse = s[2:]
		default:
			return nil, fail(`a line that begins with "file ", "tests ", ": ", "-", "+", "? " or "#"`)
		}
	}
	for i := range all {
		m := &all[i]
		m.old, m.new = strings.TrimSuffix(m.old, "\n"), strings.TrimSuffix(m.new, "\n")
		if m.old == "" || m.old == m.new {
			return nil, fmt.Errorf("%s: %s: expected lines with \"-\" and others with \"+\"", m.place, m.name)
		}
	}
	return all, nil
}

// apply returns the file's text with the fault in it.
func (m *mutant) apply(text string) (string, error) {
	if n := strings.Count(text, m.old); n != 1 {
		return "", fmt.Errorf("%s: %s: the text occurs %d times in %s, expected once", m.place, m.name, n, m.file)
	}
	return strings.Replace(text, m.old, m.new, 1), nil
}

// needs returns the instruction set without which the file is not in use, "" if there is none.
func (m *mutant) needs() string {
	for _, set := range []string{"avx512", "avx2", "neon"} {
		if strings.Contains(filepath.Base(m.file), "_"+set+"_") {
			return set
		}
	}
	return ""
}

// check tries all faults on the module in root, without running anything.
func check(root string, all []mutant) error {
	var bad []error
	for i := range all {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(all[i].file)))
		if err == nil {
			_, err = all[i].apply(string(text))
		}
		bad = append(bad, err)
	}
	return errors.Join(bad...)
}
