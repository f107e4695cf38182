package detail

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// linearOver is the bilinear interpolation of cells, mirrored nowhere: beyond the outermost centres values stay.
func linearOver(m frame.Image[float64], x, y, width, height, c int) float64 {
	at := func(x, y int) float64 {
		return m.Data[(min(max(y, 0), m.Height-1)*m.Width+min(max(x, 0), m.Width-1))*m.Channels+c]
	}
	p, q := float64(m.Width)/float64(width)*(float64(x)+0.5)-0.5, float64(m.Height)/float64(height)*(float64(y)+0.5)-0.5
	i, j := int(math.Floor(p)), int(math.Floor(q))
	a, b := p-float64(i), q-float64(j)
	return (1-b)*((1-a)*at(i, j)+a*at(i+1, j)) + b*((1-a)*at(i, j+1)+a*at(i+1, j+1))
}

// What is sharp is kept by the part of its energy, pixel by pixel as the formula has it; where all is kept, and in pixels that are not finer both ways, nothing changes.
func TestCore(t *testing.T) {
	const width, height, n = 6, 5, 2
	rng := rand.New(rand.NewPCG(3, 9))
	f := frame.New(2*width, 2*height, n)
	for k := range f.Mean.Data {
		f.Mean.Data[k] = 10 + rng.NormFloat64()*math.Exp2(-6+float64(k%(2*width*n))/2) // plain on the left
	}
	d := &Detail{Width: width, Height: height, Energy: []float64{2, 5}, coring: make([]coring, n)}
	for c := range d.coring {
		for k := range coringLevels {
			for kind := range sharpKinds {
				d.coring[c][kind][k] = rng.Float64()
			}
		}
	}
	m := frame.Image[float64]{Width: 2 * width, Height: 2 * height, Channels: n, Data: slices.Clone(f.Mean.Data)}
	coarse := frame.NewImage[float64](width, height, n)
	frame.DownsampleImage(coarse, m)
	sharp := frame.NewImage[float64](2*width, 2*height, n)
	cells := frame.NewImage[float64](width, height, n)
	for y := range 2 * height {
		for x := range 2 * width {
			for c := range n {
				k := (y*2*width+x)*n + c
				sharp.Data[k] = m.Data[k] - linearOver(coarse, x, y, 2*width, 2*height, c)
				cells.Data[(y/2*width+x/2)*n+c] += frame.Square(sharp.Data[k]) / 4
			}
		}
	}
	energy := frame.NewImage[float64](width, height, n)
	for y := range height {
		for x := range width {
			for c := range n {
				for v, a := range []float64{0.25, 0.5, 0.25} {
					for u, b := range []float64{0.25, 0.5, 0.25} {
						energy.Data[(y*width+x)*n+c] += a * b * cells.Data[(frame.Mirror(y+v-1, height)*width+frame.Mirror(x+u-1, width))*n+c]
					}
				}
			}
		}
	}
	d.Core(f)
	levels := map[int]bool{}
	for y := range 2 * height {
		for x := range 2 * width {
			for c := range n {
				k := (y*2*width+x)*n + c
				level := min(max((math.Log2(linearOver(energy, x, y, 2*width, 2*height, c)/d.Energy[c])+14)/2, 0), 8)
				i := min(int(level), 7)
				levels[i] = true
				at := func(g coringParts) float64 { return g[i] + (level-float64(i))*(g[i+1]-g[i]) }
				s, other := sharp.Data[k], sharp.Data[k+1-2*c]*math.Sqrt(d.Energy[c]/d.Energy[1-c])
				all, mean := (s+other)/2, 0.
				for v := range 2 {
					for u := range 2 {
						mean += sharp.Data[((y/2*2+v)*2*width+x/2*2+u)*n+c] / 4
					}
				}
				if want := m.Data[k] - s + at(d.coring[c][sharpMean])*mean + at(d.coring[c][sharpWithin])*(s-mean) + at(d.coring[c][sharpMore])*(all-s); math.Abs(f.Mean.Data[k]-want) > 1e-12 {
					t.Fatalf("pixel (%d, %d), channel %d: %v, want %v", x, y, c, f.Mean.Data[k], want)
				}
			}
		}
	}
	if len(levels) < 4 {
		t.Errorf("levels %v alone", levels)
	}
	whole := *d
	whole.coring = make([]coring, n)
	for c := range whole.coring {
		for k := range coringLevels {
			whole.coring[c][sharpMean][k], whole.coring[c][sharpWithin][k] = 1, 1
		}
	}
	for _, c := range []struct {
		d             *Detail
		width, height int
		changes       bool
	}{{&whole, 2 * width, 2 * height, false}, {d, width, height, false}, {d, 2 * width, height, false}, {d, width, 2 * height, false}, {&Detail{Width: width, Height: height}, 12, 10, false}, {d, width + 1, height + 1, true}, {d, 4*width + 1, 3 * height, true}} {
		g := frame.New(c.width, c.height, n)
		for k := range g.Mean.Data {
			g.Mean.Data[k] = rng.NormFloat64()
		}
		before := slices.Clone(g.Mean.Data)
		if c.d.Core(g); slices.Equal(before, g.Mean.Data) == c.changes {
			t.Errorf("%d×%d pixels: changed %v, want %v", c.width, c.height, !c.changes, c.changes)
		}
	}
	// A fifth more pixels are log₂ 1.2 of an octave, with as much of the change that a whole one has.
	g := frame.New(width*6/5+1, height*6/5, n)
	for k := range g.Mean.Data {
		g.Mean.Data[k] = rng.NormFloat64()
	}
	none := *d
	none.coring = make([]coring, n)
	for k := range coringLevels {
		none.coring[0][sharpMean][k], none.coring[1][sharpMore][k] = 0.25, 0.5
	}
	shown := sharpOf(g.View(), frame.Size{Width: width, Height: height}, d.Energy)
	want := slices.Clone(g.Mean.Data)
	for k := range want {
		mean, more := shown.kinds[sharpMean].Data[k], shown.kinds[sharpMore].Data[k]
		kept := []float64{0.25 * mean, 0.5 * more}[k%n]
		want[k] -= math.Log2(float64(g.Width)/width) * (mean + shown.kinds[sharpWithin].Data[k] - kept)
	}
	none.Core(g)
	for k, v := range g.Mean.Data {
		if math.Abs(v-want[k]) > 1e-12 {
			t.Fatalf("value %d of a part of an octave is %v, want %v", k, v, want[k])
		}
	}
}

