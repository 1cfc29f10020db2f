package conversation

import "testing"

// HoldMost lowers heldMost for a test.
func HoldMost(t *testing.T, bytes int) {
	usual := heldMost
	t.Cleanup(func() { heldMost = usual })
	heldMost = bytes
}
