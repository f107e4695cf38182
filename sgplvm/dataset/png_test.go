package dataset_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-08962ecc/kronfield/mat/npy"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// chunk lays out a chunk of a PNG file: length, name, data, checksum.
func chunk(name string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, name...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// ihdr lays out signature and header.
func ihdr(width, height, bits, kind int) []byte {
	h := binary.BigEndian.AppendUint32(nil, uint32(width))
	h = binary.BigEndian.AppendUint32(h, uint32(height))
	h = append(h, byte(bits), byte(kind), 0, 0, 0)
	return append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", h)...)
}

// pngFile lays out a file by hand from its raw rows of bytes; palette and
// transparency may be nil.
func pngFile(width, height, bits, kind int, palette, trns []byte, rows ...string) []byte {
	var raw bytes.Buffer
	z := zlib.NewWriter(&raw)
	for _, row := range rows {
		io.WriteString(z, "\x00"+row) // filter 0: none
	}
	z.Close()
	b := ihdr(width, height, bits, kind)
	if palette != nil {
		b = append(b, chunk("PLTE", palette)...)
	}
	if trns != nil {
		b = append(b, chunk("tRNS", trns)...)
	}
	return slices.Concat(b, chunk("IDAT", raw.Bytes()), chunk("IEND", nil))
}

// encoded is the file that image/png makes of a picture.
func encoded(picture image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// grey returns a grey file of one row.
func grey(levels ...uint8) []byte {
	return pngFile(len(levels), 1, 8, 0, nil, nil, string(levels))
}

// folderOf writes files to a new folder.
func folderOf(t *testing.T, files map[string][]byte) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// kinds holds files of every type of PNG, two pixels wide and one or two high,
// with what they must read as: rows, columns, channels.
var kinds = []struct {
	name string
	file []byte
	want *npy.Array
}{
	{"grey 1", pngFile(2, 2, 1, 0, nil, nil, "\x40", "\x80"), npy.New([]uint8{0, 255, 255, 0}, 2, 2, 1)},
	{"grey 2", pngFile(2, 2, 2, 0, nil, nil, "\x10", "\xb0"), npy.New([]uint8{0, 85, 170, 255}, 2, 2, 1)},
	{"grey 4", pngFile(2, 2, 4, 0, nil, nil, "\x01", "\x2f"), npy.New([]uint8{0, 17, 34, 255}, 2, 2, 1)},
	{"grey 8", pngFile(2, 2, 8, 0, nil, nil, "\x00\x01", "\x80\xff"), npy.New([]uint8{0, 1, 128, 255}, 2, 2, 1)},
	{"grey 16", pngFile(2, 2, 16, 0, nil, nil, "\x00\x00\x00\x01", "\x12\x34\xff\xff"), npy.New([]uint16{0, 1, 0x1234, 0xffff}, 2, 2, 1)},
	{"grey 8 alpha", pngFile(2, 1, 8, 4, nil, nil, "\x07\xff\x80\xff"), npy.New([]uint8{7, 128}, 1, 2, 1)},
	{"grey 16 alpha", pngFile(2, 1, 16, 4, nil, nil, "\x12\x34\xff\xff\x56\x78\xff\xff"), npy.New([]uint16{0x1234, 0x5678}, 1, 2, 1)},
	{"grey 8 other transparent level", pngFile(2, 1, 8, 0, nil, []byte{0, 9}, "\x07\x08"), npy.New([]uint8{7, 8}, 1, 2, 1)},
	{"colour 8", pngFile(2, 1, 8, 2, nil, nil, "\x01\x02\x03\xfd\xfe\xff"), npy.New([]uint8{1, 2, 3, 253, 254, 255}, 1, 2, 3)},
	{"colour 16", pngFile(2, 1, 16, 2, nil, nil, "\x01\x02\x03\x04\x05\x06\xff\x00\xfe\x01\xfd\x02"),
		npy.New([]uint16{0x102, 0x304, 0x506, 0xff00, 0xfe01, 0xfd02}, 1, 2, 3)},
	{"colour 8 alpha", pngFile(2, 1, 8, 6, nil, nil, "\x01\x02\x03\xff\xfd\xfe\xff\xff"), npy.New([]uint8{1, 2, 3, 253, 254, 255}, 1, 2, 3)},
	{"colour 16 alpha", pngFile(2, 1, 16, 6, nil, nil, "\x01\x02\x03\x04\x05\x06\xff\xff\xff\x00\xfe\x01\xfd\x02\xff\xff"),
		npy.New([]uint16{0x102, 0x304, 0x506, 0xff00, 0xfe01, 0xfd02}, 1, 2, 3)},
	{"palette 8", pngFile(2, 1, 8, 3, []byte{9, 8, 7, 1, 2, 3}, nil, "\x01\x00"), npy.New([]uint8{1, 2, 3, 9, 8, 7}, 1, 2, 3)},
	{"palette 1", pngFile(2, 1, 1, 3, []byte{9, 8, 7, 1, 2, 3}, nil, "\x80"), npy.New([]uint8{1, 2, 3, 9, 8, 7}, 1, 2, 3)},
	{"palette of greys", pngFile(2, 1, 8, 3, []byte{9, 9, 9, 40, 40, 40}, nil, "\x01\x00"), npy.New([]uint8{40, 9}, 1, 2, 1)},
	{"palette with an unused transparent colour", pngFile(2, 1, 8, 3, []byte{9, 8, 7, 1, 2, 3, 0, 0, 0}, []byte{255, 255, 0}, "\x01\x00"),
		npy.New([]uint8{1, 2, 3, 9, 8, 7}, 1, 2, 3)},
}

func TestPNGKinds(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			a, err := dataset.DecodePNG(k.file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(k.want, a); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			// The same through a folder of two.
			f, err := dataset.Load(folderOf(t, map[string][]byte{"1.png": k.file, "2.PNG": k.file}), dataset.Layout{})
			if err != nil {
				t.Fatal(err)
			}
			shape := slices.Concat([]int{2}, k.want.Shape)
			if shape[3] == 1 {
				shape = shape[:3]
			}
			if !slices.Equal(f.Shape, shape) || f.Count != 2 || f.Type != k.want.Type || f.Channels != k.want.Shape[2] {
				t.Errorf("%d frames of %v, shape %v, type %v", f.Count, f.Layout, f.Shape, f.Type)
			}
			if got := f.Values(1); !slices.Equal(got, k.want.Float64s()) {
				t.Errorf("values %v, expected %v", got, k.want.Float64s())
			}
		})
	}
}

