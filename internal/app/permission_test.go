package app

import (
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// What an option does is said in parley's words unless its name plainly says it.
func TestWhatAnOptionDoesIsSaid(t *testing.T) {
	const once, always, no, never = acpclient.AllowOnce, acpclient.AllowAlways, acpclient.RejectOnce, acpclient.RejectAlways
	for _, tt := range []struct {
		kind  acpclient.PermissionOptionKind
		plain string // names that need no words
		other string // names that do, separated by |
	}{
		{once, "Yes|Allow|Allow once|Allow it|Yes, just this once|Accept this edit|OK", "No|Yes, keep planning|Allow keep planning|Allow all commands from now on|Always allow|Reject|Yes to everything|Don’t allow|Never|Аllow|Allow\u202e|允许|Red|Allow; reject||yes always|Once"},
		{always, "Always allow|Always|Allow all edits in this session|Yes, and don't ask again|Allow for this session|Yes, allow all edits during this session", "Allow once|Yes|Never|Always reject|Always Allow Bash(npm test:*)|Always keep planning|And provide feedback always|Always allow this call|Always allow (once)|Always allow this time|Always allow asking first|Always allow no-one|Always allow to cancel|Always allow, once|Always allow nothing|Ok, won't allow always|Always ask, allow|Yes, always ask me|Allow, but always ask again|Ok, always cancel|Always block run|Proceed to cancel in this session|Accept this edit (1 session credit)|Allow this session log|Don't always allow|Always allоw"},
		{no, "No|Reject|Deny|Don't allow|Do not allow it|No, and tell Claude what to do differently|No, keep planning", "Allow|No call just edit|No, allow it|No, as always|Never|Yes|No problem, run it|No feedback, just do it|Do it, no|No, just do the edit|No change to the command, do it|Cancel"},
		{never, "Always reject|Never|Never allow|Reject for this session", "No|Always allow|Reject once|Never allow questions, go on|Deny always, run|Never deny|Never refuse|Never no|No, do it always|No need to ask: always go on"},
		{"ask_lawyer", "", "Always|Allow"},
	} {
		for _, name := range strings.Split(tt.other, "|") {
			c := choices(tt.kind, name)[0]
			if want := conversation.OptionEffect(acpclient.PermissionOption{Kind: tt.kind}); !c.Warns || !strings.HasPrefix(c.More, want) {
				t.Errorf("%s %q: %q", tt.kind, name, c.More)
			}
		}
		for _, name := range strings.Split(tt.plain, "|") {
			if c := choices(tt.kind, name)[0]; tt.plain != "" && c.Warns {
				t.Errorf("%s %q: %q", tt.kind, name, c.More)
			}
		}
	}
	for i, c := range choices(once, "Allow", once, "Allow", no, "No") {
		if c.Warns != (i < 2) {
			t.Errorf("of options with one name: %q", c.Line())
		}
	}
}

// choices are the choices of kinds and names.
func choices(options ...any) []Choice {
	p := &conversation.Permission{}
	for i := 0; i < len(options); i += 2 {
		p.Options = append(p.Options, acpclient.PermissionOption{Kind: options[i].(acpclient.PermissionOptionKind), Name: options[i+1].(string)})
	}
	return PermissionChoices(p)
}
