package tab

import (
	"slices"

	"parley/internal/conversation"
)

// Covers reports whether the tab needs the whole screen: for a command that the person
// has stepped into, for what is shown on the whole screen, and to read the transcript.
func (t *Tab) Covers() bool {
	return t.view.fullScreen() || t.reader.Reads()
}

// DrawInline draws what stands at the end of a terminal that keeps the conversation
// itself: what still goes on, an open dialog, what waits, the prompt and the status, in
// no more lines than there are. done are the lines of what has been finished since; more
// says that there are others.
func (t *Tab) DrawInline(width, height int) (s Screen, done []string, more bool) {
	t.width, t.height = width, height
	foot := t.prompt.draw(width, height)
	room := height - len(foot.Lines)
	panel := t.panel.draw(width, room)
	var lines []string
	switch above := room - len(panel.Lines); {
	case t.list == nil || len(t.conv.Items) == 0:
		ready := t.conv != nil && t.conv.Phase == conversation.PhaseReady
		lines = welcome(t.program, ready, t.view.statusInfo().StartTail(width, above-welcomeHeight), width, min(above, welcomeHeight+2))
	default:
		t.list.SetSize(width, max(1, above))
		t.list.SetNow(t.program.Now())
		t.reader.SetRows(max(1, above))
		done, more = t.list.Finished()
		lines = t.list.Rest(above)
	}
	return t.view.compose(slices.Clone(lines), panel, foot, width, height), done, more
}

// mostRest bounds how many lines of what is not finished stay on the terminal.
const mostRest = 10_000

// Stay are the lines of the conversation that a terminal that keeps it does not have yet,
// also those of what is not finished.
func (t *Tab) Stay(width int) []string {
	if t.list == nil {
		return nil
	}
	t.list.SetSize(width, 1)
	var all []string
	for more := true; more; {
		var lines []string
		lines, more = t.list.Finished()
		all = append(all, lines...)
	}
	return append(all, t.list.Rest(mostRest)...)
}
