// Package files writes results: as a whole or not at all ([WriteAtomic]), and numbers as .npy files,
// at once ([SaveNPY]) or in parts ([StreamNPY]); a folder of files likewise ([WriteFolder]).
package files
