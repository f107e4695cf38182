package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/infer"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// Contents are the numbers of a compiled model: everything that filling in and predicting on one set of points needs,
// multiplied out. Symbols are those of docs/math.md. n is the number of points, d_y of channels, d_ξ of latent dimensions, m_ξ of latent
// inducing points, n_ξ of training examples. A compiler makes them (sgplvm.Model.Compile), Encode writes them.
type Contents struct {
	Label string // what the points are, for people, as 20x28

	Points, Channels, Latents, Inducing, Examples int

	Mean, Scale []float64 // of the data, d_y each: the model's units are (y − Mean)/Scale

	// The latent kernel: σ² and length scales of its RBF part (1+d_ξ) or nothing, the variances of its linear part (d_ξ) or
	// nothing, its bias or nothing. Time has the part in time.
	RBF, Linear, Bias []float64
	Z                 []float64 // inducing inputs, m_ξ×d_ξ
	Coord             []float64 // T_0, m_ξ×m_ξ
	Mu, S             []float64 // posteriors of the training examples, n_ξ×d_ξ each

	Beta      float64   // β
	Precision float64   // what stands for β where data are whitened: 1, else β
	Latent    []float64 // λ_0, m_ξ
	Lambda    []float64 // λ of all joint features, Π m_f

	// P_c for each channel, d_y·n rows of m_ξ numbers. In types other than float64 it is P_c·T_0⁻ᵀ, whose elements are of one size.
	P         Table
	Rotated   bool
	Factors   []Factor
	Structure Table // Σ − β⁻¹·I, lower triangle, n×n; 0×0 where the noise is white, or whitened

	// Whitened says that the one factor's features are of K and of Σ together, as they are at the training points where the noise has structure:
	// K = B·diag(λ/(1+λ))·Bᵀ, Σ = B·diag(1/(1+λ))·Bᵀ.
	Whitened bool

	// Shapes, of a fast model, are matrices in place of features: lower triangles of B·diag(λ/((1+λ)·(1+κ_r·λ)))·Bᵀ, n×n, of which, with Σ, the covariance of f
	// given x is a sum. Bends are κ; Shares, (m_ξ+1)×(1+κ), are what Σ and these have of it for each τ_i and for ψ0 − Σ τ_i.
	Shapes        []Table
	Bends, Shares []float64

	// Of a model that keeps its training residuals: r_n in rows (n_ξ×d_y·n, the channels of a point side by side).
	Residuals Table

	// Of what was filled in of the training examples (math.md, section 22.7): variances as residuals, and correlations, lower triangle, n×n. 0×0: nothing was.
	Filled, Alike Table

	// Coordinates of the points, n×dimensions, and what they are measured in, in each dimension: mean spacings of the points and of
	// the training points, length scales, and the lengths of the taper (nothing: there is none).
	Coordinates                                 []float64
	Spacings, TrainingSpacings, Lengths, Tapers []float64

	Time    Time // of examples with times
	Options Options

	About About

	// Scores, in ascending order, are those of examples like those of training that were not learned from (edge.Model.Alarm): of chi-squared
	// per observed value, as normal numbers, or of patches, each less its median and over a spread: Spreads has the two for both, and the farthest patch of all.
	Scores, Spreads []float64

	// Innovations are second moments of what the examples of Scores were off by what a stream predicted, in standard deviations of each value, lower triangle: of all values of an example, or of those of a channel (Judged). Counted is what one example has of them, where it is one of these that is judged.
	Innovations Table
	Counted     float64

	// Calibration has a, p and b: a variance f + β⁻¹ of what a stream predicts of an example of which nothing was seen is a·f^p + b·β⁻¹. nil: it stays.
	Calibration []float64

	// Partly has a, p and b: a variance f + β⁻¹ of what a stream fills in, d spacings from the fourth nearest observed value, is a·d^p·f + b·β⁻¹, a·d^p·f at most 1. nil: it stays.
	Partly []float64

	Learning Learning // of a model whose streams may learn

	Memory Memory
}

// About is what people are told of a model.
type About struct {
	Width, Height int     // of pictures; 0: the points are none
	Units         string  // of values
	Low, High     float64 // between which values lie; equal: not known
	First, Last   float64 // of the training times
}

func (c *Contents) visitAbout(f codec) {
	a := &c.About
	f.integer(&a.Width)
	f.integer(&a.Height)
	f.label(&a.Units)
	for _, v := range []*float64{&a.Low, &a.High, &a.First, &a.Last} {
		f.number(v)
	}
}

