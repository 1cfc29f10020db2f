package tab

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// planQuestion asks whether to carry out a plan of so many steps.
func planQuestion(steps int) conversation.PermissionOpened {
	e := permissionEvent(1, "Plan").(conversation.PermissionOpened)
	var plan strings.Builder
	for i := range steps {
		fmt.Fprintf(&plan, "%d. Step number %d\n", i+1, i+1)
	}
	e.Request.ToolCall.Content = []acpclient.ToolCallContent{acpclient.TextContent(plan.String())}
	return e
}

// A question takes all rows that it needs but three, and the hint says at once with which
// key the rest of it is seen at this size.
func TestAQuestionTakesTheRoomThatItNeeds(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {60, 20}, {40, 12}} {
		b := newBench(t, t.TempDir())
		b.columns, b.rows = size[0], size[1]
		b.events(conversation.PromptSent{At: b.clock}, planQuestion(59))
		b.draw()
		b.passes(3 * time.Second)
		lines := strings.Split(b.screen(), "\n")
		if !strings.HasPrefix(lines[0], "╭─ Permission") || !strings.HasPrefix(lines[len(lines)-4], "╰─") {
			t.Errorf("at %v it has not all rows but three:\n%s", size, b.screen())
		}
		if hints := lines[len(lines)-1]; !strings.Contains(hints, "pgdown scroll on") {
			t.Errorf("at %v the hints are %q", size, hints)
		}
		b.press("end")
		if hints := b.draw().Lines[b.rows-1]; strings.Contains(hints, "pgdown scroll on") {
			t.Errorf("at %v the hints lag behind: %q", size, hints)
		}
	}
}

// A short question leaves the prompt its room.
func TestAShortQuestionTakesNoMoreRoom(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.PromptSent{At: b.clock}, planQuestion(2))
	b.draw()
	b.passes(dialog.LookTime)
	if lines := strings.Split(b.screen(), "\n"); !strings.HasPrefix(lines[len(lines)-3], "────") {
		t.Errorf("the prompt has no room:\n%s", b.screen())
	}
}
