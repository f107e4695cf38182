package cli

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/cmd/internal/part"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// Read reads the command line; -h prints the flags to stdout.
func (f *Flags) Read(args []string) error {
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp) && f.e.describe != nil:
		f.e.describe(f.spec())
		return err
	case errors.Is(err, flag.ErrHelp):
		if _, werr := io.WriteString(f.e.Stdout, f.help()); werr != nil {
			return werr
		}
		return err
	case err != nil:
		return Usagef("%s: %v (%s %s -h explains the flags)", f.Name(), err, f.e.program(), f.Name())
	case f.NArg() > 0:
		return Usagef("%s: found %s, expected nothing but flags (%s %s -h explains them)", f.Name(), quote.Text(f.Arg(0)), f.e.program(), f.Name())
	}
	if err := f.work(args); err != nil {
		return err
	}
	return f.check()
}

// Parts defines -part and -parts, by which a command does a part of its work in one of several processes. It reads, of what -data names, its slice alone.
func (f *Flags) Parts() {
	f.String("part", "", "do one `part` of the work, as 3/100, or auto: the number that a scheduler gives; the result is a file OUT.part3of100, and sgplvm join puts all together")
	f.Whole("parts", 0, 0, part.Most, "the `number` of parts, where -part auto does not find it")
}

// Work is the environment's.
func (f *Flags) Work() *part.Work { return f.e.Work }

// partless are flags on which the results of parts do not depend: where they go, and what is printed; of the data each part holds the checksum of its slice.
var partless = []string{"part", "parts", "out", "sheet", "latent", "truth", "json", "data", "observed", "errors"}

// contents are flags with files on all of which results depend.
var contents = []string{"model", "points", "data-points", "times", "exists"}

// work makes the environment's work the part that the flags say.
func (f *Flags) work(args []string) error {
	if f.Lookup("part") == nil {
		if f.e.Work != nil {
			return f.Usagef("a command without parts")
		}
		return nil
	}
	text := f.Text("part")
	switch {
	case f.e.Work == nil && f.Given("parts") && text != "auto":
		return f.Refuse("without -part auto", "parts")
	case f.e.Work == nil && text == "":
		return nil
	case text != "" && f.e.Work != nil:
		return f.Usagef("-part %s of parts that are there, expected none", text)
	case text != "":
		p, err := part.Parse(text)
		if text == "auto" {
			p, err = part.Auto(*f.Lookup("parts").Value.(checked[int]).value)
		}
		if err != nil {
			return f.Usagef("-part %s: %v", text, err)
		}
		program, err := made()
		if err != nil {
			return err
		}
		f.e.Work = part.New(p, append([]string{f.Name()}, args...), []string{asm.Level(), "a program " + program})
	}
	if f.e.Work.Out = f.Text("out"); f.e.Work.Out == "" {
		return f.Require("out")
	}
	choices, err := []string{f.Name()}, error(nil)
	f.Visit(func(v *flag.Flag) {
		text := v.Value.String()
		switch {
		case slices.Contains(partless, v.Name) || err != nil:
			return
		case v.Name == "variance":
			text = ""
		case slices.Contains(contents, v.Name) && text != "":
			text, err = checksum(dataset.FileName(text))
		}
		choices = append(choices, strings.TrimSpace("-"+v.Name+" "+text))
	})
	if err != nil {
		return err
	}
	return f.e.Work.Choose(choices)
}

// made is the checksum of the program.
var made = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	return checksum(path)
})

// checksum is that of a file, for people and for comparisons.
func checksum(path string) (string, error) {
	sum := sha256.New()
	file, err := os.Open(path)
	if err == nil {
		defer file.Close()
		_, err = io.Copy(sum, file)
	}
	if err != nil {
		return "", &dataset.Error{Path: path, Err: err}
	}
	return fmt.Sprintf("of SHA-256 %x…", sum.Sum(nil)[:8]), nil
}
