package linemode

import (
	"strings"
	"testing"
)

// A command that needs a session says that none is open.
func TestCommandsForASessionNeedOne(t *testing.T) {
	for _, c := range commands() {
		if (c.do == nil) == (c.live == nil) {
			t.Errorf("/%s must do something either in any state or to the session", c.name)
		}
		if c.live == nil {
			continue
		}
		var written strings.Builder
		p := &program{out: newPrinter(&written, true)}
		p.state = &choosing{p: p}
		p.line(typed{text: "/" + c.name})
		if got := written.String(); got != "No open session.\n" {
			t.Errorf("/%s writes %q", c.name, got)
		}
	}
	var written strings.Builder
	p := &program{out: newPrinter(&written, true)}
	p.state = &choosing{p: p}
	p.line(typed{text: "!make"})
	if got := written.String(); got != "No open session.\n" {
		t.Errorf("!make writes %q", got)
	}
}
