// Package film predicts films whose contents move. It joins the posterior of package predict with what the training frames around a time say by themselves.
//
// Its rooms, each of which knows those above it:
//
//   - frame: pictures, how they are made coarser and sampled; between which limits values lie
//   - chroma: chroma that pixels share
//   - motion: the training frames, the shots that they are, and dense flow between two of them
//   - mixture: what training frames say by themselves, and how it is weighed; what finer pixels show
//
// For tests there are drawn, films whose motion is known, and filmtest, what is found of them.
//
// # How a frame is made
//
// In stages, in this order (Model.show):
//
//  1. The posterior predicts mean and variance at the time, at the training pixels; a spline brings them to pixels of any size.
//  2. They are mixed with what the training frames around the time say: interpolation, the nearer frame, dense optical flow. A law of four terms has the variances.
//  3. Variances are multiplied by the inflation, up to the largest that values within the range of the film's can have. Between two shots, both count.
//  4. The outermost pixels go on as those of training do, and finer pixels add the variance of the detail that coarse ones do not show.
//
// In frames that were unpacked from video neighbouring pixels share their chroma. It is interpolated before anything is learned and shared again by
// predicted pixels, finer ones in pairs of their own; in these 4 has the variance of what that misses (chroma.Chroma).
// Means end where the values of the film do (frame.Limits), before chroma is shared.
//
// Film.Calibrated learns the weights of the mixture and what 3 needs. It predicts each training frame by steps 1 and 2 as if it had not
// been seen: the model without an example is known in closed form (sgplvm.Trainer.LeaveOneOut), and flow comes from the other frames around it.
//
// # A frame that was seen in part
//
// The frames left out also say how the errors of one prediction hang together over its pixels: errorLaw, the
// likeliest for errors in patches of them. Model.Impute predicts the whole frame and conditions its error
// on that at the pixels that were seen, near each of the others: neighbours in time say most, what
// is seen corrects them, and no variance is left out. Then what is seen and filled in is followed to the training frames
// around it, which show what was missed (follow.go).
//
// # Samples
//
// Model.SampleFilm draws frames that belong together. Deviations from the mean grow as the mixture and the inflation make variances grow, and the detail of finer
// pixels is drawn once for a film.
//
// The same input gives the same bits at any GOMAXPROCS. What following brings is in sgplvm/docs/measurements.md.
package film
