// Package table reads tables of text as loggers, spreadsheets and statistics programs write them, and writes them back
// with some numbers replaced and all other bytes as they came.
//
// [Read] finds how a table is written: the encoding (UTF-8, UTF-16), what separates its cells (tab, semicolon, comma, bar or
// blanks), its decimal sign, which lines are comments, a title, names of columns or units, and what each
// column holds: numbers, dates or words. A date may be written in any of the forms of a list, the same over a
// whole column. The text itself is kept, and cells are found anew whenever they are needed: a [Table] takes little more
// memory than its file.
//
// Lines and columns of messages count from 1. Errors are of type [*Error] and say what helps.
package table

// Error tells where a table cannot be read, what stands there and what was expected.
type Error struct {
	Place, Found, Want string // Place may be empty
}

// Error returns one line.
func (e *Error) Error() string {
	text := "found " + e.Found + ", expected " + e.Want
	if e.Place != "" {
		text = e.Place + ": " + text
	}
	return text
}