func (c *Contents) visitCalibration(f codec) { f.numbers(&c.Calibration) }
func (c *Contents) visitPartly(f codec)      { f.numbers(&c.Partly) }

func (c *Contents) visitLearning(f codec) {
	l := &c.Learning
	for _, v := range []*float64{&l.Jitter, &l.Floor, &l.Trace} {
		f.number(v)
	}
	f.numbers(&l.Totals)
	f.table(&l.Sums)
}

func (c *Contents) visitAlarms(f codec) {
	f.numbers(&c.Scores)
	f.numbers(&c.Spreads)
	f.table(&c.Innovations)
	f.number(&c.Counted)
}

// Learning is what the examples of a model add up to (docs/math.md, section 26), and what a Learner needs beside it.
type Learning struct {
	Jitter, Floor, Trace float64   // of K_0 in parts of its mean diagonal, of the noise's variance, and the trace of K of all points
	Totals               []float64 // of learn.Sums
	Sums                 Table     // T_0ᵀ·G, m_ξ×Π m_f·d_y, of features, the channels of one side by side; 0×0: the model does not learn
}

// mostJoint is how many values an example has at most that are judged together, and not channel by channel: one of 192 takes 2.3 ms.
const mostJoint = 256

// Judged returns how many values of an example are judged together: all, or those of a channel.
func (c *Contents) Judged() int {
	switch all := c.Points * c.Channels; {
	case c.Innovations.rows > 0:
		return c.Innovations.rows
	case all <= mostJoint:
		return all
	}
	return c.Points
}

// groups returns how many groups of values are judged apart: value k is in group k % groups, at the place k / groups.
func (c *Contents) groups() int { return c.Points * c.Channels / c.Judged() }

// Memory is what models that have no file have beside their tables. The zero value is nothing.
type Memory struct {
	Statistics *psi.Statistics       // of the whole latent kernel, its part of time too; nil: of RBF, Linear and Bias
	Catalogue  func() *psi.Catalogue // of all training posteriors, by which starting points are scored; nil: one by one

	At []kernel.Instant // times of the training examples; nil: unknown

	// Of a model of data with holes, what q(U) takes off the prior variance of features, m_ξ×Π m_f for each version of the mask, and the version of each
	// channel. nil: Latent and Lambda say it, for all channels.
	Taken   []mat.Matrix
	Version []int
}

// Time is what examples with times know of time: the prior of latent variables that follow processes in time, and the part in time of the latent kernel.
type Time struct {
	Kernel  string          // of the latent variables, as text; nothing where examples have no times
	Systems []kernel.System // one for all latent variables, or one for each; nothing where a kernel has none
	Spacing float64         // of the training times, their median
	Ends    []End           // of the training sequences

	// The part v·k(t − t′), and the time and the label of each latent inducing point, m_ξ each. Nothing: there is none.
	Variance         float64
	Part             string // k
	Inducing, Labels []float64
}

// An End is what the examples of a training sequence say of the latent variables behind the last one: numbers of infer.State.
type End struct {
	Sequence int // its label
	Time     float64
	State    []float64
}

// A Factor is one of the spatial factors, of n_f points: features B_f (n_f×m_f) with B_f·B_fᵀ = Q_f, what the inducing points tell of
// K_f. K is K_f (lower triangle) where Q_f is another matrix, else 0×0.
type Factor struct{ B, K Table }

// A codec visits all fields of Contents in the order of the file, to read or to write them.
type codec interface {
	label(v *string)
	integer(v *int)
	flag(v *bool)
	number(v *float64)
	numbers(v *[]float64)
	table(v *Table)
	count(n int) int // of what follows
}

