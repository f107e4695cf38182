//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package files

import (
	"os"
	"syscall"
	"time"
)

// lock marks a file or folder as one in use until it is closed, or its program has ended.
func lock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// inUse reports whether a file or folder is locked, or cannot be asked.
func inUse(name string, _ time.Duration) bool {
	f, err := os.Open(name)
	if err != nil {
		return true
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}
