package flow

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
)

// Options say how Fit works. Only Width and Height must be given.
type Options struct {
	// Width and Height are those of the frames in pixels: point y·Width + x of an example is the
	// pixel in column x of row y. Pixels are square.
	Width, Height int

	// Nodes are the numbers of nodes across the frame to choose from, 2 to 64 each; down the frame
	// there are as many as make the cells nearly square. Default 9, 5 and 17.
	Nodes []int

	// Strengths are those of the prior to choose from, λ in doc.go; above 0. Default 0.01, 0.001 and
	// 0.0001. All are tried with the first number of nodes, then the other numbers with the strength
	// chosen so far. A setting takes the place of one before it only if its error is less by
	// 1 %: a strong prior and few nodes stretch the frames least, so they should come first.
	Strengths []float64

	// Gain is the part by which motion must lower the error of frames that are left out to be
	// chosen. Default 0.02; below 0 it may raise the error by as much.
	Gain float64

	// Progress, if not nil, is called when a trial has ended.
	Progress func(Trial)
}

// A Trial is a setting that Fit tried.
type Trial struct {
	// Across and Down are the numbers of nodes; 0 without motion.
	Across, Down int

	// Strength is that of the prior.
	Strength float64

	// Paths tells that contents are followed from frame to frame besides (path.go).
	Paths bool

	// Error is the root mean square error of frames that were left out, in standard deviations of
	// the intensities; NaN where none could be.
	Error float64
}

// Motion is how the contents of a film's frames are displaced: for each frame a smooth map
// φ(r) = r + d(r) from reference coordinates to the frame's. It does not change, and
// may be used from many goroutines at once.
type Motion struct {
	width, height int
	frames        int
	lattice       lattice
	process       Process
	covariance    []float64 // of the nodes' components, at any one time: uu, uv and vv of all nodes
	sequences     []sequence
	paths         lattice // of the paths between frames; 0×0 nodes where there are none
	chosen        Trial
	trials        []Trial
}

// A sequence is a list of frames in order of time with their displacements, a row each, and the paths
// between them (path.go).
type sequence struct {
	label  int
	frames []int
	times  []float64
	d      mat.Matrix
	next   [][]float64 // from each frame to the next; nil from the last
	over   [][]float64 // from the one before each frame to the one after it; nil at the ends and in a Motion that was read
}

// OptionError reports an argument of Fit that cannot be used.
type OptionError struct {
	Field string
	Err   error
}

func (e *OptionError) Error() string { return fmt.Sprintf("motion: %s: %v", e.Field, e.Err) }

func (e *OptionError) Unwrap() error { return e.Err }

func optionError(field, format string, args ...any) error {
	return &OptionError{field, fmt.Errorf(format, args...)}
}

// complete sets the defaults and checks what was given.
func (o *Options) complete(frames data.Source, times []float64, sequences []int) error {
	n, points, channels := frames.Dims()
	if o.Width < 1 || o.Width > maxSide || o.Height < 1 || o.Height > maxSide || points%o.Width != 0 || points/o.Width != o.Height {
		return optionError("Width and Height", "%d×%d pixels for frames of %d points, expected 1 to %d each way and their product", o.Width, o.Height, points, maxSide)
	}
	if n < 1 || channels < 1 {
		return optionError("frames", "%d frames of %d channels, expected at least one of one channel", n, channels)
	}
	if len(times) != n {
		return optionError("times", "%d times for %d frames", len(times), n)
	}
	for i, t := range times {
		if t-t != 0 {
			return optionError("times", "time %d is %v, expected a finite number", i, t)
		}
	}
	if sequences != nil && len(sequences) != n {
		return optionError("sequences", "%d labels of sequences for %d frames", len(sequences), n)
	}
	for i, l := range sequences {
		if l < -maxLabel || l > maxLabel {
			return optionError("sequences", "label %d of frame %d, expected at most %d in size", l, i, maxLabel)
		}
	}
	if o.Nodes == nil {
		o.Nodes = []int{9, 5, 17}
	}
	if o.Strengths == nil {
		o.Strengths = []float64{1e-2, 1e-3, 1e-4}
	}
	for _, v := range o.Nodes {
		if v < 2 || v > maxNodes {
			return optionError("Nodes", "%d nodes across, expected 2 to %d", v, maxNodes)
		}
	}
	for _, s := range o.Strengths {
		if !(s > 0) || math.IsInf(s, 0) {
			return optionError("Strengths", "%v, expected a positive number", s)
		}
	}
	if !(o.Gain < 1) {
		return optionError("Gain", "%v, expected less than 1", o.Gain)
	}
	if o.Gain == 0 {
		o.Gain = 0.02
	}
	if len(o.Nodes) == 0 || len(o.Strengths) == 0 {
		return optionError("Nodes", "nothing to choose from")
	}
	return nil
}

