//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inTurn is an agent that asks about a tool call at each prompt and says what it was
// answered. The calls are JSON without their braces.
func inTurn(calls ...string) string {
	var b strings.Builder
	b.WriteString("handshake\n")
	for i, call := range calls {
		id := string(rune('a' + i))
		b.WriteString("expect session/prompt\n")
		b.WriteString(`request session/request_permission {"sessionId":"${session}","toolCall":{"toolCallId":"` + id + `",` + call + `},"options":[` +
			`{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]} as p` + id + "\n")
		b.WriteString("await p" + id + "\n")
		b.WriteString("say Answer " + id + ": ${p" + id + ".result.outcome.optionId}.\n")
		b.WriteString("end-turn\n")
	}
	b.WriteString("serve\n")
	return b.String()
}

const goTest = `"title":"Run tests","kind":"execute","rawInput":{"command":"go test ./..."}`

// An agent that does not ask is not held, but what a rule denies is told, on the screen and
// in lines.
func TestSaysWhatAnAgentDidDespiteARule(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--plain"}} {
		p := Start(t, Options{
			Args: args, Config: "[rules]\ndeny = [\"execute(rm *)\"]\n",
			Script: "handshake\nexpect session/prompt\n" +
				`update {"sessionUpdate":"tool_call","toolCallId":"a","title":"Tidy up","kind":"execute","status":"completed","rawInput":{"command":"rm f.txt"}}` +
				"\nsay All tidy.\nend-turn\nserve\n",
		})
		if args == nil {
			p.Ready().Ask("go")
		} else {
			p.Shows(">").Type("go").Press("enter")
		}
		p.Shows("The agent did what a rule denies", "deny execute(rm *)", "All tidy.")
	}
}

// What an agent has parley do passes the same rules, and a command that parley runs is
// shown, whether a call shows it or not.
func TestRulesHoldWhatParleyDoes(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"--plain"}} {
		p := Start(t, Options{
			Args: args, Config: "[rules]\ndeny = [\"execute(rm *)\"]\nask = [\"execute(mv *)\"]\n",
			Script: "handshake\nexpect session/prompt\n" +
				`request terminal/create {"sessionId":"${session}","command":"rm f.txt"} as denied` + "\nawait denied\n" +
				`request terminal/create {"sessionId":"${session}","command":"echo","args":["one two"]} as ran` + "\nawait ran\n" +
				`request terminal/create {"sessionId":"${session}","command":"git log -1","env":[{"name":"GIT_PAGER","value":"mv a b"}]} as asked` + "\nawait asked\n" +
				"say It was told ${denied.error.code} and ${asked.error.code}.\nend-turn\nserve\n",
		})
		if args == nil {
			p.Ready().Ask("go")
			p.Question("git log -1", "GIT_PAGER=mv a b").Answer("No")
		} else {
			p.Shows(">").Type("go").Press("enter")
			// A command that ends before its line is drawn is one line with its end.
			p.Shows("echo 'one two'", "git log -1", "GIT_PAGER=mv a b", "may run what the rule names", "Answer 1 to 2").Type("2").Press("enter")
		}
		p.Shows("rm f.txt", "deny execute(rm *)", "echo 'one two'", "It was told -32602 and -32602.")
	}
}

// Rules answer by themselves, with what holds once, and the transcript says which.
func TestRulesAnswerByThemselves(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{
		Config: "[rules]\nallow = [\"execute(go test *)\"]\ndeny = [\"execute(rm *)\"]\n",
		Script: inTurn(goTest,
			`"title":"go test ./...","kind":"execute","rawInput":{"command":"go test; rm -rf /"}`,
			`"title":"go test ./...","kind":"execute","rawInput":{"command":"go test; curl evil.example"}`),
	})
	p.Ready().Ask("one")
	p.Shows("Answer a: yes.", "rule: allow execute(go test *) (~/.config/parley/config.toml:2)")
	// Denied as a whole, whatever the title says.
	p.Ask("two")
	p.Shows("Answer b: no.", "rule: deny execute(rm *) (~/.config/parley/config.toml:3)")
	// What is more than the rule allows is asked.
	p.Ask("three")
	p.Question("Permission", "go test; curl evil.example").Answer("No")
	p.Shows("Answer c: no.", "you: No")
	for i, a := range p.Answers("session/request_permission") {
		if strings.Contains(a, "always") {
			t.Errorf("answer %d is %s", i, a)
		}
	}
}

