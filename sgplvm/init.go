package sgplvm

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/eig"
	"github.com/seed-08962ecc/kronfield/mat"
)

// start returns the parameters from which training starts: latent means from
// the principal components of the examples, long latent length scales for weak
// components, spatial length scales of two point spacings.
func start(y *scaledSource, cfg Config) (*Params, error) {
	n := y.examples
	d, m, noise := cfg.LatentDims, cfg.Inducing, cfg.Noise
	switch {
	case d < 0:
		return nil, &ConfigError{Field: "LatentDims", Err: fmt.Errorf("%d latent dimensions, expected at least 1", d)}
	case m < 0 || m > n:
		return nil, &ConfigError{Field: "Inducing", Err: fmt.Errorf("%d latent inducing points, expected 1 to %d, the number of examples", m, n)}
	case noise < 0 || noise >= 1 || math.IsNaN(noise):
		return nil, &ConfigError{Field: "Noise", Err: fmt.Errorf("initial noise fraction %v, expected between 0 and 1", noise)}
	case cfg.LatentKernel < 0 || cfg.LatentKernel > LatentRBF|LatentLinear|LatentBias|LatentTime:
		return nil, &ConfigError{Field: "LatentKernel", Err: fmt.Errorf("parts %#b, expected a sum of LatentRBF, LatentLinear, LatentBias and LatentTime", int(cfg.LatentKernel))}
	case math.IsNaN(cfg.Jitter) || cfg.Jitter > 0.1:
		return nil, &ConfigError{Field: "Jitter", Err: fmt.Errorf("jitter %v, expected at most 0.1", cfg.Jitter)}
	}
	if d == 0 {
		d = max(1, min(30, n-1))
	}
	if m == 0 {
		m = min(100, n)
	}
	if noise == 0 {
		noise = 0.01
	}
	rng := rand.New(rand.NewPCG(cfg.Seed, 0x5367706c766d))

	p := &Params{Beta: 1 / noise, Mu: mat.New(n, d), S: mat.New(n, d), Z: mat.New(m, d)}
	p.S.Fill(0.1)
	fractions, common, err := principalComponents(p.Mu, y, rng)
	if err != nil {
		return nil, err
	}
	if d := cfg.Dynamics; d.Times != nil || d.Sequences != nil || d.Kernel.Kind != "" {
		if err := p.startDynamics(d, fractions); err != nil {
			return nil, &ConfigError{Field: "Dynamics", Err: err}
		}
	}
	inducing := rng.Perm(n)[:m]
	for k, i := range inducing {
		copy(p.Z.Row(k), p.Mu.Row(i))
	}
	spatial := 1.0 // Π σ²_f
	for f, s := range cfg.Space {
		k := s.Kernel.clone()
		if k.Kind == "" {
			k.Kind = Matern32
		}
		if k.Variance == 0 {
			k.Variance = 1
		}
		if len(k.LengthScale) == 0 && k.Kind != White {
			k.LengthScale = twoSpacings(s.X)
		}
		if k.Kind == White && s.Xu.Rows > 0 {
			return nil, &ConfigError{Field: "Space", Err: fmt.Errorf("spatial factor %d: a white kernel knows nothing between points, so its inducing points cannot be free", f)}
		}
		p.Spatial = append(p.Spatial, k)
		p.Xu = append(p.Xu, s.Xu.Clone())
		spatial *= k.Variance
	}
	p.Latent = startLatentKernel(cfg.LatentKernel, fractions, common, spatial)
	if cfg.LatentKernel&LatentTime != 0 {
		if err := p.startTime(cfg.LatentTime, inducing, 0.1/spatial); err != nil {
			return nil, err
		}
	}
	if p.NoiseFloor = cfg.NoiseFloor; !(p.NoiseFloor >= 0 && p.NoiseFloor < noise) {
		return nil, &ConfigError{Field: "NoiseFloor", Err: fmt.Errorf("noise floor %v, expected at least 0 and less than the initial noise %v", cfg.NoiseFloor, noise)}
	}
	if k := cfg.Residual.clone(); k.Kind != "" {
		if k.Variance == 0 {
			k.Variance = noise
		}
		if len(k.LengthScale) == 0 {
			k.LengthScale = twoSpacings(cfg.Space[0].X)
		}
		p.Residual = k
	}
	return p, nil
}

