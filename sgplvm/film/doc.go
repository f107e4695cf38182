// Package film predicts films whose contents move: a model of package sgplvm, the motion of package
// motion, and what is left over between them.
//
// # How a frame is made
//
// Frames are learned with their motion taken out, so that the model's Kronecker products remain
// (package motion). The frame at a time t is then predicted in four steps:
//
//  1. the model's mean and variance at t, in reference coordinates and at the training pixels
//     (sgplvm.Model.PredictSlabs);
//  2. both are carried to where the contents are at t, in pixels of any size
//     (motion.Field.Carry), and the mean is restored from the training frames before and after t
//     (motion.Motion.Restore), which are sampled once instead of twice for that and moved along
//     the paths between them, where the model blends them;
//  3. variances are multiplied by how restless that part of the picture is at that time
//     (motion.Unrest);
//  4. finer pixels add the variance of what nobody has seen (motion.Detail).
//
// Calibrate learns what 3 and 4 need. It predicts each training frame by steps 1 and 2 as if it had not
// been seen: the model's predictions and cavities without an example are known in closed form
// (sgplvm.Model.LeaveOneOut), its displacement is that which the other frames' give, and it is restored from
// the other frames around it, with a path between these. What it compares is whole frames as they are, not as they
// look registered, so that errors of the motion count.
//
// # Use
//
//	f, err := film.New(ctx, frames, dynamics, width, height, nil)
//	m, err := sgplvm.New(sgplvm.Data{Source: f.Register(frames)}, cfg) // cfg.Dynamics = dynamics
//	_, err = m.Fit(ctx, sgplvm.FitOptions{Calibrate: true})
//	err = f.Keep(m)
//	err = f.Calibrate(ctx, frames, nil)
//	err = f.Keep(m) // and m.Save; later film.Of(m)
//	latents, err := m.LatentAt(0, times)
//	err = f.Predict(ctx, latents, 1280, 720, func(i int, p motion.Frame) error { … })
//
// The same input gives the same bits at any GOMAXPROCS. A Film does not change but by Keep and
// Calibrate, which must have it to themselves; Predict may be called from many goroutines at once.
//
// # Measured
//
// MEASURED
package film
