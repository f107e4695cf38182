package engine

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/report"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/dataset"
)

// ModelAbout is what info -json tells of a model.
type ModelAbout struct {
	Examples      int               `json:"examples"`
	Points        int               `json:"points"` // in space; 1 of a table
	Channels      int               `json:"channels"`
	Table         bool              `json:"table,omitempty"`
	LatentDims    int               `json:"latentDims"`
	Inducing      int               `json:"inducing"`
	LatentPrior   string            `json:"latentPrior"`
	LatentKernel  string            `json:"latentKernel"`
	Relevances    []relevanceAbout  `json:"relevances,omitempty"`
	Spatial       []string          `json:"spatial"` // the kernel of each factor
	Residual      string            `json:"residual,omitempty"`
	Mean          []cli.Number      `json:"mean"`      // of the data, by channel
	Deviation     []cli.Number      `json:"deviation"` // of the data
	Noise         []cli.Number      `json:"noise"`     // standard deviations
	SignalToNoise cli.Number        `json:"signalToNoise"`
	Motion        string            `json:"motion,omitempty"`
	Seed          uint64            `json:"seed"`
	ResidualBytes int               `json:"residualBytes,omitempty"` // of the training data, kept in the file
	FrameBytes    int               `json:"frameBytes,omitempty"`
	Attributes    map[string]string `json:"attributes,omitempty"`

	Selection     *sgplvm.Selection `json:"selection,omitempty"`
	Configuration json.RawMessage   `json:"configuration,omitempty"` // with which train makes the same model
}

// relevanceAbout says how fast examples change along each latent dimension by a part of the latent kernel.
type relevanceAbout struct {
	Part   string       `json:"part"`
	Slopes []cli.Number `json:"slopes"`
}

// About tells what a model is.
func About(m *sgplvm.Model) ModelAbout {
	p := m.Summary()
	a := ModelAbout{Examples: m.Examples(), Points: m.Grid().Len(), Channels: m.Channels(), Table: Table(m), LatentDims: p.LatentDims, Inducing: p.Inducing,
		LatentPrior: priorText(m.Times(), p), LatentKernel: p.LatentKernel, Mean: numbers(p.Mean), Deviation: numbers(p.Deviation), Noise: numbers(p.Noise),
		SignalToNoise: cli.Number(p.SignalToNoise), Motion: p.Motion, Seed: p.Seed, ResidualBytes: p.ResidualBytes, FrameBytes: p.FrameBytes,
		Attributes: m.Attributes(), Selection: m.Selection()}
	for _, r := range inForce(p) {
		a.Relevances = append(a.Relevances, relevanceAbout{r.Title, numbers(r.Slopes)})
	}
	for _, f := range p.Spatial {
		a.Spatial = append(a.Spatial, KernelText(f.Kernel))
	}
	if p.Residual.Kind != "" {
		a.Residual = KernelText(p.Residual)
	}
	a.Configuration = configAbout(m)
	return a
}

// configAbout is the configuration of a model as JSON; nothing where its file has none.
func configAbout(m *sgplvm.Model) json.RawMessage {
	var b bytes.Buffer
	if cfg, ok := m.Config(); !ok || sgplvm.WriteConfig(&b, cfg) != nil {
		return nil
	}
	return b.Bytes()
}

func numbers(v []float64) []cli.Number {
	n := make([]cli.Number, len(v))
	for i, x := range v {
		n[i] = cli.Number(x)
	}
	return n
}

// TrainedAbout is what train -json tells.
type TrainedAbout struct {
	Examples      int               `json:"examples"`
	Steps         int               `json:"steps"`
	Status        string            `json:"status"`
	Converged     bool              `json:"converged"`
	Bound         cli.Number        `json:"bound"`
	Noise         []cli.Number      `json:"noise"` // standard deviations, by channel
	SignalToNoise cli.Number        `json:"signalToNoise"`
	Seconds       float64           `json:"seconds"`
	SearchSeconds float64           `json:"searchSeconds,omitempty"`
	Missing       int               `json:"missing,omitempty"` // values of the data
	Selection     *sgplvm.Selection `json:"selection,omitempty"`
	Configuration json.RawMessage   `json:"configuration,omitempty"`
}

