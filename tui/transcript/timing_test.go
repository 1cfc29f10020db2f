package transcript

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
	"parley/tui/theme"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return noon.Add(d) }

func command(title string, status acpclient.ToolCallStatus, at time.Duration) conversation.Event {
	return conversation.Update{At: after(at), Update: &acpclient.ToolCall{
		ToolCallID: "t", Title: title, Kind: acpclient.ToolExecute, Status: status,
	}}
}

func TestCallsSayHowLongTheyTook(t *testing.T) {
	begin := test.At(ask("go"), noon)
	long := strings.Repeat("long ", 30)
	for name, test := range map[string]struct {
		events []conversation.Event
		want   string
	}{
		"a second":     {[]conversation.Event{begin, command("make", "in_progress", 0), command("make", "completed", 1250*time.Millisecond)}, "✓ $ make  1.2s"},
		"minutes":      {[]conversation.Event{begin, command("make", "in_progress", 0), command("make", "failed", 125*time.Second)}, "✗ $ make  2m 05s  failed"},
		"next to none": {[]conversation.Event{begin, command("make", "in_progress", 0), command("make", "completed", 900*time.Millisecond)}, "✓ $ make"},
		"not known":    {[]conversation.Event{command("make", "in_progress", 0), command("make", "completed", time.Hour)}, "✓ $ make"},
		"cancelled": {
			[]conversation.Event{begin, command("make", "in_progress", 0), conversation.CancelRequested{At: after(4 * time.Second)}},
			"⊘ $ make  4.0s  cancelled",
		},
		"answered": {
			[]conversation.Event{
				begin, command("make", "pending", 0), test.At(test.Permission(1, `{"toolCallId":"t"}`), after(time.Second)),
				test.At(conversation.PermissionClosed{ID: 1, Outcome: acpclient.PermissionSelected("y")}, after(time.Minute)),
				command("make", "completed", 62*time.Second),
			},
			"✓ $ make  3.0s  you: Yes",
		},
		"a long title makes room": {
			[]conversation.Event{begin, command(long, "in_progress", 0), command(long, "failed", 12*time.Second)},
			"✗ $ " + long[:61] + "…  12s  failed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := view(newList(fold(test.events...), 80, 30))
			if got = strings.TrimPrefix(got, "❯ go\n\n"); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// The clock of a call that works goes on whenever the list is drawn, and stands still
// while the person is asked.
func TestClocksOfCallsThatWork(t *testing.T) {
	c := fold(test.At(ask("go"), noon), command("make", "in_progress", 0))
	l := newList(c, 80, 30)
	at := func(d time.Duration, want string) {
		t.Helper()
		l.SetNow(after(d))
		if got := view(l); got != "❯ go\n\n"+want {
			t.Errorf("after %v:\n%s\nwant\n%s", d, got, want)
		}
	}
	at(time.Second, "◐ $ make")
	at(5900*time.Millisecond, "◐ $ make  5s")
	at(65*time.Second, "◐ $ make  1m 05s")
	c.Apply(test.At(test.Permission(1, `{"toolCallId":"t"}`), after(66*time.Second)))
	at(time.Hour, "◐ $ make")
	c.Apply(test.At(conversation.PermissionClosed{ID: 1, Outcome: acpclient.PermissionSelected("y")}, after(time.Hour)))
	at(time.Hour+4*time.Second, "◐ $ make  1m 10s  you: Yes")
	c.Apply(command("make", "completed", time.Hour+5*time.Second))
	at(2*time.Hour, "✓ $ make  1m 11s  you: Yes")
}

func TestTurnsSayHowLongTheyWorked(t *testing.T) {
	for want, turn := range map[string]struct {
		took   time.Duration
		reason acpclient.StopReason
	}{
		"● Done.":                             {9 * time.Second, acpclient.StopEndTurn},
		"● Done.\n\n· worked 12s":             {12 * time.Second, acpclient.StopEndTurn},
		"● Done.\n\n· Cancelled":              {time.Second / 2, acpclient.StopCancelled},
		"● Done.\n\n· Cancelled  worked 2.5s": {2500 * time.Millisecond, acpclient.StopCancelled},
	} {
		l := newList(fold(test.At(ask("go"), noon), say("Done."), conversation.TurnEnded{Reason: turn.reason, At: after(turn.took)}), 80, 30)
		if got := view(l); got != "❯ go\n\n"+want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if l.Focus(true); strings.Contains(want, "worked") && !strings.Contains(want, l.Excerpt().Text) {
			t.Errorf("%q is taken", l.Excerpt().Text)
		}
	}
}

// A prompt stands on a ground of its own from edge to edge; where there are no
// grounds, behind a bar.
func TestPromptsStandApart(t *testing.T) {
	c := fold(ask("one\ntwo"), say("An answer."))
	for _, dark := range []bool{true, false} {
		for _, depth := range []theme.Depth{theme.TrueColor, theme.Colors256, theme.Colors16} {
			th := theme.NewFor(dark, depth)
			l := New(th, c)
			l.SetSize(40, 6)
			lines := l.Lines()
			for i, text := range []string{"one", "two"} {
				plain := ansi.Strip(lines[i])
				if depth == theme.Colors16 {
					if plain != "┃ "+text || strings.Contains(lines[i], "\x1b[4") {
						t.Errorf("dark %v, depth %v: %q", dark, depth, lines[i])
					}
					continue
				}
				if len([]rune(plain)) != 40 || strings.Count(lines[i], th.Prompt) != strings.Count(lines[i], "\x1b[m") || !strings.HasPrefix(lines[i], th.Prompt) {
					t.Errorf("dark %v, depth %v: %q", dark, depth, lines[i])
				}
			}
			if strings.Contains(strings.Join(lines[2:], ""), th.Prompt) && th.Prompt != "" || ansi.Strip(lines[3]) != "● An answer." {
				t.Errorf("dark %v, depth %v: the answer is %q", dark, depth, lines[2:])
			}
		}
	}
}

// Beside the edge of a tool call, code has none of its own.
func TestCodeInToolCallsHasNoBar(t *testing.T) {
	text := "See:\n\n```go\nx := 1\n" + strings.Repeat("y", 30) + "\n```"
	l := newList(fold(conversation.Update{Update: &acpclient.ToolCall{
		ToolCallID: "t", Title: "Fetch", Kind: acpclient.ToolFetch, Status: acpclient.ToolCompleted, Content: acpclient.ToolCallContents{acpclient.TextContent(text)},
	}}, say("```go\nx := 1\n```")), 27, 30)
	want := "✓ ↓ Fetch\n  │ See:\n  │\n  │ x := 1\n  │ yyyyyyyyyyyyyyyyyyyyyy\n  │ ¦ yyyyyyyy\n\n● │ x := 1"
	if got := view(l); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	l.Focus(true)
	l.Select(-1)
	l.Toggle()
	if got := view(l); !strings.Contains(got, "▌ │ x := 1\n▌ │ yyyyyyyyyyyyyyyyyyyyyy\n▌ │ ¦ yyyyyyyy") {
		t.Errorf("expanded:\n%s", got)
	}
}