// The part of what is sharp that is contents is learned level by level and channel by channel, only from pixels that count; of few values little is learned, and of none nothing.
func TestCoringLaw(t *testing.T) {
	const width, height, n = 64, 48, 2
	rng := rand.New(rand.NewPCG(5, 5))
	enlarged, counts := frame.NewImage[float64](2*width, 2*height, n), frame.NewImage[float64](width, height, 1)
	for k := range enlarged.Data {
		enlarged.Data[k] = rng.NormFloat64() * []float64{1, 8}[k%n]
		if k%(2*width*n) < width*n {
			enlarged.Data[k] /= 32 // plain on the left
		}
	}
	d := &Detail{Width: 2 * width, Height: 2 * height, Energy: []float64{1, 64}}
	p := sharpOf(enlarged, frame.Size{Width: width, Height: height}, d.Energy)
	sharp := p.kinds[sharpMean]
	sharp.Add(1, p.kinds[sharpWithin])
	truth := frame.NewImage[float64](2*width, 2*height, n)
	part := func(k int) float64 { // plain: a quarter and half, else three quarters and more than all
		return [][]float64{{0.25, 0.5}, {0.75, 1.25}}[k/n/width%2][k%n]
	}
	for k, v := range sharp.Data {
		truth.Data[k] = enlarged.Data[k] - (1-part(k))*v
		if y := k / (2 * width * n); y < 20 {
			truth.Data[k] = enlarged.Data[k] + 3*v // does not count
		}
	}
	for k := range counts.Data {
		if k >= 10*width {
			counts.Data[k] = 1
		}
	}
	law := NewCoringLaw(d)
	if law.Detail(d) != d {
		t.Error("another detail before anything was measured")
	}
	for range 4 {
		law.Add(truth, enlarged, counts)
	}
	learned := law.Detail(d)
	if len(learned.coring) != n || len(d.coring) != 0 || learned.Energy[1] != 64 {
		t.Fatalf("coring of %d channels, and of %d before", len(learned.coring), len(d.coring))
	}
	for c := range n {
		for _, at := range []struct {
			x    int
			want float64
		}{{width / 2, part(n*width/2 + c)}, {3 * width / 2, min(part(n*3*width/2+c), 1)}} {
			i, j, a := coringAt(p.energy.Data[(height*2*width+at.x)*n+c])
			for _, kind := range []int{sharpMean, sharpWithin} {
				of := learned.coring[c][kind]
				if got := (1-a)*of[i] + a*of[j]; math.Abs(got-at.want) > 0.07 { // few values count as contents besides
					t.Errorf("channel %d, column %d, kind %d: %v, want %v", c, at.x, kind, got, at.want)
				}
			}
		}
		if g := learned.coring[c][sharpWithin]; g[0] != 1 || g[coringLevels-1] < 0.5 {
			t.Errorf("levels without values: %v", g)
		}
	}
	few := NewCoringLaw(d)
	clear(counts.Data)
	counts.Data[30*width+5] = 1 // four values of each channel
	few.Add(truth, enlarged, counts)
	for _, g := range few.Detail(d).coring {
		for k, v := range g[sharpWithin] {
			if v < 0.97 || g[sharpMean][k] < 0.97 || g[sharpMore][k] > 0.03 {
				t.Errorf("%v, %v and %v after four values", v, g[sharpMean][k], g[sharpMore][k])
			}
		}
	}
	// Opposite to the truth: nothing is kept.
	opposite := NewCoringLaw(d)
	for k := range counts.Data {
		counts.Data[k] = 1
	}
	for k, v := range sharp.Data {
		truth.Data[k] = enlarged.Data[k] - 3*v
	}
	opposite.Add(truth, enlarged, counts)
	if g := opposite.Detail(d).coring[0][sharpWithin]; slices.Min(g[:]) != 0 {
		t.Errorf("%v where the truth is the opposite", g)
	}
}

