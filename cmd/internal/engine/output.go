package engine

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/files"
	"github.com/seed-08962ecc/kronfield/cmd/internal/picture"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Output is where the values of examples go: the ending of its name says in which format. Without a name they go nowhere.
type Output struct {
	f            *cli.Flags
	flag, path   string
	kind         string // an ending, folderKind or nothing
	form         dataset.Form
	levels       picture.Levels
	deviations   bool      // the values are variances: pictures show standard deviations
	told         bool      // black and white were given
	twice        bool      // two files of the source have the same name but for its ending
	approximated bool      // a GIF has fewer colours than its pictures
	Rate         float64   // frames a second of a GIF of frames that have no times in seconds; 0: 10
	observed     []float64 // values of the examples, NaN where they were filled in; nil: not known
}

// folderKind stands for the ending of a folder of pictures.
const folderKind = "/"

// OutputUsage says in the help of a flag which names an output has.
const OutputUsage = ".npy, .csv, .png (one picture), or a folder for PNG pictures"

// VarianceUsage says it of an output of variances.
const VarianceUsage = ".npy, .csv, .png or a folder; pictures show standard deviations"

// NewOutput returns the output that a flag names. Besides arrays, tables and pictures a command may take more endings. Names that end in anything
// else are refused, and so is what cannot be written.
func NewOutput(f *cli.Flags, flag string, more ...string) (*Output, error) {
	o := &Output{f: f, flag: flag, path: f.Text(flag)}
	if o.path == "" {
		return o, nil
	}
	endings := append([]string{".npy", ".csv", ".png"}, more...)
	ending := strings.ToLower(filepath.Ext(o.path))
	switch {
	case files.IsFolder(o.path) || ending == "":
		o.kind = folderKind
		return o, files.CheckFolder(o.path)
	case slices.Contains(endings, ending) || slices.Contains(dataset.TableEndings, ending):
		o.kind = ending
		return o, cli.Writable(o.path)
	case dataset.VideoKind(o.path) != "":
		return nil, f.Usagef("-%s %q is a video, expected a folder of pictures, from which ffmpeg makes it: -%s frames, then ffmpeg -framerate 25 -i frames/frame%%04d.png %s",
			flag, o.path, flag, dataset.ShellWord(o.path))
	}
	return nil, f.Usagef("-%s %q, expected a name that ends in %s, or one of a folder for pictures", flag, o.path, strings.Join(endings, ", "))
}

// NewOutputs returns the outputs that two flags name.
func NewOutputs(f *cli.Flags, first, second string) (a, b *Output, err error) {
	if a, err = NewOutput(f, first); err == nil {
		b, err = NewOutput(f, second)
	}
	return a, b, err
}

// noPictures refuses the name of an output that would be pictures of what is none, or that says nothing.
func noPictures(f *cli.Flags, flag string) error {
	return f.Usagef("-%s %q of values that are no pictures, expected a name that ends in .npy or .csv", flag, f.Text(flag))
}

// Pictures tells whether the output is pictures.
func (o *Output) Pictures() bool { return o.kind == ".png" || o.kind == ".gif" || o.kind == folderKind }

// Is tells whether the name has an ending.
func (o *Output) Is(ending string) bool { return o.kind == ending }

// Given tells whether there is an output.
func (o *Output) Given() bool { return o.kind != "" }

// Holding says what the output will hold: examples of a form, black and white of pictures. It refuses what
// the output cannot hold, before any work.
func (o *Output) Holding(form dataset.Form, levels picture.Levels) error {
	o.form, o.levels = form, levels
	names := map[string]bool{}
	for _, name := range form.Files {
		name = strings.TrimSuffix(name, filepath.Ext(name))
		o.twice, names[name] = o.twice || names[name], true
	}
	switch {
	case !o.Pictures():
	case form.Table || form.Scattered || form.Points() == 0:
		return noPictures(o.f, o.flag)
	case form.Channels != 1 && form.Channels != 3:
		return o.f.Usagef("-%s %q of pictures of %d channels, expected a name that ends in .npy or .csv, or 1 channel (grey) or 3 (red, green, blue)", o.flag, o.path, form.Channels)
	case o.kind == ".gif" && form.Points()*form.Channels > picture.MaxAnimation/form.Count:
		return o.f.Usagef("-%s %q of %d pictures of %d values, expected at most %d values in all", o.flag, o.path, form.Count, form.Points()*form.Channels, picture.MaxAnimation)
	case o.kind == ".png" && form.Count > 1:
		return o.f.Usagef("-%s %q for %d pictures, expected the name of a folder", o.flag, o.path, form.Count)
	}
	return nil
}

// HoldingVariances is Holding for variances. Pictures of them show standard deviations in grey: white is that of the training data.
func (o *Output) HoldingVariances(form dataset.Form, deviation float64) error {
	o.deviations = true
	if !(deviation > 0) {
		deviation = 1
	}
	return o.Holding(form, picture.Levels{High: deviation, Bits: 8})
}

// Levels are black and white in pictures, which SetLevels changes to those that were asked for.
func (o *Output) Levels() picture.Levels { return o.levels }

func (o *Output) SetLevels(l picture.Levels) { o.levels, o.told = l, true }

