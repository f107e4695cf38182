package mixture

import (
	"github.com/seed-08962ecc/kronfield/mat"
	"github.com/seed-08962ecc/kronfield/sgplvm/internal/film/frame"
)

// shownPixels are all pixels of training that show a frame, its own and those of frames around it: each is a mean over 2×2 of the finer
// pixels of that frame, or a part of 3×3, wherever its contents are there.
type shownPixels struct {
	values  []float32
	bands   [][]shownPixel // by their first row: bandRows finer rows each
	texture float64        // the mean texture of the frame
}

// A shownPixel covers 3×3 finer pixels, of those first and last in part.
type shownPixel struct {
	column, row      int32   // of the first one
	across, down     float32 // which part of the first ones is covered; of the last ones it is the rest
	value            int     // where its values begin
	evidence, unlike float32 // the texture there, times how far flows agree; and the local mean square by which both frames differ
}

// shownNoise is the variance of a pixel's error over the mean texture of the frame, beside the mean square of how much it differs there: 0.3 costs the eye 0.8 % of RMSE. Chosen for each film, both
// gain the plant 1.2 %, the flower 0.3 % and the eye nothing.
const shownNoise = 0.1

// weight is what a pixel counts in a frame of some mean texture, above 0: the texture there over the variance of its error.
func (p *shownPixel) weight(texture float64) float32 {
	return p.evidence / (float32(shownNoise*texture) + p.unlike)
}

// bandRows is how many finer rows are a band, more than a pixel reaches beyond it.
const bandRows = 16

// improve adds part of what makes a picture m likeliest, in pixels twice as fine as those of training. With y what pixels of training show, A the means over finer pixels that these are, W what each of
// them counts, the texture over the variance of its error, and δ what is added, Gaussian beforehand with the variance of the texture, it solves
//
//	(I + AᵀWA)·δ = AᵀW·(y − A·m)
//
// by six steps of conjugate gradients (after more, errors are no smaller), preconditioned by the diagonal (Hestenes and Stiefel 1952; docs/math.md, 19.5). Values are in units of the training frames.
func (x *shownPixels) improve(m frame.Image[float32], part float64) {
	if !(x.texture > 0) {
		return // nothing but plain areas
	}
	s := newShownSystem(x, m)
	n := len(m.Data)
	scale, residual, direction, product, added := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
	s.diagonal(scale)
	for i, v := range scale {
		scale[i] = 1 / (1 + v)
	}
	s.apply(residual, m.Data, x.values)
	direct := func(before float64) (now float64) { // the next direction, after one that left so much
		now = inParts(n, func(from, to int) (sum float64) {
			of := scale[from:to]
			for i, v := range residual[from:to] {
				sum += float64(v) * float64(v) * float64(of[i])
			}
			return sum
		})
		var share float32
		if before > 0 {
			share = float32(now / before)
		}
		inParts(n, func(from, to int) float64 {
			of, d := scale[from:to], direction[from:to]
			for i, v := range residual[from:to] {
				d[i] = v*of[i] + share*d[i]
			}
			return 0
		})
		return now
	}
	left := direct(0)
	for step := 0; step < 6 && left > 0; step++ {
		s.apply(product, direction, nil)
		a := float32(left / inParts(n, func(from, to int) (sum float64) {
			p := product[from:to]
			for i, v := range direction[from:to] {
				p[i] += v
				sum += float64(v) * float64(p[i])
			}
			return sum
		}))
		inParts(n, func(from, to int) float64 {
			d, p, rest := direction[from:to], product[from:to], residual[from:to]
			for i := range rest {
				rest[i] -= a * p[i]
			}
			sum := added[from:to]
			for i, v := range d {
				sum[i] += a * v
			}
			return 0
		})
		left = direct(left)
	}
	for i, v := range added {
		m.Data[i] += float32(part) * v
	}
}

// systemPart is how many numbers are gone through at a time.
const systemPart = 1 << 14

// inParts calls body with parts of the numbers below n, and returns the sum of what it returns.
func inParts(n int, body func(from, to int) float64) (sum float64) {
	sums := make([]float64, (n+systemPart-1)/systemPart)
	mat.Parallel(len(sums), func(k int) { sums[k] = body(k*systemPart, min((k+1)*systemPart, n)) })
	for _, s := range sums {
		sum += s
	}
	return sum
}

// A shownSystem is the equations of improve.
type shownSystem struct {
	*shownPixels
	channels, stride int
	weights          [][]float32 // of each pixel of each band
}

// newShownSystem returns the equations of a picture that is to be improved.
func newShownSystem(x *shownPixels, m frame.Image[float32]) *shownSystem {
	s := &shownSystem{shownPixels: x, channels: m.Channels, stride: m.Width * m.Channels, weights: make([][]float32, len(x.bands))}
	for b, band := range x.bands {
		for _, p := range band {
			s.weights[b] = append(s.weights[b], p.weight(x.texture))
		}
	}
	return s
}

// eachBand calls body with all bands: those of even and those of odd number one after the other, since a band reaches into the next one. So sums are the same at any GOMAXPROCS.
func (s *shownSystem) eachBand(body func(band []shownPixel, weights []float32)) {
	for parity := range 2 {
		mat.Parallel((len(s.bands)+1-parity)/2, func(b int) { body(s.bands[2*b+parity], s.weights[2*b+parity]) })
	}
}

// apply sets dst to AᵀW·(values − A·v), or AᵀWA·v without values.
func (s *shownSystem) apply(dst, v, values []float32) {
	clear(dst)
	n := s.channels
	s.eachBand(func(band []shownPixel, weights []float32) {
		for k := range band {
			p, w := &band[k], weights[k]
			a, b, f := p.across/2, p.down/2, float32(0.5)
			a2, b2 := f-a, f-b
			from := int(p.row)*s.stride + int(p.column)*n
			v0, v1, v2 := v[from:from+3*n], v[from+s.stride:from+s.stride+3*n], v[from+2*s.stride:from+2*s.stride+3*n]
			d0, d1, d2 := dst[from:from+3*n], dst[from+s.stride:from+s.stride+3*n], dst[from+2*s.stride:from+2*s.stride+3*n]
			for c := range n {
				i, j := c+n, c+2*n
				sum := b*(a*v0[c]+f*v0[i]+a2*v0[j]) + f*(a*v1[c]+f*v1[i]+a2*v1[j]) + b2*(a*v2[c]+f*v2[i]+a2*v2[j])
				if values != nil {
					sum = values[p.value+c] - sum
				}
				sum *= w
				t0, t1, t2 := b*sum, f*sum, b2*sum
				d0[c] += a * t0
				d0[i] += f * t0
				d0[j] += a2 * t0
				d1[c] += a * t1
				d1[i] += f * t1
				d1[j] += a2 * t1
				d2[c] += a * t2
				d2[i] += f * t2
				d2[j] += a2 * t2
			}
		}
	})
}

// diagonal sets dst to the diagonal of AᵀWA.
func (s *shownSystem) diagonal(dst []float32) {
	n := s.channels
	s.eachBand(func(band []shownPixel, weights []float32) {
		for k := range band {
			p := &band[k]
			across, down := [3]float32{p.across / 2, 0.5, (1 - p.across) / 2}, [3]float32{p.down / 2, 0.5, (1 - p.down) / 2}
			for j, b := range down {
				from := (int(p.row)+j)*s.stride + int(p.column)*n
				for i, a := range across {
					for c := range n {
						dst[from+i*n+c] += weights[k] * a * a * b * b
					}
				}
			}
		}
	})
}