// maxNodes bounds the nodes in one direction.
const maxNodes = 64

// maxFactors bounds the numbers of the normal equations' factors, a block for each frame.
const maxFactors = 1 << 27

// latticeAcross returns the lattice with the given number of nodes across a film's frames, whose cells
// are nearly square and have four pixels each way at least on the finest level.
func (f *film) latticeAcross(across int) lattice {
	level := f.levels[0][0]
	bounded := func(nodes, pixels int) int { return max(2, min(nodes, maxNodes, 1+pixels/4)) }
	down := int(math.Round(float64(across-1)/f.aspect)) + 1
	return lattice{bounded(across, level.width), bounded(down, level.height), f.aspect}
}

// latticeOf returns that lattice, or one with fewer nodes across whose factors can be held.
func (f *film) latticeOf(across int) lattice {
	for {
		l := f.latticeAcross(across)
		if across <= 2 || l.size()*l.size() <= maxFactors/len(f.levels[0]) {
			return l
		}
		across--
	}
}

// sequencesOf returns the frames sequence by sequence, in order of their labels and times.
func sequencesOf(times []float64, labels []int) []sequence {
	label := func(i int) int {
		if labels == nil {
			return 0
		}
		return labels[i]
	}
	order := make([]int, len(times))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(label(i), label(j)), cmp.Compare(times[i], times[j]))
	})
	var all []sequence
	for _, i := range order {
		if len(all) == 0 || all[len(all)-1].label != label(i) {
			all = append(all, sequence{label: label(i)})
		}
		s := &all[len(all)-1]
		s.frames, s.times = append(s.frames, i), append(s.times, times[i])
	}
	return all
}

// medianSpacing returns the median time between frames that follow one another, 1 if all are 0
// or there are none, and how long the longest sequence is.
func medianSpacing(sequences []sequence) (unit, span float64) {
	var all []float64
	for _, s := range sequences {
		for p := range s.times[1:] {
			if dt := s.times[p+1] - s.times[p]; dt > 0 {
				all = append(all, dt)
			}
		}
		span = max(span, s.times[len(s.times)-1]-s.times[0])
	}
	if len(all) == 0 {
		return 1, span
	}
	slices.Sort(all)
	return all[len(all)/2], span
}

// trackOf returns the frames of all sequences for which keep is true.
func trackOf(sequences []sequence, keep func(s, p int) bool) track {
	var t track
	for i, s := range sequences {
		for p, f := range s.frames {
			if keep(i, p) {
				t.frames, t.times, t.linked = append(t.frames, f), append(t.times, s.times[p]), append(t.linked, true)
			}
		}
		if len(t.linked) > 0 {
			t.linked[len(t.linked)-1] = false
		}
	}
	return t
}

// heldOut reports whether frame p of n in a sequence is left out in trials: every third, and
// neither the first nor the last.
func heldOut(p, n int) bool { return p%3 == 1 && p+1 < n }

// moreGain is the part by which a later setting must lower the error of frames left out further.
const moreGain = 0.01