// Pictures that image/png writes, with filters and real compression.
func TestPNGEncoded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []image.Point{{1, 1}, {7, 3}, {3, 50}, {64, 65}} {
		rect := image.Rectangle{Max: size}
		g8, g16 := image.NewGray(rect), image.NewGray16(rect)
		c8, c16 := image.NewNRGBA(rect), image.NewNRGBA64(rect)
		var want [4][]float64
		for y := range size.Y {
			for x := range size.X {
				// Smooth with a little noise, so that all filters are chosen.
				l := func() uint16 { return uint16(900*x + 500*y + r.IntN(1000)) }
				g := [4]uint16{l(), l(), l(), l()}
				g8.SetGray(x, y, color.Gray{uint8(g[0] >> 8)})
				g16.SetGray16(x, y, color.Gray16{g[0]})
				c8.SetNRGBA(x, y, color.NRGBA{uint8(g[1] >> 8), uint8(g[2] >> 8), uint8(g[3] >> 8), 255})
				c16.SetNRGBA64(x, y, color.NRGBA64{g[1], g[2], g[3], 65535})
				want[0] = append(want[0], float64(g[0]>>8))
				want[1] = append(want[1], float64(g[0]))
				for _, v := range g[1:] {
					want[2] = append(want[2], float64(v>>8))
					want[3] = append(want[3], float64(v))
				}
			}
		}
		for k, picture := range []image.Image{g8, g16, c8, c16} {
			a, err := dataset.DecodePNG(encoded(picture))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(a.Float64s(), want[k]) {
				t.Errorf("%T of %v pixels: other values", picture, size)
			}
		}
	}
}

