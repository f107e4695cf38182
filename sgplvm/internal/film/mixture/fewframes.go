package mixture

// Few frames that are left out tell little of weights. So to their errors come those usual in films of all kinds, as many as one frame has.
//
// Of a shot of three frames only the middle one can be left out between others. It lies where displacements are 0 in the mean, so that the model seems to know it, and
// is far off elsewhere: where no shot has more than three frames the model has no weight, and beyond the ends the nearest frame predicts. Of two frames there is none to
// leave out. Where no shot has more the dense flow predicts.
//
// Numbers are those of 28 films of all kinds (docs/measurements.md, 13.3).

// usualErrors are the usual products of errors of model, linear interpolation, nearest frame and dense flow, over the squared ones of the flow.
var usualErrors = [1 + others][1 + others]float64{
	{1.5},
	{1.3, 1.75},
	{1.3, 1.8, 4},
	{0.92, 0.93, 0.95, 1},
}

// joinUsual adds usual errors: those of one frame, with a flow as good as the best mixture is, without the predictions before first.
func (p *products) joinUsual(first int) {
	best := simplexWeights(&p.plain, first)
	flow := quadratic(&p.plain, &best) / p.frames
	for i, row := range usualErrors {
		for j, v := range row[:i+1] {
			p.plain[i][j] += flow * v
		}
	}
}

// fewLaw is the law where no frame can be left out: what is the same everywhere, and what multiplies the mismatch and the slope half way between frames.
var fewLaw = varianceLaw{everywhere: 3e-4, byMismatch: 1, bySlope: 0.0025}

// lawsOfFew returns the law of each of some channels between frames.
func lawsOfFew(channels int) (laws []varianceLaw) {
	for range channels {
		laws = append(laws, fewLaw)
	}
	return laws
}
