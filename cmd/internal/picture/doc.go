// Package picture draws and writes pictures: sheets of pictures beside one another, films as folders of
// PNG frames and as animated GIFs, and the faces of the demonstration.
package picture
