//go:build !count

package mat

const counting = false

func runCounted(int, Tasks) {}
