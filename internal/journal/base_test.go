package journal

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
)

// lines is a file of five lines; with replaces some of them: "1 user".
func lines(with ...string) string {
	all := []string{"1", "2", "3", "4", "5"}
	for _, w := range with {
		at, line, _ := strings.Cut(w, " ")
		all[at[0]-'1'] = line
	}
	return strings.Join(all, "\n") + "\n"
}

// What the user writes into a file before the agent edits it, in the same turn, is not the
// agent's, however the agent reports the edit.
func TestTheBaseOfAChangeIsTheFileJustBeforeIt(t *testing.T) {
	pending, running, done := acpclient.ToolPending, acpclient.ToolInProgress, acpclient.ToolCompleted
	edit := func(p *project) acpclient.ToolCallContent {
		return acpclient.DiffContent(p.path("f"), str("5\n"), "agent\n")
	}
	for _, c := range []struct {
		name string
		turn func(p *project)
	}{
		{"before the call", func(p *project) {
			p.write("f", lines("1 user"))
			p.tell("1", pending, edit(p))
			p.write("f", lines("1 user", "5 agent"))
			p.tell("1", done, edit(p))
		}},
		{"before the call, which is thin at first", func(p *project) {
			p.write("f", lines("1 user"))
			p.tell("1", pending)
			p.tell("1", running, edit(p))
			p.write("f", lines("1 user", "5 agent"))
			p.tell("1", done)
		}},
		{"while the call is pending", func(p *project) {
			p.tell("1", pending, edit(p))
			p.write("f", lines("1 user"))
			p.write("f", lines("1 user", "5 agent"))
			p.tell("1", done)
		}},
		{"while the user is asked", func(p *project) {
			p.tell("1", pending, edit(p))
			call := acpclient.ToolCallUpdate{ToolCallID: "1"}
			p.Watch(conversation.PermissionOpened{ID: 7, Request: &acpclient.RequestPermissionRequest{ToolCall: call}})
			p.write("f", lines("4 user", "1 user"))
			p.Watch(conversation.QuestionClosed{ID: 7})
			p.wait()
			p.write("f", lines("4 user", "1 user", "5 agent"))
			p.tell("1", done)
			p.write("f", lines("1 user", "5 agent"))
		}},
		{"before a call that is reported afterwards", func(p *project) {
			p.write("f", lines("1 user"))
			p.write("f", lines("1 user", "5 agent"))
			p.tell("1", done, edit(p))
		}},
		{"before a write through parley", func(p *project) {
			p.write("f", lines("1 user"))
			p.serve("f", lines("1 user", "5 agent"))
		}},
	} {
		for _, kind := range []string{"repository", "copied", "known"} {
			t.Run(c.name+" of a file that is "+kind, func(t *testing.T) {
				p := newRepository(t)
				p.write("f", lines())
				switch kind {
				case "repository":
					p.git("add", "f")
					p.git("commit", "-qm", "f")
				case "copied":
					p.git("add", "f")
				case "known":
					p = newProject(t)
					p.turn("", func() { p.serve("f", lines()) })
					p.KeepFile(p.part("f"))
				}
				p.turn("", func() { c.turn(p) })
				if got := p.names(len(p.Summary().Turns)); got != "f, f seen" && got != "f kept, f seen" && got != "f seen, f" {
					t.Errorf("files: %s", got)
				}
				if c := p.compare("f", len(p.Summary().Turns)); len(c.Hunks) != 1 || c.Before.Content != lines("1 user") {
					t.Errorf("the agent's changes: %v of %q", c.Hunks, c.Before.Content)
				}
				plan, said := p.plan(len(p.Summary().Turns))
				if !strings.Contains(said, "f restore +1 -1") || !strings.Contains(said, "f seen +1 -1") {
					t.Errorf("the plan is %s", said)
				}
				p.must(p.Rewind(t.Context(), plan))
				p.holds("f", lines("1 user"))
				p.must(p.Redo(t.Context()))
				p.must(p.undo())
				p.holds("f", lines("1 user"))
				p.undoSeen("f")
				p.holds("f", lines())
			})
		}
	}
}