// Where the means over pixels of training are right and what is within them is noise, the means are kept and the rest is not.
func TestCoringOfMeans(t *testing.T) {
	const width, height = 64, 48
	rng := rand.New(rand.NewPCG(4, 2))
	d, law := &Detail{Width: width, Height: height, Energy: []float64{1}}, NewCoringLaw(&Detail{Energy: []float64{1}})
	counts := frame.NewImage[float64](width, height, 1)
	for k := range counts.Data {
		counts.Data[k] = 1
	}
	truth, enlarged := frame.NewImage[float64](2*width, 2*height, 1), frame.NewImage[float64](2*width, 2*height, 1)
	cells, noise := make([]float64, width*height), frame.NewImage[float64](2*width, 2*height, 1)
	for k := range cells {
		cells[k] = rng.NormFloat64()
	}
	for k := range truth.Data {
		noise.Data[k] = rng.NormFloat64()
	}
	means := frame.NewImage[float64](width, height, 1)
	frame.DownsampleImage(means, noise)
	for k := range truth.Data {
		cell := k/(4*width)*width + k%(2*width)/2
		truth.Data[k] = cells[cell]
		enlarged.Data[k] = cells[cell] + noise.Data[k] - means.Data[cell]
	}
	law.Add(truth, enlarged, counts)
	shown := frame.FrameOf(enlarged)
	coring := law.Detail(d).coring[0]
	if f, g := coring[sharpMean][7], coring[sharpWithin][7]; !(f > 0.95) || !(g < 0.1) {
		t.Errorf("of means %v is kept and %v of the rest", f, g)
	}
	law.Core(shown, counts.Size())
	frame.DownsampleImage(means, shown.View())
	var sum, wrong float64
	for k, v := range shown.Mean.Data {
		sum += frame.Square(v-truth.Data[k]) / float64(len(truth.Data))
	}
	for k, v := range means.Data {
		wrong += frame.Square(v-cells[k]) / float64(len(cells))
	}
	if sum > 0.05 || wrong > 0.01 {
		t.Errorf("a mean squared error of %v, and %v of means", sum, wrong)
	}
}

