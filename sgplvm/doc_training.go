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
// How long the joint schedule takes for a number of steps, and how long the
// alternating one until its bound is at most 0.1 % below (relative to the bound, which is
// far from 0 in all of them), measured in processor seconds on one core of a Zen 4 with
// 30 latent dimensions, up to 100 inducing points, a warm-up of at most 300 steps and seed 0:
//
//	                       joint                             alternating
//	data                   steps    bound  evaluations  s    steps    bound  evaluations  s
//	Frey faces, 50           400    −9494      413    4.7      393    −9503      412    1.5
//	28×20, one factor       1000    −8470     1040   31.6      947    −8478     1031    6.5
//	Frey faces, 200          400   −17290      435   11.2      399   −17290      440    7.3
//	                        1000   −13562     1072   55.2      998   −13575     1126   22.9
//	sea temperature, 54      400   221244      415    1.9      378   221073      401    1.6
//	18×113, two factors     1000   236716     1036    7.0      644   236488      698    3.5
//	elliptic, 64             400  1577707      420    4.0      331  1576674      380    2.8
//	65×65, two factors      1000  1636408     1028   13.7      430  1634836      501    3.9
//	elliptic, 256            400  3195482      415   19.8      399  3192894      436   15.2
//
// Where space is dear, the steps with space held are an order of magnitude
// cheaper; elsewhere the alternation still gains, since each of its steps solves an
// easier problem. That holds as long as each phase keeps its L-BFGS pairs: with fresh ones
// the alternation falls behind. Rounds of 10 to 40 steps with space held,
// with 3 to 10 joint ones or with 2 to 5 that hold the latent variables, and rounds
// that begin with the joint steps, end within 1 % of one another on 50 faces; on the
// temperatures and the elliptic solutions 20 and 3 came out first most often.
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
// (above its floor) by four, holds it for at least a quarter of the steps and sets it free again, twice
// at most; the steps that were lost are granted again. The best bound of all is kept
// and FitResult.Warnings tells of it. (Shorter dips are common where the
// noise was held far below its true value; they pass by themselves.)
//
// With FitOptions.Restarts several starts take a tenth of the steps each, and the
// one with the highest bound goes on exactly as if it had been alone. Of four starts, at the
// default of 400 steps and two seeds, that raised the final bound by 0.5 % on 50 faces and
// by 2 % on the temperatures; on 64 elliptic solutions, whose bound is still climbing
// fast at the end, it came out 3 % and 14 % lower: the best start after a
// tenth of the steps need not be the best in the end.
//
// Nothing of this looks at the time: the same data, options and seed give the same model.
package sgplvm
