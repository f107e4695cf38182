module example.org/planted

go 1.26.0

require github.com/seed-08962ecc/kronfield v0.0.0

require golang.org/x/sys v0.49.0 // indirect

replace github.com/seed-08962ecc/kronfield => ../../..