// Where a channel has noise besides what all have, more of what these share is taken and less of its own, which is nearer to the truth; where one channel alone is sharp, nothing is shared.
func TestSharedCoring(t *testing.T) {
	const width, height, n = 64, 48, 3
	size := frame.Size{Width: width, Height: height}
	d := &Detail{Width: width, Height: height, Energy: []float64{1, 4, 9}}
	counts := frame.NewImage[float64](width, height, 1)
	for k := range counts.Data {
		counts.Data[k] = 1
	}
	for _, alike := range []bool{true, false} {
		rng := rand.New(rand.NewPCG(8, 1))
		law := NewCoringLaw(d)
		var truth, enlarged frame.Image[float64]
		for range 4 {
			truth, enlarged = frame.NewImage[float64](2*width, 2*height, n), frame.NewImage[float64](2*width, 2*height, n)
			for k := range truth.Data {
				c := k % n
				truth.Data[k] = math.Sqrt(d.Energy[c]) * rng.NormFloat64()
				if alike {
					truth.Data[k] = truth.Data[k-c] * math.Sqrt(d.Energy[c])
				}
				enlarged.Data[k] = truth.Data[k] + 0.6*math.Sqrt(d.Energy[c])*rng.NormFloat64()
			}
			law.Add(truth, enlarged, counts)
		}
		errors := func(m frame.Frame) (sum float64) {
			for k, v := range m.Mean.Data {
				sum += frame.Square(v-truth.Data[k]) / d.Energy[k%n]
			}
			return sum / float64(len(truth.Data))
		}
		cored, own := frame.FrameOf(frame.Image[float64]{Width: 2 * width, Height: 2 * height, Channels: n, Data: slices.Clone(enlarged.Data)}), frame.FrameOf(enlarged)
		law.Core(cored, size)
		learned := law.Detail(d)
		twice := *learned // at twice the size, as a prediction
		for c := range twice.coring {
			for k, v := range twice.coring[c][sharpMore] {
				if alike && k == 7 && !(v > 0.5) || !alike && v > 0.1 {
					t.Errorf("alike %v: level %d of channel %d shares %v", alike, k, c, v)
				}
			}
		}
		again := frame.FrameOf(own.Picture())
		if twice.Core(again); !slices.Equal(again.Mean.Data, cored.Mean.Data) {
			t.Errorf("alike %v: the law cores otherwise than the detail it returns", alike)
		}
		twice.coring = slices.Clone(learned.coring)
		for c := range twice.coring {
			twice.coring[c][sharpMore] = coringParts{}
		}
		twice.Core(own)
		if shared, alone := errors(cored), errors(own); alike && !(shared < 0.8*alone) || !alike && math.Abs(shared/alone-1) > 0.02 {
			t.Errorf("alike %v: squared errors %v, of each channel by itself %v", alike, shared, alone)
		}
	}
}

// Coring comes back from a file to the bit; older files have none, and what cannot be is refused.
func TestCoringOfFiles(t *testing.T) {
	d := &Detail{Width: 20, Height: 16, Energy: []float64{1}, coring: []coring{{coringParts{0.1, 1. / 3, 0, 1}, coringParts{0, 2. / 3}, coringParts{3: 0.7}}}}
	text, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var back Detail
	if err := back.Decode(text); err != nil {
		t.Fatal(err)
	}
	if len(back.coring) != 1 || back.coring[0] != d.coring[0] {
		t.Errorf("coring %v, was %v", back.coring, d.coring)
	}
	if err := back.Check(frame.Shape{Width: 20, Height: 16, Channels: 1}); err != nil {
		t.Error(err)
	}
	var older Detail
	if err := older.Decode([]byte(`{"Width":20,"Height":16,"Energy":[1],"Coring":[[1,0.5,1,1,1,1,1,1,0.25]]}`)); err != nil || older.coring[0] != (coring{sharpMean: coringParts{1, 0.5, 1, 1, 1, 1, 1, 1, 0.25}, sharpWithin: coringParts{1, 0.5, 1, 1, 1, 1, 1, 1, 0.25}}) {
		t.Errorf("coring %v of an older file (%v)", older.coring, err)
	}
	back.coring = append(back.coring, coring{})
	if err := back.Check(frame.Shape{Width: 20, Height: 16, Channels: 1}); err == nil {
		t.Error("coring of two channels for a film of one")
	}
	for part, want := range map[string]string{
		`[[1,1,1,1,1,1,1,1,1]],"CoringMeans":[[0,0]],"CoringShared":[[0,0,0,0,0,0,0,0,0]]`:                                   "coring of 2 levels, expected 9",
		`[[1,1,1,1,1,1,1,1,1]],"CoringMeans":[[0,0,0,0,0,0,0,0,0]],"CoringShared":[[0,0,0,0,0,0,2,0,0]]`:                     "part 2 of what is sharp, expected 0 to 1",
		`[[1,1,1,1,1,1,1,1,1]],"CoringMeans":[[0,0,0,0,0,0,0,0,0]],"CoringShared":[[0,0,0,0,0,0,0,0,0],[0,0,0,0,0,0,0,0,0]]`: "coring of 2 channels, expected 1",
		`[[1,1,1,1,1,1,1,1,1]],"CoringMeans":[[0,0,0,0,0,0,0,0,0]]`:                                                          "coring of 0 channels, expected 1",
		"[[1,1,1]]":                 "coring of 3 levels, expected 9",
		"[[1,1,1,1,1,1,1,1,1,1]]":   "coring of 10 levels, expected 9",
		"[[1,1,1,1,1.5,1,1,1,1]]":   "part 1.5 of what is sharp, expected 0 to 1",
		"[[1,1,1,1,-0.25,1,1,1,1]]": "part -0.25 of what is sharp, expected 0 to 1",
		"[[]]":                      "coring of 0 levels, expected 9",
	} {
		var x Detail
		if err := x.Decode([]byte(`{"Width":20,"Height":16,"Energy":[1],"Coring":` + part + `}`)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", part, err, want)
		}
	}
}
