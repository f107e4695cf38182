package sgplvm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/bound"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/selection"
	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

// A recorder is a Watcher that writes down what it is shown.
type recorder struct {
	mu               sync.Mutex
	told             []string
	started, stopped int
	steps            int
	whenTold         func(line string)
}

func (r *recorder) begin() func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.stopped++
	}
}

func (r *recorder) Forecast(time.Duration, bool) {}

func (r *recorder) Tell(line string) {
	r.told = append(r.told, line)
	if r.whenTold != nil {
		r.whenTold(line)
	}
}

func (r *recorder) Timing(string) func() { return r.begin() }

func (r *recorder) Training(string) (func(Progress) bool, func()) {
	return func(Progress) bool { r.steps++; return true }, r.begin()
}

func (r *recorder) Counting(string, int) (func(int), func()) { return func(int) {}, r.begin() }

// fixed are values that no rule and no candidate has, by the names of the fields of Config, and further fields that they need.
func fixed(film bool) map[string]func(c *Config) {
	rbf := kernel.Kernel{Kind: kernel.RBF, LengthScale: []float64{1.7}}
	list := map[string]func(c *Config){
		"Lean":                    func(c *Config) { c.Lean = true },
		"KeepOutliers":            func(c *Config) { c.KeepOutliers = true },
		"Fold":                    func(c *Config) { c.Fold = Off },
		"Transform":               func(c *Config) { c.Transform = Off },
		"Infer.KeepOutliers":      func(c *Config) { c.Infer.KeepOutliers = true },
		"Factors":                 func(c *Config) { c.Factors = FactorsJoint },
		"LatentDims":              func(c *Config) { c.LatentDims = 3 },
		"Inducing":                func(c *Config) { c.Inducing = 7 },
		"LatentKernel":            func(c *Config) { c.LatentKernel = "rbf+bias" },
		"Spatial":                 func(c *Config) { c.Spatial = []SpatialConfig{{Kernel: rbf}} },
		"Noise":                   func(c *Config) { c.Noise = 0.013 },
		"NoiseFloor":              func(c *Config) { c.NoiseFloor = 0.003 },
		"Residual.Kernel":         func(c *Config) { c.Residual.Kernel = kernel.Kernel{Kind: kernel.White} },
		"Residual.Rounds":         func(c *Config) { c.Residual.Rounds = 1 },
		"Residual.Steps":          func(c *Config) { c.Residual.Steps = 5 },
		"Residual.Strength":       func(c *Config) { c.Residual.Strength = 7.5 },
		"Residual.Taper":          func(c *Config) { c.Residual.Taper = -1 },
		"Residual.Local":          func(c *Config) { c.Residual.Local = Off },
		"Infer.Candidates":        func(c *Config) { c.Infer.Candidates = 2 },
		"Infer.Iterations":        func(c *Config) { c.Infer.Iterations = 21 },
		"Infer.Conditioning":      func(c *Config) { c.Infer.Conditioning = ConditionNone },
		"Infer.DegreesOfFreedom":  func(c *Config) { c.Infer.DegreesOfFreedom = 41 },
		"Infer.LocalBandwidth":    func(c *Config) { c.Infer.LocalBandwidth = 0.7 },
		"Infer.LocalStrength":     func(c *Config) { c.Infer.LocalStrength = 5 },
		"Infer.Blends":            func(c *Config) { c.Infer.Blends = []Blend{{Gap: 1, Parts: 1, Inflation: 1.1}} },
		"Infer.FirstOrder":        func(c *Config) { c.Infer.FirstOrder = true },
		"Jitter":                  func(c *Config) { c.Jitter = 2e-6 },
		"Seed":                    func(c *Config) { c.Seed = 99 },
		"Training.Iterations":     func(c *Config) { c.Training.Iterations = 5 },
		"Training.Warmup":         func(c *Config) { c.Training.Warmup = 2 },
		"Training.Joint":          func(c *Config) { c.Training.Joint = true },
		"Training.HoldSpace":      func(c *Config) { c.Training.HoldSpace = true },
		"Training.CoarsePoints":   func(c *Config) { c.Training.CoarsePoints = 5 },
		"Training.Uncalibrated":   func(c *Config) { c.Training.Uncalibrated = true },
		"Motion":                  func(c *Config) { c.Motion = Off },
		"Spatial, two":            func(c *Config) { c.Spatial = []SpatialConfig{{Kernel: rbf}, {}} },
		"Spatial, inducing":       func(c *Config) { c.Spatial = []SpatialConfig{{Inducing: line(2)}, {}} },
		"Spatial, one, inducing":  func(c *Config) { c.Spatial = []SpatialConfig{{Inducing: plane(5, 1)}} },
		"Residual.Kernel, some":   func(c *Config) { c.Residual.Kernel = rbf },
		"Residual.Rounds, none":   func(c *Config) { c.Residual.Rounds = -1 },
		"Residual.Local, learned": func(c *Config) { c.Residual.Local = On },
		"NoiseFloor, none":        func(c *Config) { c.NoiseFloor = -1 },
		"NoiseFloor, high":        func(c *Config) { c.NoiseFloor = 0.4 },
		"Noise, low":              func(c *Config) { c.Noise = 1e-10 },
		"Jitter, infinite":        func(c *Config) { c.Jitter = math.Inf(-1) },
		"Factors, product":        func(c *Config) { c.Factors = FactorsProduct },
	}
	if film {
		list["Period"] = func(c *Config) { c.Period = 4 }
		list["LatentTime"] = func(c *Config) { c.LatentTime = kernel.Kernel{Kind: kernel.RBF} }
		list["OwnTimeKernels"] = func(c *Config) { c.OwnTimeKernels = Off }
		list["OwnTimeKernels,on"] = func(c *Config) { c.OwnTimeKernels = On }
		list["TimeKernel"] = func(c *Config) { c.TimeKernel = kernel.Kernel{Kind: kernel.RBF} }
		list["PartlyReach"] = func(c *Config) { c.Partly, c.PartlyReach = &Config{LatentDims: 2, Training: steps(3)}, 1.5 }
		list["Partly"] = func(c *Config) { c.Partly = &Config{LatentDims: 2, Training: steps(3)} }
	}
	return list
}

