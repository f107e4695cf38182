package emulator

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/journal"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/work"
)

// A Data is runs of a simulator.
type Data struct {
	Columns []Column
	Fields  *data.Scaled // inputs that are fields; nil: none
	Outputs *data.Scaled
}

// Fit chooses and fits a model. Errors: *InputError, *field.ConfigError, those of reading and of ctx.
func Fit(ctx context.Context, d Data, o Options) (*Model, error) {
	n := d.Outputs.Examples
	if n > exactRuns {
		return fitMany(ctx, d, o)
	}
	list, err := encodings(d.Columns)
	if err != nil {
		return nil, err
	}
	in := &Inputs{columns: list}
	if in.Numbers, in.Fixed, in.Errors, err = encode(list, d.Columns, n); err != nil {
		return nil, err
	}
	in.start()
	if d.Fields != nil {
		if in.Gram, err = d.Fields.Gram(); err != nil {
			return nil, err
		}
	}
	out, err := outcomeOf(ctx, in, d.Outputs, nil)
	if err != nil {
		return nil, err
	}
	if err := in.inferOnce(ctx, out.gram, o.Journal, o.Seed); err != nil {
		return nil, err
	}
	groups := in.groups()
	if distinct(groups) < 3 {
		return nil, &field.ConfigError{Field: "Inputs", Err: fmt.Errorf("%d different inputs of %d runs, expected at least 3", distinct(groups), n)}
	}
	runs := sample(n, foldRuns, o.Seed)
	validate := func(in *Inputs, out *outcome) *Validator {
		j := NewValidator(in.some(runs), submatrix(out.gram, runs), out.y.Size(), gather(groups, runs), o.Seed)
		j.journal = o.Journal
		return j
	}
	validator := validate(in, &out)
	if err := out.transform(ctx, in, d.Outputs, &validator, runs, validate); err != nil {
		return nil, err
	}
	if logs := logarithms(list); logs != nil {
		other := *in
		other.columns = logs
		if other.Numbers, _, other.Errors, err = encode(logs, d.Columns, n); err != nil {
			return nil, err
		}
		other.start()
		if err := other.inferOnce(ctx, out.gram, o.Journal, o.Seed); err != nil {
			return nil, err
		}
		by := validate(&other, &out)
		if better, err := by.beats(ctx, validator); err != nil {
			return nil, err
		} else if better {
			list, in, validator = logs, &other, by
		}
	}
	best, err := validator.Choose(ctx, o)
	if err != nil {
		return nil, err
	}
	m := &Model{Kernel: best.Name, Encodings: list, Points: d.Outputs.Points, Scaler: out.y.Scaler, Unseen: out.unseen, Transforms: out.by}
	if m.Errors, err = validator.errors(ctx, best, runs); err != nil {
		return nil, err
	}
	basis, err := m.train(ctx, in, out.gram, d.Fields, best, o)
	if err != nil {
		return nil, err
	}
	return m, m.outputs(ctx, out.y, basis, validator, best, runs)
}

// errors collects the errors of the best choice and of the simplest methods. runs are those of the validator.
func (j *Validator) errors(ctx context.Context, best *Scored, runs []int) (e Errors, err error) {
	simplest, err := j.Simplest(ctx, best.Components)
	if err != nil {
		return e, err
	}
	for _, held := range j.held {
		e.Runs = append(e.Runs, gather(runs, held)...)
	}
	e.Each, e.Mean = best.Errors, best.Mean()
	for _, v := range simplest {
		e.Simplest = append(e.Simplest, Simple{v.Name, v.Mean()})
	}
	return e, nil
}

