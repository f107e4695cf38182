package dataset

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// arePictures tells whether a path is that of a folder or of one picture, by its name.
func arePictures(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.IsDir() || formatOf(path) != "")
}

// read reads the pixels of the frames from ≤ i < to and tells which are holes; nil: none.
func (f *folder) read(from, to int) (a *npy.Array, holes []bool, err error) {
	a = &npy.Array{Shape: append([]int{to - from}, f.stored[1:]...), Type: f.all.typ()}
	names, size := f.names[from:to], to-from
	for _, d := range f.stored[1:] {
		size *= d
	}
	if a.Type == npy.Uint16 {
		a.Data, holes, err = readPixels[uint16](f.path, names, f.all, size)
	} else {
		a.Data, holes, err = readPixels[uint8](f.path, names, f.all, size)
	}
	if err != nil || len(f.shape) == len(f.stored) {
		return a, holes, err
	}
	if a = inChannels(a, holes, map[int]int{3: 1, 4: 3}[len(f.shape)]); len(a.Shape) != len(f.shape) {
		return nil, nil, &Error{Path: f.path, Place: "shape " + quote.Shape(f.stored), Found: "3 channels", Want: "1"}
	}
	return a, holes, nil
}

// A folder of pictures, or one of them, of which the headers were read.
type folder struct {
	path  string
	names []string
	all   header // of every frame; coloured if one is
	shape []int  // n×h×w or n×h×w×3
	notes []string

	stored []int // the shape in the files, of which one is grey and the other coloured where other channels are asked for
}

// openFolder reads the headers of all pictures of a folder, or of the picture that the path names, which decide about size
// and type. channels are those that are asked for, 0: any.
func openFolder(path string, channels int) (*folder, error) {
	var names []string
	var err error
	if formatOf(path) != "" && isRegular(path) {
		path, names = filepath.Dir(path), []string{filepath.Base(path)}
	} else if names, err = pictureNames(path); err != nil {
		return nil, err
	}
	var all header
	var notes []string
	for i, name := range names {
		h, err := readHeader(filepath.Join(path, name))
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			all = h
		case h.width != all.width || h.height != all.height:
			return nil, &Error{Path: filepath.Join(path, name), Found: FormatGrid(h.width, h.height) + " pixels",
				Want: FormatGrid(all.width, all.height) + " as in " + quote.Line(names[0])}
		case h.bits != all.bits:
			return nil, &Error{Path: filepath.Join(path, name), Found: fmt.Sprintf("%d bits a sample", h.bits),
				Want: fmt.Sprintf("%d as in %s", all.bits, quote.Line(names[0]))}
		}
		if h.frames > 1 && notes == nil {
			notes = append(notes, fmt.Sprintf("%s is animated, of %d frames: its first picture alone is read (a folder of all, or a GIF, makes a film: mkdir frames && ffmpeg -i %s frames/%%05d.png)", quote.Line(name), h.frames, ShellWord(filepath.Join(path, name))))
		}
		all.colour = all.colour || h.colour
	}
	shape := []int{len(names), all.height, all.width}
	if all.colour {
		shape = append(shape, 3)
	}
	size := int64(all.bits / 8)
	for _, d := range shape {
		if size > math.MaxInt/int64(d) {
			return nil, &Error{Path: path, Found: fmt.Sprintf("%d frames of %s pixels", len(names), FormatGrid(all.width, all.height)),
				Want: fmt.Sprintf("at most %d bytes", math.MaxInt)}
		}
		size *= int64(d)
	}
	f := &folder{path, names, all, shape, notes, shape}
	switch {
	case all.colour && channels == 1:
		f.shape = shape[:3]
	case !all.colour && channels == 3:
		f.shape = append(slices.Clone(shape), 3)
	}
	return f, nil
}

// pictureNames returns the names of the pictures in a folder, in the order of the
// frames.
func pictureNames(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, &Error{Path: folder, Err: err}
	}
	var names []string
	foreign := foreignError(folder)
	for _, e := range entries {
		if n := e.Name(); formatOf(n) != "" && n[0] != '.' {
			names = append(names, n)
		} else if VideoKind(n) != "" && foreign == nil {
			foreign = foreignError(filepath.Join(folder, n))
		}
	}
	if len(names) == 0 && foreign != nil {
		return nil, foreign
	}
	if len(names) == 0 {
		return nil, &Error{Path: folder, Found: "no frame", Want: "files whose names end in .png, .jpg or .jpeg"}
	}
	slices.SortFunc(names, compareNames)
	return names, nil
}