func TestFolderOrder(t *testing.T) {
	order := []string{"0.png", "00.png", "01.png", "1.png", "2.PNG", "10.png", "99999999999999999999998.png", "99999999999999999999999.png",
		"a.png", "a1b2.png", "a1b10.png", "a2b1.png", "frame-2.png", "frame-10.png", "frame2.png", "frame02x.png", "frame10.png", "framé.png"}
	for i, a := range order {
		for j, b := range order {
			if got := dataset.CompareNames(a, b); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("compare(%q, %q) = %d", a, b, got)
			}
		}
	}
	files := map[string][]byte{
		".hidden.png": []byte("not a picture"), "notes.txt": []byte("not a picture"), "png": []byte("not a picture"),
	}
	names := []string{"frame1.png", "frame2.png", "frame9.png", "frame10.png", "frame11.png", "frame100.png"}
	for i, name := range names {
		files[name] = grey(uint8(i), 200)
	}
	f, err := dataset.Load(folderOf(t, files), dataset.Layout{Width: 2, Height: 1, Channels: 1})
	if err != nil {
		t.Fatal(err)
	}
	if f.Count != len(names) {
		t.Fatalf("%d frames", f.Count)
	}
	for i := range names {
		if got := f.Values(i); !slices.Equal(got, []float64{float64(i), 200}) {
			t.Errorf("frame %d: %v", i, got)
		}
	}
}

// Grey pictures among colour ones get three equal channels.
func TestFolderMixed(t *testing.T) {
	f, err := dataset.Load(folderOf(t, map[string][]byte{
		"1.png": grey(7, 8),
		"2.png": pngFile(2, 1, 8, 2, nil, nil, "\x01\x02\x03\x04\x05\x06"),
		"3.png": pngFile(2, 1, 8, 4, nil, nil, "\x07\xff\x80\xff"),
	}), dataset.Layout{})
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for i := range f.Count {
		got = append(got, f.Values(i)...)
	}
	if want := []float64{7, 7, 7, 8, 8, 8, 1, 2, 3, 4, 5, 6, 7, 7, 7, 128, 128, 128}; !slices.Equal(got, want) {
		t.Errorf("values %v, expected %v", got, want)
	}
}