func (c *Contents) visit(f codec) {
	f.label(&c.Label)
	for _, v := range []*int{&c.Points, &c.Channels, &c.Latents, &c.Inducing, &c.Examples} {
		f.integer(v)
	}
	for _, v := range []*[]float64{&c.Mean, &c.Scale, &c.RBF, &c.Linear, &c.Bias, &c.Z, &c.Coord, &c.Mu, &c.S, &c.Latent, &c.Lambda, &c.Coordinates, &c.Spacings, &c.TrainingSpacings, &c.Lengths, &c.Tapers} {
		f.numbers(v)
	}
	for _, v := range []*float64{&c.Beta, &c.Precision} {
		f.number(v)
	}
	f.flag(&c.Rotated)
	f.table(&c.P)
	f.table(&c.Structure)
	f.flag(&c.Whitened)
	if n := f.count(len(c.Shapes)); len(c.Shapes) != n {
		c.Shapes = make([]Table, n)
	}
	for i := range c.Shapes {
		f.table(&c.Shapes[i])
	}
	f.numbers(&c.Bends)
	f.numbers(&c.Shares)
	f.table(&c.Residuals)
	f.table(&c.Filled)
	f.table(&c.Alike)
	if n := f.count(len(c.Factors)); len(c.Factors) != n {
		c.Factors = make([]Factor, n)
	}
	for i := range c.Factors {
		s := &c.Factors[i]
		f.table(&s.B)
		f.table(&s.K)
	}
	c.Time.visit(f)
	c.Options.visit(f)
}

func (t *Time) visit(f codec) {
	f.label(&t.Kernel)
	f.number(&t.Spacing)
	if n := f.count(len(t.Systems)); len(t.Systems) != n {
		t.Systems = make([]kernel.System, n)
	}
	for i := range t.Systems {
		s := &t.Systems[i]
		f.numbers(&s.Generator.Data)
		f.numbers(&s.Output)
		f.numbers(&s.Input)
	}
	if n := f.count(len(t.Ends)); len(t.Ends) != n {
		t.Ends = make([]End, n)
	}
	for i := range t.Ends {
		e := &t.Ends[i]
		label := float64(e.Sequence)
		f.number(&label)
		if math.Abs(label) <= math.MaxInt32 {
			e.Sequence = int(label)
		}
		f.number(&e.Time)
		f.numbers(&e.State)
	}
	f.number(&t.Variance)
	f.label(&t.Part)
	f.numbers(&t.Inducing)
	f.numbers(&t.Labels)
}

func (o *Options) visit(f codec) {
	for _, v := range []*int{&o.Candidates, &o.Iterations, &o.Starts, &o.Exact, &o.Group, &o.Neighbours} {
		f.integer(v)
	}
	brief := math.Inf(1) // 0: no search for x is
	if o.Thorough {
		brief = 0
	}
	for _, v := range []*float64{&brief, &o.Degrees, &o.LocalBandwidth, &o.LocalStrength, &o.Work} {
		f.number(v)
	}
	o.Thorough = brief == 0
	f.flag(&o.FirstOrder)
	f.flag(&o.LatentOnly)
	f.flag(&o.Fast)
	f.number(&o.MinWeight)
	f.integer(&o.PartNeighbours)
	f.integer(&o.MaxExamples)
	if n := f.count(len(o.Blends)); len(o.Blends) != n {
		o.Blends = make([]field.Blend, n)
	}
	for i := range o.Blends {
		b, unused := &o.Blends[i], [2]float64{} // which version 1 of the format has
		for _, v := range []*float64{&b.Gap, &b.Seen, &b.Share, &b.Neighbours, &b.Shrinkage, &b.Taper, &unused[0], &b.Reach, &unused[1], &b.Inflation} {
			f.number(v)
		}
		f.integer(&b.Parts)
	}
}

// validate reports whether sizes and shapes go together and numbers are within their ranges; "" if so.
func (c *Contents) validate() string {
	for _, v := range []int{c.Points, c.Channels, c.Latents, c.Inducing, c.Examples} {
		if v < 1 || v > most {
			return text.Sprintf("a size of %d, expected 1 to %d", v, most)
		}
	}
	n, dy, d, m := int64(c.Points), int64(c.Channels), int64(c.Latents), int64(c.Inducing)
	dims := int64(len(c.Spacings))
	lengths := []struct {
		what string
		got  int
		want int64
		none bool // may be 0
	}{
		{"means", len(c.Mean), dy, false}, {"scales", len(c.Scale), dy, false},
		{"parameters of an RBF part", len(c.RBF), 1 + d, true}, {"of a linear part", len(c.Linear), d, true}, {"of a bias", len(c.Bias), 1, true},
		{"inducing inputs", len(c.Z), m * d, false}, {"of a basis", len(c.Coord), m * m, false}, {"latent eigenvalues", len(c.Latent), m, false},
		{"means of training examples", len(c.Mu), int64(c.Examples) * d, false}, {"their variances", len(c.S), int64(c.Examples) * d, false},
		{"coordinates", len(c.Coordinates), n * dims, false}, {"training spacings", len(c.TrainingSpacings), dims, false},
		{"length scales", len(c.Lengths), dims, false}, {"lengths of a taper", len(c.Tapers), dims, true},
	}
	for _, l := range lengths {
		if int64(l.got) != l.want && !(l.none && l.got == 0) {
			return text.Sprintf("%d %s, expected %d", l.got, l.what, l.want)
		}
	}
	if dims < 1 {
		return "points without coordinates"
	}
	if why := c.validateTables(); why != "" {
		return why
	}
	if why := c.validateNumbers(); why != "" {
		return why
	}
	if why := c.Time.validate(c.Latents, c.Inducing); why != "" {
		return why
	}
	return c.Options.validate()
}

