package dataset_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// FuzzLoad reads any bytes as each kind of file that a name can announce, by
// every reader: an error of one line, or data of the shape that they say.
func FuzzLoad(f *testing.F) {
	names := []string{"a.csv", "a.npy", "a.gif", "a.jpg", "a.png"}
	grey := image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Gray{0}, color.Gray{200}})
	grey.Pix[1] = 1
	var animation, photograph, array bytes.Buffer
	if err := errors.Join(
		gif.EncodeAll(&animation, &gif.GIF{Image: []*image.Paletted{grey, grey}, Delay: []int{4, 5}}),
		jpeg.Encode(&photograph, grey, nil),
		npy.Write(&array, npy.New([]float64{1, 0, 0, 1}, 2, 2)),
	); err != nil {
		f.Fatal(err)
	}
	for _, seed := range []struct {
		kind byte
		file []byte
	}{
		{0, []byte("1,2\n3,4\n")}, {0, []byte("time,sequence\n0,1\n0.5,1\n")}, {0, []byte("a;b\n1,5;NaN\n")}, {0, []byte("\"x\",inf\n")},
		{1, array.Bytes()}, {2, animation.Bytes()}, {3, photograph.Bytes()}, {4, kinds[0].file},
	} {
		f.Add(seed.kind, seed.file)
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, kind byte, file []byte) {
		if len(file) > 1<<12 {
			return
		}
		path := filepath.Join(folder, names[int(kind)%len(names)])
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		refused := func(what string, err error) bool {
			var known *dataset.Error
			if err != nil && (!errors.As(err, &known) || strings.ContainsAny(err.Error(), "\n\r\x1b") || len(err.Error()) > 1000) {
				t.Errorf("%s: error %q of type %T", what, err, err)
			}
			return err != nil
		}
		if frames, err := dataset.Load(path, dataset.Layout{}); !refused("Load", err) && frames.Count < 1 {
			t.Errorf("Load: %d frames", frames.Count)
		}
		_, err := dataset.LoadTable(path, 2, dataset.SetOptions{})
		refused("LoadTable", err)
		if grid, err := dataset.LoadPoints(path); !refused("LoadPoints", err) && grid.Len() < 1 {
			t.Errorf("LoadPoints: %d points", grid.Len())
		}
		if times, err := dataset.LoadTimes(path, 2); !refused("LoadTimes", err) && len(times) != 2 {
			t.Errorf("LoadTimes: %d times, want 2", len(times))
		}
		if sequences, err := dataset.LoadSequences(path, 2); !refused("LoadSequences", err) && len(sequences) != 2 {
			t.Errorf("LoadSequences: %d numbers, want 2", len(sequences))
		}
		_, _, err = dataset.LoadMasks(path, dataset.Layout{Width: 2, Height: 1, Channels: 1})
		refused("LoadMasks", err)
	})
}
