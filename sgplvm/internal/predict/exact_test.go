package predict

// Dense formulas, definitions and 50-digit references are held to by covariances as they are, of all examples and all points.
func init() { shapeTolerance, partNeighbours, mostExamples = 0, 0, 0 }