// train fits the best choice to all runs, its kernels to at most fitRuns of them, and returns the outputs' basis.
func (m *Model) train(ctx context.Context, in *Inputs, gram mat.Matrix, fields *data.Scaled, best *Scored, o Options) (*Basis, error) {
	n, seed := gram.Rows, o.Seed
	all := sample(n, n, seed)
	scaling, err := newScaling(in, all, best.Components)
	if err != nil {
		return nil, err
	}
	m.Mean, m.Scale = scaling.Mean, scaling.Scale
	if fields != nil {
		if m.Fields, err = newFieldBasis(fields, scaling.Fields); err != nil {
			return nil, err
		}
	}
	basis, err := NewBasis(gram, all, modes(n))
	if err != nil {
		return nil, err
	}
	m.Deviations = basis.Deviations
	m.X = scaling.apply(in, all)
	m.P, _ = basis.of(gram, all)
	divide(m.P, basis.Deviations)
	u, some := normalised(m.X, scaling.weights()), sample(n, fitRuns, seed)
	x, p := rows(m.X, some), rows(m.P, some)
	type fitted struct {
		Kernels []*Kernel
		Modes   [][]int
	}
	f, err := journal.Once(o.Journal, "kernels", func() (f fitted, err error) {
		shared, err := sharedKernels{}.of(ctx, x, u, p, best.Choice)
		if err == nil {
			f.Kernels, f.Modes, err = fitKernels(ctx, x, p, best.Choice, shared)
		}
		return f, err
	})
	if err != nil {
		return nil, err
	}
	m.Kernels, m.Modes = f.Kernels, f.Modes
	if err := m.Condition(); err != nil {
		return nil, err
	}
	m.Reach = max(slices.Max(m.nearest(m.X, true)), m.cell(in.Fixed))
	return basis, nil
}

// outputs makes the basis of the outputs, and by what the folds show the variance that it leaves out and the factor of the others.
func (m *Model) outputs(ctx context.Context, y *data.Scaled, basis *Basis, validator *Validator, best *Scored, runs []int) error {
	size := y.Size()
	m.V, m.Centre, m.Left = mat.New(size, basis.Weights.Cols), make([]float64, size), make([]float64, size)
	err := eachSlab(y, func(slab mat.Matrix, from int) error {
		v, mean := basis.expand(slab)
		for k, varies := range variation(slab) {
			if varies == 0 { // what rounding leaves is none
				mean[k] = slab.At(0, k)
				clear(v.Row(k))
			}
		}
		copy(m.Centre[from:], mean)
		for i, x := range v.Data {
			v.Data[i] = float64(float32(x)) // as the file has them
		}
		mat.Copy(m.V.Slice(from, from+v.Rows, 0, v.Cols), v)
		return nil
	})
	if err != nil {
		return err
	}
	var s calibration
	if err := s.collect(ctx, y, validator, best, runs, func(from int, of []float64) { copy(m.Left[from:], of) }, nil); err != nil {
		return err
	}
	m.Factor = 1
	m.Errors.Foretold = s.foretold(m)
	m.Factor = s.factor()
	m.Errors.Covered = s.covered(m.Factor)
	for i := range m.Left {
		m.Left[i] *= m.Factor
	}
	return nil
}

// With returns the model conditioned on more runs at ξ (k×d), with outputs y: encodings, components, kernels and variances stay. Errors: *field.ValueError,
// *field.ConfigError, those of reading.
func (m *Model) With(x mat.Matrix, y field.Source) (*Model, error) {
	n, points, channels := y.Dims()
	if n != x.Rows || points != m.Points || channels != len(m.Scaler.Mean) {
		return nil, &field.ConfigError{Field: "Data", Err: fmt.Errorf("%d outputs of %d points and %d channels, expected %d of %d and %d", n, points, channels, x.Rows, m.Points, len(m.Scaler.Mean))}
	}
	if m.X.Rows+n > maxRuns {
		return nil, &field.ConfigError{Field: "Data", Err: fmt.Errorf("%d runs in all, expected at most %d", m.X.Rows+n, maxRuns)}
	}
	if m.Transforms != nil {
		y = data.Transformed[work.Transform]{Source: y, By: m.Transforms}
	}
	coordinates := FieldBasis{Scaler: m.Scaler, Points: points, V: m.V, Mean: m.Centre}
	p := mat.New(n, m.P.Cols)
	if err := coordinates.coordinates(p, y); err != nil {
		return nil, err
	}
	divide(p, m.Deviations)
	g := *m
	g.X, g.P = below(m.X, x), below(m.P, p)
	return &g, g.Condition()
}

