package detail

import "github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"

// An EnergyLoss measures how much less energy predictions have than frames: where contents are unsure, a mean shows less texture
// than there is, and what finer pixels show would be taken for less than it is.
type EnergyLoss struct {
	missing, errors float64 // sums of what means lack in local energy, and of squared errors, over the mean local energies of the channels
}

// Add takes in a frame of training pixels that was left out, and what was predicted.
func (l *EnergyLoss) Add(d *Detail, truth, predicted frame.Frame) {
	if len(d.Energy) == 0 {
		return
	}
	shown, lacking := d.localEnergy(truth.View()), d.localEnergy(predicted.View())
	per := float64(truth.Width*truth.Height) / float64(shown.Width*shown.Height)
	for k, v := range shown.Data {
		l.missing += per * (v - lacking.Data[k]) / max(d.meanLocal(k%shown.Channels), LeastScale)
	}
	for k, v := range truth.Mean.Data {
		l.errors += frame.Square(v-predicted.Mean.Data[k]) / max(d.meanLocal(k%shown.Channels), LeastScale)
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