func (t *Table) is(rows, cols int64, lower bool) bool {
	return int64(t.rows) == rows && int64(t.cols) == cols && t.lower == lower
}

func (c *Contents) validateTables() string {
	n, dy := int64(c.Points), int64(c.Channels)
	if !c.P.is(dy*n, int64(c.Inducing), false) {
		return "a table of predictions of the wrong shape"
	}
	if len(c.Shapes) > 0 {
		if why := c.validateShapes(); why != "" {
			return why
		}
		return c.validateResiduals()
	}
	points, features := int64(1), int64(1)
	for i := range c.Factors {
		f := &c.Factors[i]
		if f.B.rows < 1 || f.B.cols < 1 || f.B.lower || f.K.rows > 0 && !f.K.is(int64(f.B.rows), int64(f.B.rows), true) {
			return text.Sprintf("spatial factor %d of the wrong shape", i)
		}
		if points, features = points*int64(f.B.rows), features*int64(f.B.cols); points > most || features > most {
			return "more points or features than a file can have"
		}
	}
	if features != int64(len(c.Lambda)) {
		return text.Sprintf("%d eigenvalues, expected %d", len(c.Lambda), int(features))
	}
	if points != n || len(c.Factors) == 0 || len(c.Factors) > MaxFactors {
		return text.Sprintf("spatial factors of %d points, expected %d", int(points), c.Points)
	}
	if c.Structure.rows > 0 && (!c.Structure.is(n, n, true) || len(c.Factors) != 1) {
		return "a covariance of the noise of the wrong shape"
	}
	if c.Whitened && (len(c.Factors) != 1 || c.Structure.rows > 0 || c.Factors[0].K.rows > 0) {
		return "a covariance of the noise beside features that have it"
	}
	return c.validateResiduals()
}

func (c *Contents) validateShapes() string {
	n, count := int64(c.Points), len(c.Shapes)
	if len(c.Factors) > 0 || c.Whitened || !c.Structure.is(n, n, true) || len(c.Bends) != count || int64(len(c.Shares)) != int64(1+c.Inducing)*int64(1+count) {
		return "sums of covariances of the wrong shape"
	}
	for i := range c.Shapes {
		if !c.Shapes[i].is(n, n, true) {
			return text.Sprintf("covariance %d of the wrong shape", i)
		}
	}
	return ""
}

func (c *Contents) validateResiduals() string {
	n, dy := int64(c.Points), int64(c.Channels)
	if c.Residuals.rows > 0 && (!c.Residuals.is(int64(c.Examples), dy*n, false) || c.Structure.rows == 0 && !c.Whitened) {
		return "residuals of the wrong shape, or beside white noise"
	}
	if c.Filled.rows > 0 && (!c.Filled.is(int64(c.Examples), dy*n, false) || c.Residuals.rows == 0) || c.Alike.rows > 0 && !c.Alike.is(n, n, true) || c.Filled.rows > 0 != (c.Alike.rows > 0) {
		return "variances of what was filled in of the wrong shape, or without residuals"
	}
	return ""
}

