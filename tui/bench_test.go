package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/internal/app"
	"parley/internal/conversation"
)

// A key in the prompt: the update and the lines of the frame that shows it. What the
// painter makes of them is measured in package screen.
func BenchmarkKey(b *testing.B) {
	for _, length := range []int{0, 200, 10_000} {
		b.Run(fmt.Sprintf("draft=%d", length), func(b *testing.B) {
			p := newProgram(b, map[string]string{"idle": idle})
			p.open("idle")
			p.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
			if length > 0 {
				p.Update(tea.PasteMsg{Content: fmt.Sprintf("%0*d", length, 0)})
			}
			b.ReportAllocs()
			for b.Loop() {
				p.Update(tea.KeyPressMsg{Code: 'a', Text: "a"})
				p.Frame()
				p.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
				p.Frame()
			}
		})
	}
}

// A frame of the board with many sessions, of which one has changed since the last.
func BenchmarkBoard(b *testing.B) {
	for _, rows := range []int{10, 100} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			running := make([]app.Running, rows)
			for i := range running {
				running[i] = app.Running{ID: fmt.Sprint(i), Cwd: "/src/project", Overview: app.Overview{
					Title: fmt.Sprint("Rename the entry points of parser ", i), Agent: "agent", Standing: conversation.Standing(i % 7),
					Step: "2/7 Run the tests", Last: []string{"I look at the parser first.", "It has two entry points."},
				}}
			}
			p := newProgram(b, map[string]string{"idle": idle}, watches(func(context.Context) ([]app.Running, error) { return running, nil }))
			p.open("idle")
			p.Update(tea.WindowSizeMsg{Width: 160, Height: 50})
			p.press("alt+a")
			p.until("the board is there", func() bool { return strings.Contains(p.screen(), "parser 6 ") })
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				running[0].Last[0] = fmt.Sprint(i)
				p.Frame()
			}
		})
	}
}
