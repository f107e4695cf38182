// Package film predicts films whose contents move. It joins the posterior of package predict with an estimate of
// the motion and with what both get wrong.
//
// Its rooms, each of which knows those above it:
//
//   - frame: pictures, how they are made coarser and sampled
//   - chroma: chroma that pixels share
//   - limits: between which values lie, and whether they were clipped there
//   - inflation: variances multiplied by what left-out frames show to be missing
//   - motion: displacements over space and time, estimated and chosen; flows between frames
//   - training: the training frames as they are
//   - detail: what finer pixels show, the motion-compensated residual, super-resolution
//   - mixture: what training frames say by themselves, and how it is weighed
//
// For tests there are drawn, films whose motion is known, and filmtest, what is fitted to them.
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
//  3. The variances are multiplied by the variance inflation of that part of the picture at that time, up to the largest that values within the range of the film's can have (limits.Limits).
//  4. Finer pixels add the variance of the detail that coarse ones do not show.
//
// In frames that were unpacked from video neighbouring pixels share their chroma. It is interpolated before anything is learned and shared again by
// predicted pixels, finer ones in pairs of their own; in these 4 has the variance of what that misses (chroma.Chroma).
// Last, values end where those of the film were clipped, as what is too bright for a camera is (limits.Limits).
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
// is seen corrects them, and no variance is left out. Then what is seen and filled in is followed to the training frames
// around it, which show what was missed (follow.go), and values end within the range of those that were observed (limits.Limits).
//
// # Samples
//
// Model.SampleFilm draws registered frames that belong together, puts them where a draw of the motion says and adds
// the residual as step 2 does. Deviations from the mean grow as the mixture and the inflation make variances grow, and the detail of finer
// pixels is drawn once for a film, in reference coordinates, so that it moves with the contents.
//
// The same input gives the same bits at any GOMAXPROCS. What motion brings is in sgplvm/docs/measurements.md.
package film
