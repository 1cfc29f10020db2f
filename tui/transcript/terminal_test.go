package transcript

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

func TestOwnCommandsAreDrawn(t *testing.T) {
	started := conversation.ShellStarted{ID: "c", Command: "make\ntest"}
	output := conversation.TerminalOutput{ID: "c", Data: []byte("10%\r\x1b[32m100%\x1b[0m\r\n")}
	exit := func(code int) conversation.Event {
		return conversation.TerminalExited{ID: "c", Status: acpclient.TerminalExitStatus{ExitCode: &code}}
	}
	for _, c := range []struct {
		events []conversation.Event
		want   string
	}{
		{[]conversation.Event{started}, "$ make␤test  running"},
		{[]conversation.Event{started, output}, "$ make␤test  running\n  │ 100%"},
		{[]conversation.Event{started, output, exit(0)}, "$ make␤test  exit code 0\n  │ 100%"},
		{[]conversation.Event{started, output, exit(3)}, "$ make␤test  exit code 3\n  │ 100%"},
		{[]conversation.Event{started, conversation.TerminalExited{ID: "c", Status: acpclient.TerminalExitStatus{Signal: "SIGTERM"}}}, "$ make␤test  ended by SIGTERM"},
		{[]conversation.Event{conversation.ShellStarted{ID: "c", Command: "bash", Lasts: true}}, "$ bash  your shell, running"},
	} {
		for _, expanded := range []bool{false, true} {
			if got := strings.TrimSpace(drawn(c.events, expanded)); got != c.want {
				t.Errorf("expanded %v:\n%s\nwant\n%s", expanded, got, c.want)
			}
		}
	}
}

// A long output is folded to its end; how the command ended is never cut off; what
// is copied is what was printed.
func TestLongOutputOfAnOwnCommand(t *testing.T) {
	var all strings.Builder
	for i := range 200 {
		fmt.Fprintf(&all, "line %03d %s\r\n", i, strings.Repeat("wide ", 30))
	}
	code := 2
	stream := []conversation.Event{
		conversation.ShellStarted{ID: "c", Command: strings.Repeat("long ", 40)},
		conversation.TerminalOutput{ID: "c", Data: []byte(all.String())},
		conversation.TerminalExited{ID: "c", Status: acpclient.TerminalExitStatus{ExitCode: &code}},
	}
	got := drawn(stream, false)
	if first, _, _ := strings.Cut(strings.TrimSpace(got), "\n"); !strings.HasSuffix(first, "…  exit code 2") {
		t.Errorf("the first line is %q", first)
	}
	if !strings.Contains(got, "lines above") || !strings.Contains(got, "line 199") || strings.Contains(got, "line 100") {
		t.Errorf("collapsed:\n%s", got)
	}
	l := newList(fold(stream...), 80, 2000)
	l.expanded[l.conv.Node(0)] = true
	text := strings.Join(l.Lines(), "\n")
	if n := strings.Count(text, "line "); n != 200 {
		t.Errorf("expanded it has %d of 200 lines", n)
	}
	l.Focus(true)
	l.SpanItem()
	if got := l.SpanText(); !strings.Contains(got, "$ long long") || !strings.Contains(got, "line 100 "+strings.TrimRight(strings.Repeat("wide ", 30), " ")) {
		t.Errorf("copied is:\n%s", got)
	}
}

// The output of commands that are out of view is not kept a second time as lines, however many
// there are; those in view stay.
func TestCommandsOutOfViewKeepNoLines(t *testing.T) {
	const commands, each = 60, 4000
	c := fold()
	l := newList(c, 80, 40)
	for i := range commands {
		id := acpclient.TerminalID(fmt.Sprint(i))
		c.Apply(conversation.ShellStarted{ID: id, Command: "make"})
		c.Apply(conversation.TerminalOutput{ID: id, Data: []byte(strings.Repeat("a line\r\n", each) + fmt.Sprintf("end %d\r\n", i))})
		if got := view(l); !strings.HasSuffix(got, fmt.Sprint("end ", i)) {
			t.Fatalf("command %d is drawn as\n%s", i, got)
		}
		lines := 0
		for _, e := range l.drawings {
			if emu := e.drawing.(*shellCommand).view.emu; emu != nil {
				lines += emu.Len()
			}
		}
		if lines > keepEmulated+2*each {
			t.Fatalf("after %d commands of %d lines, %d lines are kept", i+1, each, lines)
		}
	}
}
