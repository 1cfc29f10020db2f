package linemode

import (
	"strings"
	"testing"

	"parley/internal/command"
)

// A command that needs a session says that none is open.
func TestCommandsForASessionNeedOne(t *testing.T) {
	for _, r := range (&front{p: &program{}}).rows() {
		name := names(r)[0]
		if !r.Do.Session || r.Do.Begins {
			continue
		}
		var written strings.Builder
		p := &program{out: newPrinter(&written, true)}
		p.line(typed{text: "/" + name})
		if got := written.String(); got != "No open session.\n" {
			t.Errorf("/%s writes %q", name, got)
		}
	}
	var written strings.Builder
	p := &program{out: newPrinter(&written, true)}
	p.line(typed{text: "!make"})
	if got := written.String(); got != "No open session.\n" {
		t.Errorf("!make writes %q", got)
	}
}

// What all front ends have can be typed in line mode, by all its names, and is in /help.
func TestLineModeHasTheCommandsOfAllFrontEnds(t *testing.T) {
	var written strings.Builder
	f := &front{p: &program{out: newPrinter(&written, true)}}
	f.Help()
	for _, r := range command.Commands() {
		names := names(r)
		if len(names) == 0 || !strings.Contains(written.String(), "/"+names[0]+": ") {
			t.Errorf("/help does not have %s", r.ID)
		}
		for i, name := range names {
			if c := f.named(name, true); c == nil || i == 0 && c.ID != r.ID { // the alias "commands" of help is a command here
				t.Errorf("/%s is not %s", name, r.ID)
			}
		}
	}
}
