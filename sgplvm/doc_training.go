// # Training
//
// Fit maximises the bound with L-BFGS in two stages.
//
// The warm-up holds the noise and the spatial kernels. Only then do the latent
// variables have to find structure: with the noise free from the first step, the
// nearest way up may be to explain everything as noise. It also costs least,
// because the spatial factors and the data in their eigenbasis stay as they are.
//
// After it everything is free. Moving a spatial length scale costs an
// eigenproblem of each factor and a contraction of all data, so the alternating
// schedule (Alternating, the default) takes 20 steps with space held and 3
// with everything free, in turn, each of the two going on with its own L-BFGS
// pairs from where it was left. The joint schedule (Joint) frees everything in
// every step. A round that gains nothing ends the alternation; since it holds
// steps with everything free, it ends at a stationary point of the whole.
//
// Measured on one core of a Zen 4 at 3 GHz to 4 GHz, times in seconds of the processor,
// 30 latent dimensions, up to 100 inducing points, seed 0, a warm-up of at most 300 steps:
//
//	                                       joint                  alternating
//	data                  steps   bound     evals  time    bound     evals  time
//	Frey faces, 50          400    −9514.3    422   5.0     −9504.5    432   1.7
//	28×20, one factor      1000    −8492.9   1051  30.0     −8527.3   1108   7.1
//	Frey faces, 200         400   −17344.3    438  11.2    −17263.5    445   7.4
//	                       1000   −13597.6   1086  47.4    −13573.7   1125  22.7
//	sea temperature, 54     400   219626      417   2.2    222282      427   1.9
//	18×113, two factors    1000   235557     1036   7.2    242359     1105   5.4
//	elliptic, 64            400  1588372      420   5.1   1591062      442   3.6
//	65×65, two factors     1000  1619105     1029  15.2   1696145     1126   9.9
//
// Where space is dear, the steps with space held are an order of magnitude
// cheaper; elsewhere the alternation still gains, since each step of it solves an
// easier problem. Fresh pairs in every phase lose all of that. Rounds of 10 to
// 40 steps with space held, of 3 to 10 joint ones or of 3 with the latent variables
// held, and rounds that begin with the joint steps, lie within a percent of one another
// on the faces; on the other two a round of 20 and 3 was the best in most runs.
//
// # How training looks after itself
//
// A phase ends as stalled when the bound gains no more than a tolerance in ten
// steps, relative to the bound or, as a bound may be near 0, to the number of
// data if that is larger: 1e-4 in the warm-up, which is a preparation, 1e-7
// after it, for a whole round of the alternation also. A line search that fails
// drops the L-BFGS pairs and tries the gradient before its phase ends. FitResult
// tells how each phase went.
//
// A guard watches the signal-to-noise ratio β·var(Y). Below 1.5 for 25 steps in a
// row, or at the end, the model has collapsed: it explains the data as noise.
// Training then goes back to where the noise was set free, divides the noise variance
// by four, holds it for at least a quarter of the steps and sets it free again, twice
// at most; the steps that were lost are granted again. The best bound of all is kept
// and FitResult.Warnings tells of it. (Shorter dips are common where the
// noise was held far below its true value; they pass by themselves.)
//
// With FitOptions.Restarts several starts take a tenth of the steps each, and the
// one with the highest bound goes on exactly as if it had been alone.
//
// Nothing of this looks at the time: the same data, options and seed give the same model.
package sgplvm