func TestFolderRefused(t *testing.T) {
	flipped := grey(1, 2)
	flipped[len(flipped)-20] ^= 1
	noIDAT := append(ihdr(2, 1, 8, 0), chunk("IEND", nil)...)
	for _, test := range []struct {
		name  string
		files map[string][]byte
		want  dataset.Layout
		err   string
	}{
		{"empty", nil, dataset.Layout{}, ": found no frame, expected files whose names end in .png, .jpg or .jpeg"},
		{"size", map[string][]byte{"1.png": grey(1, 2), "2.png": grey(1, 2, 3)}, dataset.Layout{},
			"2.png: found 3x1 pixels, expected 2x1 as in 1.png"},
		{"bits", map[string][]byte{"1.png": grey(1, 2), "2.png": pngFile(2, 1, 16, 0, nil, nil, "abcd")}, dataset.Layout{},
			"2.png: found 16 bits a sample, expected 8 as in 1.png"},
		{"text", map[string][]byte{"1.png": grey(1, 2), "2.png": []byte("GIF89a and so on, long enough for a header")}, dataset.Layout{},
			"2.png: *, expected a PNG picture"},
		{"no bytes", map[string][]byte{"1.png": nil}, dataset.Layout{}, "1.png: found the end of the file, expected a whole PNG picture"},
		{"cut header", map[string][]byte{"1.png": grey(1, 2)[:30]}, dataset.Layout{}, "1.png: found the end of the file, expected a whole PNG picture"},
		{"cut pixels", map[string][]byte{"1.png": grey(1, 2)[:50]}, dataset.Layout{}, "1.png: *, expected a PNG picture"},
		{"no pixels", map[string][]byte{"1.png": noIDAT}, dataset.Layout{}, "1.png: *, expected a PNG picture"},
		{"flipped bit", map[string][]byte{"1.png": flipped}, dataset.Layout{}, "1.png: *, expected a PNG picture"},
		{"grid", map[string][]byte{"1.png": grey(1, 2)}, dataset.Layout{Width: 1, Height: 2},
			": shape 1×1×2: found pictures of 2x1 (width x height), expected a grid of 1x2"},
		{"channels", map[string][]byte{"1.png": grey(1, 2)}, dataset.Layout{Channels: 2}, ": shape 1×1×2: found 1 channel, expected 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := folderOf(t, test.files)
			_, err := dataset.Load(folder, test.want)
			if strings.HasPrefix(test.err, ":") { // about the folder itself
				test.err = filepath.Base(folder) + test.err
				folder = filepath.Dir(folder)
			}
			checkError(t, err, folder, test.err)
		})
	}
	t.Run("folder.png", func(t *testing.T) {
		folder := folderOf(t, map[string][]byte{"1.png": grey(1, 2)})
		if err := os.Mkdir(filepath.Join(folder, "2.png"), 0o777); err != nil {
			t.Fatal(err)
		}
		_, err := dataset.Load(folder, dataset.Layout{})
		checkError(t, err, folder, "2.png: found a folder, expected a PNG picture")
	})
}

// lies are small files that claim to be large pictures.
var lies = []struct {
	name string
	file []byte
	err  string
}{
	{"100000x100000", slices.Concat(ihdr(100000, 100000, 8, 2), chunk("IDAT", make([]byte, 17)), chunk("IEND", nil)),
		"found pictures of 100000x100000 (width x height), expected sides of 1 to 16384 and at most 67108864 pixels"},
	{"16384x16384", slices.Concat(ihdr(16384, 16384, 8, 0), chunk("IDAT", make([]byte, 17)), chunk("IEND", nil)),
		"found pictures of 16384x16384 (width x height), expected sides of 1 to 16384 and at most 67108864 pixels"},
	{"8192x8192", slices.Concat(ihdr(8192, 8192, 8, 0), chunk("IDAT", make([]byte, 17)), chunk("IEND", nil)),
		"found 74 bytes for 8192x8192 pixels, expected at least 65027"},
	{"8192x8192 colour 16", slices.Concat(ihdr(8192, 8192, 16, 6), chunk("IDAT", make([]byte, 17)), chunk("IEND", nil)),
		"found 74 bytes for 8192x8192 pixels, expected at least 520223"},
	{"1024x1024 grey 1", slices.Concat(ihdr(1024, 1024, 1, 0), chunk("IDAT", make([]byte, 17)), chunk("IEND", nil)),
		"found 74 bytes for 1024x1024 pixels, expected at least 127"},
	{"1x2147483647", slices.Concat(ihdr(1, 1<<31-1, 8, 0), chunk("IDAT", make([]byte, 17)), chunk("IEND", nil)),
		"found pictures of 1x2147483647 (width x height), expected sides of 1 to 16384 and at most 67108864 pixels"},
}

func TestPNGLies(t *testing.T) {
	for _, lie := range lies {
		t.Run(lie.name, func(t *testing.T) {
			if len(lie.file) != 74 {
				t.Fatalf("%d bytes", len(lie.file))
			}
			folder := folderOf(t, map[string][]byte{"1.png": lie.file})
			var err error
			if n := allocated(func() { _, err = dataset.Load(folder, dataset.Layout{}) }); n > 1<<20 {
				t.Errorf("%d bytes taken", n)
			}
			want := lie.err
			if strconv.IntSize == 32 && strings.Contains(want, "found pictures of") { // image/png itself refuses what an int cannot count
				want = "png: unsupported feature: dimension overflow, expected a PNG picture"
			}
			checkError(t, err, folder, "1.png: "+want)
		})
	}
	// A header that is refused costs nothing even behind one that is not.
	folder := folderOf(t, map[string][]byte{"1.png": grey(1, 2), "2.png": lies[0].file})
	if n := allocated(func() { dataset.Load(folder, dataset.Layout{}) }); n > 1<<20 {
		t.Errorf("%d bytes taken", n)
	}
}

