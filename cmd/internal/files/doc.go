// Package files writes results: as a whole or not at all ([WriteAtomic]), and numbers as .npy files,
// some at a time ([StreamNPY]); a folder of files likewise ([WriteFolder]).
package files
