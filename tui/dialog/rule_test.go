package dialog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
)

// proposed is a permission for which rules are proposed.
func proposed(proposals ...[]string) (*conversation.Conversation, *conversation.Permission) {
	title := "Run"
	c := conversation.New()
	c.Apply(conversation.PermissionOpened{ID: 7, Judging: true, Request: &acpclient.RequestPermissionRequest{
		ToolCall: acpclient.ToolCallUpdate{ToolCallID: "t", Title: &title, RawInput: []byte(`{"command":"go test"}`)}, Options: usualOptions(),
	}})
	c.Apply(conversation.PermissionReferred{ID: 7, Proposals: proposals})
	return c, c.Permissions[0]
}

func TestARuleIsOfferedApartFromTheAgentsOptions(t *testing.T) {
	_, p := proposed([]string{"allow execute(go test)"})
	d, _ := armed(p)
	if s := shownBy(d, 100, 30); !strings.Contains(s, "§ Always allow (parley rule)…  not the agent's") {
		t.Errorf("not offered:\n%s", s)
	}
	if a := presses(t, d, "r"); a != (ProposeRules{7}) {
		t.Errorf("r did %#v", a)
	}
	if a := presses(t, d, "4"); a != (ProposeRules{7}) {
		t.Errorf("4 did %#v", a)
	}
	_, p = proposed()
	d, _ = armed(p)
	if s := shownBy(d, 100, 30); strings.Contains(s, "§") {
		t.Errorf("offered without a rule to propose:\n%s", s)
	}
}

// When the agent changes what it asks, the rules that were proposed are about
// something else.
func TestAStaleRuleIsNotOffered(t *testing.T) {
	conv, p := proposed([]string{"allow execute(go test)"})
	d, c := armed(p)
	env, _ := newEnv()
	step := NewRuleStep(env, p)
	if step.Follow(conv) != Open {
		t.Error("the step is over at once")
	}
	conv.Apply(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "t", RawInput: []byte(`{"command":"rm"}`)}})
	if step.Follow(conv) != Over || NewRuleStep(env, p) != nil {
		t.Error("rules are proposed for what is not asked any more")
	}
	shownBy(d, 100, 30)
	c.pass(ReplaceTime)
	if s := shownBy(d, 100, 30); strings.Contains(s, "§") {
		t.Errorf("still offered:\n%s", s)
	}
	if a := presses(t, d, "4"); a != nil {
		t.Errorf("4 did %#v", a)
	}
}

// The rules are seen whole before one is saved, and each takes two keys.
func TestRuleStep(t *testing.T) {
	long := "allow execute(echo " + strings.Repeat("word ", 100) + "end)"
	_, p := proposed([]string{"allow execute(a)", "allow execute(b\u202ec)"}, []string{long})
	env, c := newEnv()
	env.Cwd = "/work/project"
	d := NewRuleStep(env, p)
	c.pass(LookTime)
	draw(d)
	s := shownBy(d, 100, 60)
	for _, want := range []string{"rule A", "allow execute(a)", "⟨U+202E⟩", "rule B", "or in /work/project.", "the 2 rules of A – in this project", "– everywhere"} {
		if !strings.Contains(s, want) {
			t.Errorf("lacks %q:\n%s", want, s)
		}
	}
	if strings.Count(strings.ReplaceAll(s, "\n", ""), "end)") == 0 || strings.Contains(s, "\u202e") {
		t.Errorf("the rules are not shown whole:\n%s", s)
	}
	if a := presses(t, d, "3"); a != nil {
		t.Fatalf("one key saved: %#v", a)
	}
	want := SaveRules{ID: 7, Call: p.Asked, Option: "once", Rules: []string{"allow execute(a)", "allow execute(b\u202ec)"}, Everywhere: true}
	got, _ := presses(t, d, "enter").(SaveRules)
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *conversation.ToolCall) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	if a := presses(t, d, "esc"); a != (Close{}) {
		t.Errorf("esc did %#v", a)
	}
	// On a screen that does not show all of it, nothing is saved.
	d = NewRuleStep(env, p)
	d.View(40, 10)
	c.pass(LookTime)
	d.View(40, 10)
	if a := presses(t, d, "1", "enter"); a != nil {
		t.Errorf("saved unseen: %#v", a)
	}
}

// Lines of a question of parley's own are text from outside: shown whole, and seen
// before anything is answered.
func TestLinesOfAQuestion(t *testing.T) {
	env, c := newEnv()
	lines := []string{"allow read(\u202ex)", strings.Repeat("x", 300), "two\nlines"}
	for range 40 {
		lines = append(lines, "deny edit")
	}
	d := NewConfirm(env, Confirmation{Title: "T", Text: "Text", Lines: lines, Choices: []Choice{{Name: "Yes", Do: Close{}}}})
	d.View(80, 20)
	c.pass(LookTime)
	if s := shownBy(d, 80, 20); strings.Contains(s, "\u202e") || !strings.Contains(s, "⟨U+202E⟩") {
		t.Errorf("drawn as\n%s", s)
	}
	if a := presses(t, d, "1"); a != nil {
		t.Errorf("answered before all was seen: %#v", a)
	}
	for range 10 {
		presses(t, d, "pgdown")
		d.View(80, 20)
	}
	if a := presses(t, d, "1"); a != (Close{}) {
		t.Errorf("not answered though all was seen: %#v", a)
	}
}

// What would be saved has been in sight, from its first line on, before it is saved.
func TestTheRuleStandsAboveTheAnswer(t *testing.T) {
	long := "allow execute(go test ./internal/first ./internal/second ./internal/third -run TestOfTheWholeRule)"
	for _, size := range sizes {
		_, p := proposed([]string{"allow execute(go vet ./...)", long})
		env, c := newEnv()
		d := NewRuleStep(env, p)
		c.pass(LookTime)
		text := shownBy(d, size[0], size[1])
		if !strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(text, "Always allow by a rule\n")), "the rule\n") {
			t.Errorf("at %v it does not begin with the rule:\n%s", size, text)
		}
		seen := text
		for range 20 {
			if d.viewed.complete() {
				break
			}
			d.Key(press("1"))
			if got := d.Key(press("enter")); got != nil {
				t.Fatalf("at %v it did %#v before all was seen:\n%s", size, got, seen)
			}
			d.mark(-1)
			d.Key(press(d.Hints()[0].Key))
			seen += shownBy(d, size[0], size[1])
		}
		if !d.viewed.complete() || !strings.Contains(strings.ReplaceAll(seen, "\n", ""), "TestOfTheWholeRule)") {
			t.Errorf("at %v the rule is never seen whole:\n%s", size, seen)
		}
	}
}
