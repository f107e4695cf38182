//go:build !race

package asm

func raceRead([]float64)  {}
func raceWrite([]float64) {}
func raceBytes([]byte)    {}

func raceTiles([]float64, int, int, int, int, int) {}

func raceRows(func([]float64), []float64, int, int, int) {}
