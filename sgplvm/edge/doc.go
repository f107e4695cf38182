// Package edge fills in and predicts from a compiled model, in small static programs.
//
// # A compiled model
//
// sgplvm.Model.Compile, and the command sgplvm compile, make a file of a trained model that has everything
// which one set of points needs, multiplied out: the predictions P = K_s·α, features of the spatial kernel with their
// eigenvalues, the latent kernel and its inducing points, posteriors of training examples as starting points, the
// covariance of the noise and, where the model keeps them, the residuals of training examples. No eigenproblem is solved and nothing is
// factored but covariances of observed values. Large tables have 64, 32 or 16 bits a number, or more where a type's would lose too much
// (Contents.Quantize), and are converted row by row when they are used, so that a file of package embed's is not copied.
//
// Open returns a Model, which does not change; NewWorkspace all room that one goroutine needs, allocated once. Then
//
//	w.Fill(dst, variance, values, mask)   mean and variance of what is missing, as sgplvm.Model.Impute has them
//	w.Sketch(dst, variance, values, mask) nearly the same, in a tenth of the time
//	w.Infer(values, mask)                 latent variables alone: w.Latent
//	w.Predict(dst, variance, mu, s)       mean and variance for given latent variables
//	w.Surprise(scores)                    how surprising the observed values were
//
// and, of a model whose examples have times, those of a Stream (NewStream),
//
//	s.Fill(time, dst, variance, values, mask)   given the examples before it too
//	s.Predict(time, dst, variance)              before anything of it is seen
//	s.Surprise(scores)                          how far off that was
//	s.Raised(alarm)                             whether that is more than in training, and for long
//	s.Faults(faults)                            which sensors spike, drift or are stuck
//
// allocate nothing and take a bounded number of steps. Beyond Options.Exact observed values of a channel (2048) missing ones are given the nearest
// 512 observed ones, 256 at a time, so that memory does not grow with the square of the observed values; where noise is structured it does.
//
// # What it has of the model
//
// All that Impute does for examples of unknown time: the refinement by generalised least squares, learned and local covariances of the
// noise, Student scales, and the mixture with training examples like the one at hand. The package imports no trainer, no
// eigensolver, no JSON and nothing that uses reflection. The formulas of one example are those of internal/psi and internal/infer, which the
// full model uses too: both are filled in by internal/points.
// What differs from the full model is in docs/math.md, "Compiled models".
//
// # Speed
//
// A model that was compiled to be fast (sgplvm.CompileOptions.Fast) has covariances as sums of a few matrices in place of features,
// tries fewer starting points, lets fewer training examples count for the noise, and gives what similar examples say of a part the observed points near it alone.
// What depends on which values were observed, and not on these, is kept for the next example: one of the same mask takes less.
// docs/measurements.md, section 17, has what that costs and saves.
//
// # Streams
//
// A Stream carries the state of a Kalman filter from example to example: its marginal at the next instant is the prior of the latent variables
// there, and their posterior, over that prior, updates it as a Gaussian observation. A part in time of the latent kernel has such a state for each feature of the spatial kernel. Values, examples
// and instants may be missing, times be uneven, examples come late by some (StreamOptions.Lag), and a stream can go on behind the training examples: what is not seen is then predicted as sgplvm.Model.LatentAt
// has it. Kernels in time are sums and products of Matérn, periodic and RBF kernels.
//
// What all values drift by and the model knows nothing of, as light and dust, is taken off them and added to predictions again: polynomials of second degree in the coordinates of the points, which change slowly, or at once
// where nothing else explains two examples in a row. Where light, dust and age do not matter StreamOptions.Still turns that off.
//
// Values that disagree with all others, sensors that do so for long and examples of garbage are filled in as if they were missing, and do not enter the state. A value is judged by all others of an example of at most 256 values, columns of a table too, else by those of its channel. What was not
// observed has the score NoEvidence. A model that was compiled with examples that were held back (sgplvm.CompileOptions.Held, compile -held) knows from which level on an example is
// unlike training at a rate of false alarms (Model.Alarm), leaves patches of values out that are farther off than any were there, and has variances of what is not seen that fit what was found one to five steps ahead, and where parts of examples were hidden.
// Other models give those of their kernels, which are often too small.
//
// # Learning
//
// A Learner (Model.NewLearner) is a stream that learns from what it fills in, of a model that was compiled to (compile -learn, with -held for alarms): what examples add up to is kept beside the model, and every hundredth example predictions and noise become those of all
// (docs/math.md, section 26). Frames that raise an alarm are not learned from. Learner.Rollback goes back to before the last time, Learner.Save and Load keep what was learned in a file that is old or new at any moment, and Learner.Unexplained tells when to train again. Models with white noise and without a part
// in time in their latent kernel learn. Programs that do not call NewLearner have none of it.
//
// # Files
//
// A file names its version, the engine and what a reader needs to know: this package reads all files of its version, skips optional sections that it does not know, and refuses what it would need to know by name (NeedError). A Model tells
// what it is of (About).
//
// # Emulators
//
// sgplvm.Emulator.Compile makes a file for OpenEmulator: inputs in, means and deviations of the output out.
//
// # Use
//
//	//go:embed model.edge
//	var file []byte
//
//	m, err := edge.Open(file)
//	if err != nil {
//		return err
//	}
//	s, err := m.NewWorkspace(0).NewStream(edge.StreamOptions{})
//	if err != nil {
//		return err // its examples have no times
//	}
//	alarm, ok := m.Alarm(0.01) // one false alarm in 100 frames; compile -held
//	for frame := range frames {
//		if err := s.Fill(frame.Time, filled, variance, frame.Values, frame.Seen); err != nil {
//			return err
//		}
//		if odd, drifted := s.Raised(alarm); ok && (odd || drifted) {
//			s.Faults(faults) // sensors that spike, drift or are stuck
//			report(s.Level(), faults)
//		}
//	}
//
// cmd/sgplvm-edge is such a program.
package edge