// fixedFields are those that a search may leave open, by reflection.
func fixedFields(in reflect.Type, path string) (names []string) {
	for f := range in.Fields() {
		tag := f.Tag.Get("json")
		switch {
		case tag == "-" || f.Name == "Effort":
		case f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[kernel.Kernel]():
			names = append(names, fixedFields(f.Type, path+f.Name+".")...)
		default:
			names = append(names, path+f.Name)
		}
	}
	return names
}

// timeFields are those that matter to the choice in time.
var timeFields = []string{"Period", "LatentTime", "TimeKernel", "OwnTimeKernels", "LatentKernel", "LatentDims", "Inducing", "Noise", "NoiseFloor", "Residual.Kernel", "Residual.Rounds", "Factors", "Partly"}

// fieldOf returns the value of a field by its path.
func fieldOf(c Config, path string) any {
	v := reflect.ValueOf(c)
	for name := range strings.SplitSeq(path, ".") {
		v = v.FieldByName(name)
	}
	return v.Interface()
}

// What a configuration gives stays, every field of it; and what is chosen can be trained. One candidate of a stage and one blend stand for all,
// which TestStages looks at.
func TestGivenStays(t *testing.T) {
	oneProcessor(t)
	normal := selection.Plans[EffortNormal]
	t.Cleanup(func() { selection.Plans[EffortNormal] = normal })
	p := normal
	p.Candidates, p.Rounds, p.Folds = 1, 0, 1
	selection.Plans[EffortNormal] = p
	still, timed := bumps(7, 3, 2, 2), bumps(7, 3, 2, 2).at(line(7).Data, nil)
	list := fixed(true)
	for _, name := range fixedFields(reflect.TypeFor[Config](), "") {
		if list[name] == nil {
			t.Errorf("no value of the field %s to ask whether it stays", name)
		}
	}
	for _, film := range []bool{false, true} {
		d := still
		if film {
			d = timed
		}
		for name, fix := range fixed(film) {
			for _, effort := range []Effort{EffortQuick, EffortNormal} {
				path, _, _ := strings.Cut(name, ",")
				if effort == EffortNormal && (testing.Short() || film && !slices.Contains(timeFields, path)) {
					continue
				}
				given := Config{Effort: effort, Training: steps(2)}
				fix(&given)
				chosen, how, err := Select(context.Background(), d, given)
				if err != nil {
					t.Errorf("%s, %v, in time %t: %v", name, effort, film, err)
					continue
				}
				if d := diff(fieldOf(chosen, path), fieldOf(given, path)); d != "" {
					t.Errorf("%s, %v, in time %t: %s", name, effort, film, d)
				}
				if p := chosen.Partly; p != nil && !strings.HasPrefix(path, "Partly") && path != "Period" {
					if d := diff(fieldOf(*p, path), fieldOf(given, path)); d != "" {
						t.Errorf("%s, %v, of the second model: %s", name, effort, d)
					}
				}
				if _, err := json.Marshal(how); err != nil || chosen.Effort != EffortNone {
					t.Errorf("%s: effort %v, error %v", name, chosen.Effort, err)
				}
				if _, err := NewTrainer(d, chosen); err != nil {
					t.Errorf("%s, %v, in time %t: %v", name, effort, film, err)
				}
			}
		}
	}
}

