// Package dataset brings pictures from files to the model.
//
// # Frames
//
// [Frames] are n pictures of one size, WIDTH×HEIGHT pixels with one or more
// channels. [Load] reads them from a .npy file, an animated GIF or a folder of PNG and JPEG files.
// Values are always in the same order: frame by frame, row by row, pixel by pixel, with
// the channels of a pixel side by side (channels last). A point of the model's grid is a
// pixel: pixel (row, column) is point row·Width + column. An array may have the shape
//
//	n×p        a picture a row, p = width·height·channels, where the grid is given
//	n×h×w      grey pictures
//	n×h×w×c    pictures of c channels
//
// and [Frames].Shape remembers which, so that a result can have the shape of
// its source. The numbers are kept in the type of the file and converted to float64 when
// they are read, some frames at a time. They are not scaled: a picture has levels from 0
// to 255, or to 65535 for a PNG of 16 bits. The frames of a GIF have times; for others [LoadTimes] reads
// them.
//
// An array n×d without a grid is a table, and so is a .csv file: one point, of which the channels are
// the columns, each in a unit of its own. Missing values of a .csv file are empty.
//
// Examples seen at scattered points have no grid: [LoadTrainingPoints] reads the coordinates and
// [LoadAt] the values, n×points or n×points×channels. [Cover] makes the grid of a picture
// in another resolution.
//
// [Open] opens frames for training, which need not fit into memory: those of a .npy file
// stay in the file and are read whenever training needs them. [OpenEach] leaves the
// pictures of a folder in their files too.
//
// # Missing values
//
// NaN means missing. A [Mask] from [LoadMask] says which values were observed; with
// [Frames.WithMask] the others become NaN, whatever they are in the file.
// [CheckComplete] is the check before training, [CheckNoInf] that before imputation.
//
// [Frames.Select] takes frames in an order, and [LoadMasks] reads one mask for each frame.
//
// # Errors
//
// What a file or a user can cause is an [*Error] of one line that names the
// file, the place in it, what was found there and what was expected. Frames,
// rows, columns, channels and axes are counted from 0.
package dataset
