// # Speed
//
// What an evaluation of the bound with all its derivatives takes, in milliseconds, with
// 30 latent dimensions; the first three pairs of "all" and "of peak" are medians of five runs
// with one core and with two in turns, the rest single runs, on two cores of an AMD EPYC (Zen 4, virtual,
// AVX-512, 58 GFLOPS a core by asm.Peak), Go 1.26.8, 2026-11-21:
//
//	go test ./sgplvm -run - -bench Step       (GOMAXPROCS=1 or 2)
//
//	                           psi  factor  contract  gradient  space  all   of peak
//	n_ξ = 50, m_ξ = 50,
//	  560 points, white        0.3     0.2       0.4       0.7      0   1.6    0.31
//	  the same, two cores                                               1.4    0.19
//	n_ξ = 1000, m_ξ = 100,
//	  560 points, white       11.7     1.2       5.8      28.7    0.1    49    0.58
//	  the same, two cores      7.1     1.1       4.0      17.8    0.1    28    0.51
//	  Matérn 3/2, tied        11.6     1.1       5.8      28.9   43.6    96    0.71
//	  the same, two cores      7.1     1.1       4.0      17.8     30    59    0.56
//	n_ξ = m_ξ = 78, 640×360
//	  points, 3 channels       0.9     0.5       780         3   3680  4460    0.72
//	  the same, two cores      0.8     0.5       450         2   2300  2750    0.70
//	  space held, two cores    0.6     0.4       390         1      0   390    0.55
//
// Psi is the statistics Ψ1 and Ψ2, factor the latent eigenproblem, contract the sweep over
// the projected data, gradient what is chained into the latent side; space is what moving
// spatial parameters costs: kernel matrices, their eigenproblems, the projection of Y and the
// gradient. Of peak counts the additions and multiplications of matrix products alone and
// compares with the multiply-add peak of the cores in use: exponentials, logarithms and
// memory count as waste. The last case peaks at 1.46 GB resident, of which 0.43 GB are the
// data, as float64.
//
// Cost is linear in the number of examples: with m_ξ = 100, 560 points and a white kernel
//
//	n_ξ                          500    1000    2000    4000    8000
//	milliseconds, one core      25.8    48.3    94.7   190.7   389.0
//	the last half, for each
//	of its examples, in µs              45.1    46.4    48.0    49.6
//
// and memory too: nothing has n_ξ·m_ξ² numbers. At n_ξ = 1000 an evaluation holds 40 MB
// beside the data as they are given.
//
// Ψ2 is two thirds of a step on small pictures. Three designs were measured for it at
// n_ξ = 1000, m_ξ = 100, forward and backward, in milliseconds on one core: one product for
// each example, its result kept for the gradient, 22 and 46; pairs of inducing points times
// blocks of examples, as it is (psi2.go), 11 and 26; blocks of 48 to 192 examples lie within
// 10 % of one another. Components as columns of the sweep, which then packs its operands,
// took 920 ms where rows take 780 on one core with 640×360 points.
//
// # Truncation
//
// While spatial kernels are held, components of small eigenvalue can be left out of the
// products (FitOptions.Truncate); the bound stays a bound, and how far below it lies at
// most is computed with it (truncate.go). 256 solutions of an elliptic equation on 65×65
// points, 150 steps, one core:
//
//	Truncate    left out of 4225    the bound is lower by at most    seconds
//	0                          0                                0        5.1
//	1e-5                    2899                               14        4.0
//	1e-4                    3317                              138        3.7
//	1e-3                    3633                             1240        3.5
//
// The bound is 2.88e6 there.
package sgplvm
