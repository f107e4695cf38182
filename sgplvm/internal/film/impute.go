package film

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/predict"
)

// ImputeTo fills in a frame that was seen in part, of which Observed.Prior has the time. The whole frame is predicted
// at its time, from the film and its neighbours in time, and what is seen of it tells the error of that prediction
// at the seen pixels. The error at the others follows from its correlations (errorLaw), which were learned from
// training frames that were left out; that also says how much of the variance is left. Then the frame is followed to where its contents are in the training frames around it (follow). The latent variables
// stay those of the time: to learn of them from pixels whose errors are correlated as if they were
// independent makes them too sure, and frames worse. They are inferred where InferOptions.Conditioning says that
// the pixels are to bear on one another through them alone. Of InferOptions.Blends only the inflation of the first
// counts: whole frames are not compared with training frames. The results are in the storage of earlier ones of as many values; after an
// error they are as they were. Errors: *field.ConfigError, *field.ValueError, ctx.Err().
func (m *Model) ImputeTo(ctx context.Context, to *field.Prediction, latent *field.Latent, obs field.Observed, o field.InferOptions) error {
	if o.Conditioning == field.ConditionMoments {
		return &field.ConfigError{Field: "InferOptions", Err: fmt.Errorf("conditioning %q of a film with motion, expected nothing or %q", o.Conditioning, field.ConditionNone)}
	}
	size, err := m.checkSeen(obs)
	if err != nil {
		return err
	}
	l := *obs.Prior
	if o.Conditioning == field.ConditionNone {
		if l, err = m.Infer(ctx, obs, o); err != nil {
			return err
		}
	}
	p, room := predictions.Take(), predictions.Take()
	defer predictions.Give(p)
	defer predictions.Give(room)
	whole, err := m.predict(p, l, obs.Grid)
	if err != nil {
		return err
	}
	var outliers []field.Outlier
	if !o.KeepOutliers {
		if outliers = m.Posterior.Outliers(obs.Values, *p); outliers != nil {
			obs.Values = obs.Values.Clone()
		}
		for _, v := range outliers {
			obs.Values.Set(v.Point, v.Channel, math.NaN())
		}
	}
	s := &seenFrame{law: m.errors, frame: whole, values: obs.Values}
	if s.law == nil {
		s.law = &plainErrors
	}
	s.unitX, s.unitY = float64(m.shape.Width)/float64(size[0]), float64(m.shape.Height)/float64(size[1])
	predict.CopyPrediction(room, *p, mat.Matrix{})
	filled := frame.Frame{Width: size[0], Height: size[1], Mean: room.Mean, Variance: room.Variance}
	if o.Conditioning != field.ConditionNone {
		if room.Conditioning, err = s.fill(ctx, filled); err != nil {
			return err
		}
		if err := m.follow(ctx, s, filled, *l.At); err != nil {
			return err
		}
	}
	m.limits.Clip(filled)
	inflation := 1.0
	if len(o.Blends) > 0 {
		inflation = o.Blends[0].Inflation
	}
	s.keep(filled, inflation)
	room.Outliers = outliers
	predict.CopyPrediction(to, *room, obs.Values)
	predict.CopyLatent(latent, l)
	return nil
}

// checkSeen checks a frame that was seen in part, and returns its width and height.
func (m *Model) checkSeen(obs field.Observed) (size [2]int, err error) {
	if obs.Prior == nil || obs.Prior.At == nil {
		return size, &field.ConfigError{Field: "Prior", Err: errors.New("no time, expected one: of a film with motion only frames at a time are known")}
	}
	if size[0], size[1], err = m.sizeOn(m.Posterior.Grid(), obs.Grid); err != nil {
		return size, err
	}
	v := obs.Values
	if v.Rows != size[0]*size[1] || v.Cols != m.shape.Channels {
		return size, &field.ConfigError{Field: "Observed", Err: fmt.Errorf("values are %d×%d, expected %d points × %d channels", v.Rows, v.Cols, size[0]*size[1], m.shape.Channels)}
	}
	for i := range v.Rows {
		for c := range v.Cols {
			if x := v.At(i, c); math.IsInf(x, 0) {
				return size, &field.ValueError{Point: i, Channel: c, Value: x, Want: "a finite number, or NaN where nothing was observed"}
			}
		}
	}
	return size, nil
}

// Infer returns the posterior of the latent variables of a frame that was seen in part: each
// seen pixel is what was predicted, and the error of its prediction.
func (m *Model) Infer(ctx context.Context, obs field.Observed, o field.InferOptions) (field.Latent, error) {
	size, err := m.checkSeen(obs)
	if err != nil {
		return field.Latent{}, err
	}
	p, room := predictions.Take(), predictions.Take()
	defer predictions.Give(p)
	defer predictions.Give(room)
	if err := m.PredictTo(p, *obs.Prior, obs.Grid); err != nil {
		return field.Latent{}, err
	}
	registered, err := m.registered(room, *obs.Prior)
	if err != nil {
		return field.Latent{}, err
	}
	width, height := m.shape.Width, m.shape.Height
	values, count := mat.New(width*height, m.shape.Channels), mat.New(width*height, m.shape.Channels)
	across, down := float64(width)/float64(size[0]), float64(height)/float64(size[1])
	for i := range obs.Values.Rows {
		x, y := int(math.Round(across*(float64(i%size[0])+0.5)-0.5)), int(math.Round(down*(float64(i/size[0])+0.5)-0.5))
		if x < 0 || y < 0 || x >= width || y >= height {
			continue
		}
		for c, v := range values.Row(y*width + x) {
			if e := obs.Values.At(i, c) - p.Mean.At(i, c); e == e {
				values.Set(y*width+x, c, v+e)
				count.Set(y*width+x, c, count.At(y*width+x, c)+1)
			}
		}
	}
	for i, n := range count.Data { // NaN where nothing was seen
		values.Data[i] = registered.Mean.At(i/m.shape.Channels, i%m.shape.Channels) + values.Data[i]/n
	}
	return m.Posterior.Infer(ctx, field.Observed{Values: values, Prior: obs.Prior}, o)
}
