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
//     (flow.Field.Carry), and the mean is restored from the training frames before and after t
//     (flow.Motion.Restore), which are sampled once instead of twice for that and moved along
//     the paths between them, where the model blends them;
//  3. variances are multiplied by how restless that part of the picture is at that time
//     (flow.Unrest);
//  4. finer pixels add the variance of what nobody has seen (flow.Detail).
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
//	err = f.Predict(ctx, latents, 1280, 720, func(i int, p flow.Frame) error { … })
//
// The same input gives the same bits at any GOMAXPROCS. A Film does not change but by Keep and
// Calibrate, which must have it to themselves; Predict may be called from many goroutines at once.
//
// # Measured
//
// A close-up of an eye, filmed by hand: 156 frames, of which 78 at random train at 640×360 pixels and
// the others are predicted at 1280×720; units in which the channels of the training frames have
// variance 1 (sgplvm reproduce video). Mean over the frames of the root mean square error, mean over
// the frames of the median negative log density, mean negative log density, and coverage of the 90 % intervals:
//
//	linear interpolation in time, resampled       0.0684   −2.02   −1.76   91 %
//	GP in time for each pixel, resampled          0.0642   −1.96   −1.74   91 %
//	structured GP in time and space               0.0693   −1.65   −1.25   95 %
//	model of the registered frames, carried       0.0512   −2.09   −1.90   92 %
//	 its time part matern12, not a sum            0.0506   −2.11   −1.91   92 %
//	 restored, unrest and detail learned          0.0497   −2.19   −1.97   88 %
//	 with paths: a film as it is here             0.0455   −2.24   −2.02   88 %
//	the true frames at 640×360, resampled         0.0267   −2.56
//
// The last density takes the true mean square error of each 8×8 pixels for the variance, and so is out
// of reach for anything that sees frames of that size alone. Such variances for the fourth line would
// have given it −2.22: what is left is error of the mean, half of which, in a typical pixel, is noise of the
// frame that is predicted. The clip's two sizes were unpacked by two conversions of colours, so that its large
// frames are lighter by 0.84, 0.26 and 0.56 grey levels than the small ones, means of the same pixels; without that
// offset, which small frames alone cannot tell, the film's −2.24 would be −2.29, with a coverage of 89 %.
//
// The same at half the size, 320×180 to 640×360: 0.0612, −2.12, −1.82 and 91 % for the fourth line, 0.0554, −2.27,
// −1.99 and 89 % for the film. A flower that opens, 75 of 150 frames at 480×270 to 960×540: 0.0692, −1.92, −1.55 and
// 88 %, the film 0.0640, −1.95, −1.69 and 89 %; interpolation 0.0705, −1.82, −1.49.
package film
