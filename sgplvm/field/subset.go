package field

// Subset are some of the examples of a source, in the order of their numbers.
type Subset struct {
	Examples Source
	Numbers  []int
}

// Dims returns the number of the subset's examples, and those of points and channels.
func (s Subset) Dims() (examples, points, channels int) {
	_, points, channels = s.Examples.Dims()
	return len(s.Numbers), points, channels
}

// ReadExamples sets dst to the values of the examples from ≤ i < to of the subset.
func (s Subset) ReadExamples(dst []float64, from, to int) error {
	_, points, channels := s.Examples.Dims()
	n := points * channels
	for i := from; i < to; i++ {
		if err := s.Examples.ReadExamples(dst[(i-from)*n:(i-from+1)*n], s.Numbers[i], s.Numbers[i]+1); err != nil {
			return err
		}
	}
	return nil
}
