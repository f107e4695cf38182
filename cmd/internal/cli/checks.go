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

// Leading divides arguments into those before any flag and the rest.
func Leading(args []string) (words, flags []string) {
	n := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") })
	if n < 0 {
		n = len(args)
	}
	return args[:n], args[n:]
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

// Paths are the flags that name files on the command line, but one.
func (f *Flags) Paths(but string) []string {
	return slices.DeleteFunc(slices.Concat(f.inputs, f.results), func(name string) bool { return name == but || f.Text(name) == "" })
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

// check refuses a command line that the definitions of its flags forbid.
func (f *Flags) check() error {
	for _, name := range f.needed {
		if name == "data" && f.Lookup("view") != nil && f.Given("view") {
			continue // views are data
		}
		if err := f.Require(name); err != nil {
			return err
		}
	}
	if f.Lookup("points") != nil && f.Lookup("grid") != nil && f.Text("points") != "" && f.Text("grid") != "" {
		return f.Usagef("-grid %s with -points, expected one of the two", f.Text("grid"))
	}
	if err := f.Apart(f.inputs, f.results); err != nil {
		return err
	}
	for _, name := range f.results {
		path := f.Text(name)
		if endings := f.endings[name]; path != "" && endings != nil && !slices.Contains(endings, strings.ToLower(filepath.Ext(path))) {
			return f.Usagef("-%s %q, expected a name that ends in %s", name, path, strings.Join(endings, ", "))
		}
		if slices.Contains(f.models, name) {
			if err := f.ModelName(name); err != nil {
				return err
			}
		}
		if !slices.Contains(f.outputs, name) {
			if err := Writable(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// Refuse refuses a command line with one of the named flags, for a reason.
func (f *Flags) Refuse(reason string, names ...string) error {
	for _, name := range names {
		if f.Given(name) {
			return f.Usagef("-%s %s", name, reason)
		}
	}
	return nil
}