// The reports of two edits may be handled after both were made. Both are the agent's, and
// are undone together, however close to each other they are.
func TestTwoEditsBeforeTheirReportsAreHandled(t *testing.T) {
	for _, second := range []string{"5", "2"} {
		for _, pending := range []bool{false, true} {
			p := newRepository(t)
			p.write("f", lines())
			p.git("add", "f")
			p.turn("", func() {
				first := acpclient.DiffContent(p.path("f"), str("1\n"), "one\n")
				then := acpclient.DiffContent(p.path("f"), str(second+"\n"), "more\n")
				held := make(chan struct{})
				p.watch.do(func(*turnWatch) { <-held })
				status := acpclient.ToolCompleted
				if pending {
					status = acpclient.ToolPending
				}
				p.Watch(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "1", Status: &status, Content: acpclient.ToolCallContents{first}}})
				p.Watch(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "2", Status: &status, Content: acpclient.ToolCallContents{then}}})
				p.write("f", lines("1 one", second+" more"))
				close(held)
				p.tell("1", acpclient.ToolCompleted)
				p.tell("2", acpclient.ToolCompleted)
			})
			if got := p.names(0); got != "f" {
				t.Errorf("line %s, pending %v: files: %s", second, pending, got)
			}
			p.must(p.undo())
			p.holds("f", lines())
		}
	}
}

// A call owns nothing of a file that it has not changed, whatever it reports: what the user
// wrote, or created, in the same turn stays.
func TestACallWithoutAnEffectOwnsNothing(t *testing.T) {
	pending, done := acpclient.ToolPending, acpclient.ToolCompleted
	calls := map[string]func(p *project, user func()){
		"places, begun after the user": func(p *project, user func()) {
			user()
			p.change("1", acpclient.ToolEdit, func() {}, "f", "new")
		},
		"places, completed alone": func(p *project, user func()) {
			user()
			p.change("1", acpclient.ToolEdit, func() {})
			status, kind := done, acpclient.ToolEdit
			p.Watch(conversation.Update{Update: &acpclient.ToolCallUpdate{
				ToolCallID: "2", Kind: &kind, Status: &status, Locations: []acpclient.ToolCallLocation{{Path: p.path("f")}, {Path: p.path("new")}},
			}})
		},
		"a place beside its diff": func(p *project, user func()) {
			other := acpclient.DiffContent(p.path("clean"), str("clean\n"), "agent\n")
			kind := acpclient.ToolEdit
			p.Watch(conversation.Update{Update: &acpclient.ToolCallUpdate{
				ToolCallID: "1", Kind: &kind, Content: acpclient.ToolCallContents{other}, Locations: []acpclient.ToolCallLocation{{Path: p.path("f")}, {Path: p.path("new")}},
			}})
			p.wait()
			user()
			p.tell("1", done)
		},
		"a new file that it found": func(p *project, user func()) {
			user()
			if at := time.Now().Add(-3 * time.Second); os.Chtimes(p.path("new"), at, at) != nil {
				p.Fatal("the time of the file is as it was")
			}
			kind := acpclient.ToolEdit
			p.Watch(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "1", Kind: &kind, Locations: []acpclient.ToolCallLocation{{Path: p.path("new")}}}})
			p.tell("1", done, acpclient.DiffContent(p.path("new"), nil, "user\n"))
		},
	}
	for old, text := range map[string]string{"made up\n": "agent\n", "1\n": "3\n", "5\nmade up\n": "agent\n", "5\n": "agent\n", "": "agent\n", "4\n": "4\n"} {
		diffs := func(p *project) []acpclient.ToolCallContent {
			return []acpclient.ToolCallContent{acpclient.DiffContent(p.path("f"), &old, text), acpclient.DiffContent(p.path("new"), &old, text)}
		}
		calls[old+"→"+text+", completed alone"] = func(p *project, user func()) { user(); p.tell("1", done, diffs(p)...) }
		calls[old+"→"+text+", begun before the user"] = func(p *project, user func()) {
			p.tell("1", pending, diffs(p)...)
			user()
			p.tell("1", done)
		}
	}
	for name, call := range calls {
		for _, kind := range []string{"repository", "copied", "known"} {
			t.Run(name+" of a file that is "+kind, func(t *testing.T) {
				p := newRepository(t)
				p.write("f", lines())
				switch kind {
				case "repository":
					p.git("add", "f")
					p.git("commit", "-qm", "f")
				case "known":
					p = newProject(t)
					p.turn("", func() { p.serve("f", lines()) })
					p.KeepFile(p.part("f"))
				}
				p.turn("", func() {
					call(p, func() { p.write("f", lines("5 user")); p.write("new", "user\n") })
				})
				turn := len(p.Summary().Turns)
				if got := p.names(turn); !strings.Contains(got, "f seen") || strings.Contains(got, "f,") {
					t.Errorf("files: %s", got)
				}
				if plan, said := p.plan(turn); plan.Tally().Files != 0 {
					t.Errorf("the plan is %s", said)
				}
				if _, err := p.undo(); !errors.Is(err, ErrNothing) && !errors.Is(err, errLost) {
					t.Errorf("undo: %v", err)
				}
				p.holds("f", lines("5 user"))
				p.holds("new", "user\n")
			})
		}
	}
}

