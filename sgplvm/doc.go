/*
Package sgplvm is the structured Bayesian Gaussian process latent variable model of S. Atkinson and
N. Zabaras, "Structured Bayesian Gaussian process latent variable model" (2018, arXiv:1805.08665).

# The idea

Examples of one kind (pictures, frames of a film, maps, solutions of an equation) differ in less than
their many values suggest. Each example gets a few latent variables x, standard normal beforehand. Its
value at the point s, in every channel, is

	y = f(x, s) + noise,   f ~ GP(0, k(x, x′)·k_s(s, s′))

Training finds a posterior q(x) = N(μ, diag S) for every example, together with the kernels and the
noise. Examples that are alike come to lie close together, and latent dimensions that are not needed
switch themselves off. A trained model fills in what an example misses, predicts examples at points where
nothing was seen, and draws new ones, always with variances.

# The algorithm

Training maximises a lower bound on log p(Y) by L-BFGS (docs/math.md, sections 6 and 7). All examples are
seen at the same points, and the points are a product of spatial factors: rows and columns of a picture,
say. Every large matrix is then a Kronecker product. One eigenproblem a factor diagonalises it, and what
remains are matrix products along one factor at a time, linear in the data. Kernels of large pictures stay
exact: a factor whose inducing points are its data points needs no approximation in space.

The steps begin with the noise and the spatial kernels held, so that the latent variables find structure
before it can be explained as noise. Then all is free (docs/math.md, sections 20 and 21).

A partly seen example gets its q(x) from a bound of its own, whose cost does not depend on the size of the
picture (section 12). Its missing values are then conditioned on those seen (section 14).

Speed: a step on 1000 pictures of 560 points takes 28 ms on two cores (docs/measurements.md, section 1).

# Use

The short way trains, and completes a picture of which NaN marks what is missing:

	data := sgplvm.Data{Examples: n, Y: y, Grid: sgplvm.Grid{rows, columns}}
	m, report, err := sgplvm.Fit(ctx, data, sgplvm.Config{})
	p, latent, err := m.Impute(ctx, sgplvm.Observed{Values: half}, sgplvm.InferOptions{})
	err = m.Save(file) // later: m, err = sgplvm.Load(file)

The long way has a Trainer, which owns the data and changes. It trains step by step, saves and resumes
training, leaves examples out and calibrates variances:

	t, err := sgplvm.NewTrainer(data, cfg)
	report, err := t.Fit(ctx)         // or t.Step, one phase at a time
	err = t.Checkpoint(file)          // later: NewTrainer and t.Resume(file)
	nlp, err := t.LeftOutDensities(ctx)
	m, err := t.Model()

A Model does not change: any number of goroutines may use it, also while its trainer goes on. Data and
predictions are in the user's units. The same data, configuration and seed give the same bits at any
GOMAXPROCS, after any interruption.

Infer gives q(x) alone. Predict gives the exact mean and variance under such a q(x), at any points;
PredictSlabs does it for many in bounded memory, PredictDataCovariance has the covariance between points,
PredictMixture the whole density under an uncertain x. Sample draws whole fields (sections 13 and 15). Basis is
what predictions at certain x are sums of, for programs that evaluate them elsewhere, and Training how the bound rose. ImputeTo and PredictTo
work in the storage of earlier results and allocate nothing. Compile multiplies out what one set of points needs, for small programs (package edge).

The zero Config works: Fit chooses what it leaves open by filling in, or predicting, some examples from the others, with
as much work as Effort says, and Model.Selection tells how that went. What Config gives stays as it is; ReadConfig reads one
from JSON (docs/config.md), and Model.Config is the one that makes the same model again. Select chooses without the
training that follows, and NewTrainer trains without a choice. Data.Hide says what will be missing of examples to be filled in. Nothing but
an expert tries free inducing points (SpatialConfig) for factors with thousands of points.

# Data with holes

NaN in the data is a value that was not observed. Complete learns from such examples and fills them in, and says how well it
did that for each way in which values are missing, with values that it had put aside. By these the model and simpler methods
have shares. Examples of which nothing was observed are predicted at their times, and a long series is learned from by its period.
Fit returns its model. NewTrainer learns from the observed values alone, with
white noise and the standard errors that Data.Errors knows of them, and Trainer.Complete fills in (section 22).

# Films

With Data.Times the latent variables are Gaussian processes in time: close frames are alike beforehand
(sections 9 to 11). LatentAt gives the posterior at any other time, for Predict or as Observed.Prior of a
frame that was seen in part. Variances at a time are calibrated by leaving out one frame after the other
(sections 17 and 18). Where examples seen in part need other kernels than whole ones, the model
holds a second one for these. Data.Film takes the motion of
contents out before training, and the model puts it back (section 19): all its predictions are then frames as they
are, at a time, on pixels of any size. Complete follows the motion where frames have holes. SampleFilm draws frames that belong together.

# Large data

Data need neither be float64 nor lie in memory. A Source gives some examples at a time; NewSource wraps
slices of smaller types, and npy.File leaves an array in its file. Beside the data as stored, training
holds about 8 bytes a datum; the exact formula is in docs/measurements.md, section 2, and MemoryNeeded
evaluates it. Where memory is short set GOMEMLIMIT somewhat above it.

# Long runs

A Run watches, ends and keeps the work of its methods Fit and Complete. With Checkpoints it keeps what it has done, every half minute and before it returns an error. A run with
the same data and configuration goes on from there to the same bits, in the middle of a search or of a training:

	run := sgplvm.Run{Checkpoints: &sgplvm.Checkpoints{Save: replaceFile, Resume: earlier}} // Resume nil: begin anew
	m, report, err := run.Fit(ctx, data, cfg)

# Compatibility

Versions are semantic. From 1.0 on, a program that compiles with a version compiles with all later ones of the same major number;
before, a minor version may change exported names, and CHANGELOG.md says which. A list of them, fuzz/testdata/api.txt, is held
by a test. Model files of all released versions can be read; checkpoints belong to the version that wrote them. Packages
under internal, package asm, the text of errors and the last bits of results may change at any time.

# Model files

Model.Save writes everything that inference and prediction need, sealed with a checksum; Load reads it and refuses a file that was changed. The bytes
depend on the model alone. docs/modelfile.md lists the tensors, and reads them in Python.

# Errors

What data can cause is an error that names the place: ValueError an example and a value, ConfigError a field, ReadError a Source's own. A shape mistake of the
program panics with both shapes. Non-finite input is refused first. A call that fails leaves a Trainer as it was.

# Examples

What people do, each as an example that runs:

  - learn from examples and complete others: Example
  - carry a model inside a program: Example (Embed)
  - learn from incomplete data: ExampleComplete
  - predict a film at other times, in other pixels: Example (Film), ExampleModel_LatentAt
  - use a covariance function of one's own: the example of package kernel
  - watch training and cancel it: Example (Progress)
  - go on with training that was interrupted: ExampleTrainer_Resume
  - predict from many goroutines: Example (Goroutines)
  - fill in and predict without allocating: ExampleModel_ImputeTo, Example (Workspace)
  - leave data in their file: ExampleSource
  - the linear algebra alone: packages mat, chol, eig, kronprod and lbfgs; matrices of Gonum by shared slices: package mat, Example (Gonum)
  - property tests of any linear algebra: package fuzz
*/
package sgplvm