// AboutTraining tells how training went.
func AboutTraining(m *sgplvm.Model, r Trained) TrainedAbout {
	p := m.Summary()
	return TrainedAbout{m.Examples(), r.Iterations, r.Status, r.Converged, cli.Number(r.Bound), numbers(p.Noise), cli.Number(p.SignalToNoise),
		r.Took.Seconds(), r.Searched.Seconds(), r.Missing, m.Selection(), configAbout(m)}
}

// FilledAbout is what impute -json and fill -json tell.
type FilledAbout struct {
	Examples int `json:"examples"`
	Values   int `json:"values"`  // that the model knows
	Missing  int `json:"missing"` // of these

	Errors  map[string]map[string]float64 `json:"errors,omitempty"`  // beside the truth: rmse, mae, mnlp, nlp and coverage
	Columns []columnAbout                 `json:"columns,omitempty"` // of a table, by column

	Kinds      []kindAbout           `json:"kinds,omitempty"`      // of missing values
	Period     int                   `json:"period,omitempty"`     // steps of a series that were an example of the model
	Transforms []string              `json:"transforms,omitempty"` // by channel, of values that were learned from
	Transform  sgplvm.TransformCheck `json:"transform,omitzero"`   // why
	Hidden     *hiddenAbout          `json:"hidden,omitempty"`     // observed values that were hidden for a test
	Sureness   *surenessAbout        `json:"sureness,omitempty"`   // standard errors of what was filled in
	Seconds    float64               `json:"seconds,omitempty"`
	Selection  *sgplvm.Selection     `json:"selection,omitempty"`
}

// kindAbout tells what fills in the values that are missing in one way, and how well.
type kindAbout struct {
	Kind         string       `json:"kind"`
	Missing      int          `json:"missing"`
	By           string       `json:"by"`
	Hidden       *hiddenAbout `json:"hidden,omitempty"`
	Simplest     string       `json:"simplest,omitempty"`
	SimplestRMSE cli.Number   `json:"simplestRMSE,omitzero"`
}

type hiddenAbout struct {
	Values   int        `json:"values"`
	RMSE     cli.Number `json:"rmse"`
	NLP      cli.Number `json:"nlp"`
	Coverage cli.Number `json:"coverage90"`
	Factor   float64    `json:"varianceFactor,omitzero"`

	Deviations bool `json:"inDeviations,omitempty"` // of a table's columns the errors are
}

// AboutFilled tells of pictures that were filled in, of how well, and of the errors beside a truth (nil: there is none), of a table by column.
func AboutFilled(seen *dataset.Frames, checks []sgplvm.FillCheck, errors []report.Row) FilledAbout {
	a := FilledAbout{Examples: seen.Count, Values: seen.Count * seen.Points() * seen.Channels, Kinds: aboutKinds(checks)}
	for i := range seen.Count {
		a.Missing += seen.Missing(i)
	}
	for _, r := range errors {
		if seen.Table {
			a.Columns = append(a.Columns, columnAbout{Name: r.Name, Errors: report.Values(r.Summary)})
		} else {
			a.Errors = report.Values(r.Summary)
		}
	}
	return a
}

// aboutCheck tells how well hidden values were filled in; nil: none were hidden.
func aboutCheck(c sgplvm.FillCheck) *hiddenAbout {
	if c.Values == 0 {
		return nil
	}
	return &hiddenAbout{c.Values, cli.Number(c.RMSE), cli.Number(c.NLP), cli.Number(c.Coverage), c.Factor, c.Deviations}
}

// AboutCompleted tells of a completed set.
func AboutCompleted(set *dataset.Set, c *Completed, filled *dataset.Filled, took time.Duration) FilledAbout {
	a := FilledAbout{Examples: set.Count, Sureness: surenessOf(set, filled), Columns: columnsOf(set, filled), Seconds: took.Seconds()}
	a.Missing, a.Values = set.Missing()
	if c.Model != nil && !c.given {
		a.Selection = c.Model.Selection()
	}
	a.Hidden, a.Period, a.Kinds, a.Transforms, a.Transform = aboutCheck(c.Check), c.Period, aboutKinds(c.Kinds), c.Transforms, c.TransformCheck
	return a
}

// aboutKinds tells how well values were filled in, by the way in which they were missing.
func aboutKinds(checks []sgplvm.FillCheck) (all []kindAbout) {
	for _, k := range checks {
		all = append(all, kindAbout{k.Kind, k.Missing, k.By, aboutCheck(k), k.Simplest, cli.Number(k.SimplestRMSE)})
	}
	return all
}