// An agent that writes a file itself may ask parley to write it, too. What parley writes then
// begins with what the call, or its question, had found.
func TestAWriteOfWhatTheAgentIsWriting(t *testing.T) {
	for _, before := range []string{"-", lines("1 user")} {
		for _, found := range []string{"", lines("1 user", "5 agent")} {
			for _, asked := range []bool{false, true} {
				for _, completes := range []bool{false, true} {
					if found != "" && !completes {
						continue // nothing says whose it is
					}
					p := newRepository(t)
					put := func() { p.write("f", lines("1 user")) }
					if before == "-" {
						put = func() { _ = os.Remove(p.path("f")) }
					}
					p.write("f", lines("1 older"))
					p.turn("", func() {
						call := acpclient.ToolCallUpdate{ToolCallID: "1", Kind: new(acpclient.ToolEdit), Locations: []acpclient.ToolCallLocation{{Path: p.path("f")}}}
						if !asked {
							put()
						}
						p.Watch(conversation.Update{Update: &call})
						if asked {
							p.Watch(conversation.PermissionOpened{ID: 7, Request: &acpclient.RequestPermissionRequest{ToolCall: call}})
							p.wait()
							put()
							p.Watch(conversation.QuestionClosed{ID: 7})
						}
						p.wait()
						p.write("f", found)
						p.serve("f", lines("1 user", "5 agent"))
						if completes {
							p.tell("1", acpclient.ToolCompleted, acpclient.DiffContent(p.path("f"), str(""), lines("1 user", "5 agent")))
						}
					})
					if got := p.names(0); got != "f, f seen" {
						t.Errorf("found %q, asked %v: files: %s", found, asked, got)
					}
					p.must(p.undo())
					p.holds("f", before)
				}
			}
		}
	}
}

// opencode puts its patch to what the user wrote while it asked, has parley write that, and then writes
// what it meant over it: all of that is undone, and nothing that the user wrote before or after.
func TestAWriteOverWhatParleyWrote(t *testing.T) {
	for _, later := range []string{"", "user again\n"} {
		p := newRepository(t)
		p.turn("", func() {
			call := acpclient.ToolCallUpdate{
				ToolCallID: "1", Kind: new(acpclient.ToolEdit), Locations: []acpclient.ToolCallLocation{{Path: p.path("f")}},
				Content: []acpclient.ToolCallContent{acpclient.DiffContent(p.path("f"), str(""), "new\n")},
			}
			p.Watch(conversation.PermissionOpened{ID: 7, Request: &acpclient.RequestPermissionRequest{ToolCall: call}})
			p.wait()
			p.write("f", "mine\n")
			p.Watch(conversation.QuestionClosed{ID: 7})
			p.wait()
			p.serve("f", "new\nmine\n")
			p.write("f", "new\n"+later)
			p.tell("1", acpclient.ToolCompleted)
		})
		_, err := p.undo()
		if later == "" {
			p.holds("f", "mine\n")
		} else if !errors.Is(err, ErrConflict) {
			p.holds("f", later)
		}
	}
}

