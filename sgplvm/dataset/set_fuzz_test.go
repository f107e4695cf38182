package dataset_test

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/mat/netcdf"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// go test -run TestMutatedSets -mutations 100000 ./sgplvm/dataset
var mutations = flag.Int("mutations", 600, "mutated files of each format that TestMutatedSets reads")

const (
	longSeed = "lat,time,lon,value,standard_error\n60,1990-01-31,0,1.5,0.1\n60,1990-01-31,5,,\n50,1990-01-31,5,2.5,0.25\n40,1990-02-28,0,-3,1\n"
	wideSeed = "a,b,c\n1,,3\nNA,5,6.25\n\"7\",8,-9e3\n"
)

// seeds are whole files of each format, by the ending of their names.
func seeds(t testing.TB) map[string][]string {
	t.Helper()
	all := map[string][]string{".csv": {longSeed, wideSeed}}
	for _, c := range textCases {
		all[".csv"] = append(all[".csv"], gap.ReplaceAllString(c.text, "$1"))
	}
	all[".csv"] = append(all[".csv"], utf16Text("\uFEFFa;b\n1,5;\n2;3\n", false))
	for ending, names := range map[string][]string{".nc": {"sst-1.nc", "sst-2.nc", "sst-5.nc", "stations.nc"}, ".npz": {"maps.npz", "two.npz"}} {
		for _, name := range names {
			b, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			all[ending] = append(all[ending], string(b))
		}
	}
	return all
}

// mutate changes a file: bytes, words, its length, pieces moved.
func mutate(r *rand.Rand, text string) []byte {
	b := []byte(text)
	for range 1 + r.IntN(4) {
		if len(b) == 0 {
			return b
		}
		at := r.IntN(len(b))
		switch r.IntN(6) {
		case 0:
			b[at] = byte(r.Uint32())
		case 1:
			b[at] ^= 1 << r.IntN(8)
		case 2: // a word that means much
			if at+4 <= len(b) {
				words := []uint32{0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 11, uint32(len(b)), 1 << 28, 0x7fc00000, 0x02014b50}
				binary.BigEndian.PutUint32(b[at:], words[r.IntN(len(words))])
			}
		case 3:
			b = b[:at]
		case 4:
			b = append(b, b[at:]...)
		case 5:
			copy(b[at:], b[r.IntN(len(b)):])
		}
	}
	return b
}

// tryFile reads a file as a set and writes it back, with memory for reading.
func tryFile(t *testing.T, path string, b []byte) (good bool) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s, err := dataset.LoadSet(path, dataset.SetOptions{})
	runtime.ReadMemStats(&after)
	if used, most := after.TotalAlloc-before.TotalAlloc, uint64(4*len(b)+1<<20); used > most {
		t.Fatalf("%d bytes taken for a file of %d: %q", used, len(b), b)
	}
	if err == nil {
		all := make([]float64, len(s.Values))
		r, errF := s.Fill(allPoints(s), all, all, false)
		if err = errF; err == nil {
			err = s.Write(io.Discard, path, r)
		}
	}
	if err == nil {
		return true
	}
	var known *dataset.Error
	if !errors.As(err, &known) || strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 3000 {
		t.Fatalf("error %q of %q", err, b)
	}
	return false
}

func allPoints(s *dataset.Set) []int {
	_, points := s.Data(0)
	if len(points) != s.Points() { // Data(0) keeps all
		panic("points are missing")
	}
	return points
}

// Mutated files of every format: no panic, no more memory than four times the file and 1 MiB, errors of one line; and what can be read
// can be written.
func TestMutatedSets(t *testing.T) {
	for ending, files := range seeds(t) {
		r := rand.New(rand.NewPCG(7, 8))
		path := filepath.Join(t.TempDir(), "file"+ending)
		good := 0
		for k := range *mutations {
			if tryFile(t, path, mutate(r, files[k%len(files)])) {
				good++
			}
		}
		t.Logf("%s: %d of %d mutated files are good ones", ending, good, *mutations)
	}
}

// FuzzSet reads files of all formats: the first argument is the place of the ending in endings.
func FuzzSet(f *testing.F) {
	endings := []string{".nc", ".npz", ".csv"}
	for ending, files := range seeds(f) {
		for _, b := range files {
			f.Add(uint8(slices.Index(endings, ending)), []byte(b))
		}
	}
	path := filepath.Join(f.TempDir(), "file")
	f.Fuzz(func(t *testing.T, kind uint8, b []byte) {
		tryFile(t, path+endings[int(kind)%len(endings)], b)
	})
}

// FuzzTimeUnits: units that can be read give dates that can be read.
func FuzzTimeUnits(f *testing.F) {
	f.Add("days since 1990-01-01", "noleap", 12.5)
	f.Add("hours since 1582-10-15 12:30:15.5 +01:00", "standard", -1e6)
	f.Add("months since -4712-1", "360_day", 1.0)
	f.Fuzz(func(t *testing.T, units, calendar string, at float64) {
		u, err := dataset.ParseTimeUnits(units, calendar)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		if at = min(max(at, -1e5), 1e5); at != at {
			return
		}
		date := u.Date(at)
		if _, err := u.Time(date); err != nil && len(strings.Split(strings.TrimPrefix(date, "-"), "-")[0]) <= 6 {
			t.Errorf("%q (%s): time %v is %s, which is no date: %v", units, calendar, at, date, err)
		}
	})
}

// A file of thousands of variables of thousands of dimensions, with long names, costs no more than it has bytes, and is refused in a line.
func TestLongHeader(t *testing.T) {
	long := strings.Repeat("n", 250)
	var all netcdf.Header
	for i := range 4096 {
		all.Dimensions = append(all.Dimensions, netcdf.Dimension{Name: fmt.Sprintf("%s%d", long, i), Length: 1})
		all.Variables = append(all.Variables, netcdf.Variable{Name: fmt.Sprintf("%s%d", long, i), Type: netcdf.Byte})
	}
	for i := range 256 {
		for k := range 1024 {
			all.Variables[i].Dimensions = append(all.Variables[i].Dimensions, k)
		}
		all.Variables[i].Attributes = []netcdf.Attribute{netcdf.NewAttribute("coordinates", strings.Repeat("a b c ", 100))}
	}
	values := make(netcdf.Arrays, len(all.Variables))
	for v := range values {
		values[v] = []int8{1}
	}
	path := saveNC(t, all, values)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if tryFile(t, path, b) {
		t.Error("a variable fits")
	}
}
