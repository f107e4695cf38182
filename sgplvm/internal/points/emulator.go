package points

import (
	"math"

	"github.com/seed-08962ecc/kronfield/asm"
	"github.com/seed-08962ecc/kronfield/internal/text"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// An Emulator is a compiled model of known inputs (docs/math.md, section 24): its file, and what predicts from that. n is the number of runs, d of input numbers ξ, J of
// coordinates of outputs.
type Emulator struct {
	Label                     string
	Points, Channels, Modes   int
	Names                     []string  // of the inputs, of which the last Fields are coordinates of fields with no name
	Low, High                 []float64 // range of each named input over the runs
	Logs                      []float64 // 1 where the logarithm of an input counts, else 0
	Mean, Scale               []float64 // ξ = (input − Mean)/Scale
	FieldWeights              Table     // ξ of an input field f is Wᵀ·f + offset: values×c; 0×0: there are none
	FieldOffset               []float64
	Runs                      []float64 // ξ of the runs, d×n
	Groups                    []EmulatorGroup
	Factor                    float64   // of variances
	V                         Table     // components in the user's units, values×J
	Centre, Left              []float64 // values
	Unseen                    []float64 // values that no run has
	Transforms                []float64 // of each channel (work.Transform), whose t all of this is about; none: of no channel
	runs, v, squares, weights mat.Matrix
}

// An EmulatorGroup is modes that share a kernel w·k(ξ, ξ′) + (1 − w)·Σ_q u_q·ξ_q·ξ′_q, with eigenvectors of it in rows, m×n.
type EmulatorGroup struct {
	Form                  int // 0: rbf, 1: matern52, 2: product
	Share                 float64
	Scales, Parts, Linear []float64
	Modes, A, R, Lambda   []float64
	U, Alpha              Table // m×n, modes×n
	u, alpha, inverse     mat.Matrix
}

// emulatorMagic begins the file of an emulator.
const emulatorMagic = 0x554d45454e4f524b // "KRONEEMU"

func (c *Emulator) visit(f codec) {
	f.label(&c.Label)
	for _, v := range []*int{&c.Points, &c.Channels, &c.Modes} {
		f.integer(v)
	}
	if n := f.count(len(c.Names)); len(c.Names) != n {
		c.Names = make([]string, n)
	}
	for i := range c.Names {
		f.label(&c.Names[i])
	}
	for _, v := range []*[]float64{&c.Low, &c.High, &c.Logs, &c.Mean, &c.Scale, &c.FieldOffset, &c.Runs, &c.Centre, &c.Left, &c.Unseen} {
		f.numbers(v)
	}
	f.number(&c.Factor)
	f.table(&c.FieldWeights)
	f.table(&c.V)
	if n := f.count(len(c.Groups)); len(c.Groups) != n {
		c.Groups = make([]EmulatorGroup, n)
	}
	for k := range c.Groups {
		g := &c.Groups[k]
		f.integer(&g.Form)
		f.number(&g.Share)
		for _, v := range []*[]float64{&g.Scales, &g.Parts, &g.Linear, &g.Modes, &g.A, &g.R, &g.Lambda} {
			f.numbers(v)
		}
		f.table(&g.U)
		f.table(&g.Alpha)
	}
}

// EncodeEmulator returns the file of an emulator with large tables of a type, but for α, of which sums of large numbers of either sign are taken.
func EncodeEmulator(c *Emulator, kind Type) []byte {
	c.V, c.FieldWeights = c.V.shorter(kind), c.FieldWeights.shorter(kind)
	for k := range c.Groups {
		c.Groups[k].U = c.Groups[k].U.shorter(min(kind, Float32)) // variances are small differences
	}
	w := &writer{b: make([]byte, headerBytes)}
	c.visit(w)
	if len(c.Transforms) > 0 {
		w.numbers(&c.Transforms)
	}
	return w.sealed(emulatorMagic)
}

// DecodeEmulator reads a file.
func DecodeEmulator(file []byte) (*Emulator, *FileError) {
	r, err := newReader(file, emulatorMagic, "expected the beginning of a compiled emulator")
	if err != nil {
		return nil, err
	}
	c := new(Emulator)
	if c.visit(r); r.err == nil && r.at < len(file) {
		r.numbers(&c.Transforms)
	}
	if r.err == nil && r.at != len(file) {
		r.fail(text.Sprintf("%d bytes too many", len(file)-r.at))
	}
	if r.err == nil {
		if why := c.open(); why != "" {
			r.fail(why)
		}
	}
	return c, r.err
}

// open checks what was read, and sets matrices of 64 bits.
func (c *Emulator) open() string {
	d, values := len(c.Mean)+c.FieldWeights.cols, int64(c.Points)*int64(c.Channels)
	n := 0
	if d > 0 {
		n = len(c.Runs) / d
	}
	switch {
	case c.Points < 1 || c.Channels < 1 || c.Modes < 1 || !c.V.is(values, int64(c.Modes), false) || int64(len(c.Centre)) != values || int64(len(c.Left)) != values:
		return "outputs of which the parts do not fit together"
	case len(c.Transforms) != 0 && len(c.Transforms) != c.Channels:
		return "transforms of other channels"
	case d < 1 || n < 1 || len(c.Runs) != d*n || len(c.Scale) != len(c.Mean) || len(c.Names) != len(c.Mean) || len(c.Low) != len(c.Mean) || len(c.High) != len(c.Mean) || len(c.Logs) != len(c.Mean) || len(c.FieldOffset) != c.FieldWeights.cols:
		return "inputs of which the parts do not fit together"
	}
	for _, v := range c.Unseen {
		if !(v >= 0 && v < float64(values)) {
			return text.Sprintf("value %v that no run has", v)
		}
	}
	for k := range c.Groups {
		if !c.Groups[k].open(d, n, c.Modes) {
			return text.Sprintf("group %d: parts that do not fit together", k)
		}
	}
	c.runs, c.v, c.weights = mat.NewDense(d, n, c.Runs), c.V.matrix(), c.FieldWeights.matrix()
	c.squares = mat.New(c.v.Rows, c.v.Cols)
	mat.MulElem(c.squares, c.v, c.v)
	return ""
}

func (g *EmulatorGroup) open(d, n, modes int) bool {
	count, m := len(g.Modes), g.U.rows
	parts := 0
	if g.Form == 2 {
		parts = d
	}
	if g.Form > 2 || len(g.Scales) != d || len(g.Parts) != parts || len(g.Linear) != d || len(g.A) != count || len(g.R) != count || len(g.Lambda) != m ||
		m > 0 && !g.U.is(int64(m), int64(n), false) || count > 0 && !g.Alpha.is(int64(count), int64(n), false) {
		return false
	}
	for _, j := range g.Modes {
		if !(j >= 0 && j < float64(modes)) {
			return false
		}
	}
	g.u, g.alpha, g.inverse = g.U.matrix(), g.Alpha.matrix(), mat.New(count, m)
	for i, r := range g.R {
		for l, lambda := range g.Lambda {
			if !(lambda+r > 0) {
				return false
			}
			g.inverse.Set(i, l, 1/(lambda+r))
		}
	}
	return true
}

// Inputs returns how many numbers an input has, those of a field included.
func (c *Emulator) Inputs() int { return len(c.Mean) + c.weights.Rows }

// An EmulatorRoom is what one prediction works in.
type EmulatorRoom struct {
	c              *Emulator
	x              []float64
	k, form, part  []float64 // n
	ku, ofModes    []float64 // m, and modes of a group
	mean, variance []float64 // J
	values         []float64 // of the variances of transformed values, which means depend on
}

// NewRoom returns room for predictions.
func (c *Emulator) NewRoom() *EmulatorRoom {
	d, n := c.runs.Rows, c.runs.Cols
	r := &EmulatorRoom{c: c, x: make([]float64, d), k: make([]float64, n), form: make([]float64, n), part: make([]float64, n), ku: make([]float64, n),
		ofModes: make([]float64, c.Modes), mean: make([]float64, c.Modes), variance: make([]float64, c.Modes)}
	if len(c.Transforms) > 0 {
		r.values = make([]float64, len(c.Centre))
	}
	return r
}

// Predict sets mean and, unless it is nil, variance to those of the output for an input, in the user's units; NaN where no run has a value.
func (r *EmulatorRoom) Predict(mean, variance, input []float64) {
	c, table := r.c, len(r.c.Mean)
	for q := range table {
		v := input[q]
		if c.Logs[q] > 0 {
			v = math.Log(v)
		}
		r.x[q] = (v - c.Mean[q]) / c.Scale[q]
	}
	if c.weights.Rows > 0 {
		mat.Mul(mat.Vector(r.x[table:]), 1, c.weights.T(), mat.Vector(input[table:]), 0)
		asm.Axpy(1, c.FieldOffset, r.x[table:])
	}
	of := variance
	if len(c.Transforms) > 0 && of == nil {
		of = r.values // which means depend on
	}
	clear(r.mean)
	clear(r.variance)
	for k := range c.Groups {
		r.group(&c.Groups[k], of != nil)
	}
	asm.DotRows(mean, c.v.Data, c.Modes, r.mean)
	asm.Axpy(1, c.Centre, mean)
	if of != nil {
		asm.Scale(r.variance, c.Factor, r.variance)
		asm.DotRows(of, c.squares.Data, c.Modes, r.variance)
		asm.Axpy(1, c.Left, of)
	}
	if len(c.Transforms) > 0 {
		for i, v := range mean {
			mean[i], of[i] = work.Transform(c.Transforms[i%c.Channels]).Moments(v, of[i])
		}
	}
	for _, v := range c.Unseen {
		if mean[int(v)] = math.NaN(); variance != nil {
			variance[int(v)] = math.NaN()
		}
	}
}

// group sets the means of a group's modes, and their variances where they are asked for.
func (r *EmulatorRoom) group(g *EmulatorGroup, variances bool) {
	own, of := r.kernel(g), r.ofModes[:len(g.Modes)]
	asm.DotRows(of, g.alpha.Data, len(r.k), r.k)
	for i, j := range g.Modes {
		r.mean[int(j)] = of[i]
	}
	if !variances {
		return
	}
	ku := r.ku[:g.u.Rows]
	asm.DotRows(ku, g.u.Data, len(r.k), r.k)
	asm.MulTo(ku, ku, ku)
	asm.DotRows(of, g.inverse.Data, len(ku), ku)
	for i, j := range g.Modes {
		r.variance[int(j)] = g.A[i] * (max(0, own-of[i]) + g.R[i])
	}
}

// kernel sets k between x and the runs, and returns that of x and itself.
func (r *EmulatorRoom) kernel(g *EmulatorGroup) float64 {
	product, linear := g.Form == 2, 0.0
	for i := range r.form {
		r.k[i], r.form[i] = 0, float64(g.Form/2)
	}
	for q, v := range r.x {
		runs, inverse := r.c.runs.Row(q), 1/g.Scales[q]
		if product {
			for i, z := range runs {
				d := (v - z) * inverse
				r.part[i] = -0.5 * d * d
			}
			asm.Exp(r.part, r.part)
			s := g.Parts[q]
			for i, e := range r.part {
				r.form[i] *= 1 - s + float64(s*e)
			}
		} else {
			for i, z := range runs {
				d := (v - z) * inverse
				r.form[i] += float64(d * d)
			}
		}
		asm.Axpy((1-g.Share)*g.Linear[q]*v, runs, r.k)
		linear += g.Linear[q] * v * v
	}
	switch g.Form {
	case 0:
		asm.Scale(r.form, -0.5, r.form)
		asm.Exp(r.form, r.form)
	case 1:
		asm.ExpSqrt(r.form, r.form, 5, 1, 1, 1./3)
	}
	asm.Axpy(g.Share, r.form, r.k)
	return g.Share + (1-g.Share)*linear
}
