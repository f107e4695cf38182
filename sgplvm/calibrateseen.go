package sgplvm

// calibrateSeen calibrates the variances of an example of known time that was seen in part, in the
// user's units. Calibration is about what is said of a time at which nothing was seen; what the
// example's own values say of one another it does not know. With v the variance given these
// values, v_0 that of the time alone and c its calibrated one, the part of v that is as uncertain
// as before is taken to err as the time alone did:
//
//	v·(1 + (c/v_0 − 1)·v/v_0)
//
// which is c where nothing was seen, and v where what was seen decides.
func (m *Model) calibrateSeen(q *posterior, e *example, p Prediction) {
	c := m.calibration
	at := e.prior.when()
	if c == nil || at == nil {
		return
	}
	alone := q.marginal(e.on, q.momentsOf(e.prior.latent(q.params.Mu.Cols)))
	m.toUserUnits(alone, 1)
	calibrated := alone.Variance.Clone()
	c.apply(calibrated, c.at(e.on.grid), 0, c.unrest.at(*at, q.params.Dynamics.Instants(), -1))
	for i := range calibrated.Rows {
		for k, v := range p.Variance.Row(i) {
			v0 := alone.Variance.At(i, k)
			p.Variance.Set(i, k, v*(1+(calibrated.At(i, k)/v0-1)*min(1, v/v0)))
		}
	}
}