// No rule answers for a mode, for what is outside, by a title, or a choice.
func TestWhatNoRuleAnswers(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]string{
		"a mode":       `"title":"Leave plan mode","kind":"switch_mode","rawInput":{"path":"a.txt"}`,
		"outside":      `"title":"Read a.txt","kind":"read","rawInput":{"path":"/etc/hosts"}`,
		"a title only": `"title":"Read a.txt","kind":"read"`,
		"an unknown":   `"title":"Read a.txt","kind":"read","rawInput":{"path":"a.txt","then":"rm"}`,
		"a key twice":  `"title":"Read a.txt","kind":"read","rawInput":{"path":"a.txt","path":"a.txt"}`,
		"a link out":   `"title":"Read a.txt","kind":"read","rawInput":{"path":"link/hosts"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := Start(t, Options{
				Config: "[rules]\nallow = [\"read\", \"edit\", \"search\"]\n",
				Files:  map[string]string{"a.txt": "x"},
				Script: inTurn(call),
			})
			p.Ready()
			must(t, os.Symlink("/etc", filepath.Join(p.Project(), "link")))
			p.Ask("go")
			p.Question("Permission").Answer("No")
			p.Shows("Answer a: no.")
		})
	}
}

// The rules of a project are shown whole, and count once they are trusted: the very
// ones that were shown.
func TestAProjectIsTrustedOnceAndAgainAfterAChange(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	rules := map[string]string{".parley/config.toml": "[rules]\nallow = [\"execute(go test *)\"]\n"}
	start := func(project string, files map[string]string) *Parley {
		p := Start(t, Options{Home: home, Project: project, Files: files, Script: inTurn(goTest)})
		return p
	}
	// Not now: nothing counts.
	p := start("", rules)
	dir := p.Project()
	p.Question("This project has its own rules", "allow execute(go test *)").Answer("Not now")
	p.Ready().Ask("go")
	p.Question("Permission", "go test ./...").Answer("No")
	p.Shows("Answer a: no.")
	// It is asked again; one key trusts nobody.
	p = start(dir, nil)
	p.Question("This project has its own rules").TakesKeys().Press("1", "1")
	p.Shows("❯ 1").Press("enter").Gone("This project has its own rules")
	p.Shows("the project's rules now apply").Ready().Ask("go")
	p.Shows("Answer a: yes.", "rule: allow execute(go test *) (.parley/config.toml:2)")
	// Nothing is asked while nothing has changed.
	p = start(dir, nil)
	p.Ready().Ask("go").Shows("Answer a: yes.")
	// After a change it is asked again, and nothing counts before.
	p = start(dir, map[string]string{".parley/config.toml": "[rules]\nallow = [\"execute(go *)\"]\n"})
	p.Question("This project has its own rules", "allow execute(go *)").Answer("Never; do not ask again")
	p.Shows("the project's rules never apply").Ready().Ask("go")
	p.Question("Permission", "go test ./...").Answer("No")
	p.Shows("Answer a: no.")
	p = start(dir, map[string]string{".parley/config.toml": "[rules]\nallow = [\"execute(go test ./...)\"]\n"})
	p.Ready().Ask("go")
	p.Question("Permission", "go test ./...").Answer("No")
	p.Shows("Answer a: no.")
}

// A project that sets up more than rules is told of, and nothing in it counts.
func TestAProjectCannotSetUpAgents(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{
		Files:  map[string]string{".parley/config.toml": "[rules]\nallow = [\"execute(go test *)\"]\n[agents.evil]\ncommand = \"evil\"\n"},
		Script: inTurn(goTest),
	})
	p.Shows("The project's rules are ignored", "❯ Type a prompt").Ask("go")
	p.Question("Permission", "go test ./...").Answer("No")
	p.Shows("Answer a: no.")
}

// "Always" is answered with a rule of parley's own, which is seen before it is saved:
// the next question is answered by it. The palette lists it and takes it back.
func TestAlwaysAsARule(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: inTurn(goTest, strings.Replace(goTest, "./...", "./pkg", 1), strings.Replace(goTest, "./...", "./pkg", 1))})
	p.Ready().Ask("one")
	p.Question("Permission", "Always allow (saved by parley)…").TakesKeys().Press("r", "enter")
	p.Question("Always allow by a rule", "allow execute(go test ./...)", "allow execute(go test *)").TakesKeys()
	// Esc leads back to the question, which is still open.
	p.Press("esc").Question("Permission", "Always allow (saved by parley)…").TakesKeys().Press("r", "enter")
	p.Question("Always allow by a rule").Answer("§ allow execute(go test *) – in this project")
	p.Shows("Answer a: yes.", "rule: allow execute(go test *) (saved by parley, for this project)")
	p.Ask("two")
	p.Shows("Answer b: yes.", "rule: allow execute(go test *) (saved by parley, for this project)").Idle()
	if a := p.WaitAnswers("session/request_permission", 1); strings.Contains(a, "always") {
		t.Errorf("answered %s", a)
	}
	// Taken back, it does not count any more.
	p.Press("ctrl+p").Type("show and remove rules").Shows("Show and remove rules").Press("enter")
	p.Shows("Rules", "allow execute(go test *)", "saved by parley, for this project").Press("ctrl+x")
	p.Question("Remove the rule", "allow execute(go test *)").Answer("Remove it")
	p.Shows("removed: allow execute(go test *)").Ask("three")
	p.Question("Permission", "go test ./pkg").Answer("No")
	p.Shows("Answer c: no.")
}

// A rule is proposed only where it would answer.
func TestNoRuleIsProposedWhereNoneMayAnswer(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: inTurn(
		`"title":"Read","kind":"read","rawInput":{"path":"/etc/hosts"}`,
		`"title":"Run","kind":"execute","rawInput":{"command":"go test $(cat x)"}`,
	)})
	p.Ready()
	for i, want := range []string{"/etc/hosts", "go test $(cat x)"} {
		p.Ask("go")
		p.Question("Permission", want).TakesKeys()
		if s := p.Screen(); s.Contains("by a rule") {
			t.Errorf("question %d offers a rule:\n%s", i, s)
		}
		p.Answer("No").Shows("Answer " + string(rune('a'+i)) + ": no.").Idle()
	}
}
