package screen

import (
	"bytes"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// progress is the progress that the terminal shows on the tab or in the task bar (OSC
// 9;4). Without progress nothing is sent, because other terminals may show the sequence
// as a notification.
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
