package kernel_test

import (
	"fmt"

	"github.com/seed-08962ecc/kronfield/sgplvm/kernel"
)

func ExampleParse() {
	k, err := kernel.Parse("0.8*rbf(30)*periodic(12,1)+0.2*matern12")
	fmt.Println(k, err)
	fmt.Println(k.Missing())
	fmt.Println(k.Complete(2, 0))
	_, err = kernel.Parse("rbf*matern12(-3)")
	fmt.Println(err)
	// Output:
	// 0.8*rbf(30)*periodic(12,1)+0.2*matern12 <nil>
	// true false
	// 0.8*rbf(30)*periodic(12,1)+0.2*matern12(2)
	// expected a positive number at "-3)", in a kernel such as matern32 or 0.7*rbf(2)+0.3*rbf*periodic(12,1)
}
