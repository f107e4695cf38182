package points

// Quantize gives large tables a type: agreement with tables of 64 bits is within 10⁻⁴ (Float32) or 2·10⁻³ (Float16) of a standard deviation, but of fast models, which promise
// less. In a file of Float16 predictions, of which sums are small differences, and small eigenvalues of covariances need Float32.
func (c *Contents) Quantize(kind Type) {
	all := min(kind, Float32)
	predictions, features := all, all
	if len(c.Shapes) > 0 {
		predictions = kind
	} else if c.Structure.rows == 0 && !c.Whitened {
		features = kind
	}
	for t, kind := range map[*Table]Type{&c.P: predictions, &c.Residuals: predictions, &c.Filled: predictions, &c.Structure: all, &c.Alike: all} {
		*t = t.shorter(kind)
	}
	for i := range c.Factors {
		f := &c.Factors[i]
		f.B, f.K = f.B.shorter(features), f.K.shorter(all)
	}
}
