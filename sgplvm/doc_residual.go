// # What latent variables do not explain
//
// The noise of the model as it was published is white: what one example has that its latent
// variables do not explain is independent from point to point. In pictures it is not, and
// with one spatial factor it need not be (Config.Residual; residual.go, local.go):
//
//   - Σ = β⁻¹·I + K_r with a spatial kernel K_r, trained with everything else;
//   - after training, Σ learned freely: the mean of E (y − f)·(y − f)ᵀ over the training
//     examples under an inverse Wishart prior around the parametric Σ, tapered, since few
//     examples say little of distant points (FitOptions.ResidualRounds);
//   - the training residuals kept, and those of examples like the one at hand weighted
//     more (FitOptions.LocalResiduals);
//   - the variances of an example scaled by how far its observed values lie from what was
//     expected, as under a Student distribution (InferOptions.Freedom), and part by part by how
//     far those nearby lie from what the others say of them (conditional.go).
//
// Half the pixels of Frey faces, filled in by cross-validation inside the training pictures: five
// folds of 50, and 100 pictures beside 800 others. Mean RMSE, mean of the pictures' median
// and mean negative log density, coverage of the intervals of 50, 90 and 99 %:
//
//	40 pictures                    RMSE    MNLP    NLP    coverage
//	white                         13.18    3.27   4.24    51.6 80.4 90.8
//	parametric residual           13.42    3.36   4.19    54.5 82.8 91.9
//	learned                       13.38    3.28   4.49    47.0 77.1 88.7
//	learned, tapered              11.72    3.21   3.87    55.0 85.0 93.9
//	  and local                   11.07    3.16   3.76    55.9 86.3 94.6
//	  and scaled                  11.05    3.18   3.52    58.8 89.6 96.8
//
//	800 pictures                   RMSE    MNLP    NLP    coverage
//	white                          8.99    3.18   3.60    63.6 90.6 96.9
//	parametric residual            8.57    3.11   3.53    65.7 90.5 96.7
//	learned                        7.20    2.86   3.18    58.7 90.0 97.1
//	  and local, 12 latent dims    6.43    2.74   3.14    56.5 88.1 95.8
//	  and tapered                  5.65    2.75   2.91    67.8 95.0 98.8
//	  and scaled                   5.55    2.54   2.78    56.5 90.8 98.1
//
// Scaled part by part, beside scaled as a whole, of 200 pictures of the training set that the
// model has not seen:
//
//	                              RMSE    MNLP    NLP    coverage
//	50 pictures, as a whole       10.63    3.11   3.46    56.6 89.1 96.9
//	  and part by part            10.63    3.10   3.36    54.0 89.3 97.6
//	800 pictures, as a whole       5.51    2.56   2.79    57.7 91.1 98.1
//	  and part by part             5.51    2.55   2.75    56.3 91.1 98.2
//
// With 3 to 8 values for the weight of the mean, and 1.5 to 2.5 spacings, the last rows stay within 0.01.
//
// The 100 pictures of the second table are the same in all rows and in some thirty
// trials of settings, so its last rows flatter themselves a little. Settings differ somewhat between
// rows; the defaults are those of the last ones. An example's
// own noise variance (InferOptions.NoiseStrength) makes intervals of the first row cover
// what they should, at the price of half a grey level of RMSE, and is off by default.
//
// # Many points, smooth fields
//
// One factor with a learned Σ is possible up to some thousands of points, where one
// eigenproblem takes seconds: training begins on some of the points
// (FitOptions.CoarsePoints; coarse.go), and pictures are filled in at all of them. Solutions of
// an elliptic equation, 65×65 points, hardly any noise, a tenth of the points observed: 200 to
// learn from and 56 others of the same training set to fill in, 1000 coarse points; mean RMSE,
// mean of the pictures' median and mean negative log density, coverage:
//
//	                                      RMSE      MNLP    NLP    coverage
//	nearest picture                      0.0433    −2.02  −1.86   51.2 90.0 98.6
//	probabilistic PCA, 162 components    0.00084   −6.34  −6.04   60.5 91.8 98.1
//	GP on each picture alone             0.00056   −7.03  −6.63   78.5 93.1 97.0
//	learned, tapered over 32 spacings    0.00026   −8.42  −8.21   79.3 95.3 98.2
//
// and on 28 of the 56
//
//	learned, tapered over 32 spacings    0.00030   −8.34  −8.12   78.6 95.2 98.2
//	  weaker prior of Σ (1 picture)      0.00030   −8.42  −8.18   76.6 94.5 98.0
//	  local                              0.00032   −8.72  −8.36   64.0 90.1 96.3
//
// The number of latent dimensions hardly counts: 5 do as well as 30 (0.00029, −8.12). With
// 256 fields to learn from and 100 test fields, settings chosen among the training fields
// (a taper of 18 spacings, local, 2 degrees of freedom), against components chosen likewise:
//
//	probabilistic PCA, 229 components    0.00047   −7.14  −6.82   59.8 91.3 98.1
//	learned, tapered and local           0.00023   −8.74  −8.43   72.8 93.1 97.3
//
// Little is left to the latent variables: the length scales of Σ's parametric part grow to
// the size of the picture, so that it interpolates by itself, and the noise falls to any
// floor (Config.NoiseFloor keeps Σ well conditioned; without one training may fail).
package sgplvm
