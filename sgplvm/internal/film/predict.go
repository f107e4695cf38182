package film

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/mixture"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
)

// Model predicts frames as they are: its Posterior, that of the registered frames, in reference coordinates,
// and its Film what becomes of these at a time. It does not change, and any number of goroutines may use it
// at once. All its methods return *field.ConfigError for a grid of anything but pixels that cover the area of the
// training pixels evenly, and for a latent posterior without a time.
type Model struct {
	*Film
	Posterior *predict.Posterior
}

// roomNumbers is about how many numbers the posterior predicts at a time, how many the registered frames have that are predicted together, and how many
// the projection on the training grid has at most that the posterior keeps for the next frame: with a larger one frames are predicted slab by slab.
const roomNumbers = 1 << 24

// PredictTo sets p to mean and variance of a frame, in its storage where that is as large. After an error p is as it was.
func (m *Model) PredictTo(p *field.Prediction, l field.Latent, g field.Grid) error {
	_, err := m.predict(p, l, g)
	return err
}

// predict is PredictTo, and returns the frame that p has.
func (m *Model) predict(p *field.Prediction, l field.Latent, g field.Grid) (f frame.Frame, err error) {
	width, height, err := m.sizeOn(m.Posterior.Grid(), g)
	if err != nil {
		return f, err
	}
	if err := timed([]field.Latent{l}); err != nil {
		return f, err
	}
	room := predictions.Take()
	defer predictions.Give(room)
	registered, err := m.registered(room, l)
	if err != nil {
		return f, err
	}
	n, channels := width*height, m.shape.Channels
	f = frame.Frame{Width: width, Height: height, Mean: predict.Sized(p.Mean, n, channels), Variance: predict.Sized(p.Variance, n, channels)}
	if err := m.show(f, registered, l); err != nil {
		return f, err
	}
	*p = field.Prediction{Mean: f.Mean, Variance: f.Variance, Conditioning: "none", Noise: "white"}
	return f, nil
}

// predictions are those that become others, kept for the next frame.
var predictions mat.Pool[field.Prediction]

// registered returns what the posterior predicts for one frame, in reference coordinates at the training pixels; it may lie in p.
func (m *Model) registered(p *field.Prediction, l field.Latent) (frame.Frame, error) {
	if m.shape.Width*m.shape.Height*m.shape.Channels > roomNumbers/m.Posterior.Params().Z.Rows {
		frames, err := m.predictRegistered(context.Background(), []field.Latent{l}, false)
		return frames[0], err
	}
	err := m.Posterior.PredictTo(p, l, nil)
	return frame.Frame{Width: m.shape.Width, Height: m.shape.Height, Mean: p.Mean, Variance: p.Variance}, err
}

