// Package film predicts films whose contents move. It joins a model of package sgplvm with an estimate of the
// motion.
//
// # How a frame is made
//
// The model learns the frames with their motion taken out (registered), so that its Kronecker products
// remain. The frame at a time t is then predicted in four steps:
//
//  1. The model predicts mean and variance at t, in reference coordinates and at the training pixels
//     (sgplvm.Model.PredictSlabs).
//  2. Both are warped to where the contents are at t, in pixels of any size, and the motion-compensated
//     residual of the training frames before and after t is added to the mean: what registered frames lose
//     since they are sampled twice, and what moves between two frames beyond the motion.
//  3. The variances are multiplied by the variance inflation of that part of the picture at that time.
//  4. Finer pixels add the variance of the detail that coarse ones do not show.
//
// Film.Calibrate learns what 3 and 4 need. It predicts each training frame by steps 1 and 2 as if it had not
// been seen: the model without an example is known in closed form (sgplvm.Trainer.LeaveOneOut), the
// displacement comes from the other frames' displacements, and the residual from the other frames around it.
// It compares frames as they are, not registered ones, so that errors of the motion count.
//
// # Use
//
//	f, err := film.New(ctx, data, width, height, nil) // data has times
//	registered := data
//	registered.Source, _ = f.Register(data.Source)
//	t, err := sgplvm.NewTrainer(registered, cfg)
//	_, err = t.Fit(ctx)
//	err = f.Calibrate(ctx, t, data.Source, nil)
//	m, err := t.Model()
//	m, err = f.Keep(m) // and m.Save; later film.Of(m)
//	latents, err := m.LatentAt(0, times)
//	err = f.Predict(ctx, latents, 1280, 720, func(i int, p film.Frame) error { … })
//
// The same input gives the same bits at any GOMAXPROCS. A Film does not change but by Keep and
// Calibrate, which must have it to themselves; Predict may be called from many goroutines at once.
// New takes less than a minute of one processor for 78 frames of 640×360 pixels; what motion brings is in
// sgplvm/docs/measurements.md.
package film
