package dataset

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-08962ecc/kronfield/mat/netcdf"
)

// FileName returns the file of a name such as "sst.nc:sst", and any other name as it is.
func FileName(name string) string {
	path, _ := splitName(name)
	return path
}

// splitName divides FILE.nc:VARIABLE and FILE.npz:MEMBER, and of a NetCDF file of any name FILE:VARIABLE.
func splitName(name string) (path, part string) {
	for at, c := range name {
		if c == ':' && (isKind(name[:at], netcdfEndings) || isKind(name[:at], npzEndings) || beginsNetCDF(name[:at])) {
			return name[:at], name[at+1:]
		}
	}
	return name, ""
}

// isRegular tells whether a path is that of a regular file.
func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// beginsNetCDF tells whether a regular file begins as a NetCDF file does.
func beginsNetCDF(path string) bool {
	if !isRegular(path) {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var start [8]byte
	n, _ := io.ReadFull(file, start[:])
	return netcdf.IsFile(start[:n])
}

// Endings of the names of files that hold several arrays.
var (
	netcdfEndings = []string{".nc", ".cdf", ".nc3", ".netcdf"}
	npzEndings    = []string{".npz"}
)

// isKind tells whether a file's name has one of some endings.
func isKind(path string, endings []string) bool {
	for _, e := range endings {
		if strings.EqualFold(filepath.Ext(path), e) {
			return true
		}
	}
	return false
}

// isNetCDF and isNPZ tell whether a name, of a variable of a file too, is of that kind.
func isNetCDF(name string) bool {
	path := FileName(name)
	return isKind(path, netcdfEndings) || beginsNetCDF(path)
}
func isNPZ(name string) bool { return isKind(FileName(name), npzEndings) }

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