// PredictSlabs is that of predict.Posterior; a slab is a whole frame of one latent posterior. Beside the
// model it holds frames at the training pixels, of as many numbers together as SlabOptions say.
func (m *Model) PredictSlabs(ctx context.Context, latents []field.Latent, g field.Grid, o field.SlabOptions, body func(s field.Slab) error) error {
	training := m.Posterior.Grid()
	width, height, err := m.sizeOn(training, g)
	if err != nil {
		return err
	}
	if g == nil {
		g = training
	}
	if err := timed(latents); err != nil {
		return err
	}
	p := m.room(width, height, !o.MeanOnly)
	group := max(1, cmp.Or(o.Numbers, roomNumbers)/(2*m.shape.Width*m.shape.Height*m.shape.Channels))
	for from := 0; from < len(latents); from += group {
		group := latents[from:min(from+group, len(latents))]
		registered, err := m.predictRegistered(ctx, group, o.MeanOnly)
		if err != nil {
			return err
		}
		for i, l := range group {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := m.show(p, registered[i], l); err != nil {
				return err
			}
			registered[i] = frame.Frame{}
			s := field.Slab{Latent: from + i, To: g[0].Rows, Mean: []mat.Matrix{p.Mean}}
			if !o.MeanOnly {
				s.Variance = []mat.Matrix{p.Variance}
			}
			if err := body(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// predictRegistered returns what the posterior predicts: frames in reference coordinates at the training
// pixels.
func (m *Model) predictRegistered(ctx context.Context, latents []field.Latent, meanOnly bool) ([]frame.Frame, error) {
	frames := make([]frame.Frame, len(latents))
	for i := range latents {
		frames[i] = m.frame(!meanOnly)
	}
	err := m.Posterior.PredictSlabs(ctx, latents, nil, field.SlabOptions{Numbers: roomNumbers, MeanOnly: meanOnly}, func(s field.Slab) error {
		mat.Parallel(len(frames), func(i int) {
			last := s.First + s.Mean[i].Rows
			mat.Copy(frames[i].Mean.Slice(s.First, last, 0, m.shape.Channels), s.Mean[i])
			if !meanOnly {
				mat.Copy(frames[i].Variance.Slice(s.First, last, 0, m.shape.Channels), s.Variance[i])
			}
		})
		return nil
	})
	return frames, err
}

// show turns a registered frame into the frame at the latent posterior's time: between two shots with mean and variance over both.
func (m *Model) show(dst, registered frame.Frame, l field.Latent) error {
	moments, err := m.motion.Moments(*l.At)
	if err != nil {
		return err
	}
	one := func(f frame.Frame, x motion.Moment) {
		m.warp(f, registered, x)
		if f.Variance.Rows > 0 {
			m.inflate(f) // not what two shots are apart, which no frame that was left out tells of
		}
	}
	one(dst, moments[0])
	for _, x := range moments[1:] {
		other := m.room(dst.Width, dst.Height, dst.Variance.Rows > 0)
		one(other, x)
		dst.Blend(other, x.Chance)
	}
	m.detail.AddEdges(dst)
	if dst.Variance.Rows > 0 {
		m.detail.AddTo(dst)
		m.chroma.AddVariance(dst, m.shape.Width, m.shape.Height)
	}
	m.limits.Clip(dst)
	m.chroma.Repeat(dst, m.shape.Width, m.shape.Height)
	return nil
}

// inflate multiplies the variances of a frame, as far as values of the film can differ.
func (f *Film) inflate(dst frame.Frame) {
	for k := range dst.Variance.Data {
		dst.Variance.Data[k] *= f.inflation.Factor
	}
	f.limits.Bound(dst)
}

// warp brings a frame from reference coordinates to a moment, and mixes it with what these predict by themselves. Pixels larger than those
// of training are means over these.
func (f *Film) warp(dst, registered frame.Frame, x motion.Moment) {
	if w, h := max(dst.Width, f.shape.Width), max(dst.Height, f.shape.Height); w > dst.Width || h > dst.Height {
		fine := f.room(w, h, dst.Variance.Rows > 0)
		f.warp(fine, registered, x)
		frame.Downsample(dst, fine)
		return
	}
	f.alone(dst, registered)
	f.mix(dst, registered, x)
}

// mix mixes a frame that alone predicted with what training frames say by themselves.
func (f *Film) mix(dst, registered frame.Frame, x motion.Moment) {
	if f.mixture.Alone() || x.Alone() {
		return
	}
	others := mixture.NewOthers(f.frames, f.detail, x, dst.Width, dst.Height)
	coarse, around := dst, others
	if dst.Width > f.shape.Width || dst.Height > f.shape.Height {
		coarse = f.frame(dst.Variance.Rows > 0)
		f.alone(coarse, registered)
		around = mixture.NewOthers(f.frames, f.detail, x, f.shape.Width, f.shape.Height)
	}
	f.mixture.Combine(dst, others, f.mixture.Recipe(coarse, around))
}

// alone is warp of the model alone.
func (f *Film) alone(dst, registered frame.Frame) {
	frame.Resize(dst, f.detail.Sharpened(registered, dst.Width))
}

// frame returns a frame of zeros at the training pixels.
func (f *Film) frame(variances bool) frame.Frame {
	return f.room(f.shape.Width, f.shape.Height, variances)
}

// room returns a frame of zeros.
func (f *Film) room(width, height int, variances bool) frame.Frame {
	if variances {
		return frame.New(width, height, f.shape.Channels)
	}
	return frame.Frame{Width: width, Height: height, Mean: mat.New(width*height, f.shape.Channels)}
}

// errJoint is the reason why a film refuses what needs the joint distribution of all pixels.
var errJoint = errors.New("of a film with motion means, variances and samples are known, expected Predict or Sample")

// PredictCovariance returns a *field.ConfigError.
func (m *Model) PredictCovariance(field.Latent, field.Grid) (mat.Matrix, []mat.Matrix, error) {
	return mat.Matrix{}, nil, &field.ConfigError{Field: "PredictCovariance", Err: errJoint}
}

// PredictDataCovariance returns a *field.ConfigError.
func (m *Model) PredictDataCovariance(field.Latent, field.Grid) (mat.Matrix, []mat.Matrix, error) {
	return mat.Matrix{}, nil, &field.ConfigError{Field: "PredictDataCovariance", Err: errJoint}
}

// PredictMixture returns a *field.ConfigError.
func (m *Model) PredictMixture(field.Latent, field.Grid, field.MixtureOptions) (*predict.Mixture, error) {
	return nil, &field.ConfigError{Field: "PredictMixture", Err: errJoint}
}

// timed refuses latent posteriors without a time.
func timed(latents []field.Latent) error {
	for i, l := range latents {
		if l.At == nil {
			return &field.ConfigError{Field: "Latent", Err: fmt.Errorf("posterior %d has no time, expected one: of a film with motion only frames at a time are known", i)}
		}
	}
	return nil
}