func (c *Contents) validateNumbers() string {
	positive := [][]float64{c.Scale, c.RBF, c.Linear, c.Bias, c.S, c.Spacings, c.TrainingSpacings, c.Lengths, c.Tapers, {c.Beta, c.Precision}}
	finite := [][]float64{c.Mean, c.Z, c.Coord, c.Mu, c.Coordinates, c.Shares}
	finite = append(finite, c.Scores, c.Spreads, []float64{c.About.Low, c.About.High, c.About.First, c.About.Last})
	notNegative := [][]float64{c.Latent, c.Lambda, c.Bends, c.Calibration, c.Partly, {c.Counted}}
	for _, list := range []struct {
		of   [][]float64
		ok   func(v float64) bool
		want string
	}{
		{positive, func(v float64) bool { return v > 0 && !math.IsInf(1/v, 0) }, "a positive number"},
		{finite, func(float64) bool { return true }, "a finite number"},
		{notNegative, func(v float64) bool { return v >= 0 }, "0 or more"},
	} {
		for _, values := range list.of {
			for _, v := range values {
				if v-v != 0 || !list.ok(v) {
					return text.Sprintf("the number %v, expected %s", v, list.want)
				}
			}
		}
	}
	if n := len(c.Spreads); len(c.Scores) > 0 && n != 5 || n > 0 && !(c.Spreads[1] > 0 && c.Spreads[3] > 0 && c.Spreads[4] > 0) {
		return text.Sprintf("%d spreads of scores, expected 5 positive ones", n)
	}
	for _, k := range [...][]float64{c.Calibration, c.Partly} {
		if n := len(k); n != 0 && n != 3 {
			return text.Sprintf("%d numbers of a calibration, expected 3", n)
		}
	}
	if l := &c.Learning; l.Sums.rows > 0 {
		white := c.Structure.rows == 0 && !c.Whitened && c.Time.Variance == 0 && l.Jitter >= 0 && l.Floor >= 0 && l.Floor*c.Beta < 1 && l.Trace > 0
		if !white || len(l.Totals) != 4 || !l.Sums.is(int64(c.Inducing), int64(len(c.Lambda))*int64(c.Channels), false) {
			return "sums of examples that do not go with the model"
		}
	}
	if of, n, all := &c.Innovations, int64(c.Points), int64(c.Points)*int64(c.Channels); of.rows > 0 && !of.is(n, n, true) && !(all <= mostJoint && of.is(all, all, true)) {
		return "second moments of innovations of the wrong shape"
	}
	if len(c.RBF)+len(c.Linear)+len(c.Bias) == 0 && c.Time.Variance == 0 {
		return "a latent kernel without parts"
	}
	return ""
}

// maxStates bounds the states of a kernel in time.
const maxStates = 1 << 10

func (t *Time) validate(latents, inducing int) string {
	if n := len(t.Systems); n > 1 && n != latents || n == 0 && len(t.Ends) > 0 {
		return text.Sprintf("%d kernels in time of %d latent dimensions", n, latents)
	}
	lists := [][]float64{{t.Spacing}, t.Inducing, t.Labels}
	for i := range t.Systems {
		s := &t.Systems[i]
		n := len(s.Output)
		if n < 1 || n > maxStates || len(s.Input) != n || len(s.Generator.Data) != n*n {
			return text.Sprintf("a kernel in time of %d, %d and %d numbers, expected s×s, s and s", len(s.Generator.Data), n, len(s.Input))
		}
		s.Generator = mat.NewDense(n, n, s.Generator.Data)
		lists = append(lists, s.Generator.Data, s.Output, s.Input)
	}
	for _, e := range t.Ends {
		if len(e.State) != infer.StateNumbers(t.Systems, latents) {
			return "the end of a sequence of the wrong shape"
		}
		lists = append(lists, []float64{e.Time}, e.State)
	}
	for _, list := range lists {
		for _, v := range list {
			if v-v != 0 {
				return text.Sprintf("the number %v, expected a finite number", v)
			}
		}
	}
	return t.validatePart(inducing)
}

func (t *Time) validatePart(inducing int) string {
	if t.Variance == 0 && t.Part == "" && len(t.Inducing) == 0 && len(t.Labels) == 0 {
		return ""
	}
	part := psi.Time{Variance: t.Variance}
	var err error
	if part.Kernel, err = kernel.Parse(t.Part); err == nil {
		err = psi.Kernel{Parts: []psi.Part{&part}}.Validate(1, true)
	}
	if err != nil {
		return err.Error()
	}
	if len(t.Inducing) != inducing || len(t.Labels) != inducing {
		return text.Sprintf("%d times of inducing points, expected %d", len(t.Inducing), inducing)
	}
	return ""
}

// MaxFactors is how many spatial factors there are at most.
const MaxFactors = 8

// bent is λ/(1 + κλ).
func bent(lambda, bend float64) float64 { return lambda / (1 + float64(bend*lambda)) }
