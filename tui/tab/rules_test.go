package tab

import (
	"os"
	"path/filepath"
	"testing"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// asking is a tab in which something is asked.
type rulebookAsking struct {
	open     *conversation.Permission
	answered acpclient.PermissionOptionID
}

func (a *rulebookAsking) Permission(id int) *conversation.Permission {
	if a.open == nil || a.open.ID != id {
		return nil
	}
	return a.open
}

func (a *rulebookAsking) Answer(_ int, option acpclient.PermissionOptionID) error {
	a.answered = option
	return nil
}

// newRules are the rules of a project that has one of its own.
func newRules(t *testing.T, b *deskBench) (*ruleDialogs, *rulebookAsking) {
	t.Helper()
	file := filepath.Join(b.Env.Cwd, ".parley", "config.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("[rules]\nallow = [\"execute(make)\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	book, err := app.OpenRules(app.RulesOptions{Cwd: b.Env.Cwd, Store: app.NewRuleStore(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	a := &rulebookAsking{open: &conversation.Permission{ID: 1, Asked: &conversation.ToolCall{Title: "one"}}}
	return &ruleDialogs{b.desk, a, book}, a
}

// A rule that was saved answers the question that it was saved for, and no other: the
// agent may have changed what it asks meanwhile.
func TestASavedRuleAnswersItsQuestionOnly(t *testing.T) {
	for _, changed := range []bool{false, true} {
		runBench(t, func(t *testing.T, b *deskBench) {
			r, a := newRules(t, b)
			save := dialog.SaveRules{ID: 1, Call: a.open.Asked, Option: "yes", Rules: []string{"allow read"}}
			want := acpclient.PermissionOptionID("yes")
			if changed {
				a.open.Asked, want = &conversation.ToolCall{Title: "another"}, ""
			}
			b.Tell("a rule", "for this") // the step in which it was chosen
			b.Do(r.Save(save))
			b.MustSay("saved: allow read")
			if changed {
				b.MustSay("The agent has changed its question meanwhile")
			}
			if a.answered != want {
				t.Errorf("changed: %v: the answer is %q", changed, a.answered)
			}
		})
	}
}

// What is saved is listed, and can be taken back; what stands in a file is only shown.
func TestARuleIsTakenBack(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		r, _ := newRules(t, b)
		if err := r.book.Add(true, "deny execute(git push *)"); err != nil {
			t.Fatal(err)
		}
		b.Do(r.Show())
		b.MustSay("execute(make)")
		b.MustSay("does not count: the project is not trusted")
		b.Choose("git push")
		b.Choose("Take it back")
		b.MustSay("taken back: deny execute(git push *)")
		b.Do(r.Show())
		if entries, err := r.book.Entries(); err != nil || len(entries) != 1 {
			t.Errorf("%d rules are left, %v:\n%s", len(entries), err, b.Screen())
		}
	})
}

// The rules of a project count only once the person has said so.
func TestTrust(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		r, _ := newRules(t, b)
		r.AskToTrust()
		b.MustSay("This project has rules of its own")
		b.MustSay("execute(make)")
		b.Choose("Trust these rules")
		b.MustSay("the rules of the project count now")
		if r.book.Trust() != app.Trusted {
			t.Error("they are not trusted")
		}
		if r.AskToTrust(); !b.Dialogs.Empty() {
			t.Errorf("it is asked again:\n%s", b.Screen())
		}
	})
}