// What lay there before a call began, or before its question came, is not the call's, even if the agent
// reports just that. What it has written itself a moment before is.
func TestAClaimOfWhatLayThere(t *testing.T) {
	pending, done := acpclient.ToolPending, acpclient.ToolCompleted
	for name, call := range map[string]func(p *project, diffs []acpclient.ToolCallContent){
		"completed alone": func(p *project, diffs []acpclient.ToolCallContent) { p.tell("1", done, diffs...) },
		"told at its end": func(p *project, diffs []acpclient.ToolCallContent) { p.tell("1", pending); p.tell("1", done, diffs...) },
		"named first": func(p *project, diffs []acpclient.ToolCallContent) {
			p.Watch(conversation.Update{Update: &acpclient.ToolCallUpdate{
				ToolCallID: "1", Kind: new(acpclient.ToolEdit), Status: &pending, Locations: []acpclient.ToolCallLocation{{Path: p.path("new")}},
			}})
			p.wait()
			p.tell("1", done, diffs...)
		},
		"told first": func(p *project, diffs []acpclient.ToolCallContent) { p.tell("1", pending, diffs...); p.tell("1", done) },
		"asked first": func(p *project, diffs []acpclient.ToolCallContent) {
			call := acpclient.ToolCallUpdate{ToolCallID: "1", Content: diffs}
			p.Watch(conversation.PermissionOpened{ID: 7, Request: &acpclient.RequestPermissionRequest{ToolCall: call}})
			p.Watch(conversation.QuestionClosed{ID: 7})
			p.tell("1", done, diffs...)
		},
	} {
		for _, ago := range []time.Duration{0, 3 * time.Second} {
			t.Run(fmt.Sprint(name, " ", ago), func(t *testing.T) {
				p := newRepository(t)
				p.write("f", lines())
				p.git("add", "f")
				p.git("commit", "-qm", "f")
				p.turn("", func() {
					p.write("f", lines("5 user"))
					p.write("new", "user\n")
					at := time.Now().Add(-ago)
					for _, name := range []string{"f", "new"} {
						if err := os.Chtimes(p.path(name), at, at); err != nil {
							t.Fatal(err)
						}
					}
					call(p, []acpclient.ToolCallContent{acpclient.DiffContent(p.path("f"), str("5\n"), "user\n"), acpclient.DiffContent(p.path("new"), nil, "user\n")})
				})
				_, err := p.undo()
				if ago == 0 {
					p.holds("f", lines())
					p.holds("new", "-")
					return
				}
				if !errors.Is(err, ErrNothing) {
					t.Errorf("undo: %v", err)
				}
				p.holds("f", lines("5 user"))
				p.holds("new", "user\n")
			})
		}
	}
}

// An agent that asks nothing may have written a new file before parley reads it, and report no diff, as
// opencode does. The file is the call's if it holds what the call's input says, and nothing else.
func TestAnInputThatIsTheWholeFile(t *testing.T) {
	for name, c := range map[string]struct {
		input, found string
		ago          time.Duration
		want         string
	}{
		"written at once":               {input: "n\n", found: "n\n", want: "-"},
		"there before":                  {input: "n\n", found: "n\n", ago: 3 * time.Second, want: "n\n"},
		"the user has written into it":  {input: "n\n", found: "n\nuser\n", want: "n\nuser\n"},
		"an input that is not the file": {input: "", found: "n\n", want: "n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newRepository(t)
			p.turn("", func() {
				p.write("clean", "n\n") // was there, and what the user made of it is not known
				p.write("new", c.found)
				for _, name := range []string{"clean", "new"} {
					at := time.Now().Add(-c.ago)
					if err := os.Chtimes(p.path(name), at, at); err != nil {
						t.Fatal(err)
					}
					u := acpclient.ToolCallUpdate{ToolCallID: acpclient.ToolCallID(name), Kind: new(acpclient.ToolEdit)}
					for _, u.Status = range []*acpclient.ToolCallStatus{new(acpclient.ToolPending), new(acpclient.ToolInProgress), new(acpclient.ToolCompleted)} {
						p.Watch(conversation.Update{Update: new(u)})
						u.Locations = []acpclient.ToolCallLocation{{Path: p.path(name)}}
						u.RawInput = fmt.Appendf(nil, `{"filePath": %q, "content": %q}`, p.path(name), c.input)
					}
					p.wait()
				}
			})
			if _, err := p.undo(); (err == nil) != (c.want == "-") {
				t.Errorf("undo: %v", err)
			}
			p.holds("new", c.want)
			p.holds("clean", "n\n")
		})
	}
}
