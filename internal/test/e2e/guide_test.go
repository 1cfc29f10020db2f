//go:build unix

package e2e

import (
	"strings"
	"testing"

	"parley/internal/test/ptytest"
)

const greets = `
expect initialize
reply {` + initialized + `}
expect session/new
reply {"sessionId": "s"}
expect session/prompt
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "## A heading\n\nIt is **bold**.\n\n---\n"}}
reply {"stopReason": "end_turn"}
`

func TestReadsTheGuide(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: greets})
	p.WaitFor("/ for commands and @ for files")
	p.Press("f1").WaitFor("Send the prompt", "tab guide")
	p.Press("tab").WaitFor("The guide to parley", "more lines")
	p.Press("end").WaitFor("What parley keeps")
	p.Press("esc").WaitGone("What parley keeps")
	p.Press("ctrl+p").Type("guide").WaitFor("Read the guide")
	p.Press("enter").WaitFor("The guide to parley")
}

func TestMarkdownIsDrawnInTheConfiguredStyle(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{
		"configuration": {Config: "markdown_style = \"dracula\"\n", Env: []string{"GLAMOUR_STYLE=pink"}},
		"environment":   {Env: []string{"GLAMOUR_STYLE=dracula"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Script = greets
			p := Start(t, o)
			p.WaitFor("/ for commands and @ for files")
			p.Type("hello").Press("enter")
			p.WaitFor("## A heading", "It is bold.", "--------")
			s := p.Screen()
			for text, colour := range map[string]string{"## A heading": "#bd93f9", "bold.": "#ffb86c", "--------": "#6272a4"} {
				if x, y, _ := s.Find(text); !strings.EqualFold(s.Cell(x, y).FG, colour) {
					t.Errorf("%q is %q, want %q", text, s.Cell(x, y).FG, colour)
				}
			}
		})
	}
}

func TestAnUnknownMarkdownStyleIsToldOf(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Config: "theme = \"dark\"\nmarkdown_style = \"dracla\"\n", Script: "expect initialize"})
	p.WaitUntil("the error is told", func(s ptytest.Screen) bool {
		text := strings.Join(strings.Fields(s.String()), " ")
		return strings.Contains(text, "config.toml:2:") && strings.Contains(text, `did you mean "dracula"?`)
	})
	if code := p.WaitExit(); code != 1 {
		t.Errorf("the exit code is %d", code)
	}
}
