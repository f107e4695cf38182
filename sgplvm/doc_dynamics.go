// # Latent variables that move over time
//
// With Config.Dynamics examples have times, and a latent variable is a Gaussian process in
// time, x_q(t) ~ GP(0, k), in place of numbers that are independent from example to example
// (Damianou, Titsias and Lawrence, 2011). k is a TimeKernel of unit variance: a Matérn
// kernel, RBF, periodic, sums and products of them; a variance of its own would trade off
// against the latent length scales. Several sequences are independent of one another. The
// posterior of one latent dimension is
//
//	q(x) = N(K·μ̄, (K⁻¹ + Λ)⁻¹)
//
// with the variational parameters μ̄ and a diagonal Λ > 0, 2·n_ξ numbers as before. Only its
// marginals Mu and S enter the psi statistics. Times may be irregular and equal.
//
// Between and beyond the examples LatentAt gives the posterior at any time, for Predict, or, as
// Observed.Prior, for Infer and Impute of a frame that was seen in part. LatentPaths draws
// whole paths, whose points belong together.
//
// # Two forms
//
// K is a matrix, or, for sums and products of Matérn kernels, the output of a linear system
// whose state of s numbers is filtered and smoothed: s is 1, 2 and 3 for Matérn 1/2, 3/2 and
// 5/2, added in sums and multiplied in products (kalman.go). The states take over from
// n = 15·s^1.5 times of a sequence on. The bound's terms with their gradient, in microseconds for each
// latent dimension, on one core of a shared Zen 4 (go test ./sgplvm -run - -bench TimePrior):
//
//	n                     40    80   160   320     960
//	matrix                70   300  1600  8000  160000
//	states, Matérn 1/2    32    52   225   350    1300
//	        Matérn 3/2    79   110   290   560    2200
//	        Matérn 5/2   170   250   400  1200    4600
//	        s = 6        670  1500  2800  9100   17000
//
// Other work ran on the machine; single numbers may be off by half.
//
// Memory, in numbers of 8 bytes: the matrix takes (d_ξ + 6)·n² for the longest sequence and
// d_ξ·n² for each of the others, the states about 4·n·s².
//
// # How it is trained
//
// Training starts with length scales and periods from a grid, under which the three leading
// principal component scores have the highest evidence with a tenth of their variance as
// noise; μ̄ from the scores; Λ so that S is a fifth of the prior variance. A period is best
// given where it is known.
//
// The optimiser sees x = Rᵀ·μ̄ with R·Rᵀ = K + 0.1·I, K at the start, in place of μ̄, and
// logarithms of Λ. Bounds after 400 steps, for nuggets beside the 0.1 and for μ̄ as it is: a bump
// that moves over 100 pictures of 10×12 with a tenth of its height as noise, and the sea temperatures
// below:
//
//	                            μ̄    10⁻⁶    10⁻³    10⁻²     0.1       1
//	bump, Matérn 3/2         −5949   −6549   −5864           −5868
//	      Matérn 5/2         −5950   −7096   −5879           −5871
//	      RBF                −5870   −5860   −5847           −5846
//	      RBF, ℓ = 10        −5914   −5881   −5833           −5836
//	sea, Matérn 3/2         154389  149052  153433  153582  156865  153976
//	     RBF, ℓ = 6         138889   71733  115530  127624  139136  136962
//	     periodic + Mat. 3/2 82839   92130   93420   95227  101998   96795
//	other months, Mat. 3/2  160157  156144  156252  159547  157461  157928
//	     RBF, ℓ = 6         139946   80618  117521  131348  136153  143049
//	     periodic + Mat. 3/2 115479  98250  100119   96246   98019  105650
//
// A small nugget holds on to the kernel of the start: as soon as K becomes another one, R is a
// bad choice. With 0.1 the bound is the highest, or near it, where the latent variables stay smooth,
// and no worse than without R on the whole elsewhere. Variables in which K·μ̄ itself is free,
// x = (K + η·I)·μ̄ with η from 10⁻⁶ to 0.1, gave lower bounds than 0.1 in all but one of these runs on the sea
// temperatures.
//
// Evaluations with Σ|μ̄| > 10⁷ or λ > 10¹³ are refused: rounding could make the divergence
// negative there.
//
// # Sea temperatures
//
// 54 months of 18×113 temperatures between −5° and 4.4° of latitude, of which 14 at random are held
// out; the others train two spatial factors with 400 steps. Means over twelve splits of the RMSE,
// in K (the deviation is 1.9), and of the coverage of intervals of 90 %, with 16 latent dimensions, calibrated;
// LOO is the mean negative log density of examples left out (LeftOutDensities), in nats a value:
//
//	                                                 RMSE   coverage    LOO
//	rbf, matern32, noise floor 0.05                  0.403    0.91     0.40
//	                           0.1                   0.381    0.91     0.40
//	                           0.3                   0.385    0.91     0.41
//	rbf, rbf*periodic(12)+matern32, floor 0.1        0.405    0.90     0.41
//	                                      0.3        0.398    0.88     0.34
//	rbf+time, matern32, no floor                     1.005    0.90     1.33
//	                    floor 0.1                    0.452    0.91     0.47
//	                          0.3                    0.383    0.90     0.40
//
// What a month has beside its neighbours is smooth in space, and the model's noise is white: with
// the noise free it takes all of that into f (the noise falls to 0.03 K), whose time kernels then
// are those of what cannot be predicted, and the bound prefers that: it counts how well the
// values of one month predict one another. The densities of months left out tell, without
// training again. They flatter kernels with more parameters, which were fitted to those months
// too; sgplvm train -time-kernel auto and sgplvm reproduce video therefore prefer the simple candidates,
// in an order that was found on these data, unless a later one is better by two standard errors
// of the mean over months. For sixteen splits, of which the last four had no part in any
// of that, and a period of 12, the mean RMSE of a month in standard deviations:
//
//	                               splits 1 to 12       13 to 16
//	                               RMSE  coverage     RMSE  coverage
//	chosen                         0.190   0.90       0.177   0.92     lower than interpolation's in 15 of 16
//	linear interpolation           0.217   0.91       0.212   0.93
//	mean of the same months        0.624   0.88       0.541   0.92
//
// Where months are seen in part the opposite holds: what is seen tells the rest of what a month has for
// itself, and that must not be noise. With a third of the points of every month seen, at random, no
// floor and a time part, LatentAt as Observed.Prior, four splits:
//
//	                                       RMSE, unseen points    coverage
//	rbf+time, no floor                            0.0348             0.91
//	linear interpolation, GP of the rest          0.0387             0.91
//	linear interpolation                          0.2253             0.89
//
// and where whole regions are missing a floor is better again: with the western third seen, 0.458 without one
// and 0.216 with 0.1. So reproduce video -observed holds out a quarter of the training
// months under the masks of the test months, and chooses by their densities.
//
// Variances given what was seen are right by themselves where that decides, and too small, as those of
// the time alone, where it does not (calibrateseen.go): with 5 points of 2034 seen intervals of
// 90 % held 71 % of the values before and 89 % after, with 678 90 % and 91 %, with the
// western third 62 % and 84 %.
//
// # Clips
//
// Half of the frames of two clips, 78 of 156 and 75 of 150 at random, in 8 bits, their motion taken out (package
// motion) and shrunk; rbf+time, matern32 in time, no floor. The time part's kernel, and the LOO of both:
//
//	                                        matern12    matern12+matern32    difference and its standard error
//	eye, 78 frames of 160×90                  1.474           1.483              0.009 ± 0.002
//	                  80×45                   1.164           1.210              0.046 ± 0.006
//	flower, 75 frames of 120×68               1.732           1.897              0.165 ± 0.024
//	120 smooth curves, 60 frames of 120×90    0.063          −1.731             −1.794 ± 0.051
//
// The bound gives the smooth term a share in the clips that frames left out do not bear out. The last line
// is a synthetic film, cosines in space whose weights are sums of waves in time: there matern12
// alone is far behind. -latent-time-kernel auto therefore compares the two on frames shrunk to
// two million numbers at most, which takes some ten seconds for each.
package sgplvm
