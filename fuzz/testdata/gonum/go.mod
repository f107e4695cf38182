module example.org/gonum

go 1.26.0

require (
	github.com/seed-08962ecc/kronfield v0.0.0
	gonum.org/v1/gonum v0.17.0
	pgregory.net/rapid v1.3.0
)

require (
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/tools v0.30.0 // indirect
)

replace github.com/seed-08962ecc/kronfield => ../../..
