package engine

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/internal/quote"
	"github.com/seed-08962ecc/kronfield/sgplvm"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// lines are lines of words about a model.
type lines struct{ strings.Builder }

// text adds a line.
func (s *lines) text(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

// pair adds a line with a name and what belongs to it.
func (s *lines) pair(name, format string, args ...any) {
	s.text("%-22s %s", name, fmt.Sprintf(format, args...))
}

// Of what a file says: how wide names are at most before the columns give way, and how many lines are shown before the rest is left out.
const (
	widestName     = 60
	mostCandidates = 1000
)

// selection adds how a model was chosen: each question with its candidates, of which the chosen one has a mark.
func (s *lines) selection(c *sgplvm.Selection) {
	if c == nil {
		return
	}
	if c.Task == "" {
		s.text("with the effort %s there was nothing to try", c.Effort)
	} else {
		s.text("chosen with the effort %s by %s", c.Effort, cli.Text(c.Task))
	}
	width, left := 0, mostCandidates
	for _, stage := range c.Stages {
		width = max(width, utf8.RuneCountInString(stage.Name))
		for _, candidate := range stage.Candidates {
			width = max(width, utf8.RuneCountInString(candidate.Name))
		}
	}
	width = min(width, widestName)
	for i, stage := range c.Stages {
		heading := ""
		if i == 0 {
			heading = fmt.Sprintf("  %12s  %22s  %9s", "nats a value", "worse than the chosen", "RMSE")
		}
		s.text("%s", strings.TrimRight(fmt.Sprintf("  %-*s%s", width, cli.Text(stage.Name), heading), " "))
		shown := stage.Candidates[:min(len(stage.Candidates), left)]
		for _, candidate := range shown {
			s.candidate(candidate, width)
		}
		if left -= 1 + len(shown); left <= 0 {
			s.text("  …")
			break
		}
	}
	if c.Ended != "" {
		s.text("the search ended early: %s", cli.Text(c.Ended))
	}
}

// A CandidateText is a candidate of a search in words, of which those that do not apply are empty.
type CandidateText struct{ Name, Score, Difference, RMSE, Note string }

// TextOf puts a candidate into words.
func TextOf(c sgplvm.Candidate) CandidateText {
	t := CandidateText{Name: cli.Text(c.Name)}
	if c.Failure != "" {
		t.Note = cli.Text(c.Failure)
		return t
	}
	t.Score = fmt.Sprintf("%.4f", c.Score)
	if !c.Chosen && (c.Difference != 0 || c.Error != 0) {
		t.Difference = fmt.Sprintf("%+.4f ± %.4f", c.Difference, c.Error)
	}
	if c.RMSE > 0 {
		t.RMSE = fmt.Sprintf("%.4g", c.RMSE)
	}
	if c.Examples > 0 {
		t.Note = "by the first " + quote.Counted(c.Examples, "example")
	}
	return t
}

func (s *lines) candidate(c sgplvm.Candidate, width int) {
	t, columns := TextOf(c), ""
	if c.Failure == "" {
		columns = fmt.Sprintf("%12s  %22s  %9s  ", t.Score, t.Difference, t.RMSE)
	}
	s.text("%s", strings.TrimRight(fmt.Sprintf("%s %-*s  %s%s", map[bool]string{true: "*", false: " "}[c.Chosen], width, t.Name, columns, t.Note), " "))
}

// chosen adds what a model was trained with, where a search has chosen it.
func (s *lines) chosen(m *sgplvm.Model) {
	if cfg, ok := m.Config(); ok && m.Selection() != nil {
		s.text("chosen: %s", ConfigText(cfg))
	}
}

// kept adds what of the training data a model's file keeps.
func (s *lines) kept(m *sgplvm.Model) {
	if text := keptText(m); text != "" {
		s.text(`the model file keeps %s; "lean": true in -config forbids it`, text)
	}
}

// keptText tells what of the training data a model's file keeps; nothing where it keeps none.
func keptText(m *sgplvm.Model) string {
	var parts []string
	p := m.Summary()
	if p.ResidualBytes > 0 {
		parts = append(parts, fmt.Sprintf("residuals of the training examples, %d bytes", p.ResidualBytes))
	}
	if p.FrameBytes > 0 {
		parts = append(parts, fmt.Sprintf("training frames, %d bytes", p.FrameBytes))
	}
	return strings.Join(parts, ", and ")
}

// ConfigText names what a configuration fixes, in words.
func ConfigText(c sgplvm.Config) string {
	var parts []string
	add := func(given bool, format string, args ...any) {
		if given {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(c.LatentDims > 0, "%s", quote.Counted(c.LatentDims, "latent dimension"))
	add(c.Inducing > 0, "%s", quote.Counted(c.Inducing, "inducing point"))
	add(c.LatentKernel != "", "latent kernel %s", c.LatentKernel)
	add(c.TimeKernel.Kind != "", "in time %s", TimeKernelText(c.TimeKernel))
	add(c.OwnTimeKernels == sgplvm.On, "each dimension by itself")
	add(c.LatentTime.Kind != "", "time part %s", TimeKernelText(c.LatentTime))
	add(c.Motion == sgplvm.On, "motion followed")
	add(c.Factors != "", "%s factors", c.Factors)
	for _, f := range c.Spatial {
		add(f.Kernel.Kind != "", "in space %s", TimeKernelText(f.Kernel))
	}
	add(c.NoiseFloor > 0, "noise floor %.3g", c.NoiseFloor)
	parts = append(parts, residualText(c.Residual)...)
	local := c.Residual.Local == sgplvm.On && c.Infer.LocalBandwidth >= 0
	add(local, "local residuals")
	add(c.Training.CoarsePoints > 0, "most of training at %d points", c.Training.CoarsePoints)
	add(c.Infer.DegreesOfFreedom > 0, "%g degrees of freedom", c.Infer.DegreesOfFreedom)
	add(len(c.Infer.Blends) > 0, "mixed with what training examples like the one to fill in say")
	add(c.Infer.Conditioning == sgplvm.ConditionMoments, "conditioned as in the paper, with exact moments for those of its 100 samples")
	if c.Partly != nil {
		parts = append(parts, "for examples seen in part a second model of "+ConfigText(*c.Partly))
		add(c.PartlyReach > 0, "up to %.3g spacings from what was seen", c.PartlyReach)
	}
	if parts == nil {
		return "plain defaults"
	}
	return strings.Join(parts, ", ")
}

// residualText names what a configuration fixes about the structured part of the noise.
func residualText(r sgplvm.ResidualConfig) []string {
	if r.Kernel.Kind == "" || r.Kernel.Kind == kernel.White {
		return nil
	}
	parts := []string{"residual " + TimeKernelText(r.Kernel)}
	if r.Rounds > 0 {
		text := "its covariance learned freely in " + quote.Counted(r.Rounds, "round")
		switch {
		case r.Taper > 0:
			text += fmt.Sprintf(" with taper %.3g", r.Taper)
		case r.Taper < 0:
			text += " without taper"
		}
		parts = append(parts, text)
		if r.Strength > 0 {
			parts = append(parts, fmt.Sprintf("prior strength %g", r.Strength))
		}
	}
	return parts
}
