package dataset

import (
	"path/filepath"
	"strings"
)

// FileName returns the file of a name such as "sst.nc:sst", and any other name as it is.
func FileName(name string) string {
	path, _ := splitName(name)
	return path
}

// splitName divides FILE.nc:VARIABLE and FILE.npz:MEMBER.
func splitName(name string) (path, part string) {
	for at, c := range name {
		if c == ':' && (isKind(name[:at], netcdfEndings) || isKind(name[:at], npzEndings)) {
			return name[:at], name[at+1:]
		}
	}
	return name, ""
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
func isNetCDF(name string) bool { return isKind(FileName(name), netcdfEndings) }
func isNPZ(name string) bool    { return isKind(FileName(name), npzEndings) }
