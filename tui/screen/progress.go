package screen

import (
	"bytes"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// progress is what the terminal shows of the work that goes on, on the tab or in
// the task bar (OSC 9;4). Nothing is sent as long as there is none: terminals that
// do not know the sequence may take it for a notification.
type progress struct{ shown tea.ProgressBar }

func (p *progress) set(out *bytes.Buffer, bar *tea.ProgressBar) {
	var want tea.ProgressBar
	if bar != nil && bar.State != tea.ProgressBarNone {
		want = *bar
	}
	if want == p.shown {
		return
	}
	p.shown = want
	switch want.State {
	case tea.ProgressBarDefault:
		out.WriteString(ansi.SetProgressBar(want.Value))
	case tea.ProgressBarError:
		out.WriteString(ansi.SetErrorProgressBar(want.Value))
	case tea.ProgressBarIndeterminate:
		out.WriteString(ansi.SetIndeterminateProgressBar)
	case tea.ProgressBarWarning:
		out.WriteString(ansi.SetWarningProgressBar(want.Value))
	default:
		out.WriteString(ansi.ResetProgressBar)
	}
}
