package headless_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/headless"
	"parley/internal/machine"
	"parley/internal/policy"
	"parley/internal/rules"
	"parley/internal/session"
	"parley/internal/test"
)

// deed is one thing that an agent does, and what has to come of it if a rule denies it, and
// if none does.
type deed struct {
	script string
	// told means that it did it by itself: a rule can only tell. Otherwise parley does it.
	told bool
	done func(dir, said string) bool
}

// deedAbout are the ways to remove, write and read file n, by the rule that denies them.
var deedAbout = map[string]func(t *rapid.T, n int, denied bool) deed{
	"execute(rm *)": func(t *rapid.T, n int, denied bool) deed {
		command := fmt.Sprintf(rapid.SampledFrom([]string{"rm f%d", "/bin/rm f%d", "cd . && rm -f f%d", "env rm f%d", "sh -c 'rm f%d'", "r''m f%d", "true; rm f%d # \u200b"}).Draw(t, "command"), n)
		input := fmt.Sprintf(`{"command":%q}`, command)
		call := func(rest string) string {
			return fmt.Sprintf(`update {"sessionUpdate":"tool_call_update","toolCallId":"c%d",%s}`, n, rest) + "\n"
		}
		ask := func(input string) string {
			return fmt.Sprintf(`request session/request_permission {"sessionId":"${session}","toolCall":{"toolCallId":"c%d","title":"Work","kind":"execute","rawInput":%s},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]} as p%d`+"\nawait p%d\n", n, input, n, n)
		}
		raw := `"rawInput":` + input
		told := map[string]string{
			"without asking":     call(`"kind":"execute",` + raw + `,"status":"completed"`),
			"that failed":        call(`"kind":"execute",` + raw + `,"status":"failed"`),
			"called a read":      call(`"kind":"read",` + raw + `,"status":"completed"`),
			"called a mode":      call(`"kind":"switch_mode",` + raw + `,"status":"completed"`),
			"in later updates":   call(`"title":"Work","status":"in_progress"`) + call(raw) + call(`"status":"completed"`),
			"after the end":      call(`"title":"Work","status":"completed"`) + call(raw),
			"never ended":        call(raw + `,"status":"in_progress"`),
			"as another":         ask(`{"command":"ls"}`) + call(raw+`,"status":"completed"`),
			"though denied":      ask(input) + call(`"status":"completed"`),
			"in the title":       call(fmt.Sprintf(`"title":%q,"kind":"execute","status":"completed"`, command)),
			"as text":            call(fmt.Sprintf(`"kind":"execute","rawInput":%q,"status":"completed"`, command)),
			"behind a label":     call(fmt.Sprintf(`"title":%q,"kind":"execute","status":"completed"`, "Run: "+command)),
			"beside another":     call(fmt.Sprintf(`"title":%q,"kind":"execute","rawInput":{"command":"ls"},"status":"completed"`, command)),
			"before another":     call(`"kind":"execute",`+raw) + call(`"rawInput":{"command":"ls"},"status":"completed"`),
			"with output alone":  ask(input) + call(`"rawOutput":{"gone":true}`),
			"in another session": fmt.Sprintf(`notify session/update {"sessionId":"other%d","update":{"sessionUpdate":"tool_call","toolCallId":"c%d","title":"T","kind":"execute",%s,"status":"completed"}}`, n, n, raw) + "\n",
			"deep in the input":  call(fmt.Sprintf(`"kind":"other","rawInput":{"do":[{"cmd":%q}]},"status":"completed"`, command)),
			"by a subagent": fmt.Sprintf(`update {"sessionUpdate":"subagent_update","sessionId":"s%d","title":"Sub","state":{"state":"running"}}`, n) + "\n" +
				fmt.Sprintf(`notify session/update {"sessionId":"s%d","update":{"sessionUpdate":"tool_call","toolCallId":"c%d","title":"T","kind":"execute",%s,"status":"completed"}}`, n, n, raw) + "\n",
		}
		ways := []string{"parley", "parley, in words", "asked and held"}
		for way := range told {
			ways = append(ways, way)
		}
		gone := func(dir, _ string) bool {
			_, err := os.Stat(filepath.Join(dir, fmt.Sprintf("f%d", n)))
			return err != nil
		}
		wait := ""
		if !denied {
			wait = fmt.Sprintf(`request terminal/wait_for_exit {"sessionId":"${session}","terminalId":"${t%d.result.terminalId}"} as w%d`+"\nawait w%d\n", n, n, n)
		}
		switch way := rapid.SampledFrom(sorted(ways)).Draw(t, "way"); way {
		case "parley":
			return deed{script: fmt.Sprintf(`request terminal/create {"sessionId":"${session}","command":%q} as t%d`+"\nawait t%d\n", command, n, n) + wait, done: gone}
		case "parley, in words":
			return deed{script: fmt.Sprintf(`request terminal/create {"sessionId":"${session}","command":"sh","args":["-c",%q]} as t%d`+"\nawait t%d\n", command, n, n) + wait, done: gone}
		case "asked and held":
			return deed{script: ask(input) + call(`"status":"failed"`)}
		default:
			return deed{script: told[way], told: true}
		}
	},
	"edit(vendor)": func(t *rapid.T, n int, _ bool) deed {
		if rapid.Bool().Draw(t, "by itself") {
			kind := rapid.SampledFrom([]string{"edit", "other", "read"}).Draw(t, "kind")
			return deed{told: true, script: fmt.Sprintf(`update {"sessionUpdate":"tool_call","toolCallId":"c%d","title":"Change","kind":%q,"status":"completed","content":[{"type":"diff","path":"${cwd}/vendor/w%d","newText":"x"}]}`, n, kind, n) + "\n"}
		}
		path := rapid.SampledFrom([]string{"vendor/w%d", "link/w%d", "vendor/sub/../w%d"}).Draw(t, "path")
		return deed{
			script: fmt.Sprintf(`request fs/write_text_file {"sessionId":"${session}","path":"${cwd}/`+path+`","content":"x"} as w%d`+"\nawait w%d\n", n, n, n),
			done: func(dir, _ string) bool {
				_, err := os.Stat(filepath.Join(dir, "vendor", fmt.Sprintf("w%d", n)))
				return err == nil
			},
		}
	},
	"read(kept)": func(t *rapid.T, n int, denied bool) deed {
		if rapid.Bool().Draw(t, "by itself") {
			return deed{told: true, script: fmt.Sprintf(`update {"sessionUpdate":"tool_call","toolCallId":"c%d","title":"Look","kind":"read","status":"completed","locations":[{"path":"kept/r%d"}]}`, n, n) + "\n"}
		}
		answer := "result.content"
		if denied {
			answer = "error.message"
		}
		return deed{
			script: fmt.Sprintf(`request fs/read_text_file {"sessionId":"${session}","path":"${cwd}/kept/r%d"} as r%d`+"\nawait r%d\nsay ${r%d.%s}\n", n, n, n, n, answer),
			done:   func(_, said string) bool { return strings.Contains(said, fmt.Sprintf("word%d.", n)) },
		}
	},
}

