package headless_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/docs"
	"parley/internal/headless"
)

// Whoever writes a script finds every exit code in the guide, with its meaning.
func TestOutcomesAreInTheGuide(t *testing.T) {
	seen := map[int]bool{}
	for _, o := range headless.Outcomes {
		if seen[o.Code] {
			t.Errorf("the exit code %d has two meanings", o.Code)
		}
		seen[o.Code] = true
		if got := o.Status.ExitCode(); got != o.Code {
			t.Errorf("%s exits with %d, want %d", o.Status, got, o.Code)
		}
		if row := fmt.Sprintf("| %d | `%s` | %s |\n", o.Code, o.Status, o.Means); !strings.Contains(docs.Guide(), row) {
			t.Errorf("the guide lacks the line %s", row)
		}
	}
}
