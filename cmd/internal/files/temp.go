package files

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// The names of temporary files and folders.
const (
	tempPattern = ".kronfield-*.tmp"
	tempName    = ".kronfield-%08x.tmp"
)

// createTemp makes a new file with the permissions of os.Create, and locks it: a locked one is in use. folder is
// empty or ends in a separator.
func createTemp(folder string) (*os.File, error) {
	sweepOnce(folder)
	for try := 0; ; try++ {
		name := folder + fmt.Sprintf(tempName, rand.Uint32())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			lock(f)
		}
		if err == nil || !errors.Is(err, fs.ErrExist) || try == 100 {
			return f, err
		}
	}
}

// swept are the folders that were.
var swept sync.Map

// sweepOnce removes temporary files and folders from a folder, at the first call for it, that programs left there whose end came while
// they wrote.
func sweepOnce(folder string) {
	if _, again := swept.LoadOrStore(folder, true); !again {
		sweep(cmp.Or(folder, "."), time.Now())
	}
}

// leastAge is how long after it was last written a file may be swept: a younger one may not have its lock yet.
const leastAge = 10 * time.Second

// sweep removes those that are not locked and old enough now.
func sweep(folder string, now time.Time) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // what cannot be read stays
	}
	for _, e := range entries {
		if match, _ := filepath.Match(tempPattern, e.Name()); !match || !e.Type().IsRegular() && !e.IsDir() {
			continue
		}
		name := filepath.Join(folder, e.Name())
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > leastAge && !inUse(name, now.Sub(info.ModTime())) {
			os.RemoveAll(name)
		}
	}
}