// Note tells what black and white are, where pictures do not simply have the levels of their source.
func (o *Output) Note(e *cli.Environment) {
	if o.approximated {
		e.Note("%s: a GIF has 256 colours, and these pictures more, which are approximated (a folder for PNG pictures keeps them)", o.path)
	}
	switch {
	case !o.Pictures() || o.told:
	case o.deviations:
		e.Note("%s: black is certain, white a standard deviation of %.4g, that of the training data", o.path, o.levels.High)
	case o.levels.Low != 0 || o.levels.High != 255 && o.levels.High != 65535:
		e.Note("%s: black is %.4g, white %.4g", o.path, o.levels.Low, o.levels.High)
	}
}

// Stream writes the values that write gives to put, those of some examples at a time.
func (o *Output) Stream(write func(put func(values []float64) error) error) error {
	switch o.kind {
	case "":
		return write(func([]float64) error { return nil })
	case ".npy":
		return files.StreamNPY(o.path, o.form.Shape, write)
	case folderKind:
		return files.WriteFolder(o.path, func(folder string) error {
			first := 0
			return write(func(values []float64) error {
				pictures := o.pictures(values)
				failures := make([]error, len(pictures))
				mat.Parallel(len(pictures), func(i int) {
					failures[i] = picture.SaveFrame(filepath.Join(folder, o.name(first+i)), pictures[i], o.levels)
				})
				first += len(pictures)
				return cmp.Or(failures...)
			})
		})
	}
	if o.kind == ".gif" {
		return o.animate(write)
	}
	var all []float64
	if err := write(func(values []float64) error {
		all = append(all, values...)
		return nil
	}); err != nil {
		return err
	}
	if o.kind == ".png" {
		return picture.SaveFrame(o.path, o.pictures(all)[0], o.levels)
	}
	return files.WriteAtomic(o.path, func(w io.Writer) error {
		set := dataset.NewSet(o.form, all)
		if o.deviations {
			return set.WriteVariance(w, o.path, &dataset.Filled{Variance: all})
		}
		return set.Write(w, o.path, &dataset.Filled{Mean: all})
	})
}

// animate writes a GIF: of the times of an animation, else so many frames a second.
func (o *Output) animate(write func(put func(values []float64) error) error) error {
	animation, n := picture.Animation{Path: o.path}, 0
	if err := write(func(values []float64) error {
		for _, p := range o.pictures(values) {
			var seen []float64
			if o.observed != nil {
				seen = o.observed[n*len(p.Values) : (n+1)*len(p.Values)]
			}
			if err := animation.Add(p, seen, o.levels.Low, o.levels.High); err != nil {
				return err
			}
			n++
		}
		return nil
	}); err != nil {
		return err
	}
	times := EvenTimes(n+1, cmp.Or(o.Rate, 10))
	if at := o.form.Times; n == len(at) && inSeconds(at) { // the last is shown for as long as the one before it
		times = append(slices.Clone(at), at[n-1]+(at[n-1]-at[n-2]))
	}
	err := animation.Save(times)
	o.approximated = animation.Approximated
	return err
}

// inSeconds tells whether times can be those of an animation's frames.
func inSeconds(times []float64) bool {
	for i := 1; i < len(times); i++ {
		if step := times[i] - times[i-1]; !(step >= 0.02 && step <= 60) {
			return false
		}
	}
	return len(times) > 1
}

// Save writes all values.
func (o *Output) Save(values []float64) error {
	return o.Stream(func(put func([]float64) error) error { return put(values) })
}

// Each writes count fields of some size, which set sets one after the other; nothing without an output.
func (o *Output) Each(ctx context.Context, count, size int, set func(dst []float64, i int)) error {
	if !o.Given() {
		return nil
	}
	return o.Stream(func(put func([]float64) error) error {
		for i := range count {
			if ctx.Err() != nil {
				break
			}
			values := make([]float64, size)
			set(values, i)
			if err := put(values); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}

// name is the name of a picture in the folder: that of its source where it has a file, and of a drawn film its number and the frame's.
func (o *Output) name(i int) string {
	if o.form.Files != nil && !o.twice {
		return strings.TrimSuffix(o.form.Files[i], filepath.Ext(o.form.Files[i])) + ".png"
	}
	if frames := o.form.Shape[1]; len(o.form.Shape) > 3+min(1, o.form.Channels-1) && o.form.Shape[0] > 1 {
		return fmt.Sprintf("film%04d", i/frames) + picture.FrameName(i%frames)
	}
	return picture.FrameName(i)
}

// pictures are the pictures of some values.
func (o *Output) pictures(values []float64) []picture.Picture {
	var all []picture.Picture
	for size := o.form.Points() * o.form.Channels; len(values) > 0; values = values[size:] {
		p := picture.Picture{Layout: o.form.Layout, Values: values[:size]}
		if o.deviations {
			p = picture.Deviation(p.Layout, p.Values)
		}
		all = append(all, p)
	}
	return all
}

// SaveArray writes numbers to a .npy file.
func SaveArray(path string, shape []int, values []float64) error {
	return files.StreamNPY(path, shape, func(put func([]float64) error) error { return put(values) })
}
