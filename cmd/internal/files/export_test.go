package files

import "time"

// Sweep is sweep now.
func Sweep(folder string) { sweep(folder, time.Now()) }
