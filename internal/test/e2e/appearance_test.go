package e2e

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/test/ptytest"
	"parley/tui/theme"
)

// greetsAbroad is an agent that says what not every terminal shows, and asks a question.
const greetsAbroad = `handshake
expect session/prompt
say Grüße ✓
request session/request_permission {
  "sessionId": "${session}",
  "toolCall": {"toolCallId": "t1", "title": "Launch", "kind": "execute", "rawInput": {"command": "launch"}},
  "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]
} as permission
await permission contains "yes"
say Launched.
end-turn
`

// A terminal without Unicode is sent nothing else than ASCII, and everything works.
func TestTerminalWithoutUnicode(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: greetsAbroad, Env: []string{"LC_ALL=C"}})
	p.Shows("> Type a prompt").Type("go").Press("enter")
	p.Shows("Gr??e +", "+- Permission ", "Allow", "Waiting for you")
	ascii(t, p)
	p.WaitUntil("the question takes keys", func(s ptytest.Screen) bool {
		x, y, open := s.Find("+- Permission ")
		return open && s.Cell(x, y).FG == p.focused
	})
	p.Press("1", "1").Shows("Launched.")
	ascii(t, p)
}

// ascii checks that there is nothing but ASCII on the screen.
func ascii(t *testing.T, p *Parley) {
	t.Helper()
	for line := range strings.SplitSeq(p.Screen().String(), "\n") {
		for _, r := range line {
			if r > '~' {
				t.Errorf("%q is on the screen: %s", r, line)
			}
		}
	}
}

// The terminal is asked to tell of its focus and its background, and told how things
// stand; at the end it has everything back.
func TestTellsTheTerminalHowThingsStand(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: "handshake\nexpect session/prompt\nsay Wait.\nexpect session/cancel\nend-turn cancelled\n", Env: []string{"WT_SESSION=1"}})
	p.Ready().WaitState("the terminal is asked to tell", func(s ptytest.State) bool {
		return s.Has(ansi.ModeFocusEvent) && s.Has(ansi.ModeLightDark)
	})
	p.Ask("go").Shows("Wait.").Titled("(works) ")
	p.Focus(false).Focus(true)
	p.Press("esc").Shows("Cancelled").Titled("go")
	p.Leave().WaitState("the terminal has everything back", func(s ptytest.State) bool {
		return !s.Has(ansi.ModeFocusEvent) && !s.Has(ansi.ModeLightDark)
	})
}

// The theme follows the terminal, and one that is chosen stays.
func TestChoosesATheme(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: greetsAbroad})
	p.Ready().Press("ctrl+p").Type("Choose the theme").Press("enter")
	p.Shows("follows the terminal's background", "dracula")
	p.Type("dracula").Press("enter")
	p.focused = hex(theme.Named("dracula").Theme(theme.TrueColor).BorderFocused)
	p.Question(`theme = "dracula"`).TakesKeys().Shows("~/.config/parley/saved.toml").Answer("Keep it").Shows("kept: the theme dracula")
	x, y, ok := p.Screen().Find("parley")
	if got := p.Cell(x, y).FG; !ok || !strings.EqualFold(got, "#ffb86c") {
		t.Errorf("the name is %s", got)
	}
}