// below returns the rows of a and then those of b.
func below(a, b mat.Matrix) mat.Matrix {
	c := mat.New(a.Rows+b.Rows, a.Cols)
	mat.Copy(c.Slice(0, a.Rows, 0, a.Cols), a)
	mat.Copy(c.Slice(a.Rows, c.Rows, 0, a.Cols), b)
	return c
}

// fitMany is Fit of more than exactRuns runs: that many choose and fit everything, and predictions are conditioned on all. Runs that are not complete are among those
// or left out.
func fitMany(ctx context.Context, d Data, o Options) (*Model, error) {
	n := d.Outputs.Examples
	if n > maxRuns {
		return nil, &field.ConfigError{Field: "Data", Err: fmt.Errorf("%d runs, expected at most %d", n, maxRuns)}
	}
	complete, holed, err := d.complete()
	if err != nil {
		return nil, err
	}
	some := gather(complete, sample(len(complete), exactRuns, o.Seed))
	left := len(holed)
	if lack := min(exactRuns-len(some), left); lack > 0 {
		some, left = append(some, holed[:lack]...), left-lack
		slices.Sort(some)
	}
	first, err := d.of(some)
	if err != nil {
		return nil, err
	}
	m, err := Fit(ctx, first, o)
	if err != nil {
		return nil, err
	}
	further := slices.DeleteFunc(complete, func(i int) bool { _, is := slices.BinarySearch(some, i); return is })
	if len(further) > 0 {
		rest := data.Scaled{Source: field.Subset{Examples: d.Outputs.Source, Numbers: further}}
		columns, fields := d.some(further)
		x, _, err := m.Coordinates(columns, fields, len(further))
		if err != nil {
			return nil, err
		}
		if m, err = m.With(x, rest.Source); err != nil {
			return nil, err
		}
	}
	m.Notes = append(m.Notes, fmt.Sprintf("%d of %d runs chose the kernel and the components; predictions know %d, by %d inducing inputs", len(some), n, m.X.Rows, min(m.X.Rows, exactRuns)))
	if left > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d of %d runs, which lack inputs or outputs, are left out", left, n))
	}
	return m, nil
}

// complete returns the runs of which all inputs are known exactly and all outputs were observed, and the others.
func (d *Data) complete() (list, others []int, err error) {
	return list, others, d.Outputs.EachRows(func(rows mat.Matrix, from int) error {
		for i := range rows.Rows {
			exact := !slices.ContainsFunc(rows.Row(i), func(v float64) bool { return v != v })
			for q := range d.Columns {
				exact = exact && d.Columns[q].exact(from+i)
			}
			if exact {
				list = append(list, from+i)
			} else {
				others = append(others, from+i)
			}
		}
		return nil
	})
}

// some returns the inputs of some runs.
func (d *Data) some(runs []int) (columns []Column, fields field.Source) {
	for q := range d.Columns {
		columns = append(columns, d.Columns[q].Of(runs))
	}
	if d.Fields != nil {
		fields = field.Subset{Examples: d.Fields.Source, Numbers: runs}
	}
	return columns, fields
}

// of returns some runs.
func (d *Data) of(runs []int) (some Data, err error) {
	columns, fields := d.some(runs)
	if some.Columns = columns; fields != nil {
		if some.Fields, err = data.NewScaled(fields); err != nil {
			return some, err
		}
	}
	some.Outputs, err = data.NewScaled(field.Subset{Examples: d.Outputs.Source, Numbers: runs})
	return some, err
}
