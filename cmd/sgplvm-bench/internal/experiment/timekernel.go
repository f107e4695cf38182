package experiment

import "github.com/seed-08962ecc/kronfield/sgplvm/kernel"

// A TimeKernel is what a flag says of a kernel in time: the kernel, or that it is to be selected.
type TimeKernel struct {
	Auto   bool
	Kernel kernel.Kernel
}

// ParseTimeKernel reads a time kernel, or auto.
func ParseTimeKernel(s string) (TimeKernel, error) {
	if s == "auto" {
		return TimeKernel{Auto: true}, nil
	}
	k, err := kernel.Parse(s)
	if err == nil {
		err = k.Complete(1, 1).ValidateTime() // whatever length scales and periods the data give
	}
	return TimeKernel{Kernel: k}, err
}

// String writes it as ParseTimeKernel reads it; nothing for the zero value.
func (k TimeKernel) String() string {
	switch {
	case k.Auto:
		return "auto"
	case k.Kernel.Kind == "":
		return ""
	}
	return k.Kernel.String()
}
