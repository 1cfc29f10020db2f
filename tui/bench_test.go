package tui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"
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