// searched are small data of each kind of search.
func searched() map[string]set {
	masks := [][]bool{make([]bool, 20), make([]bool, 20)}
	for j := range 20 {
		masks[0][j], masks[1][j] = j%3 == 0, j >= 10
	}
	pictures, told := waves(14), waves(14)
	told.Hide = masks
	return map[string]set{
		"pictures":   {pictures, Config{Training: steps(8)}},
		"masks":      {told, Config{LatentDims: 4, Lean: true, Training: steps(8)}},
		"in time":    {swelling(), Config{LatentDims: 3, Training: steps(10)}},
		"two models": {swelling(), Config{LatentDims: 3, Partly: &Config{LatentDims: 2, Training: steps(7)}, Training: steps(6)}},
		"sequences":  {waves(14).at(line(14).Data, []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}), Config{LatentDims: 3, Period: 6, Training: steps(6)}},
	}
}

// tensorsOf returns a model's file without its metadata, also those of the model within it.
func tensorsOf(t *testing.T, m *Model) []byte {
	t.Helper()
	bare := *m
	bare.config, bare.selection = nil, nil
	if m.partly != nil {
		inner := *m.partly
		inner.config, inner.selection = nil, nil
		bare.partly = &inner
	}
	return saved(t, &bare)
}

// The model of Fit is what training afresh from its own configuration gives; it says how that was chosen, in its
// file too, and its trainings alone are shown as steps.
func TestFitTrainsAfresh(t *testing.T) {
	if testing.Short() {
		t.Skip("some searches")
	}
	partly := 0
	for name, c := range searched() {
		for _, effort := range []Effort{EffortQuick, EffortNormal} {
			watch := new(recorder)
			c.config.Effort = effort
			m, _, err := Run{Watch: watch}.Fit(context.Background(), c.data, c.config)
			if err != nil {
				t.Fatal(err)
			}
			cfg, ok := m.Config()
			if !ok || cfg.Effort != EffortNone || m.Selection() == nil || m.Selection().Effort != effort || len(m.Selection().Stages) == 0 || m.Selection().Ended != "" {
				t.Fatalf("%s, %v: %+v, chosen by %+v", name, effort, cfg, m.Selection())
			}
			if watch.steps == 0 || watch.started != watch.stopped {
				t.Errorf("%s: %d steps, %d shown, %d ended", name, watch.steps, watch.started, watch.stopped)
			}
			if got := loaded(t, saved(t, m)); diff(got.Selection(), m.Selection()) != "" {
				t.Errorf("%s: %s", name, diff(got.Selection(), m.Selection()))
			}
			again, _, err := Fit(context.Background(), c.data, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if again.Selection() != nil || !bytes.Equal(tensorsOf(t, again), tensorsOf(t, m)) {
				t.Errorf("%s, %v: training afresh makes another model", name, effort)
			}
			trainer, _ := fit(t, c.data, cfg)
			whole := *m
			whole.partly = nil
			if !bytes.Equal(tensorsOf(t, modelOf(t, trainer)), tensorsOf(t, &whole)) {
				t.Errorf("%s, %v: a trainer makes another model", name, effort)
			}
			if m.partly != nil {
				partly++
			}
		}
	}
	if partly == 0 {
		t.Error("no model for examples seen in part")
	}
}

// What ends a search changes no candidate: those validated before are as in a whole search, and the model is the one
// that was best of them, trained afresh.
func TestSearchEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("many trainings")
	}
	sets := searched()
	for _, name := range []string{"masks", "in time", "two models"} {
		c := sets[name]
		_, whole, err := Select(context.Background(), c.data, c.config)
		if err != nil {
			t.Fatal(err)
		}
		all := candidates(whole)
		for _, after := range []int{0, 2} {
			end := make(chan struct{})
			if after == 0 {
				close(end)
			}
			watch := new(recorder)
			watch.whenTold = func(string) {
				if len(watch.told) == after {
					close(end)
				}
			}
			m, _, err := Run{End: end, Watch: watch}.Fit(context.Background(), c.data, c.config)
			if err != nil {
				t.Fatalf("%s, after %d: %v", name, after, err)
			}
			got := candidates(m.Selection())
			if len(watch.told) != after {
				t.Errorf("%s: %d told, to end after %d", name, len(watch.told), after)
			}
			if m.Selection().Ended != "the search was stopped" {
				t.Errorf("%s, after %d: ended: %q", name, after, m.Selection().Ended)
			}
			for i, candidate := range got {
				if candidate.Name != all[i].Name || candidate.Score != all[i].Score || candidate.RMSE != all[i].RMSE {
					t.Errorf("%s, after %d, candidate %d: %+v, in a whole search %+v", name, after, i, candidate, all[i])
				}
			}
			chosen, _ := m.Config()
			again, _, err := Fit(context.Background(), c.data, chosen)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(tensorsOf(t, again), tensorsOf(t, m)) {
				t.Errorf("%s, after %d: another model than training afresh", name, after)
			}
		}
	}
}