// startLatentKernel returns the kernel of the given parts (0: RBF) from which
// training starts: an RBF part with long length scales for weak components; a
// linear part and a bias that explain what principal components and the common
// picture do. fractions are the components' of the variance between examples,
// common is the share of the picture common to all in the variance of the data,
// spatial is what the spatial kernels multiply variances by.
func startLatentKernel(parts LatentParts, fractions []float64, common, spatial float64) LatentKernel {
	const least = 1e-3
	var k LatentKernel
	if parts == 0 {
		parts = LatentRBF
	}
	if parts&LatentRBF != 0 {
		k.Variance = 1
		for _, f := range fractions {
			k.LengthScale = append(k.LengthScale, 1/math.Sqrt(max(f, least)))
		}
	}
	if parts&LatentLinear != 0 {
		for _, f := range fractions {
			k.Linear = append(k.Linear, max((1-common)*f, least)/spatial)
		}
	}
	if parts&LatentBias != 0 {
		k.Bias = max(common, least) / spatial
	}
	return k
}

// twoSpacings returns twice the mean spacing of points (n×d) that fill a box:
// for each dimension, twice its range over n^(1/d).
func twoSpacings(x mat.Matrix) []float64 {
	l := make([]float64, x.Cols)
	for q := range l {
		low, high := math.Inf(1), math.Inf(-1)
		for i := range x.Rows {
			low, high = min(low, x.At(i, q)), max(high, x.At(i, q))
		}
		l[q] = 2 * (high - low) / math.Pow(float64(x.Rows), 1/float64(x.Cols))
		if !(l[q] > 0) {
			l[q] = 1
		}
	}
	return l
}

// principalComponents sets mu (n_ξ×d_ξ) to the examples' scores on their
// leading principal components, each scaled to unit variance; dimensions beyond
// the data's rank are small random numbers. It returns each dimension's
// fraction of the variance between examples, and the share of the examples' mean
// in the mean square of the data.
func principalComponents(mu mat.Matrix, y *scaledSource, rng *rand.Rand) (fractions []float64, common float64, err error) {
	n, d := mu.Rows, mu.Cols
	gram, err := y.gram()
	if err != nil {
		return nil, 0, err
	}
	square := mat.Trace(gram)
	centre(gram)
	if square > 0 {
		common = max(0, 1-mat.Trace(gram)/square)
	}
	s, err := eig.Sym(gram)
	if err != nil {
		return nil, 0, &FactorizationError{Factor: 0, Err: err}
	}
	var total float64
	for _, v := range s.Values {
		total += max(v, 0)
	}
	fractions = make([]float64, d)
	for q := range d {
		if j := n - 1 - q; j >= 0 && s.Values[j] > 1e-10*total {
			fractions[q] = s.Values[j] / total
			for i := range n {
				mu.Set(i, q, s.Vectors.At(i, j)*math.Sqrt(float64(n)))
			}
			continue
		}
		for i := range n {
			mu.Set(i, q, 0.01*rng.NormFloat64())
		}
	}
	return fractions, common, nil
}

// centre subtracts row and column means from a Gram matrix: the Gram matrix of
// the centred vectors.
func centre(g mat.Matrix) {
	n := g.Rows
	means := make([]float64, n)
	var grand float64
	for i := range n {
		for _, v := range g.Row(i) {
			means[i] += v / float64(n)
		}
		grand += means[i] / float64(n)
	}
	for i := range n {
		row := g.Row(i)
		for j := range row {
			row[j] += grand - means[i] - means[j]
		}
	}
}
