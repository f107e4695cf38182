package evaluate

var (
	Quantile           = quantileOf
	NegativeLogDensity = negativeLogDensity
)