// candidates are those of all stages.
func candidates(s *Selection) (list []Candidate) {
	for _, stage := range s.Stages {
		list = append(list, stage.Candidates...)
	}
	return list
}

// A search has the time that it is given; without any it takes what it starts from. A context that ends is an error.
func TestSearchTime(t *testing.T) {
	for name, c := range searched() {
		cfg := c.config
		cfg.Effort = EffortQuick
		m, _, err := Run{Limit: time.Nanosecond}.Fit(context.Background(), c.data, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if s := m.Selection(); s.Ended != "the run had 1ns" || len(candidates(s)) > 0 {
			t.Errorf("%s: %+v", name, s)
		}
		unlimited, _, err := Select(context.Background(), c.data, cfg)
		if err != nil {
			t.Fatal(err)
		}
		limited, s, err := Run{Limit: time.Hour}.Select(context.Background(), c.data, cfg)
		if err != nil || s.Ended != "" || limited.open().String() != unlimited.open().String() {
			t.Errorf("%s: another choice with an hour: %v, ended: %q, error %v", name, limited, s.Ended, err)
		}
		ended, cancel := context.WithCancel(context.Background())
		watch := &recorder{whenTold: func(string) { cancel() }}
		if m, _, err := (Run{Limit: time.Hour, Watch: watch}).Fit(ended, c.data, cfg); m != nil || !errors.Is(err, context.Canceled) || watch.started != watch.stopped || watch.steps > 0 {
			t.Errorf("%s: model %v, error %v, %d shown, %d ended", name, m, err, watch.started, watch.stopped)
		}
		cancel()
	}
}

// What cannot be used is refused by name before anything is tried.
func TestSelectRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *Data, cfg *Config)
		field  string
	}{
		"no data":            {func(d *Data, _ *Config) { *d = Data{} }, "Grid"},
		"other masks":        {func(d *Data, _ *Config) { d.Hide = [][]bool{make([]bool, 7)} }, "Hide"},
		"empty masks":        {func(d *Data, _ *Config) { d.Hide = [][]bool{make([]bool, 20)} }, "Hide"},
		"bad times":          {func(d *Data, _ *Config) { d.Times = line(3).Data }, "Times"},
		"kernels":            {func(_ *Data, c *Config) { c.Spatial = make([]SpatialConfig, 3) }, "Spatial"},
		"a period":           {func(_ *Data, c *Config) { c.Period = 3 }, "Period"},
		"latent dimensions":  {func(_ *Data, c *Config) { c.LatentDims = -1 }, "LatentDims"},
		"inducing":           {func(_ *Data, c *Config) { c.Inducing = 15 }, "Inducing"},
		"two kinds of noise": {func(_ *Data, c *Config) { c.Residual.Kernel.Kind, c.Factors = kernel.RBF, FactorsProduct }, "Residual.Kernel"},
		"local of nothing":   {func(_ *Data, c *Config) { c.Residual.Local, c.Residual.Rounds = On, -1 }, "Residual.Local"},
		"lean and local":     {func(_ *Data, c *Config) { c.Residual.Local, c.Lean = On, true }, "Lean"},
	} {
		d, cfg, watch := waves(14), Config{Training: steps(2)}, new(recorder)
		c.change(&d, &cfg)
		m, _, err := Run{Watch: watch}.Fit(context.Background(), d, cfg)
		var refused *ConfigError
		if m != nil || !errors.As(err, &refused) || refused.Field != c.field {
			t.Errorf("%s: error %v, expected one about %s", name, err, c.field)
		}
		if len(watch.told) > 0 {
			t.Errorf("%s: tried %q", name, watch.told)
		}
	}
}

