package mixture

// leftOutErrors are those of frames that were left out between others: of each frame products of the errors, level by level.
type leftOutErrors []frameErrors

// frameErrors are the products of the errors of a frame, level by level.
type frameErrors [mixtureLevels]products

// weights returns those of all levels of least squared error, without the predictions before first.
func (l leftOutErrors) weights(first int) (levels []weights) {
	var of frameErrors
	var all products
	for i := range l {
		for k := range of {
			of[k].join(&l[i][k], 1)
			all.join(&l[i][k], 1)
		}
	}
	for _, p := range of {
		p.join(&all, 1e-9) // a level that has no values has those of all
		p.joinUsual(len(l), first)
		levels = append(levels, simplexWeights(&p.plain, first))
	}
	return levels
}
