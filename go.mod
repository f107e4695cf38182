module github.com/seed-08962ecc/kronfield

go 1.26
