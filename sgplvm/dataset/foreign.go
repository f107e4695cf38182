package dataset

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// A container is a format that is not read: the endings of its files' names, what stands in them at some place, and what makes a file of it that is read; %s is
// the file's name for a shell.
type container struct {
	name    string
	endings []string
	marks   []mark
	remedy  string
}

type mark struct {
	at   int
	text string
}

// videos are the common formats of them. MP4 and QuickTime files begin with the length and the name of their first box (ISO 14496-12, 4.2;
// QuickTime File Format, "Atoms"), AVI files are RIFF files (Microsoft, AVI RIFF File Reference), and Matroska and WebM files begin with the EBML identifier
// (RFC 8794, 11.2.1).
var videos = []container{
	{"MP4 or QuickTime", []string{".mp4", ".m4v", ".mov", ".qt", ".3gp"}, []mark{{4, "ftyp"}, {4, "moov"}, {4, "mdat"}, {4, "wide"}}, frames},
	{"AVI", []string{".avi"}, []mark{{8, "AVI "}}, frames},
	{"Matroska or WebM", []string{".mkv", ".webm"}, []mark{{0, "\x1a\x45\xdf\xa3"}}, frames},
	{"MPEG", []string{".mpg", ".mpeg", ".ts", ".m2ts"}, []mark{{0, "\x00\x00\x01\xba"}}, frames},
	{"Flash or Windows", []string{".flv", ".wmv"}, []mark{{0, "FLV\x01"}}, frames},
}

const frames = "its frames as a folder of pictures: mkdir frames && ffmpeg -i %s frames/%%05d.png"

// formats are others. An entry comes before one whose marks it has, too.
var formats = []container{
	{"a GeoTIFF or TIFF file", nil, []mark{{0, "II*\x00"}, {0, "MM\x00*"}, {0, "II+\x00"}, {0, "MM\x00+"}}, "a NetCDF file, which this makes: gdal_translate -of netCDF -co FORMAT=NC2 %s NEW.nc (or, of a photograph, magick %[1]s NEW.png)"},
	{"a GRIB file", nil, []mark{{0, "GRIB"}}, "a NetCDF file, which this makes: cdo -f nc2 copy %s NEW.nc"},
	{"an HDF4 file", nil, []mark{{0, "\x0e\x03\x13\x01"}}, "a NetCDF file, which this makes: h4tonccf %s NEW.nc"},
	{"a Parquet file", nil, []mark{{0, "PAR1"}}, `a table of text, which this makes: python3 -c "import sys, pandas; pandas.read_parquet(sys.argv[1]).to_csv('NEW.csv', index=False)" %s`},
	{"a spreadsheet", []string{".xlsx", ".xls", ".ods"}, nil, `a table of text, which this makes: python3 -c "import sys, pandas; pandas.read_excel(sys.argv[1]).to_csv('NEW.csv', index=False)" %s`},
	{"a MATLAB file", nil, []mark{{0, "MATLAB 5.0 MAT-file"}}, `an archive of arrays, which this makes: python3 -c "import sys, numpy, scipy.io; numpy.savez('NEW.npz', **{k: v for k, v in scipy.io.loadmat(sys.argv[1]).items() if k[0] != '_'})" %s`},
	{"a picture of another format", []string{".bmp", ".heic", ".avif", ".jp2", ".ppm", ".pgm", ".pbm"}, []mark{{8, "WEBP"}, {8, "heic"}, {8, "mif1"}, {8, "avif"}, {4, "jP  "}, {0, "P5\n"}, {0, "P6\n"}}, "PNG pictures, which this makes: magick %s NEW.png"},
	{"a file compressed by gzip", nil, []mark{{0, "\x1f\x8b"}}, "the file in it, which this makes: gunzip -k %s"},
	{"a file compressed by bzip2", nil, []mark{{0, "BZh"}}, "the file in it, which this makes: bunzip2 -k %s"},
	{"a file compressed by xz", nil, []mark{{0, "\xfd7zXZ\x00"}}, "the file in it, which this makes: unxz -k %s"},
	{"a file compressed by zstd", nil, []mark{{0, "\x28\xb5\x2f\xfd"}}, "the file in it, which this makes: unzstd -k %s"},
}

// zarr are files of which a folder has one if it is a store of Zarr.
var zarr = []string{".zgroup", ".zarray", ".zmetadata", "zarr.json"}

// VideoKind names the kind of video that a file's name says, such as AVI; nothing for other names.
func VideoKind(path string) string {
	for _, c := range videos {
		if isKind(path, c.endings) {
			return c.name
		}
	}
	return ""
}

// foreignError refuses what is of a format that others read, by what is in the file or by its name, with the command that converts it; nil for other files.
func foreignError(path string) *Error {
	for _, name := range zarr {
		if isRegular(filepath.Join(path, name)) {
			script := `import sys, xarray; xarray.open_zarr(sys.argv[1]).to_netcdf('NEW.nc', format='NETCDF3_64BIT')`
			return &Error{Path: path, Found: "a store of Zarr", Want: "a NetCDF file, which this makes: python3 -c \"" + script + "\" " + ShellWord(path)}
		}
	}
	if _, err := os.Stat(path); err != nil {
		return nil
	}
	start := begin(path, 32)
	is := func(c container) bool {
		return slices.ContainsFunc(c.marks, func(m mark) bool { return bytes.HasPrefix(start[min(m.at, len(start)):], []byte(m.text)) })
	}
	for _, c := range formats { // pictures before videos, which begin as some of them do
		if is(c) || isKind(path, c.endings) {
			return &Error{Path: path, Found: c.name, Want: fmt.Sprintf(c.remedy, ShellWord(path))}
		}
	}
	for _, c := range videos {
		if is(c) || isKind(path, c.endings) {
			return &Error{Path: path, Found: fmt.Sprintf("a video (%s)", c.name), Want: fmt.Sprintf(c.remedy, ShellWord(path))}
		}
	}
	return nil
}

// ShellWord writes a file's name as a shell takes it, in quotes where it needs them.
func ShellWord(path string) string {
	if strings.ContainsAny(path, " '\"\\$&;()<>|*?`!#~[]{}\t\n") {
		path = "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return quote.Line(path)
}
