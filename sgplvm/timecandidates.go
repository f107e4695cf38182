package sgplvm

import "github.com/seed-08962ecc/kronfield/sgplvm/kernel"

// TimeSelection says what SelectTime selects, and by what.
type TimeSelection struct {
	// Kernels selects the time kernel, whether the latent kernel has a time part, and the noise floor;
	// Part the kernel of the time part. What is not selected stays as configured.
	Kernels, Part bool

	// Period is that of what repeats itself, in units of the times; 0: nothing does.
	Period float64

	// Width and Height are those of the pictures that the examples are, row by row; needed where Part is
	// selected for large films.
	Width, Height int

	// Seen are what will be seen of examples to be filled in: for each, whether every value is, point by
	// point and channel by channel. nil: whole examples are to be predicted.
	Seen [][]bool

	// MostNumbers is how many numbers in the data there are at most for a selection among all
	// candidates: training takes long in larger films. Default 10⁶.
	MostNumbers int

	// Watch, if not nil, shows what is being done.
	Watch Watcher
}

var matern32 = kernel.Kernel{Kind: kernel.Matern32}

// roughTime and mixedTime are the candidates for the time part of large films: rough changes, or
// rough ones and smooth ones in shares that training finds. Those are the shares under which the
// values of a frame tell most of one another; rough changes alone may tell more of frames left out.
var (
	roughTime = kernel.Kernel{Kind: kernel.Matern12}
	mixedTime = kernel.Kernel{Kind: kernel.Sum, Terms: []kernel.Kernel{roughTime, matern32}}
)

// A timeCandidate says what a model knows of time, and how much of what an example has beside its
// neighbours it takes for noise.
type timeCandidate struct {
	latent string
	kernel kernel.Kernel // of the latent variables
	floor  float64       // of the noise
}

// plainTime has no noise floor: what a frame has beside its neighbours is part of the picture.
var plainTime = timeCandidate{"rbf+time", matern32, 0}

// apply returns cfg with the candidate; a time part has the kernel that cfg gives it, or Matérn 3/2.
func (c timeCandidate) apply(cfg Config) Config {
	cfg.LatentKernel, cfg.TimeKernel = c.latent, c.kernel
	switch {
	case c.latent == "rbf":
		cfg.LatentTime = kernel.Kernel{}
	case cfg.LatentTime.Kind == "":
		cfg.LatentTime = matern32
	}
	if c.floor > 0 {
		cfg.NoiseFloor, cfg.Noise = c.floor, 2*c.floor
	}
	return cfg
}

// timeCandidates returns cfg with each of the candidates beside plainTime.
func timeCandidates(cfg Config, period float64) (all []Config) {
	list := []timeCandidate{
		{"rbf", matern32, 0.1}, {"rbf", matern32, 0.3}, {"rbf", matern32, 0.05},
		{"rbf+time", matern32, 0.1}, {"rbf+time", matern32, 0.3},
	}
	if period > 0 {
		seasons := kernel.Kernel{Kind: kernel.Sum, Terms: []kernel.Kernel{
			{Kind: kernel.Product, Terms: []kernel.Kernel{{Kind: kernel.RBF}, {Kind: kernel.Periodic, Period: period}}}, matern32}}
		list = append(list, timeCandidate{"rbf", seasons, 0.1}, timeCandidate{"rbf", seasons, 0.3})
	}
	for _, c := range list {
		all = append(all, c.apply(cfg))
	}
	return all
}
