package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Usagef returns an error of the command's flags.
func (f *Flags) Usagef(format string, args ...any) error {
	return Usagef("%s: %s", f.Name(), fmt.Sprintf(format, args...))
}

// Given tells whether a flag stands on the command line.
func (f *Flags) Given(name string) bool {
	found := false
	f.Visit(func(g *flag.Flag) { found = found || g.Name == name })
	return found
}

// Text returns the value of a flag as text.
func (f *Flags) Text(name string) string { return f.Lookup(name).Value.String() }

// Require refuses a command line without one of the named flags.
func (f *Flags) Require(names ...string) error {
	for _, name := range names {
		if f.Text(name) == "" {
			_, usage := flag.UnquoteUsage(f.Lookup(name))
			return f.Usagef("-%s is missing, expected %s", name, usage)
		}
	}
	return nil
}

// Apart refuses a command line on which a result would replace an input or another result. The
// names are those of flags that take files.
func (f *Flags) Apart(inputs, results []string) error {
	for i, result := range results {
		path := f.Text(result)
		for _, other := range append(slices.Clone(inputs), results[:i]...) {
			several, _ := dataset.Several(f.Text(other))
			for _, v := range append(several, f.Text(other)) {
				if path != "" && v != "" && sameFile(path, v) {
					return f.Usagef("-%s %q is the file of -%s, expected another one", result, path, other)
				}
			}
			if v := f.Text(other); path != "" && v != "" && pictureIn(path, v) {
				return f.Usagef("-%s %q is a picture of -%s, expected another file", result, path, other)
			}
		}
	}
	return nil
}

// pictureIn tells whether a path is that of a picture that is in a folder.
func pictureIn(path, folder string) bool {
	info, err := os.Stat(folder)
	if err != nil || !info.IsDir() || !slices.Contains([]string{".png", ".jpg", ".jpeg"}, strings.ToLower(filepath.Ext(path))) {
		return false
	}
	_, err = os.Stat(path)
	return err == nil && sameFile(filepath.Dir(path), folder)
}

// otherEndings are those of files that are no models, by which people and programs know them.
var otherEndings = []string{".npy", ".npz", ".csv", ".txt", ".nc", ".png", ".jpg", ".jpeg", ".gif", ".html", ".json", ".mp4", ".mov", ".avi", ".mkv", ".webm"}

// ModelName refuses a name for a model by which it would be taken for another file.
func (f *Flags) ModelName(flag string) error {
	if path := f.Text(flag); slices.Contains(otherEndings, strings.ToLower(filepath.Ext(path))) {
		return f.Usagef("-%s %q, expected a name for a model, which has an ending of its own or none: %s", flag, path, strings.TrimSuffix(path, filepath.Ext(path))+".model")
	}
	return nil
}

// Files is Apart for a command line of which all results must be writable, too.
func (f *Flags) Files(inputs, results []string) error {
	if err := f.Apart(inputs, results); err != nil {
		return err
	}
	var paths []string
	for _, name := range results {
		paths = append(paths, f.Text(name))
	}
	return AllWritable(paths...)
}

// check refuses a command line that the definitions of its flags forbid.
func (f *Flags) check() error {
	if err := f.Require(f.needed...); err != nil {
		return err
	}
	if f.Lookup("points") != nil && f.Lookup("grid") != nil {
		if err := f.Exclusive(f.Text("points"), f.Text("grid")); err != nil {
			return err
		}
	}
	if err := f.Apart(f.inputs, f.results); err != nil {
		return err
	}
	for _, name := range f.results {
		path := f.Text(name)
		if endings := f.endings[name]; path != "" && endings != nil && !slices.Contains(endings, strings.ToLower(filepath.Ext(path))) {
			return f.Usagef("-%s %q, expected a name that ends in %s", name, path, endings[0])
		}
		if slices.Contains(f.models, name) {
			if err := f.ModelName(name); err != nil {
				return err
			}
		}
		if path != "" && !slices.Contains(f.outputs, name) {
			if err := Writable(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// Forbid refuses a command line with one of the named flags beside something else, which the text says.
func (f *Flags) Forbid(beside string, names ...string) error {
	for _, name := range names {
		if f.Given(name) {
			return f.Usagef("-%s with %s", name, beside)
		}
	}
	return nil
}

// Without refuses a command line with one of the named flags, which need another one.
func (f *Flags) Without(needed string, names ...string) (err error) {
	f.Visit(func(v *flag.Flag) {
		if err == nil && slices.Contains(names, v.Name) {
			err = f.Usagef("-%s without %s", v.Name, needed)
		}
	})
	return err
}

// Exclusive refuses a command line with both -points and -grid.
func (f *Flags) Exclusive(points, grid string) error {
	if points != "" && grid != "" {
		return f.Usagef("-grid %s with -points, expected one of the two", grid)
	}
	return nil
}
