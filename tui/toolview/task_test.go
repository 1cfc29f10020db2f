package toolview

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/tui/theme"
)

// The three priorities look different, also without colours.
func TestPrioritiesLookDifferent(t *testing.T) {
	th := theme.New(true)
	for _, status := range []acpclient.PlanEntryStatus{acpclient.PlanPending, acpclient.PlanInProgress} {
		seen := map[string]acpclient.PlanEntryPriority{}
		for _, priority := range []acpclient.PlanEntryPriority{acpclient.PlanHigh, acpclient.PlanMedium, acpclient.PlanLow} {
			e := acpclient.PlanEntry{Content: "the same", Status: status, Priority: priority}
			look := ansi.Strip(strings.Join(Task(e, th, 40), "|"))
			if other, taken := seen[look]; taken {
				t.Errorf("%s and %s both look like %q", other, priority, look)
			}
			seen[look] = priority
			if line := ansi.Strip(TaskLine(e, th, 40)); line != look {
				t.Errorf("in one line it is %q, else %q", line, look)
			}
			if line := TaskLine(e, th, 8); ansi.StringWidth(line) > 8 {
				t.Errorf("it is %q where there is room for 8", line)
			}
		}
	}
}
