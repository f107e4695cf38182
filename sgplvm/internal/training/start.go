package training

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed-08962ecc/kronfield/internal/simple"
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/data"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/dynamics"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/pca"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/psi"
)

// ResidualShare is the share of the data's variance with which a structured residual starts.
const ResidualShare = 0.05

// Start returns the parameters from which training starts: latent means from
// the principal components of the examples, long latent length scales for weak
// components, spatial length scales of two point spacings.
func Start(y *data.Scaled, grid field.Grid, times []float64, sequences []int, cfg Settings) (*bound.Params, error) {
	n := y.Examples
	rng := rand.New(rand.NewPCG(cfg.Seed, 0x5367706c766d))
	p := &bound.Params{Noise: bound.Noise{Beta: 1 / cfg.Noise, Floor: cfg.NoiseFloor}, Z: mat.New(cfg.Inducing, cfg.LatentDims)}
	p.X.Mu, p.X.S = mat.New(n, cfg.LatentDims), mat.New(n, cfg.LatentDims)
	p.X.S.Fill(0.1)
	fractions, common, err := principalComponents(p.X.Mu, y, rng)
	if err != nil {
		return nil, err
	}
	if times != nil {
		if err := startPaths(p, times, sequences, cfg, fractions); err != nil {
			return nil, &field.ConfigError{Field: "TimeKernel", Err: err}
		}
	}
	inducing := rng.Perm(n)[:cfg.Inducing]
	for k, i := range inducing {
		copy(p.Z.Row(k), p.X.Mu.Row(i))
	}
	for _, s := range cfg.Spatial {
		p.Space = append(p.Space, bound.Spatial{Kernel: s.Kernel.Clone(), Xu: s.Inducing.Clone()})
	}
	if err := startLatentKernel(p, cfg, fractions, common); err != nil {
		return nil, err
	}
	if p.Latent.Timed() {
		p.ZExamples = inducing
	}
	if !(cfg.NoiseFloor < cfg.Noise) {
		return nil, &field.ConfigError{Field: "NoiseFloor", Err: fmt.Errorf("noise floor %v, expected at least 0 and less than the initial noise %v", cfg.NoiseFloor, cfg.Noise)}
	}
	if k := cfg.Residual.Kernel.Clone(); k.Kind != "" {
		if k.Variance == 0 {
			k.Variance = ResidualShare
		}
		completeScales(&k, grid[0])
		p.Noise.Residual = k
	}
	return p, nil
}

// startPaths gives p a dynamical prior with the paths from which training starts, of which Mu and S
// follow; Mu holds the scores of principal components, of which fractions are the shares of variance.
func startPaths(p *bound.Params, times []float64, sequences []int, cfg Settings, fractions []float64) error {
	prior := dynamics.Prior{Times: times, Sequences: sequences, Kernel: cfg.TimeKernel}
	start := dynamics.Start
	if cfg.OwnTimeKernels == field.On {
		start = func(prior dynamics.Prior, scores mat.Matrix, fractions []float64) (*dynamics.Params, error) {
			return dynamics.StartOwn(prior, scores, fractions, cfg.Period)
		}
	}
	paths, err := start(prior, p.X.Mu, fractions)
	if err != nil {
		return err
	}
	p.X.Paths = paths
	_, err = dynamics.NewEvaluator(paths.Prior).Marginals(paths, p.X.Mu, p.X.S)
	return err
}

// startLatentKernel sets the latent kernel of p: fractions are the components' shares of the variance
// between examples, common is the share of the picture common to all in the variance of the data.
func startLatentKernel(p *bound.Params, cfg Settings, fractions []float64, common float64) error {
	s := psi.Setting{Fractions: fractions, Common: common, Spatial: p.SpatialVariance()}
	if p.X.Paths != nil {
		s.Time = p.X.Paths.Prior.Kernel
		if cfg.LatentTime.Kind != "" {
			prior := p.X.Paths.Prior
			prior.Kernel = cfg.LatentTime
			k, err := dynamics.StartKernel(prior, p.X.Mu)
			if err != nil {
				return &field.ConfigError{Field: "LatentTime", Err: err}
			}
			s.Time = k
		}
	}
	names, err := psi.Parse(cfg.LatentKernel)
	if err == nil {
		p.Latent, err = psi.Start(names, s)
	}
	if err != nil {
		return &field.ConfigError{Field: "LatentKernel", Err: err}
	}
	return nil
}

// principalComponents sets mu (n_ξ×d_ξ) to the examples' scores on their
// leading principal components, each scaled to unit variance; dimensions beyond
// the data's rank are small random numbers. It returns each dimension's
// fraction of the variance between examples, and the share of the examples' mean
// in the mean square of the data.
func principalComponents(mu mat.Matrix, y *data.Scaled, rng *rand.Rand) (fractions []float64, common float64, err error) {
	n, d := mu.Rows, mu.Cols
	rows := pca.Rows(y)
	if y.Missing > 0 {
		if rows, err = filledIn(y, rng.Uint64()); err != nil {
			return nil, 0, notDecomposed(err)
		}
	}
	c, err := pca.Leading(rows, d, rng)
	if err != nil {
		return nil, 0, notDecomposed(err)
	}
	if c.Square > 0 {
		common = max(0, 1-c.Variance/c.Square)
	}
	fractions = make([]float64, d)
	for q := range d {
		if q < len(c.Values) {
			fractions[q] = c.Values[q] / c.Variance
			for i := range n {
				mu.Set(i, q, c.Scores.At(i, q)*math.Sqrt(float64(n)))
			}
			continue
		}
		for i := range n {
			mu.Set(i, q, 0.01*rng.NormFloat64())
		}
	}
	return fractions, common, nil
}

// filledIn returns the scaled examples, n_ξ×(n_s·d_y), with what is missing filled in by principal components; by 0, the mean of all, where no example has a value.
func filledIn(y *data.Scaled, seed uint64) (pca.Dense, error) {
	z := mat.New(y.Examples, y.Size())
	if err := y.Read(z.Data, 0, y.Examples); err != nil {
		return pca.Dense(z), err
	}
	missing := make([]bool, len(z.Data))
	for k, v := range z.Data {
		if missing[k] = v != v; v != v {
			z.Data[k] = 0
		}
	}
	mean, _, err := simple.PrincipalComponents.Fill(context.Background(), simple.Data{Y: z, Missing: missing, Channels: y.Channels, Seed: seed})
	for k, v := range mean.Data {
		if v != v {
			mean.Data[k] = 0
		}
	}
	return pca.Dense(mean), err
}

// notDecomposed is an error of principal components: that of reading, or of the factor of the examples.
func notDecomposed(err error) error {
	if read := (*field.ReadError)(nil); errors.As(err, &read) {
		return err
	}
	return &field.FactorizationError{Factor: 0, Err: err}
}
