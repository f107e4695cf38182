package flow

// An EnergyLoss measures how much less energy predictions have than frames: where contents are unsure, a mean shows less texture
// than there is, and what finer pixels show would be taken for less than it is.
type EnergyLoss struct {
	missing, errors float64 // sums of what means lack in energy, and of squared errors, in the mean energies of the channels
}

// Add takes in a frame of training pixels that was left out, and what was predicted.
func (l *EnergyLoss) Add(d *Detail, truth, predicted Frame) {
	if len(d.energy) == 0 {
		return
	}
	shown, lacking := octaveEnergy(truth.view()), octaveEnergy(predicted.view())
	per := float64(truth.Width*truth.Height) / float64(shown.width*shown.height)
	for k, v := range shown.data {
		l.missing += per * (v - lacking.data[k]) / max(d.energy[k%shown.channels], leastScale)
	}
	for k, v := range truth.Mean.Data {
		l.errors += square(v-predicted.Mean.Data[k]) / max(d.energy[k%shown.channels], leastScale)
	}
}

// Detail returns the detail with what was measured.
func (l *EnergyLoss) Detail(d *Detail) *Detail {
	if !(l.missing > 0) || !(l.errors > 0) {
		return d
	}
	complete := *d
	complete.lost = min(l.missing/l.errors, mostLost)
	return &complete
}
