package linemode

import (
	"strings"
	"testing"

	"parley/internal/app/command"
)

// A command that needs a session says that none is open.
func TestCommandsForASessionNeedOne(t *testing.T) {
	for _, r := range rows() {
		name := strings.Fields(r.Slash)[0]
		if (r.Do.do == nil) == (r.Do.live == nil) {
			t.Errorf("/%s must do something either in any state or to the session", name)
		}
		if r.Do.live == nil {
			continue
		}
		var written strings.Builder
		p := &program{out: newPrinter(&written, true)}
		p.state = &choosing{p: p}
		p.line(typed{text: "/" + name})
		if got := written.String(); got != "No open session.\n" {
			t.Errorf("/%s writes %q", name, got)
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

// What all front ends have can be typed in line mode, by all its names, and is in /help.
func TestLineModeHasTheCommandsOfAllFrontEnds(t *testing.T) {
	var written strings.Builder
	p := &program{out: newPrinter(&written, true)}
	p.help()
	for _, r := range command.Commands() {
		names := strings.Fields(r.Do.Names + " " + r.Slash)
		if len(names) == 0 || !strings.Contains(written.String(), "/"+names[0]+": ") {
			t.Errorf("/help does not have %s", r.ID)
		}
		for _, name := range names {
			if named(name, true) == nil {
				t.Errorf("there is no /%s", name)
			}
		}
	}
}
