package update

import (
	"testing"

	"github.com/seed-08962ecc/kronfield/sgplvm/field"
)

// The leaves of all parts are all leaves, and few nodes have those of one.
func TestLeaves(t *testing.T) {
	for count := 1; count <= 300; count++ {
		at, most := 0, 0
		for i := range count {
			from, _ := leaves(field.ShardPart{Index: i + 1, Count: count})
			if from != at {
				t.Fatalf("part %d of %d begins with leaf %d, expected %d", i+1, count, from, at)
			}
			for _, n := range nodes(field.ShardPart{Index: i + 1, Count: count}) {
				if n.Index<<n.Level != at {
					t.Fatalf("part %d of %d: node %v, expected leaf %d", i+1, count, n, at)
				}
				at += 1 << n.Level
			}
			most = max(most, len(nodes(field.ShardPart{Index: i + 1, Count: count})))
		}
		if at != 1<<shardLevels || most > 6 {
			t.Errorf("%d parts have %d leaves, and up to %d nodes", count, at, most)
		}
	}
}
