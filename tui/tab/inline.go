package tab

import (
	"slices"

	"parley/internal/conversation"
)

// Covers reports whether the tab needs the whole screen: for an attached command, a
// full-screen page, or reading the transcript.
func (t *Tab) Covers() bool {
	return t.view.fullScreen() || t.reader.Reads()
}

// DrawInline draws the live part for inline mode, where the terminal keeps the transcript:
// running items, an open dialog, the queue, the prompt and the status. done are the lines
// of items finished since the last call; more means that there are further ones.
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

// mostRest bounds the lines of unfinished items left on the terminal.
const mostRest = 10_000

// Stay returns the lines that the terminal does not have yet, unfinished items included.
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
