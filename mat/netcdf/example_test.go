package netcdf_test

import (
	"bytes"
	"fmt"

	"github.com/seed-08962ecc/kronfield/mat/netcdf"
)

// Two months of temperatures at three places are written and read back.
func Example() {
	h := netcdf.Header{
		Version:    netcdf.Classic,
		Dimensions: []netcdf.Dimension{{Name: "month", Length: 2, Record: true}, {Name: "place", Length: 3}},
		Variables: []netcdf.Variable{{
			Name: "temperature", Type: netcdf.Float, Dimensions: []int{0, 1},
			Attributes: []netcdf.Attribute{netcdf.NewAttribute("units", "degree_Celsius")},
		}},
	}
	var file bytes.Buffer
	if err := netcdf.Write(&file, &h, netcdf.Arrays{[]float32{11.5, 12, 13, 9.25, 10, 11}}); err != nil {
		fmt.Println(err)
		return
	}

	f, err := netcdf.NewFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	v := f.Find("temperature")
	units, _ := f.Variables[v].Attribute("units")
	second := make([]float64, 3)
	if err := f.ReadFloat64s(second, v, 3); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Version, f.Shape(v), f.Variables[v].Type, units.Text(), second)

	_, err = netcdf.NewFile(bytes.NewReader(file.Bytes()), int64(file.Len()-4))
	fmt.Println(err)
	// Output:
	// classic [2 3] float degree_Celsius [9.25 10 11]
	// netcdf: variable 0 (temperature): found 2 records of 12 bytes from byte 148 on in a file of 168, expected all of them (the file is truncated)
}
