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
func createTemp(folder string) (f *os.File, err error) {
	_, err = temps.add(folder, func(name string) (err error) {
		if f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err == nil {
			lock(f)
		}
		return err
	})
	return f, err
}

// temps are the temporary files and folders under way.
var temps = temporary{names: map[string]bool{}}

type temporary struct {
	sync.Mutex
	names map[string]bool
}

// add makes one with a name of its own, which create creates.
func (t *temporary) add(folder string, create func(name string) error) (name string, err error) {
	sweepOnce(folder)
	t.Lock()
	defer t.Unlock()
	for range 100 {
		name = folder + fmt.Sprintf(tempName, rand.Uint32())
		if err = create(name); err == nil {
			t.names[name] = true
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return name, err
}

// rename puts one in its place.
func (t *temporary) rename(name, target string) error {
	t.Lock()
	defer t.Unlock()
	err := os.Rename(name, target)
	if err == nil {
		delete(t.names, name)
	}
	return err
}

// remove removes one.
func (t *temporary) remove(name string) {
	t.Lock()
	defer t.Unlock()
	os.RemoveAll(name)
	delete(t.names, name)
}

// Abandon removes all that is being written, for a program that ends at once: nothing begins or takes its place afterwards.
func Abandon() {
	temps.Lock() // for good
	for name := range temps.names {
		os.RemoveAll(name)
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

// minAge is how long after it was last written a file may be swept: a younger one may not have its lock yet.
const minAge = 10 * time.Second

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
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > minAge && !inUse(name, now.Sub(info.ModTime())) {
			os.RemoveAll(name)
		}
	}
}