// Fit estimates the motion of a film. times are those of the frames, in any unit and order;
// frames with different labels in sequences (nil: all are alike) have nothing to do with one
// another. Errors: *OptionError, *data.ReadError, *data.ValueError, ctx.Err().
func Fit(ctx context.Context, frames data.Source, times []float64, sequences []int, o Options) (*Motion, error) {
	if err := o.complete(frames, times, sequences); err != nil {
		return nil, err
	}
	m := &Motion{width: o.Width, height: o.Height, frames: len(times), sequences: sequencesOf(times, sequences)}
	f, err := load(ctx, frames, o.Width, o.Height)
	if err != nil {
		return nil, err
	}
	if err := m.choose(ctx, f, o); err != nil {
		return nil, err
	}
	if m.chosen.Across == 0 {
		return m, nil
	}
	t := trackOf(m.sequences, func(int, int) bool { return true })
	l := f.latticeOf(m.chosen.Across)
	d, err := estimate(ctx, f, t, l, m.chosen.Strength)
	if err != nil {
		return nil, err
	}
	m.set(l, d)
	if m.chosen.Paths {
		if err := m.follow(ctx, f); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// choose sets the trials and which of them is the best.
func (m *Motion) choose(ctx context.Context, f *film, o Options) error {
	held := trackOf(m.sequences, func(s, p int) bool { return heldOut(p, len(m.sequences[s].frames)) })
	add := func(t Trial) {
		m.trials = append(m.trials, t)
		if o.Progress != nil {
			o.Progress(t)
		}
	}
	if len(held.frames) == 0 || f.gradient == 0 {
		m.chosen = Trial{Error: math.NaN()}
		add(m.chosen)
		return nil
	}
	still := &Motion{width: m.width, height: m.height, sequences: m.kept()}
	m.chosen = Trial{Error: still.score(f, m.sequences)}
	add(m.chosen)
	limit := (1 - o.Gain) * m.chosen.Error // what the next setting has to reach
	var best *Motion
	try := func(across int, strength float64) error {
		l := f.latticeOf(across)
		if slices.ContainsFunc(m.trials, func(t Trial) bool { return t.Across == l.across && t.Down == l.down && t.Strength == strength }) {
			return nil
		}
		part := &Motion{width: m.width, height: m.height, sequences: m.kept()}
		d, err := estimate(ctx, f, trackOf(part.sequences, func(int, int) bool { return true }), l, strength)
		if err != nil {
			return err
		}
		part.set(l, d)
		t := Trial{l.across, l.down, strength, false, part.score(f, m.sequences)}
		add(t)
		if t.Error < limit {
			best, m.chosen, limit = part, t, (1-moreGain)*t.Error
		}
		return nil
	}
	for _, s := range o.Strengths {
		if err := try(o.Nodes[0], s); err != nil {
			return err
		}
	}
	if m.chosen.Across == 0 {
		return nil
	}
	for _, n := range o.Nodes[1:] {
		if err := try(n, m.chosen.Strength); err != nil {
			return err
		}
	}
	if err := best.follow(ctx, f); err != nil {
		return err
	}
	followed := m.chosen
	followed.Paths, followed.Error = true, best.scorePaths(f, m.sequences)
	add(followed)
	if followed.Error < limit {
		m.chosen = followed
	}
	return nil
}

// kept returns the sequences without the frames that trials leave out.
func (m *Motion) kept() []sequence {
	all := make([]sequence, len(m.sequences))
	for i, s := range m.sequences {
		all[i].label = s.label
		for p, f := range s.frames {
			if !heldOut(p, len(s.frames)) {
				all[i].frames, all[i].times = append(all[i].frames, f), append(all[i].times, s.times[p])
			}
		}
	}
	return all
}

// A gap is a frame that a motion does not know: its sequence, the place of the frame known before
// it, its number and its time.
type gap struct {
	s, before, frame int
	time             float64
}

// gaps returns those frames of all that m does not know.
func (m *Motion) gaps(all []sequence) []gap {
	var gaps []gap
	for i, s := range all {
		known := m.sequences[i].frames
		k := 0
		for p, frame := range s.frames {
			if k < len(known) && known[k] == frame {
				k++
			} else {
				gaps = append(gaps, gap{i, k - 1, frame, s.times[p]})
			}
		}
	}
	return gaps
}

// score predicts those frames of all that m does not know from those around them: registered,
// interpolated over time, linearly and by cubics, and carried to where they are expected. It returns
// the root mean square error on the finest level, of the better interpolation.
func (m *Motion) score(f *film, all []sequence) float64 {
	gaps, level := m.gaps(all), f.levels[0]
	errs := make([][2]float64, len(gaps))
	mat.Parallel(len(gaps), func(j int) {
		s, p, time := m.sequences[gaps[j].s], gaps[j].before, gaps[j].time
		w, h, n := level[0].width, level[0].height, level[0].channels
		sums := [2]image[float32]{newImage[float32](w, h, n), newImage[float32](w, h, n)}
		one := newImage[float32](w, h, n)
		from, to := max(p-1, 0), min(p+3, len(s.times))
		weights := [2][]float64{lagrange(s.times[p:p+2], time), lagrange(s.times[from:to], time)}
		first := [2]int{p, from}
		for q := from; q < to; q++ {
			m.register(one, level[s.frames[q]], s, q)
			for k, sum := range sums {
				if r := q - first[k]; r >= 0 && r < len(weights[k]) {
					sum.add(float32(weights[k][r]), one)
				}
			}
		}
		for k, sum := range sums {
			errs[j][k] = m.errorOf(sum, level[gaps[j].frame], s, time)
		}
	})
	var linear, cubic float64
	for _, v := range errs {
		linear += v[0] / float64(len(errs))
		cubic += v[1] / float64(len(errs))
	}
	return math.Sqrt(min(linear, cubic))
}

// scorePaths is score by linear interpolation along the paths.
func (m *Motion) scorePaths(f *film, all []sequence) float64 {
	gaps, level := m.gaps(all), f.levels[0]
	errs := make([]float64, len(gaps))
	mat.Parallel(len(gaps), func(j int) {
		s, w, h := m.sequences[gaps[j].s], level[0].width, level[0].height
		sum, one := newImage[float32](w, h, level[0].channels), newImage[float32](w, h, level[0].channels)
		for _, n := range s.around(gaps[j].time, -1) {
			along(one, level[s.frames[n.place]], m.flow(w, h, s, n.place), m.offsetFlow(n, w, h), 1)
			sum.add(float32(n.weight), one)
		}
		errs[j] = m.errorOf(sum, level[gaps[j].frame], s, gaps[j].time)
	})
	var mean float64
	for _, v := range errs {
		mean += v / float64(len(errs))
	}
	return math.Sqrt(mean)
}

// add adds a·x to a picture.
func (m image[T]) add(a T, x image[T]) {
	for i, v := range x.data {
		m.data[i] += a * v
	}
}

// errorOf returns the mean square by which a picture in reference coordinates, carried to a time, differs
// from that with the coefficients truth. The picture is overwritten.
func (m *Motion) errorOf(picture, truth image[float32], s sequence, time float64) float64 {
	w, h, n := truth.width, truth.height, truth.channels
	shown, carried := newImage[float32](w, h, n), newImage[float32](w, h, n)
	(&Motion{}).register(shown, truth, sequence{}, 0)
	picture.toSpline()
	m.at(s, []float64{time})[0].carry(carried, picture)
	var e float64
	for i, v := range carried.data {
		e += square(float64(v-shown.data[i])) / float64(len(carried.data))
	}
	return e
}

// lagrange returns the weights of the values at some times in the value at another of the
// polynomial through them. Equal times share the weight of one.
func lagrange(times []float64, at float64) []float64 {
	w := make([]float64, len(times))
	for i, t := range times {
		w[i] = 1
		alike := 1.0
		for j, u := range times {
			switch {
			case u == t && j != i:
				alike++
			case u != t && !slices.Contains(times[:j], u):
				w[i] *= (at - u) / (t - u)
			}
		}
		w[i] /= alike
	}
	return w
}

// register sets dst to the picture with the coefficients src, frame p of s, in reference
// coordinates.
func (m *Motion) register(dst, src image[float32], s sequence, p int) {
	warp(dst, src, m.flow(dst.width, dst.height, s, p))
}

// flow returns the displacement of frame p of s on a grid of width×height pixels.
func (m *Motion) flow(width, height int, s sequence, p int) *flow {
	if m.Still() {
		return newFlow(lattice{2, 2, 1}, width, height).of(make([]float64, 8))
	}
	return newFlow(m.lattice, width, height).of(s.d.Row(p))
}

// set takes the displacements of all frames, in the order of the sequences, and fits the process
// that they follow.
func (m *Motion) set(l lattice, d mat.Matrix) {
	m.lattice = l
	var windows []window
	p := 0
	for i := range m.sequences {
		s := &m.sequences[i]
		n := len(s.frames)
		s.d = d.Slice(p, p+n, 0, d.Cols)
		p += n
		for from := 0; from < n; from += maxWindow {
			to := min(from+maxWindow, n)
			windows = append(windows, window{s.times[from:to], s.d.Slice(from, to, 0, d.Cols)})
		}
	}
	unit, span := medianSpacing(m.sequences)
	m.process = fitProcess(windows, unit, span)
	m.covariance = m.process.nodeCovariance(windows, l)
}

// nodeCovariance returns the covariance of the two components of each node that maximises the
// marginal likelihood: uu, uv and vv of all nodes.
func (p Process) nodeCovariance(windows []window, l lattice) []float64 {
	nodes, n := l.nodes(), 0
	c := make([]float64, 3*nodes)
	for _, w := range windows {
		k := mat.New(len(w.times), len(w.times))
		p.covariance(k, w.times)
		f, err := chol.Factorize(k)
		if err != nil {
			panic(err) // its likelihood was finite
		}
		half := w.d.Clone()
		f.SolveHalf(half)
		n += half.Rows
		for i := range half.Rows {
			u, v := half.Row(i)[:nodes], half.Row(i)[nodes:]
			for j := range nodes {
				c[j] += u[j] * u[j]
				c[nodes+j] += u[j] * v[j]
				c[2*nodes+j] += v[j] * v[j]
			}
		}
	}
	for j := range c {
		c[j] /= float64(n)
	}
	return c
}

// Size returns the width and the height of the frames in pixels.
func (m *Motion) Size() (width, height int) { return m.width, m.height }

// Still reports whether no motion was found worth following.
func (m *Motion) Still() bool { return m.lattice.across == 0 }

// Chosen returns the setting that was chosen, and Trials all that were tried, in that order.
func (m *Motion) Chosen() Trial { return m.chosen }

// Trials returns the settings that were tried, in that order.
func (m *Motion) Trials() []Trial { return slices.Clone(m.trials) }

// Process returns the process over time of the displacements; meaningless if Still.
func (m *Motion) Process() Process { return m.process }

// maxPixels bounds the pixels of the finest level, and maxNumbers the numbers of all frames on it.
const maxPixels, maxNumbers = 1 << 16, 1 << 27

// load reads the frames and builds their pyramids.
func load(ctx context.Context, source data.Source, width, height int) (*film, error) {
	n, points, channels := source.Dims()
	type size struct{ w, h int }
	sizes := []size{{width, height}}
	for most := max(256, min(maxPixels, maxNumbers/channels/n)); sizes[0].w*sizes[0].h > most; {
		s := &sizes[0]
		s.w, s.h = (s.w+1)/2, (s.h+1)/2
	}
	for s := sizes[0]; min(s.w, s.h) >= 24; {
		s = size{(s.w + 1) / 2, (s.h + 1) / 2}
		sizes = append(sizes, s)
	}
	f := &film{aspect: float64(width) / float64(height), levels: make([][]image[float32], len(sizes))}
	for k := range sizes {
		f.levels[k] = make([]image[float32], n)
	}
	shift := make([]float64, points*channels)
	if err := source.ReadExamples(shift, 0, 1); err != nil {
		return nil, &data.ReadError{From: 0, To: 1, Err: err}
	}
	shift = shift[:channels]
	sums := mat.New(n, 2*channels)
	errs := make([]error, n)
	mat.Parallel(n, func(i int) {
		if errs[i] = ctx.Err(); errs[i] != nil {
			return
		}
		buffer := mat.Borrow(2 * points * channels)
		defer mat.GiveBack(buffer)
		raw, tmp := image[float64]{width, height, channels, (*buffer)[:points*channels]}, (*buffer)[points*channels:]
		if err := source.ReadExamples(raw.data, i, i+1); err != nil {
			errs[i] = &data.ReadError{From: i, To: i + 1, Err: err}
			return
		}
		for j, v := range raw.data {
			if v-v != 0 {
				errs[i] = &data.ValueError{Example: i, Point: j / channels, Channel: j % channels, Value: v, Want: "a finite number"}
				return
			}
			c := j % channels
			v -= shift[c]
			raw.data[j] = v
			sums.Row(i)[2*c] += v
			sums.Row(i)[2*c+1] += v * v
		}
		for k, s := range sizes {
			f.levels[k][i] = newImage[float32](s.w, s.h, channels)
			if k == 0 {
				shrink(f.levels[k][i], raw, tmp)
			} else {
				shrink(f.levels[k][i], f.levels[k-1][i], tmp)
			}
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	inverse := make([]float32, channels)
	for c := range channels {
		var s, q float64
		for i := range n {
			s += sums.Row(i)[2*c]
			q += sums.Row(i)[2*c+1]
		}
		total := float64(n) * float64(points)
		if v := q/total - square(s/total); v > 1e-12*q/total {
			inverse[c] = float32(1 / math.Sqrt(v))
		}
	}
	gradients := make([]float64, n)
	mat.Parallel(n, func(i int) {
		for k := range sizes {
			m := f.levels[k][i]
			for j := range m.data {
				m.data[j] *= inverse[j%channels]
			}
			if k == 0 {
				gradients[i] = meanSquaredGradient(m)
			}
			m.toSpline()
		}
	})
	for _, g := range gradients {
		f.gradient += g / float64(n)
	}
	return f, nil
}

// meanSquaredGradient returns the mean over pixels and channels of the squared derivative per
// width of the frame, both components.
func meanSquaredGradient(m image[float32]) float64 {
	var s float64
	n := m.channels
	for y := range m.height {
		row := m.row(y)
		for i := n; i < len(row); i++ {
			s += square(float64(row[i] - row[i-n]))
		}
		if y > 0 {
			before := m.row(y - 1)
			for i, v := range row {
				s += square(float64(v - before[i]))
			}
		}
	}
	return s * square(float64(m.width)) / float64(len(m.data))
}