// allocated returns the memory that f takes in all.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// checkDamaged reads a damaged file: an error of ours, or a picture within the
// limits. Memory is bounded by the file and the pixels: the decoder's picture
// (at most 8 bytes a pixel), a palette's expansion (4) and the result (6).
func checkDamaged(t *testing.T, file []byte) *npy.Array {
	t.Helper()
	var a *npy.Array
	var err error
	n := allocated(func() { a, err = dataset.DecodePNG(file) })
	pixels := uint64(0)
	if len(file) >= 24 {
		pixels = uint64(binary.BigEndian.Uint32(file[16:])) * uint64(binary.BigEndian.Uint32(file[20:]))
		pixels = min(pixels, 1<<26, 8*1032*uint64(len(file)))
	}
	if limit := 4*uint64(len(file)) + 1<<20 + 18*pixels; n > limit {
		t.Fatalf("%d bytes taken, expected at most %d, for %x", n, limit, file)
	}
	if err == nil {
		return a
	}
	if e := (*dataset.Error)(nil); !errors.As(err, &e) || strings.Contains(err.Error(), "\n") {
		t.Fatalf("error %q of type %T", err, err)
	}
	return nil
}

// Every flipped bit, overwritten byte, truncation and insertion leads to an
// error or to the same picture: all that matters is under a checksum.
func TestPNGDamaged(t *testing.T) {
	samples := kinds
	if testing.Short() {
		samples = samples[:3]
	}
	loads := 0
	for _, k := range samples {
		t.Run(k.name, func(t *testing.T) {
			try := func(what string, at int, file []byte) {
				loads++
				if a := checkDamaged(t, file); a != nil && !cmp.Equal(a, k.want) {
					t.Errorf("%s at byte %d, -want +got:\n%s", what, at, cmp.Diff(k.want, a))
				}
			}
			for i, b := range k.file {
				for bit := range 8 {
					try("flipped bit", i, slices.Concat(k.file[:i], []byte{b ^ 1<<bit}, k.file[i+1:]))
				}
				try("zero", i, slices.Concat(k.file[:i], []byte{0}, k.file[i+1:]))
				try("ff", i, slices.Concat(k.file[:i], []byte{0xff}, k.file[i+1:]))
				try("insertion", i, slices.Concat(k.file[:i], []byte{0x55}, k.file[i:]))
				try("truncation", i, k.file[:i])
			}
		})
	}
	if loads < 2000 {
		t.Errorf("%d loads", loads)
	}
}

func FuzzPNG(f *testing.F) {
	for _, k := range kinds {
		f.Add(k.file)
	}
	for _, lie := range lies {
		f.Add(lie.file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		// The fuzzer does not find checksums: also read with all of them made right.
		a := checkDamaged(t, file)
		if b := checkDamaged(t, withChecksums(file)); a != nil && !cmp.Equal(a, b) {
			t.Errorf("with its own checksums, and (+) with the same ones:\n%s", cmp.Diff(a, b))
		}
	})
}

// withChecksums returns the file with the right checksum in every chunk.
func withChecksums(file []byte) []byte {
	b := bytes.Clone(file)
	for at := 8; at+12 <= len(b); {
		n := uint64(binary.BigEndian.Uint32(b[at:]))
		if n > uint64(len(b)-at-12) {
			break
		}
		end := at + 8 + int(n)
		binary.BigEndian.PutUint32(b[end:], crc32.ChecksumIEEE(b[at+4:end]))
		at = end + 4
	}
	return b
}
