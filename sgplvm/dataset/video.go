package dataset

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed-08962ecc/kronfield/internal/quote"
)

// A container is a format of video files: the endings of their names, and what stands in them at some place.
type container struct {
	name    string
	endings []string
	marks   []mark
}

type mark struct {
	at   int
	text string
}

// containers are the common ones. MP4 and QuickTime files begin with the length and the name of their first box (ISO 14496-12, 4.2;
// QuickTime File Format, "Atoms"), AVI files are RIFF files (Microsoft, AVI RIFF File Reference), and Matroska and WebM files begin with the EBML identifier
// (RFC 8794, 11.2.1).
var containers = []container{
	{"MP4 or QuickTime", []string{".mp4", ".m4v", ".mov", ".qt", ".3gp"}, []mark{{4, "ftyp"}, {4, "moov"}, {4, "mdat"}, {4, "wide"}}},
	{"AVI", []string{".avi"}, []mark{{8, "AVI "}}},
	{"Matroska or WebM", []string{".mkv", ".webm"}, []mark{{0, "\x1a\x45\xdf\xa3"}}},
	{"MPEG", []string{".mpg", ".mpeg", ".ts", ".m2ts"}, []mark{{0, "\x00\x00\x01\xba"}}},
	{"Flash or Windows", []string{".flv", ".wmv"}, []mark{{0, "FLV\x01"}}},
}

// VideoKind names the kind of video that a file's name says, such as AVI; nothing for other names.
func VideoKind(path string) string {
	for _, c := range containers {
		if isKind(path, c.endings) {
			return c.name
		}
	}
	return ""
}

// videoError refuses a video, by what is in the file or by its name, with the command that unpacks it; nil for other files.
func videoError(path string) *Error {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	start := make([]byte, 12)
	n, _ := io.ReadFull(file, start)
	kind := VideoKind(path)
	for _, c := range containers {
		for _, m := range c.marks {
			if bytes.HasPrefix(start[min(m.at, n):n], []byte(m.text)) {
				kind = c.name
			}
		}
	}
	if kind == "" {
		return nil
	}
	return &Error{Path: path, Found: fmt.Sprintf("a video (%s)", kind),
		Want: fmt.Sprintf("its frames as a folder of pictures: mkdir frames && ffmpeg -i %s frames/%%05d.png", ShellWord(path))}
}

// ShellWord writes a file's name as a shell takes it, in quotes where it needs them.
func ShellWord(path string) string {
	if strings.ContainsAny(path, " '\"\\$&;()<>|*?`!#~[]{}\t\n") {
		path = "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return quote.Line(path)
}
