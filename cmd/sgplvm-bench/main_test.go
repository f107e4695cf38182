package main

import (
	"github.com/seed-08962ecc/kronfield/cmd/internal/cli"
	"github.com/seed-08962ecc/kronfield/cmd/internal/clitest"
)

// tested is the program in this process.
var tested = clitest.Program{Name: "sgplvm-bench", Commands: func() []cli.Command { return commands }}

var (
	mustRun, mustFail, terminalRun = tested.Must, tested.Fail, tested.AtTerminal
	folder, sameFolder             = clitest.Folder, clitest.SameFolder
	read, write, writeArray        = clitest.Read, clitest.Write, clitest.WriteArray
)

// Pictures of most tests.
const testWidth, testHeight, testPoints = 5, 4, 20