// One kernel in space, or a covariance of the noise, sees all points of a grid together, and a kernel for each factor does not; a model that starts
// from another sees them as that does.
func TestChoiceOfFactors(t *testing.T) {
	d := waves(10)
	rbf := kernel.Kernel{Kind: kernel.RBF}
	for name, c := range map[string]struct {
		cfg  Config
		want int // factors
	}{
		"one kernel":  {Config{Spatial: []SpatialConfig{{Kernel: rbf}}}, 1},
		"two kernels": {Config{Spatial: []SpatialConfig{{Kernel: rbf}, {}}}, 2},
		"a residual":  {Config{Residual: ResidualConfig{Kernel: rbf}}, 1},
	} {
		var text bytes.Buffer
		if err := WriteConfig(&text, c.cfg); err != nil {
			t.Fatal(err)
		}
		cfg, err := ReadConfig(&text)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Effort, cfg.Training = EffortQuick, steps(3)
		m, _, err := Fit(context.Background(), d, cfg)
		if err != nil || len(m.Grid()) != c.want {
			t.Fatalf("%s: error %v", name, err)
		}
		from, _, err := Fit(context.Background(), d, Config{Start: m, Training: steps(2)})
		if err != nil || len(from.Grid()) != c.want || from.Selection() != nil {
			t.Errorf("%s, from that model: error %v", name, err)
		}
		other := map[int]Factors{1: FactorsProduct, 2: FactorsJoint}[c.want]
		var refused *ConfigError
		if _, _, err := Fit(context.Background(), d, Config{Start: m, Factors: other}); !errors.As(err, &refused) || refused.Field != "Start" {
			t.Errorf("%s, %s from that model: error %v", name, other, err)
		}
	}
	scattered := d.on(plane(4, 5))
	cfg, _, err := Select(context.Background(), scattered, Config{Effort: EffortQuick, Spatial: []SpatialConfig{{Kernel: rbf}}, Training: steps(2)})
	if err != nil || cfg.Residual.Rounds < 1 {
		t.Errorf("points with one kernel: %+v, error %v", cfg, err)
	}
}

// Where no candidate can be validated, the plain one is trained, and the file says so.
func TestNothingCanBeValidated(t *testing.T) {
	d := bumps(8, 4, 3, 12)
	for n := range 8 { // all alike but one, which each fold of the effort quick holds out or not
		if n != 5 {
			copy(d.Y.Data[n*12:(n+1)*12], d.Y.Data[:12])
		}
	}
	ended := 0
	for seed := range uint64(12) {
		m, _, err := Fit(context.Background(), d, Config{Effort: EffortQuick, Seed: seed, Training: steps(2)})
		if err != nil {
			t.Fatal(err)
		}
		m = loaded(t, saved(t, m))
		if s := m.Selection(); s.Ended != "" {
			ended++
			if len(s.Stages) != 1 || s.Stages[0].Candidates[0].Failure == "" || s.Stages[0].Candidates[0].Chosen {
				t.Errorf("%+v", s)
			}
		}
	}
	if ended == 0 || ended == 12 {
		t.Errorf("%d of 12 searches ended", ended)
	}
}

// waves draws pictures of 5×4 points, one a row: a few causes that all share, and a smooth random field
// that each has for itself.
func waves(count int) Data {
	const width, height = 5, 4
	rng := rand.New(rand.NewPCG(5, 6))
	y := mat.New(count*width*height, 1)
	for i := range count {
		a, b := math.Sin(float64(i)/3), math.Cos(float64(i)/7)
		own := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		for j := range width * height {
			r, c := float64(j/width), float64(j%width)
			field := own[0] + own[1]*math.Sin(r/2+c/3) + own[2]*math.Cos(c/2-r/3)
			y.Set(i*width*height+j, 0, 100+30*a*math.Sin(r+a)+20*b*math.Cos(c/2)+10*field+rng.NormFloat64())
		}
	}
	return Data{Examples: count, Y: y, Grid: Grid{line(height), line(width)}}
}

