package tab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/command"
	"parley/internal/rules"
	"parley/internal/session"
	"parley/internal/test"
	"parley/tui/composer"
)

// asking is an agent that asks about one call.
const asking = `handshake
expect session/prompt
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "one", "kind": "read", "rawInput": {"path": "poem.txt"}},
  "options": [{"optionId": "yes", "name": "Allow it", "kind": "allow_once"}]} as permission
await permission contains "yes"
end-turn
`

// playRuled plays a script in a project that has a rule of its own.
func playRuled(t *testing.T, b *bench, script string) {
	t.Helper()
	file := filepath.Join(b.cwd, ".parley", "config.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("[rules]\nallow = [\"execute(make)\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	book, err := rules.Open(rules.Options{Cwd: b.cwd, Store: rules.NewStore(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	b.play(script, func(o *session.Options) { o.Judge = book })
}

// A rule that was saved answers the question that it was saved for, and no other: the
// agent may have changed what it asks meanwhile.
func TestASavedRuleAnswersItsQuestionOnly(t *testing.T) {
	for _, changed := range []bool{false, true} {
		runBench(t, func(t *testing.T, b *bench) {
			playRuled(t, b, asking)
			b.Do(b.prompts.Submit(composer.NewPrompt("go")))
			if len(test.Permissions(b.conv())) != 1 {
				t.Fatal("nothing is asked")
			}
			p := test.Permissions(b.conv())[0]
			if changed {
				p.Revision++
			}
			q := command.RuleQuestion(t.Context(), b.session(), b.conv(), p, "/p")
			if p.Revision++; q.While() {
				t.Error("the question stays when the request changes")
			}
			p.Revision--
			b.Do(b.carryOut("", q.Choices[0].Do))
			if !strings.Contains(b.toast.text, "saved: allow read(poem.txt)") {
				t.Errorf("it says %q", b.toast.text)
			}
			if changed && !strings.Contains(b.toast.text, session.ErrChanged.Error()) {
				t.Errorf("it says %q", b.toast.text)
			}
			if answered := len(test.Permissions(b.conv())) == 0; answered == changed {
				t.Errorf("changed: %v: answered %v", changed, answered)
			}
			if a := p.ToolCall.Answer; !changed && (a == nil || a.Rule != "allow read(poem.txt)" || a.Source != rules.SavedForProject.String()) {
				t.Errorf("the log has %+v", a)
			}
		})
	}
}

// What is saved is listed, and can be taken back; what stands in a file is only shown.
func TestARuleIsTakenBack(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		playRuled(t, b, "handshake\n")
		if err := session.Try(t.Context(), b.session(), rules.AddRules{Everywhere: true, Rules: []string{"deny execute(git push *)"}}); err != nil {
			t.Fatal(err)
		}
		b.shared("rules")
		b.MustSay("execute(make)")
		b.MustSay("ignored: the project is not trusted")
		b.Choose("git push")
		b.Choose("Remove it")
		b.MustSay("removed: deny execute(git push *)")
		b.shared("rules")
		if entries, err := session.Do(t.Context(), b.session(), rules.ListRules{}); err != nil || len(entries) != 1 {
			t.Errorf("%d rules are left, %v:\n%s", len(entries), err, b.Screen())
		}
	})
}

// The rules of a project count only once the user has said so.
func TestTrust(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		playRuled(t, b, "handshake\n")
		b.open().askToTrustRules()
		b.MustSay("This project has its own rules")
		b.MustSay("execute(make)")
		b.Choose("Trust these rules")
		b.MustSay("the project's rules now apply")
		if is, err := session.Do(t.Context(), b.session(), rules.ProjectRules{}); err != nil || is.Trust != rules.Trusted {
			t.Error("they are not trusted")
		}
		if b.open().askToTrustRules(); !b.dialogs.Empty() {
			t.Errorf("it is asked again:\n%s", b.Screen())
		}
	})
}
