package mixture

import (
	"math"
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/drawn"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/filmtest"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/motion"
)

// Nothing is interpolated across a cut: at a time between two shots one of them goes on, and a frame that is left out
// beside a cut is predicted from its own shot, also where the motion was read from its file.
func TestNothingAcrossCut(t *testing.T) {
	times := drawn.Times(9, 1)
	size := drawn.Width * drawn.Height
	film := drawn.Cut(times, 4, drawn.Rotation)
	m := filmtest.Find(t, film, times, 1)
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back := new(motion.Motion)
	if err := back.Decode(text); err != nil {
		t.Fatal(err)
	}
	frames := filmtest.Keep(t, m, field.NewSource(film, len(times), size, 1))
	for _, m := range []*motion.Motion{m, back} {
		for _, c := range []struct {
			time          float64
			without, want int
			beyond        float64
		}{{3.4, -1, 3, 0.4}, {3.6, -1, 4, 0.4}, {3, 3, 2, 1}, {4, 4, 5, 1}, {8.5, -1, 8, 0.5}} {
			o := NewOthers(frames, new(Detail), filmtest.MomentAt(t, m, c.time, c.without), drawn.Width, drawn.Height)
			if math.Abs(o.beyond-c.beyond) > 1e-12 {
				t.Errorf("time %v without %d: %v beyond, want %v", c.time, c.without, o.beyond, c.beyond)
			}
			for _, mean := range o.means {
				for k, v := range mean.Data {
					if math.Abs(v-film[c.want*size+k]) > 1e-2 {
						t.Fatalf("time %v without %d: value %d is %v, want %v of frame %d", c.time, c.without, k, v, film[c.want*size+k], c.want)
					}
				}
			}
		}
	}
}

// Three frames of a shot are few, four are not.
func TestFew(t *testing.T) {
	for n, want := range map[int]bool{2: true, 3: true, 4: false} {
		times := drawn.Times(n, 1)
		m := filmtest.Still(8, 6, times)
		frames := filmtest.Keep(t, m, field.NewSource(drawn.Film(times, 8, 6, 1, drawn.Translation), n, 48, 1))
		if o := NewOthers(frames, new(Detail), m.LeftOut(1), 8, 6); o.few != want {
			t.Errorf("%d frames are few: %v", n, o.few)
		}
	}
}