// FilmTimes returns the times of a film's frames by the numbers in the names of their files, from 0 in steps of the numbers' common one, with a note, where
// numbers are missing; nil where none are, or so many (more than frames) that they are no numbers of frames, which is noted too.
func (f *Form) FilmTimes() []float64 {
	numbers := numbersIn(f.Files)
	if len(numbers) < 3 {
		return nil
	}
	step := 0
	for i, n := range numbers[1:] {
		for a := n - numbers[i]; a != 0; {
			step, a = a, step%a
		}
	}
	missing := 0
	var gaps []string
	times := make([]float64, len(numbers))
	for i, n := range numbers[1:] {
		if n == numbers[i] {
			return nil // a1 and a01
		}
		times[i+1] = float64((n - numbers[0]) / step)
		before := numbers[i] + step
		switch missing += (n - before) / step; {
		case len(gaps) == 5 && n > before:
			gaps[4] = "…"
		case n > before+step:
			gaps = append(gaps, fmt.Sprintf("%d to %d", before, n-step))
		case n > before:
			gaps = append(gaps, strconv.Itoa(before))
		}
	}
	text := fmt.Sprintf("%s: %s %s missing in the names of the frames: ", quote.Line(f.Name), strings.Join(gaps, ", "), map[bool]string{true: "is", false: "are"}[missing == 1])
	switch {
	case missing == 0:
		return nil
	case missing > len(numbers):
		f.note("%sall are taken as consecutive (-times says otherwise)", text)
		return nil
	}
	f.note("%sthe frames' times are their numbers", text)
	return times
}

// numbersIn returns the numbers that alone tell names apart; nil where something else does.
func numbersIn(names []string) []int {
	var all [][]string // of each name
	for _, name := range names {
		var runs []string
		text := ""
		for rest := name; rest != ""; {
			if n := digits(rest); n > 0 {
				runs, text, rest = append(runs, rest[:n]), text+"0", rest[n:]
			} else {
				text, rest = text+rest[:1], rest[1:]
			}
		}
		if all = append(all, append(runs, text)); len(all[0]) != len(runs)+1 || all[0][len(runs)] != text {
			return nil
		}
	}
	if all == nil {
		return nil
	}
	var numbers []int
	for k := range len(all[0]) - 1 {
		if !slices.ContainsFunc(all, func(runs []string) bool { return runs[k] != all[0][k] }) {
			continue
		}
		if numbers != nil { // two of them
			return nil
		}
		for _, runs := range all {
			n, err := strconv.Atoi(runs[k])
			if err != nil {
				return nil
			}
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// compareNames orders names by their parts, where a run of digits is one part
// and counts as a number; names with equal parts (a1, a01) as plain strings.
func compareNames(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		dx, dy := digits(x), digits(y)
		if dx == 0 || dy == 0 {
			if x[0] != y[0] {
				return cmp.Compare(x[0], y[0])
			}
			x, y = x[1:], y[1:]
			continue
		}
		nx, ny := strings.TrimLeft(x[:dx], "0"), strings.TrimLeft(y[:dy], "0")
		if c := cmp.Or(cmp.Compare(len(nx), len(ny)), cmp.Compare(nx, ny)); c != 0 {
			return c
		}
		x, y = x[dx:], y[dy:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// digits returns the length of the run of digits that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// readPixels decodes all frames and tells which pixels are holes; nil: none. A frame that has changed since its header was
// read is refused.
func readPixels[T uint8 | uint16](folder string, names []string, want header, size int) (data []T, holes []bool, err error) {
	data = make([]T, size)
	n, pixels := size/max(1, len(names)), want.width*want.height
	for i, name := range names {
		path := filepath.Join(folder, name)
		found, err := readPicture(data[i*n:(i+1)*n], path, want)
		if err != nil {
			return nil, nil, err
		}
		if found != nil {
			if holes == nil {
				holes = make([]bool, len(names)*pixels)
			}
			copy(holes[i*pixels:], found)
		}
	}
	return data, holes, nil
}

// Several returns the files that a name stands for which is no file itself: @LIST those that the lines of the file LIST name, from its folder on, and a pattern such as faces*.npy
// or sst*.nc:sst those that fit, in the order of their names with runs of digits compared as numbers. nil: the name is that of one source. Errors: [*Error].
func Several(name string) ([]string, error) {
	if _, err := os.Stat(FileName(name)); err == nil {
		return nil, nil
	}
	if list, ok := strings.CutPrefix(name, "@"); ok {
		text, err := os.ReadFile(list)
		if err != nil {
			return nil, &Error{Path: list, Err: err}
		}
		var names []string
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !filepath.IsAbs(line) {
				line = filepath.Join(filepath.Dir(list), line)
			}
			if line != "" {
				names = append(names, line)
			}
		}
		if names == nil {
			return nil, &Error{Path: list, Found: "no name", Want: "one of a file in each line"}
		}
		return names, nil
	}
	if !strings.ContainsAny(name, "*?[") {
		return nil, nil
	}
	path, part := name, ""
	if at := strings.LastIndexByte(name, ':'); at > strings.LastIndexByte(name, filepath.Separator) && at > 1 {
		path, part = name[:at], name[at:]
	}
	names, err := filepath.Glob(path)
	if err != nil || names == nil {
		return nil, &Error{Path: name, Found: "no file", Want: "a pattern that fits some"}
	}
	slices.SortFunc(names, compareNames)
	for i := range names {
		names[i] += part
	}
	return names, nil
}
