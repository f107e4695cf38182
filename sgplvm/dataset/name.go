package dataset

import (
	"io"
	"os"
	"path/filepath"
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

// begin returns the first bytes of a regular file, no more than some; nil: there is no such file.
func begin(path string, most int) []byte {
	if !isRegular(path) {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	start := make([]byte, most)
	n, _ := io.ReadFull(file, start)
	return start[:n]
}

// beginsNetCDF tells whether a regular file begins as a NetCDF file does.
func beginsNetCDF(path string) bool { return netcdf.IsFile(begin(path, 8)) }

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
