package work

// Least leaves in a list of indices those of the count least values, in the list's order, and returns what is left; of equal values the first stay. values[i] belongs
// to index i; scratch has room for as many numbers as the list is long.
func Least(list []int, values, scratch []float64, count int) []int {
	if len(list) <= count {
		return list
	}
	if count <= 0 {
		return list[:0]
	}
	scratch = scratch[:len(list)]
	for k, i := range list {
		scratch[k] = values[i]
	}
	most, equal := kthSmallest(scratch, count-1), count // of the largest value that stays, and how many have it
	for _, i := range list {
		if values[i] < most {
			equal--
		}
	}
	kept := list[:0]
	for _, i := range list {
		if values[i] == most {
			equal--
		}
		if values[i] < most || values[i] == most && equal >= 0 {
			kept = append(kept, i)
		}
	}
	return kept
}

// kthSmallest returns element k of the numbers if they were sorted, and reorders them (quickselect: Hoare, Commun. ACM 4, 1961).
func kthSmallest(x []float64, k int) float64 {
	for len(x) > 1 {
		a, b, c := x[0], x[len(x)/2], x[len(x)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := 0, len(x)-1
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch { // x[:j+1] is at most, x[i:] at least the pivot, which is what lies between
		case k <= j:
			x = x[:j+1]
		case k >= i:
			x, k = x[i:], k-i
		default:
			return pivot
		}
	}
	return x[0]
}
