// Package dataset brings pictures from files to the model.
//
// # Frames
//
// [Frames] are n pictures of one size, WIDTH×HEIGHT pixels with one or more
// channels. [Load] reads them from a .npy file, an animated GIF, a PNG or JPEG file or a folder of these. A video is
// refused with the command that unpacks it.
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
// Of a folder all files are read whose names end in .png, .jpg or .jpeg, in the order of
// their names with runs of digits compared as numbers (frame2 before frame10); names
// that begin with a dot are passed over. The pictures have one size and 8 or 16
// bits a sample; grey ones of 1, 2 and 4 bits are stretched to 0…255. Grey
// pictures have one channel and colour ones three, red, green, blue; grey ones
// among colour ones have three equal channels, and a palette of greys is grey. JPEG pictures are turned as their EXIF orientation says; those in four inks are
// refused. The path of one picture is that of a folder with nothing else. Where numbers are missing in the names of a
// film's frames, the frames' times are those numbers ([Form.FilmTimes]).
//
// The frames of a GIF are the pictures that a viewer shows one after the other, although the
// file may hold only the parts that change. They have three channels unless all pixels are
// grey. A pixel in which the viewer's background shows is missing. Times count from the
// first frame; a delay of less than 0.02 s stands for 0.1 s, as in viewers. Of an animated PNG the first picture is read, with a note.
//
// Sides are at most 16384, pictures at most 2²⁶ pixels.
//
// An array n×d without a grid is a table, and so is a file of text: one point, of which the channels are
// the columns, each in a unit of its own.
//
// # Tables of text
//
// Files .csv, .tsv, .tab, .txt and .dat are read as they are: cells separated by tabs, semicolons, commas, bars or blanks; decimal points or commas, thousands apart, money
// and per cent, brackets for a minus; quotes; UTF-8 or UTF-16; lines of a title, comments, a line of units below the names, notes behind the rows. Last rows of totals or means, which
// a name says or which their numbers are to the last digit, are no values and stay as they are. Missing are empty cells and words such as NaN, NA, N/A, NULL, None, -, : and ?.
// A column of dates is the time, with a column of times of day beside it, and so are a first column of numbers with a name such as time or year, or that rise by the same step
// in ten rows or more, and columns year, month, day or year and week, quarter or day of the year.
// Dates are read in one of many forms, the same over a whole column; where day and month cannot be told apart an error asks for [SetOptions].TimeFormat. Times have the unit of
// the column or, of dates, days since 1970-01-01; local times without a zone are brought to standard time where their clock goes back. Other columns of words, those that count the
// rows and identifiers (a name that ends in id, code, zip, or is customer, subject, …; numbers that begin with zeros, or are consecutive in any order) are carried through. [SetOptions] say it otherwise: Columns, Labels, TimeColumn, TimeFormat.
// [SetOptions].Levels has a model learn from columns of words, too.
//
// A table is long if it has one row for each example and point: the same time in several rows, and beside it coordinates (lat, lon, depth, x, …) or a column of
// words or whole numbers, such as the name of a station, that tells these rows apart; or a column "value" beside a time or an example (sample, frame, member, series, or the
// first column whose texts repeat). Points with coordinates are points, in a plane those of a grid if they are at least half of one; names become the columns of a table, and those
// that differ in capitals or blanks alone are one if they are never at once. Columns that are the same in all rows of a point are carried through. Rows that are not there are
// missing values; standard_error (stderr) is the known error of a value. Two rows of one example and point are refused.
//
//	time,lat,lon,value
//	1990-01-31,60,2.5,11.25
//	1990-01-31,60,5,
//
// The result is the table as it came with the gaps filled in, to as many digits as the column has; all other bytes are those that were read. No number is
// below 0 where the column has none, and levels (few whole numbers, many times each) stay between the least and the most. Rows that a long table lacks are put among the
// others, if it lacks fewer than it has.
//
// Examples seen at scattered points have no grid: [LoadTrainingPoints] reads the coordinates and
// [LoadWith] the values, n×points or n×points×channels. [Cover] makes the grid of a picture
// in another resolution.
//
// [OpenWith] opens frames for training, which need not fit into memory: those of a .npy file
// stay in the file and are read whenever training needs them.
//
// # Incomplete data
//
// [LoadSet] reads data with holes into a [Set], which knows how to write what a model fills in ([Set.Fill], [Set.Write]) in the form of
// its source, by the ending of the result's name. Where a file has several arrays, one is chosen by name behind a colon, or the only one that fits.
//
//	FILE.nc:sst     NetCDF with the CF conventions, also under other names
//	FILE.npz:t      an archive of NumPy's arrays
//	FILE.csv        a table of text, an example in a row or a value in a row
//	FILE.npy, …     what Load reads
//
// Of a NetCDF variable one dimension is that of the examples: the record dimension, one with times, or one with a name such as time
// or sample. One or two others are in space, and any more must have length 1 or be fixed by [SetOptions].Select. Coordinates are those of the dimensions' variables or, of stations, those
// that the attribute coordinates names; times are numbers in the file's own units, of which [TimeUnits] knows the dates,
// and of dates that are written as numbers days. Units that are not known leave the numbers, with a note. Numbers are unpacked
// (scale_factor, add_offset, _Unsigned, or a valid range beyond the signed ones). Missing are _FillValue, missing_value, what is outside valid_min, valid_max or valid_range, NaN, and
// the number that the library leaves where nothing was written; attributes that make no sense are ignored with a note. The result is the input file, all of it, and two variables, NAME_filled and
// NAME_standard_error, unpacked: observed values are what unpacking makes of them, and float values keep their bits.
// A NetCDF-4 file is read by way of a temporary copy that nccopy makes, or refused with the command that converts it where there is no nccopy or it cannot.
// So are files of other formats.
//
// Of a .npz file the array NAME is masked by NAME_mask, "data" by "mask", where there is one: 1 is missing, as numpy.ma has it.
//
// Missing is not the same as not existing: a point without a value in any example, such as land in a map of the sea, is outside the
// model, unless a mask says that it exists. [Set.Data] leaves such points out, or leaves them without values where a grid is too large to
// be joined; they come back as they were. A fill value that lies among the data is refused, and what looks like
// one without being declared (1e20, -9999) among the values of a channel is noted with its count: [Form].Notes are for the user. In a table it is missing
// where it stands twice or more and far from all others of its columns, unless [SetOptions].KeepOutliers is set.
//
// What files claim is checked before memory is taken: reading a file takes at most four times its bytes and 1 MiB, and beyond that 8 bytes
// for each number that a file stores in fewer, as a deflated one in an archive or an empty cell of a table.
//
// # Missing values
//
// NaN means missing, and so does a pixel of a picture that is more transparent than opaque. A [Mask] from [LoadMask] says which values were observed; with
// [Frames.WithMask] the others become NaN, whatever they are in the file.
// [CheckNoInf] is the check of values of which some may be missing, [CheckComplete] that where none may.
//
// [Frames.Select] takes frames in an order, and [LoadMasks] reads one mask for each frame.
//
// # Errors
//
// What a file or a user can cause is an [*Error] of one line that names the
// file, the place in it, what was found there and what was expected. Frames,
// rows, columns, channels and axes are counted from 0.
package dataset
