package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.root, "root", ".", "the module's `folder`")
	flag.StringVar(&o.scratch, "scratch", "", "`folder` of the copies; that of a former run saves compiling (default: a temporary one)")
	flag.StringVar(&o.run, "run", "", "only faults whose \"file: name\" matches the `regexp`")
	flag.IntVar(&o.sample, "sample", 0, "only so many, chosen by -seed (0: all)")
	flag.Uint64Var(&o.seed, "seed", 1, "for -sample")
	flag.IntVar(&o.jobs, "jobs", 1, "how many run side by side")
	flag.BoolVar(&o.check, "check", false, "only see whether every fault fits its file")
	flag.DurationVar(&o.limit, "timeout", 3*time.Minute, "for the tests of one package")
	flag.Parse()
	if err := mutate(os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

type options struct {
	root, scratch, run string
	sample, jobs       int
	seed               uint64
	check              bool
	limit              time.Duration
}

// mutate does what the options say with the embedded lists.
func mutate(w io.Writer, o options) error {
	all, err := readLists(lists)
	if err != nil {
		return err
	}
	if err := check(o.root, all); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d faults fit their files\n", len(all))
	if o.check {
		return nil
	}
	chosen, err := choose(all, o)
	if err != nil {
		return err
	}
	return runAll(w, chosen, o)
}

// choose returns the faults that -run and -sample ask for and that this machine can run.
func choose(all []mutant, o options) ([]mutant, error) {
	wanted, err := regexp.Compile(o.run)
	if err != nil {
		return nil, err
	}
	flags, _ := os.ReadFile("/proc/cpuinfo")
	chosen := slices.DeleteFunc(slices.Clone(all), func(m mutant) bool {
		missing := false
		switch m.needs() {
		case "avx512":
			missing = !strings.Contains(string(flags), " avx512dq")
		case "avx2":
			missing = !strings.Contains(string(flags), " avx2")
		case "neon":
			missing = runtime.GOARCH != "arm64"
		}
		return missing || !wanted.MatchString(m.file+": "+m.name)
	})
	if o.sample > 0 && o.sample < len(chosen) {
		r := rand.New(rand.NewPCG(o.seed, 0))
		r.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		chosen = chosen[:o.sample]
	}
	return chosen, nil
}

// verdict is what the tests say of a fault.
type verdict struct {
	mutant
	by  string // the package and test that noticed it, "" if none did
	err error  // it could not be tried
}

// runAll runs the faults in copies of the module and reports.
func runAll(w io.Writer, chosen []mutant, o options) error {
	if o.scratch == "" {
		dir, err := os.MkdirTemp("", "mutants")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.scratch = dir
	}
	queue := make(chan mutant)
	verdicts := make(chan verdict)
	var workers sync.WaitGroup
	var failures = make([]error, max(o.jobs, 1))
	var base sync.Map // package and flags → *sync.Once around the run without a fault
	for i := range failures {
		workers.Go(func() {
			s := scratch{dir: filepath.Join(o.scratch, fmt.Sprint(i)), limit: o.limit, sound: &base}
			failures[i] = s.copy(o.root)
			for m := range queue {
				if failures[i] == nil {
					verdicts <- s.try(m)
				}
			}
		})
	}
	go func() {
		for _, m := range chosen {
			queue <- m
		}
		close(queue)
		workers.Wait()
		close(verdicts)
	}()
	var survivors, excused, bad []verdict
	caught := 0
	for v := range verdicts {
		what := v.file + ": " + v.name
		switch {
		case v.err != nil:
			bad = append(bad, v)
			fmt.Fprintf(w, "error     %s: %v\n", what, v.err)
		case v.by != "":
			caught++
			fmt.Fprintf(w, "caught    %s (%s)\n", what, v.by)
		case v.excuse != "":
			excused = append(excused, v)
			fmt.Fprintf(w, "excused   %s: %s\n", what, v.excuse)
		default:
			survivors = append(survivors, v)
			fmt.Fprintf(w, "SURVIVED  %s (%s)\n", what, v.place)
		}
	}
	fmt.Fprintf(w, "%d of %d faults caught, %d excused, %d survived, %d not tried\n", caught, len(chosen), len(excused), len(survivors), len(bad))
	if err := errors.Join(failures...); err != nil {
		return err
	}
	if len(survivors)+len(bad) > 0 {
		return fmt.Errorf("%d faults survived and %d could not be tried, expected none", len(survivors), len(bad))
	}
	return nil
}

// scratch is a copy of the module.
type scratch struct {
	dir   string
	limit time.Duration
	sound *sync.Map
}

// copy copies the module at root without what begins with a dot, such as its history. Files that
// are there already and the same stay, so that they need not be compiled again.
func (s *scratch) copy(root string) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		if rel != "." && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		to := filepath.Join(s.dir, rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if there, err := os.ReadFile(to); err == nil && string(there) == string(text) {
			return nil
		}
		return os.WriteFile(to, text, 0o666)
	})
}

// A stage is one run of tests.
type stage struct {
	pkg   string
	short bool
}

// try applies a fault, runs tests until one notices it, and takes the fault back.
func (s *scratch) try(m mutant) (v verdict) {
	v.mutant = m
	path := filepath.Join(s.dir, filepath.FromSlash(m.file))
	text, err := os.ReadFile(path)
	if err != nil {
		v.err = err
		return v
	}
	faulty, err := m.apply(string(text))
	if err != nil {
		v.err = err
		return v
	}
	var stages []stage
	for _, pkg := range m.tests {
		stages = append(stages, stage{pkg, true})
	}
	stages = append(stages, stage{m.tests[0], false})
	for _, st := range stages {
		if v.err = s.passes(st); v.err != nil {
			return v
		}
		if v.err = os.WriteFile(path, []byte(faulty), 0o666); v.err != nil {
			return v
		}
		v.by, v.err = s.test(st)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			v.err = err
		}
		if v.err != nil || v.by != "" {
			return v
		}
	}
	return v
}

// passes runs a stage without a fault, once in all copies.
func (s *scratch) passes(st stage) error {
	once, _ := s.sound.LoadOrStore(st, sync.OnceValue(func() error {
		by, err := s.test(st)
		if by != "" {
			err = fmt.Errorf("%s without a fault", by)
		}
		return err
	}))
	return once.(func() error)()
}

// test runs a stage and returns what noticed the fault, "" if nothing did.
func (s *scratch) test(st stage) (by string, err error) {
	args := []string{"test", "-vet=off", "-failfast", "-timeout", s.limit.String()}
	if st.short {
		args = append(args, "-short")
	}
	c := exec.Command("go", append(args, st.pkg)...)
	c.Dir = s.dir
	text, err := c.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "", nil
	case !errors.As(err, &exit):
		return "", err
	case strings.Contains(string(text), "[build failed]") || strings.Contains(string(text), "[setup failed]"):
		return "", fmt.Errorf("it does not compile: %s", strings.TrimSpace(string(text)))
	}
	by = st.pkg
	for _, line := range strings.Split(string(text), "\n") {
		if name, failed := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); failed {
			name, _, _ = strings.Cut(name, " ")
			return by + " " + name, nil
		}
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "SIG") {
			by += " " + line
			break
		}
	}
	return by, nil
}
