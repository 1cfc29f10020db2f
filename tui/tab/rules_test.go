package tab

import (
	"strings"
	"testing"

	"parley/internal/conversation"
	"parley/tui/dialog"
)

// A rule that was saved while the agent changed its question does not answer the new
// one.
func TestASavedRuleDoesNotAnswerAnotherQuestion(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(permissionEvent(1, "run"), conversation.PermissionClosed{ID: 9})
	before := b.conv.Permissions[0].Asked
	b.conv.Permissions[0].Asked = &conversation.ToolCall{Title: "another"}
	b.Update(rulesSavedMsg{done: "saved: allow read", answer: &dialog.SaveRules{ID: 1, Call: before, Option: "yes"}})
	if !strings.Contains(b.desk.Said(), "saved: allow read. The agent has changed its question meanwhile") {
		t.Errorf("it says %q", b.desk.Said())
	}
	if len(b.conv.Permissions) != 1 {
		t.Error("the question was answered")
	}
}

// Without anybody who judges there are no rules to show.
func TestNoRulesWithoutAJudge(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.press("ctrl+p")
	b.mustShow(t, "Command palette")
	for _, k := range "the rules" {
		b.press(string(k))
	}
	b.mustNotShow(t, "show the rules")
}
