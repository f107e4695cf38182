package motion

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/chol"
	"github.com/seed-08962ecc/kronfield/mat"
)

// FieldPaths draws the displacements of a sequence, given by its label, at some times together, count times: path k has a
// Field for each time, without covariance. normal(k) returns independent standard normal numbers for path k.
// Deviations from the mean of Fields that would fold the frame over are halved, at all times of a path, until
// they do not. Errors: those of Fields.
func (m *Motion) FieldPaths(label int, times []float64, count int, normal func(k int) func() float64) ([][]Field, error) {
	mean, err := m.Fields(label, times)
	if err != nil {
		return nil, err
	}
	paths := make([][]Field, count)
	if m.Still() {
		for k := range paths {
			paths[k] = mean
		}
		return paths, nil
	}
	shots, err := m.shots(label)
	if err != nil {
		return nil, err
	}
	root := mat.New(len(times), len(times))
	eachShot(shots, times, func(s Sequence, own []float64, places []int) {
		part := m.process.deviations(s.Times, own)
		for i, p := range places {
			for j, q := range places[:i+1] {
				root.Set(p, q, part.At(i, j))
			}
		}
	})
	for k := range paths {
		paths[k] = m.deviate(mean, root, normal(k))
	}
	return paths, nil
}

// deviations returns a root of the covariance of the process at some times given estimates at others.
func (p process) deviations(known, times []float64) mat.Matrix {
	cross := mat.New(len(known), len(times))
	p.correlations(cross, known, times)
	p.factorize(known).SolveHalf(cross)
	k := mat.New(len(times), len(times))
	p.correlations(k, times, times)
	mat.Syrk(k, -1, cross.T(), 1)
	f, _, err := chol.FactorizeJitter(k, []float64{1e-12, 1e-10, 1e-8, 1e-6})
	if err != nil {
		panic(fmt.Sprintf("film: displacements at %d times: %v", len(times), err)) // correlations of finite times
	}
	return f.L()
}

// deviate returns fields around their means: root·Z for each of a node's components, which have their covariance.
func (m *Motion) deviate(mean []Field, root mat.Matrix, normal func() float64) []Field {
	nodes := m.Lattice.nodes()
	z := mat.New(len(mean), m.Lattice.size())
	for i := range z.Data {
		z.Data[i] = normal()
	}
	d := mat.New(z.Rows, z.Cols)
	mat.Mul(d, 1, root, z, 0)
	for j := range nodes {
		a, b, c := rootOf2(m.covariance[j], m.covariance[nodes+j], m.covariance[2*nodes+j])
		for i := range d.Rows {
			row := d.Row(i)
			row[j], row[nodes+j] = a*row[j], b*row[j]+c*row[nodes+j]
		}
	}
	path := make([]Field, len(mean))
	for scale, tries := 1., 0; ; scale, tries = scale/2, tries+1 {
		if tries == 10 {
			scale = 0
		}
		folds := false
		for i, f := range mean {
			path[i] = Field{Across: f.Across, Down: f.Down, Mean: plus(f.Mean, scale, d.Row(i)), Covariance: make([]float64, len(f.Covariance)), Aspect: f.Aspect}
			folds = folds || !m.Lattice.valid(path[i].Mean)
		}
		if !folds || scale == 0 {
			return path
		}
	}
}