// Whatever way an agent takes, parley does nothing that a rule denies, and everything that
// none does; and what the agent says that it did against a rule is told, each time.
func TestNothingDeniedIsDone(t *testing.T) {
	t.Parallel()
	all := sorted([]string{"execute(rm *)", "edit(vendor)", "read(kept)"})
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		write := func(name, text string) {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				rt.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				rt.Fatal(err)
			}
		}
		write("vendor/sub/x", "")
		if err := os.Symlink("vendor", filepath.Join(dir, "link")); err != nil {
			rt.Skip("no symbolic links")
		}
		denied := map[string]bool{}
		var rules []policy.Rule
		for _, kind := range all {
			if denied[kind] = rapid.Bool().Draw(rt, "deny "+kind); denied[kind] {
				r, err := policy.ParseFor(policy.Deny, kind)
				if err != nil {
					rt.Fatal(err)
				}
				rules = append(rules, r)
			}
		}
		script, told := "handshake\nexpect session/prompt\n", 0
		type expected struct {
			deed
			about string
		}
		var expect []expected
		for n := range rapid.IntRange(1, 8).Draw(rt, "deeds") {
			about := rapid.SampledFrom(all).Draw(rt, "about")
			write(fmt.Sprintf("f%d", n), "")
			write(fmt.Sprintf("kept/r%d", n), fmt.Sprintf("word%d.", n))
			d := deedAbout[about](rt, n, denied[about])
			script += d.script
			expect = append(expect, expected{d, about})
			if d.told && denied[about] {
				told++
			}
		}
		s, err := ruled(dir, t.TempDir(), script+"end-turn\n", rules)
		if err != nil {
			rt.Fatal(err)
		}
		var h heard
		r := headless.Run(t.Context(), s, h.options("go"))
		notices := 0
		for _, e := range h.events {
			if n, ok := e.(conversation.NoticeAdded); ok && n.Title == session.DeniedDone {
				notices++
			}
		}
		if notices != told || (r.Status == headless.Bypassed) != (told > 0) {
			rt.Errorf("told of %d deeds of %d, status %s (%s)\n%s", notices, told, r.Status, r.Message, script)
		}
		for _, e := range expect {
			if e.done != nil && e.done(dir, r.Text) == denied[e.about] {
				rt.Errorf("%s, denied %v, done %v:\n%s", e.about, denied[e.about], !denied[e.about], e.script)
			}
		}
	})
}

