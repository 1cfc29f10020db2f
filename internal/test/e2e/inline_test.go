//go:build unix

package e2e

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"parley/internal/test/ptytest"
)

// startInline starts parley below what a shell has written, where it draws only at the
// end of it.
func startInline(t *testing.T, o Options) *Parley {
	t.Helper()
	o.Keep, o.Args = true, append(o.Args, "--inline")
	o.Under = []string{"sh", "-c", `echo what the shell has written; "$@"; echo "the shell goes on: $?"; read wait`, "sh"}
	p := Start(t, o)
	return p.Shows("what the shell has written", "Type a prompt")
}

// times is how often parley has written a text, apart from how it looks.
func (p *Parley) times(text string) int { return strings.Count(ansi.Strip(p.Raw()), text) }

// endsShell ends the shell that parley was started by.
func (p *Parley) endsShell() {
	p.t.Helper()
	p.Shows("the shell goes on: 0").Send("\n")
	p.Exits(0)
}

func TestInlineLeavesTheConversationToTheTerminal(t *testing.T) {
	t.Parallel()
	p := startInline(t, Options{Script: begin + "say First words of it.\n" + asks("one", "Clean up", "rm -rf build") + `
await one contains "optionId":"yes"
update {"sessionUpdate": "tool_call_update", "toolCallId": "one", "status": "completed"}
say It is clean.
end-turn
expect session/prompt contains more
say Nothing more to do.
end-turn
`})
	p.Ask("go")
	p.Question("rm -rf build").Shows("what the shell has written", "First words of it.").Answer("Allow")
	p.Shows("It is clean.").Idle().Ask("and more?").Shows("Nothing more to do.", "what the shell has written").Idle()
	if p.AltScreen() {
		t.Error("the whole screen was taken")
	}
	for _, once := range []string{"❯ go", "It is clean.", "❯ and more?"} {
		// Once while it went on, at most, and once when it was done.
		if n := p.times(once); n < 1 || n > 2 {
			t.Errorf("%q was written %d times", once, n)
		}
	}
	p.leaves().Shows("the shell goes on: 0")
	p.Shows("what the shell has written", "❯ go", "It is clean.", "Nothing more to do.").Gone("Type a prompt")
	p.endsShell()
}

// leaves presses what leaves parley.
func (p *Parley) leaves() *Parley {
	p.t.Helper()
	return p.Press("ctrl+d")
}

// What needs the whole screen takes it, and gives it back.
func TestInlineReadsOnTheWholeScreen(t *testing.T) {
	t.Parallel()
	p := startInline(t, Options{Script: begin + "say Words to be read.\nend-turn\n"})
	p.Ask("go").Shows("Words to be read.").Idle().Press("tab")
	p.WaitUntil("the whole screen is taken", func(s ptytest.Screen) bool { return s.AltScreen && s.Contains("Words to be read.") })
	p.Press("esc")
	p.WaitUntil("it was given back", func(s ptytest.Screen) bool {
		return !s.AltScreen && s.Contains("what the shell has written") && s.Contains("Words to be read.") && s.Contains("Type a prompt")
	})
	p.leaves().endsShell()
}

func TestInlineFollowsTheSizeOfTheWindow(t *testing.T) {
	t.Parallel()
	p := startInline(t, Options{Script: begin + "say Words that stay.\nend-turn\nexpect session/prompt\nsay And others.\nend-turn\n"})
	p.Ask("go").Shows("Words that stay.").Idle()
	for _, size := range [][2]int{{120, 24}, {140, 30}, {90, 30}, {60, 20}, {100, 40}} {
		p.Resize(size[0], size[1])
		p.WaitUntil(fmt.Sprintf("there is one prompt of %d columns", size[0]), func(s ptytest.Screen) bool {
			return strings.Count(s.String(), "Type a prompt") == 1 && s.Contains("\n"+strings.Repeat("─", size[0])+"\n❯ Type")
		})
	}
	p.Ask("more").Shows("And others.", "❯ more").Idle().leaves().endsShell()
}

