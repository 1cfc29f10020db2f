package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
	"parley/tui/tab"
)

// manyOptions is an agent that has a mode, works in a deep directory, and asks a
// question with many options.
const manyOptions = `handshake {} {"modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask first"}]}}
expect session/prompt
say About to launch.
request session/request_permission {
  "sessionId": "${session}",
  "toolCall": {"toolCallId": "t1", "title": "Launch the moon", "kind": "execute", "rawInput": {"command": "launch --moon --with everything --that has to be said"}},
  "options": [
    {"optionId": "1", "name": "Allow it once", "kind": "allow_once"}, {"optionId": "2", "name": "Allow it always", "kind": "allow_always"},
    {"optionId": "3", "name": "Allow and launch two", "kind": "allow_once"}, {"optionId": "4", "name": "Not today", "kind": "reject_once"},
    {"optionId": "5", "name": "Reject it", "kind": "reject_once"}, {"optionId": "6", "name": "Reject it always", "kind": "reject_always"}
  ]
} as permission
await permission contains "6"
say Not launched.
end-turn
`

// sizes are those in which everything has its place.
func sizes() [][2]int {
	var all [][2]int
	for _, width := range []int{40, 41, 60, 79, 80, 120, 300} {
		for _, height := range []int{12, 13, 16, 24, 40, 100} {
			all = append(all, [2]int{width, height})
		}
	}
	return all
}

// resize gives the program a size and checks that its frame keeps to it.
func (p *program) resize(size [2]int) {
	p.t.Helper()
	p.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
	f := p.Frame()
	if len(f.Lines) > size[1] {
		p.t.Errorf("on %v there are %d lines", size, len(f.Lines))
	}
	for _, line := range f.Lines {
		if w := termtext.Width(line); w > size[0] {
			p.t.Errorf("on %v a line is %d wide: %q", size, w, line)
		}
	}
}

// At each size that terminals have, the mode is told, the prompt is there, and every
// option of a question can be reached.
func TestNothingThatMattersIsCutAtAnySize(t *testing.T) {
	p := newProgram(t, map[string]string{"asks": manyOptions})
	p.start(p.front, "asks")
	for _, size := range sizes() {
		p.resize(size)
		p.mustShowAt(size, "Ask first", "❯ Type a prompt")
		if p.Frame().Cursor == nil {
			t.Errorf("on %v there is no cursor", size)
		}
	}
	p.press("g", "o", "enter")
	p.until("it asks", func() bool { return p.front.State() == tab.Waiting })
	p.wait()
	for _, size := range sizes() {
		p.resize(size)
		p.mustShowAt(size, "Ask first", "Answer")
		p.reachAll(size, "Allow it once", "Allow it always", "Allow and launch two", "Not today", "Reject it", "Reject it always")
	}
}

// mustShowAt checks what is on the screen of a size.
func (p *program) mustShowAt(size [2]int, texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		if s := p.screen(); !strings.Contains(s, text) {
			p.t.Errorf("on %v the screen lacks %q:\n%s", size, text, s)
		}
	}
}

// reachAll goes through the options of a question from the first to the last.
func (p *program) reachAll(size [2]int, options ...string) {
	p.t.Helper()
	for range options {
		p.press("up")
	}
	if !p.marked(options[0]) { // none was marked yet
		p.press("down")
	}
	for i, option := range options {
		if i > 0 {
			p.press("down")
		}
		if !p.marked(option) {
			p.t.Errorf("on %v nothing reaches %q:\n%s", size, option, p.screen())
		}
	}
}

// marked reports whether an option is in sight and marked.
func (p *program) marked(option string) bool {
	for line := range strings.SplitSeq(p.screen(), "\n") {
		if strings.Contains(line, "❯") && strings.Contains(line, option+" ") {
			return true
		}
	}
	return false
}

// The path steps back before the mode does.
func TestThePathGoesBeforeTheMode(t *testing.T) {
	p := newProgram(t, map[string]string{"asks": manyOptions})
	p.cwd = "/" + strings.Repeat("a/deep/path/", 10)
	p.tabs, p.front = nil, nil
	p.show(p.add())
	p.start(p.front, "asks")
	for width := 40; width <= 300; width += 5 {
		p.resize([2]int{width, 24})
		p.mustShowAt([2]int{width, 24}, "Ask first")
	}
}

// On a terminal that is too small a plain word says so, and what was there comes back.
func TestTooSmallATerminal(t *testing.T) {
	p := newProgram(t, map[string]string{"asks": manyOptions})
	p.start(p.front, "asks")
	for _, size := range [][2]int{{39, 12}, {40, 11}, {20, 5}, {9, 2}, {1, 1}} {
		p.resize(size)
		want := fmt.Sprintf("%d×%d is too small", size[0], size[1])
		if size[0] >= 25 && !strings.Contains(p.screen(), want) {
			t.Errorf("on %v the screen is\n%s", size, p.screen())
		}
	}
	p.press("x")
	p.resize([2]int{40, 12})
	p.mustShow("❯ Type a prompt") // and not what nobody could see
}

// Where there is little room, a list that takes all keys has that of the prompt, and what
// is said is seen all the same.
func TestAListHasRoomInALowTerminal(t *testing.T) {
	p := newProgram(t, map[string]string{"asks": manyOptions})
	p.start(p.front, "asks")
	p.resize([2]int{40, 12})
	p.press("ctrl+p")
	rows := 0
	for _, line := range strings.Split(p.screen(), "\n") {
		if strings.HasPrefix(line, "│") {
			rows++
		}
	}
	if rows < 8 {
		t.Errorf("the palette has %d lines:\n%s", rows, p.screen())
	}
	p.mustShowAt([2]int{40, 12}, "Ask first", "esc close")
	p.press("esc")
	p.mustShowAt([2]int{40, 12}, "❯ Type a prompt")
}