// ruled is a session in dir under rules, with an agent that does what a script says. state is
// an empty directory.
func ruled(dir, state, script string, denied []policy.Rule) (app.Session, error) {
	judge, err := rules.Open(rules.Options{Cwd: dir, Configured: denied, Store: rules.NewStore(state)})
	if err != nil {
		return nil, err
	}
	return app.Here(session.Options{
		Cwd: dir, Unattended: true, Judge: judge,
		Spawn: func(acpclient.Command) (*acpclient.Peer, error) { return test.Play(script), nil },
		Machine: func(w session.Observer, a session.Asker) (session.Machine, error) {
			return machine.New(w, machine.Options{Asker: a, Unattended: true}, dir)
		},
	})
}

// What the agent did against a rule outranks the way in which it ends the turn, also where it
// has not said that it is done.
func TestNoEndHidesWhatARuleDenies(t *testing.T) {
	t.Parallel()
	rule, err := policy.ParseFor(policy.Deny, "execute(rm *)")
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []string{"completed", "in_progress"} {
		for _, end := range []string{
			"end-turn", "end-turn refusal", "end-turn max_tokens", "end-turn max_turn_requests", "end-turn cancelled",
			"reply-error 500 broken", "exit 3",
		} {
			t.Run(status+" "+end, func(t *testing.T) {
				t.Parallel()
				s, err := ruled(t.TempDir(), t.TempDir(), "handshake\nexpect session/prompt\n"+
					`update {"sessionUpdate":"tool_call","toolCallId":"c","title":"Work","kind":"execute","rawInput":{"command":"rm a"},"status":"`+status+`"}`+"\n"+end+"\n", []policy.Rule{rule})
				if err != nil {
					t.Fatal(err)
				}
				var h heard
				if r := headless.Run(t.Context(), s, h.options("go")); r.Status != headless.Bypassed || !strings.Contains(strings.Join(h.told, "\n"), session.DeniedDone+": execute: Work (command: rm a)") {
					t.Errorf("the run has ended as %s (%s), and told %q", r.Status, r.Message, h.told)
				}
			})
		}
	}
}

func sorted(words []string) []string {
	slices.Sort(words)
	return words
}