// scrolled is all that a terminal has once it was written to: what it has scrolled away,
// up to so many lines, and the screen.
func scrolled(written string, cols, rows, lines int) string {
	emu := vt.NewEmulator(cols, rows)
	emu.SetScrollbackSize(lines)
	drained := make(chan struct{})
	go func() { // what the terminal answers to questions, for which it would wait
		defer close(drained)
		_, _ = io.Copy(io.Discard, emu)
	}()
	_, _ = emu.WriteString(written)
	var text strings.Builder
	for _, line := range emu.Scrollback().Lines() {
		text.WriteString(line.String() + "\n")
	}
	text.WriteString(emu.String())
	if answers, ok := emu.InputPipe().(io.Closer); ok { // closing the emulator would race with its reader
		_ = answers.Close()
		<-drained
	}
	return text.String()
}

var steps = regexp.MustCompile(`Step number (\d+)\.`)

// However much there is, the terminal has each line once, and in order. It is a small
// one, for to scroll it is most of the work.
func TestInlineWithManyItems(t *testing.T) {
	t.Parallel()
	const calls, cols, rows = 1_500, 50, 16
	p := startInline(t, Options{Cols: cols, Rows: rows, Script: begin + fmt.Sprintf(`
repeat %d
update {"sessionUpdate": "tool_call", "toolCallId": "t${n}", "title": "Step number ${n}.", "kind": "edit", "status": "completed"}
end
say That was all.
end-turn
`, calls)})
	p.Ask("go").Shows("That was all.", fmt.Sprintf("Step number %d.", calls)).Idle().leaves().endsShell()
	text := scrolled(p.Raw(), cols, rows, 2*calls)
	next := 1
	for _, found := range steps.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(found[1])
		must(t, err)
		if n != next {
			t.Fatalf("step %d follows %d", n, next-1)
		}
		next++
	}
	if next != calls+1 {
		t.Errorf("%d of %d steps were written", next-1, calls)
	}
}

func TestInlineTellsThatTheAgentHasGone(t *testing.T) {
	t.Parallel()
	p := startInline(t, Options{Script: begin + "say Something that must stay.\nstderr panic: out of cheese\nkill-self\n"})
	p.Ask("go").Shows("Something that must stay.", "panic: out of cheese", "what the shell has written")
}

// The conversations of several tabs share what the terminal keeps: a line says of which
// tab what follows is.
func TestInlineSaysWhichTabWhatFollowsIsOf(t *testing.T) {
	t.Parallel()
	p := startInline(t, Options{
		Script: begin + "say Words of the first.\nend-turn\nexpect session/prompt\nsay More of the first.\nend-turn\n",
		Others: map[string]string{"other": begin + "say Words of the other.\nend-turn\n"},
	})
	p.Ask("go").Shows("Words of the first.").Idle()
	p.Palette("New tab with another").Shows("New tab: choose an agent", "other").Type("other").Press("enter").Ready()
	p.Ask("and you").Shows("Words of the other.").Idle()
	p.Press("ctrl+pgup", "ctrl+pgdown", "ctrl+pgup") // nothing new is there to be told apart
	p.Ask("more").Shows("More of the first.").Idle().leaves().endsShell()
	text := scrolled(p.Raw(), 120, 40, 200)
	for _, part := range []string{"Words of the first.", "── tab 2: and you ──", "❯ and you", "Words of the other.", "── tab 1: go ──", "❯ more", "More of the first."} {
		before, after, found := strings.Cut(text, part)
		if !found {
			t.Fatalf("%q is missing behind what comes before it:\n%s", part, text)
		}
		if strings.Contains(before, "── tab ") {
			t.Errorf("a line names a tab of which nothing follows, before %q:\n%s", part, before)
		}
		text = after
	}
}