// A source that fails ends a search with its error, whenever it does.
func TestSearchReadsFailingSource(t *testing.T) {
	for _, timed := range []bool{false, true} {
		d := waves(12)
		for failAt := 1; ; failAt += 5 {
			source := &countingSource{Source: NewSource(d.Y.Data, 12, 20, 1), failAt: failAt}
			failing := Data{Source: source, Grid: d.Grid}
			if timed {
				failing.Times = line(12).Data
			}
			_, _, err := Select(context.Background(), failing, Config{Effort: EffortQuick, Training: steps(2)})
			if source.calls < failAt {
				if err != nil {
					t.Errorf("in time %t: error %v", timed, err)
				}
				break
			}
			if !errors.Is(err, errSource) {
				t.Errorf("in time %t: error %v at read %d", timed, err, failAt)
			}
		}
	}
}

// A teller keeps how long it was told that a run takes, and whether that was before any candidate.
type teller struct {
	unwatched
	told  []time.Duration
	lines int
	late  bool
}

func (l *teller) Forecast(d time.Duration, _ bool) {
	l.told, l.late = append(l.told, d), l.late || l.lines > 0
}

func (l *teller) Tell(string) { l.lines++ }

// The time of a search is told before its first candidate, and is in the report.
func TestForetold(t *testing.T) {
	film := Data{Source: NewSource(drawKind(filmKinds[0], line(5).Data), 5, filmWidth*filmHeight, 1), Grid: pixelsOf(filmWidth, filmHeight, 1), Film: true}
	for name, c := range map[string]set{
		"pictures": {waves(14), Config{LatentDims: 2, Effort: EffortQuick, Training: steps(3)}},
		"in time":  {waves(14).at(line(14).Data, nil), Config{LatentDims: 2, Effort: EffortQuick, Training: steps(3)}},
		"a film":   {film, Config{LatentDims: 2, Training: steps(3)}},
	} {
		watch := new(teller)
		_, report, err := Run{Watch: watch}.Fit(context.Background(), c.data, c.config)
		if err != nil {
			t.Fatal(err)
		}
		if len(watch.told) != 1 || watch.late || !(report.Forecast > 0) || report.Forecast != watch.told[0] {
			t.Errorf("%s: told %v, after a candidate: %v; forecast %v", name, watch.told, watch.late, report.Forecast)
		}
	}
}

// Each kind of data has its own kind of noise: none with structure where examples have nothing of their own, one that
// is learned where they have, which reaches far where they are smooth.
func TestChoiceOfNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("dozens of trainings")
	}
	reach := map[bool]float64{}
	for _, far := range []bool{true, false} {
		cfg, s, err := Select(context.Background(), correlated(32, 7, 6, far), Config{LatentDims: 3, Training: steps(60)})
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Residual.Rounds < 1 || cfg.Factors != FactorsJoint {
			t.Errorf("far-reaching %t: %+v", far, s.Stages[0])
		}
		reach[far] = cfg.Residual.Taper
	}
	if !(reach[true] > reach[false]) || reach[false] <= 0 {
		t.Errorf("reach %v of smooth fields, %v of others, %v at the start", reach[true], reach[false], bound.DefaultTaper(32))
	}
	cfg, s, err := Select(context.Background(), bumps(24, 6, 5, 2), Config{LatentDims: 4, Training: steps(60)})
	if err != nil || cfg.Residual.Kernel.Kind != kernel.White || cfg.Factors != FactorsProduct {
		t.Errorf("white noise: %+v, error %v", s.Stages[0], err)
	}
}

// correlated draws pictures that are a random field each, around one cause: waves that reach across all of the picture, or steps that
// neighbours alone share.
func correlated(count, height, width int, farReaching bool) Data {
	rng := rand.New(rand.NewPCG(11, 12))
	y := mat.New(count*height*width, 1)
	for i := range count {
		pixels := y.Data[i*height*width : (i+1)*height*width]
		cause := rng.NormFloat64()
		var waves [8]float64
		for k := range waves {
			waves[k] = rng.NormFloat64()
		}
		var steps [100]float64
		for k := range steps {
			steps[k] = rng.NormFloat64()
		}
		for j := range pixels {
			r, c := float64(j/width)/float64(height), float64(j%width)/float64(width)
			pixels[j] = 2 * cause * math.Cos(3*r+c)
			if !farReaching {
				pixels[j] += steps[j/width/2*10+j%width/2] + 0.1*rng.NormFloat64()
				continue
			}
			for k, w := range waves {
				pixels[j] += w * math.Cos(math.Pi*(float64(k%4)*r+float64(k/4)*c)) / float64(1+k)
			}
			pixels[j] += 0.01 * rng.NormFloat64()
		}
	}
	return Data{Examples: count, Y: y, Grid: Grid{line(height), line(width)}}
}
