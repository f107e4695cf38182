// Package picture draws: sheets of pictures beside one another, and the faces of the demonstration.
package picture
