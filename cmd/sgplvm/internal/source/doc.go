// Package source makes sources of examples of others: some of the examples, pictures of half the
// size, or all of them in memory.
package source
