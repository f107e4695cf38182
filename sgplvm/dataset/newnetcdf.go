package dataset

import (
	"io"
	"math"
	"slices"

	"github.com/seed-08962ecc/kronfield/mat/netcdf"
	"github.com/seed-08962ecc/kronfield/mat/npy"
)

// writeNetCDF writes a file of its own: the points, the times, and the results (without deviations where there are none).
func (s *Set) writeNetCDF(w io.Writer, r *Filled) error {
	h := netcdf.Header{Version: netcdf.Offset64, Attributes: []netcdf.Attribute{netcdf.NewAttribute("Conventions", "CF-1.11")}}
	var values netcdf.Arrays
	dimension := func(name string, n int) int {
		h.Dimensions = append(h.Dimensions, netcdf.Dimension{Name: name, Length: n})
		return len(h.Dimensions) - 1
	}
	variable := func(name string, v any, dims []int, attributes ...netcdf.Attribute) {
		typ := netcdf.Double
		if _, ok := v.([]float32); ok {
			typ = netcdf.Float
		}
		h.Variables = append(h.Variables, netcdf.Variable{Name: name, Type: typ, Dimensions: dims, Attributes: attributes})
		values = append(values, v)
	}
	name := s.exampleName()
	if s.Times != nil {
		name = "time"
	}
	dims := []int{dimension(name, s.Count)}
	if s.Times != nil {
		var units []netcdf.Attribute
		if s.Units != nil {
			units = append(units, netcdf.NewAttribute("units", s.Units.String()), netcdf.NewAttribute("calendar", s.Units.Calendar()))
		}
		variable(name, s.Times, slices.Clone(dims), units...)
	}
	var attributes []netcdf.Attribute
	names := s.coordinateNames()
	switch {
	case s.Table:
	case s.Scattered || len(s.Grid) != 2:
		dims = append(dims, dimension("point", s.Points()))
		text := ""
		all := joined(s.Grid)[0]
		for k, n := range names {
			x := make([]float64, all.Rows)
			for i := range x {
				x[i] = all.At(i, k)
			}
			variable(n, x, dims[1:2])
			text += " " + n
		}
		attributes = append(attributes, netcdf.NewAttribute("coordinates", text[1:]))
	default:
		for f, n := range []int{s.Height, s.Width} {
			dims = append(dims, dimension(names[f], n))
			variable(names[f], s.Grid[f].Data, dims[f+1:f+2])
		}
	}
	if s.Channels > 1 {
		dims = append(dims, dimension("channel", s.Channels))
	}
	missing := netcdf.Double.Fill()
	result := func(name, long string, x []float64) {
		v, fill := any(x), netcdf.NewAttribute("_FillValue", []float64{missing})
		if s.typ() == npy.Float32 {
			single := make([]float32, len(x))
			for i := range x {
				single[i] = float32(x[i])
			}
			v, fill = single, netcdf.NewAttribute("_FillValue", []float32{float32(missing)})
		}
		variable(name, v, dims, append([]netcdf.Attribute{fill, netcdf.NewAttribute("long_name", long)}, attributes...)...)
	}
	if r.Variance == nil {
		result("variance", "variance of what was filled in, 0 where observed", absent(r.Mean, missing))
	} else {
		result(newNames[0], "values, missing ones filled in", absent(r.Mean, missing))
		spread := make([]float64, len(r.Variance))
		for i := range spread {
			spread[i] = r.deviation(i)
		}
		result(newNames[1], "standard error, 0 where observed", absent(spread, missing))
	}
	return netcdf.Write(w, &h, values)
}

// absent replaces NaN.
func absent(x []float64, by float64) []float64 {
	x = slices.Clone(x)
	for i, v := range x {
		if math.IsNaN(v) {
			x[i] = by
		}
	}
	return x
}
