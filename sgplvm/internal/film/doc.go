// Package film predicts films whose contents move. It joins the posterior of package predict with an estimate of
// the motion (package flow) and with what both get wrong.
//
// # How a frame is made
//
// The model learns the frames with their motion taken out (registered), so that its Kronecker products
// remain. The frame at a time t is then predicted in four steps:
//
//  1. The posterior predicts mean and variance at t, in reference coordinates and at the training pixels.
//  2. Both are warped to where the contents are at t, in pixels of any size, and the motion-compensated
//     residual of the training frames before and after t is added to the mean: what registered frames lose
//     since they are sampled twice, and what moves between two frames beyond the motion. The mean is mixed with what
//     the training frames around t say by themselves: interpolation, the nearer frame, dense optical flow.
//  3. The variances are multiplied by the variance inflation of that part of the picture at that time.
//  4. Finer pixels add the variance of the detail that coarse ones do not show.
//
// In frames that were unpacked from video neighbouring pixels share their chroma. It is interpolated before anything is learned, shared again by
// predicted pixels of the training size, and in finer pixels 4 has the variance of what that misses (flow.Chroma).
//
// Film.Calibrated learns the weights of the mixture and what 3 and 4 need. It predicts each training frame by steps 1 and 2 as if it had not
// been seen: the model without an example is known in closed form (sgplvm.Trainer.LeaveOneOut), the
// displacement comes from the other frames' displacements, and the residual from the other frames around it.
// It compares frames as they are, not registered ones, so that errors of the motion count.
//
// # A frame that was seen in part
//
// The frames left out also say how the errors of one prediction hang together over its pixels: errorLaw, the
// likeliest for errors in patches of them. Model.Impute predicts the whole frame and conditions its error
// on that at the pixels that were seen, near each of the others: neighbours in time and the motion say most, what
// is seen corrects them, and no variance is left out.
//
// # Samples
//
// Model.SampleFilm draws registered frames that belong together, puts them where a draw of the motion says and adds
// the residual as step 2 does. Deviations from the mean grow as the mixture and the inflation make variances grow, and the detail of finer
// pixels is drawn once for a film, in reference coordinates, so that it moves with the contents.
//
// The same input gives the same bits at any GOMAXPROCS. What motion brings is in sgplvm/docs/measurements.md.
package film
