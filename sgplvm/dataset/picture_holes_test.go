package dataset_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// What is more transparent than opaque is missing; other levels are as they stand in the file.
func TestTransparentPixels(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		file []byte
		want []float64
	}{
		{"colour", pngFile(2, 2, 8, 6, nil, nil, "\x01\x02\x03\xff\x04\x05\x06\x00", "\x07\x08\x09\x7f\x0a\x0b\x0c\x80"), []float64{1, 2, 3, nan, nan, nan, nan, nan, nan, 10, 11, 12}},
		{"grey 16", pngFile(3, 1, 16, 4, nil, nil, "\x12\x34\x00\x00\x56\x78\xff\xff\x00\x01\x80\x00"), []float64{nan, 0x5678, 1}},
		{"level", pngFile(2, 1, 8, 0, nil, []byte{0, 8}, "\x07\x08"), []float64{7, nan}},
		{"palette", pngFile(2, 1, 8, 3, []byte{9, 8, 7, 1, 2, 3}, []byte{0, 200}, "\x01\x00"), []float64{1, 2, 3, nan, nan, nan}},
		{"palette of greys and a hole", pngFile(3, 1, 8, 3, []byte{9, 8, 7, 5, 5, 5, 6, 6, 6}, []byte{0}, "\x01\x00\x02"), []float64{5, nan, 6}},
	} {
		folder := folderOf(t, map[string][]byte{"a.png": c.file})
		for _, path := range []string{folder, filepath.Join(folder, "a.png")} {
			whole, err := dataset.Load(path, dataset.Layout{})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if fmt.Sprint(whole.Files) != "[a.png]" || whole.Count != 1 {
				t.Errorf("%s: %d pictures of files %q", c.name, whole.Count, whole.Files)
			}
			open, err := dataset.OpenWith(path, dataset.SetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			set, err := dataset.LoadSet(path, dataset.SetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for what, source := range map[string]interface {
				ReadExamples(dst []float64, from, to int) error
			}{"Load": whole, "OpenWith": open, "LoadSet": set, "Select": whole.Select([]int{0})} {
				got := make([]float64, len(c.want))
				if err := source.ReadExamples(got, 0, 1); err != nil {
					t.Fatal(err)
				}
				for i, w := range c.want {
					if got[i] != w && !(math.IsNaN(got[i]) && math.IsNaN(w)) {
						t.Errorf("%s, %s: %v, expected %v", c.name, what, got, c.want)
						break
					}
				}
			}
		}
	}
}

// Pictures are masks: white is observed, black or transparent is missing, one for all frames or one for each.
func TestMaskPictures(t *testing.T) {
	values := make([]float64, 2*2*3)
	for i := range values {
		values[i] = float64(i + 1)
	}
	data := saveArray(t, "data.npy", npy.New(values, 2, 2, 3))
	one := pngFile(3, 2, 8, 0, nil, nil, "\xff\x00\xff", "\x00\xff\xff")
	other := pngFile(3, 2, 8, 6, nil, nil, "\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff", "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\xff")
	for _, c := range []struct {
		files   map[string][]byte
		single  string
		missing []float64 // the values that are
	}{
		{map[string][]byte{"m.png": one}, "m.png", []float64{2, 4, 8, 10}},
		{map[string][]byte{"a.png": one, "b.png": one}, "", []float64{2, 4, 8, 10}},
		{map[string][]byte{"m.png": other}, "m.png", []float64{2, 6, 8, 12}},
		{map[string][]byte{"m.png": pngFile(3, 2, 16, 0, nil, nil, "\xff\xff\x00\x00\xff\xff", "\x00\x00\xff\xff\xff\xff")}, "m.png", []float64{2, 4, 8, 10}},
		{map[string][]byte{"m.png": pngFile(3, 2, 8, 0, nil, nil, "\x01\x00\x01", "\x00\x01\x01")}, "m.png", []float64{2, 4, 8, 10}},
	} {
		path := filepath.Join(folderOf(t, c.files), c.single)
		frames, err := dataset.Load(data, dataset.Layout{})
		if err != nil {
			t.Fatal(err)
		}
		mask, err := dataset.LoadMask(path, &frames.Form)
		if err != nil {
			t.Fatal(err)
		}
		training, err := dataset.OpenWith(data, dataset.SetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer training.Close()
		set, err := dataset.LoadSet(data, dataset.SetOptions{Observed: path})
		if err != nil {
			t.Fatal(err)
		}
		for what, source := range map[string]interface {
			ReadExamples(dst []float64, from, to int) error
		}{"frames": frames.WithMask(mask), "training": training.WithMask(mask), "set": set} {
			got, missing := make([]float64, len(values)), []float64(nil)
			if err := source.ReadExamples(got, 0, 2); err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				if math.IsNaN(v) {
					missing = append(missing, values[i])
				} else if v != values[i] {
					t.Errorf("value %v is %v", values[i], v)
				}
			}
			if diff := cmp.Diff(c.missing, missing); diff != "" {
				t.Errorf("%s: %s", what, diff)
			}
		}
		hidden, err := dataset.LoadHidden(path, &frames.Form)
		if err != nil || len(hidden) != len(c.files) {
			t.Errorf("%d hidden, %v", len(hidden), err)
		}
	}
	frames, err := dataset.Load(data, dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	folder := folderOf(t, map[string][]byte{"grey.png": pngFile(3, 2, 8, 0, nil, nil, "\xff\x00\xff", "\x00\x80\xff"), "small.png": pngFile(1, 1, 8, 0, nil, nil, "\xff")})
	for name, want := range map[string]string{
		"grey.png":  "grey.png: element (1, 1): found 128, expected 255 (observed) or 0 (not observed)",
		"small.png": "small.png: shape 1×1: found 1 value, expected *",
	} {
		_, err := dataset.LoadMask(filepath.Join(folder, name), &frames.Form)
		checkError(t, err, folder, want)
	}
}

// Pictures in colour of nothing but greys are grey ones where one channel is asked for, and grey ones coloured where three are. What colour a hole has
// does not matter.
func TestGreyInOtherChannels(t *testing.T) {
	nan := math.NaN()
	grey8 := pngFile(2, 1, 8, 6, nil, nil, "\x05\x05\x05\xff\x01\x02\x03\x00")
	grey16 := pngFile(2, 1, 16, 2, nil, nil, "\x12\x34\x12\x34\x12\x34\x00\x07\x00\x07\x00\x07")
	plain := pngFile(2, 1, 8, 0, nil, nil, "\x07\x08")
	for _, c := range []struct {
		name     string
		file     []byte
		channels int
		want     []float64
	}{
		{"as they are", grey8, 0, []float64{5, 5, 5, nan, nan, nan}},
		{"one", grey8, 1, []float64{5, nan}},
		{"three", grey8, 3, []float64{5, 5, 5, nan, nan, nan}},
		{"16 bits, one", grey16, 1, []float64{0x1234, 7}},
		{"plain, one", plain, 1, []float64{7, 8}},
		{"plain, three", plain, 3, []float64{7, 7, 7, 8, 8, 8}},
	} {
		f, err := dataset.Load(folderOf(t, map[string][]byte{"a.png": c.file}), dataset.Layout{Channels: c.channels})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := f.Values(0); fmt.Sprint(got) != fmt.Sprint(c.want) || f.Points() != 2 {
			t.Errorf("%s: values %v at %d points, want %v at 2", c.name, got, f.Points(), c.want)
		}
	}
	coloured := folderOf(t, map[string][]byte{"a.png": pngFile(2, 1, 8, 2, nil, nil, "\x05\x05\x05\x01\x02\x03")})
	if _, err := dataset.Load(coloured, dataset.Layout{Channels: 1}); err == nil || !strings.Contains(err.Error(), "found 3 channels, expected 1") {
		t.Errorf("error %v of pictures in colour where grey ones are expected", err)
	}
}

// A video is refused with the command that unpacks it, by what stands in it or by its name.
func TestVideos(t *testing.T) {
	for _, c := range []struct{ name, start, kind string }{
		{"clip.mp4", "\x00\x00\x00\x20ftypisom\x00\x00", "MP4 or QuickTime"},
		{"clip.npy", "\x00\x00\x00\x14ftypqt  \x00\x00", "MP4 or QuickTime"},
		{"clip", "RIFF\x00\x00\x00\x00AVI LIST", "AVI"},
		{"clip.bin", "\x1a\x45\xdf\xa3\x01\x00\x00\x00\x00\x00\x00\x1f", "Matroska or WebM"},
		{"my clip.MOV", "nothing that is known", "MP4 or QuickTime"},
		{"clip.avi", "", "AVI"},
	} {
		folder := folderOf(t, map[string][]byte{c.name: []byte(c.start)})
		path := filepath.Join(folder, c.name)
		want := fmt.Sprintf("%s: found a video (%s), expected its frames as a folder of pictures: mkdir frames && ffmpeg -i ", c.name, c.kind)
		_, err := dataset.Load(path, dataset.Layout{})
		_, opened := dataset.OpenWith(path, dataset.SetOptions{})
		_, set := dataset.LoadSet(path, dataset.SetOptions{})
		errs := []error{err, opened, set}
		if dataset.VideoKind(c.name) != "" { // a folder of videos is told by their names
			_, within := dataset.Load(folder, dataset.Layout{})
			errs = append(errs, within)
		}
		for _, err := range errs {
			checkError(t, err, folder, want+"*")
			if strings.Contains(c.name, " ") && !strings.Contains(fmt.Sprint(err), "ffmpeg -i '"+path+"' frames/%05d.png") {
				t.Errorf("%v: no word for a shell", err)
			}
		}
	}
	if _, err := dataset.Load(filepath.Join(t.TempDir(), "gone.mp4"), dataset.Layout{}); !os.IsNotExist(err.(*dataset.Error).Err) {
		t.Error(err)
	}
}
