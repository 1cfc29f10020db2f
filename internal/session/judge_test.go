package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/policy"
	"parley/internal/test"
)

// fakeJudge rules as a test says, and keeps what it was asked.
type fakeJudge struct {
	mu    sync.Mutex
	cases []Case
	rule  func(context.Context, Case) Ruling
}

func (j *fakeJudge) Judge(ctx context.Context, c Case) Ruling {
	j.mu.Lock()
	j.cases = append(j.cases, c)
	rule := j.rule
	j.mu.Unlock()
	return rule(ctx, c)
}

func ruling(v policy.Verdict) func(context.Context, Case) Ruling {
	return func(context.Context, Case) Ruling {
		return Ruling{Verdict: v, Rule: "the rule", Source: "the file", Why: "", Proposals: [][]string{{"allow read"}}}
	}
}

// judgedBy is a session with a judge.
func judgedBy(t *testing.T, rule func(context.Context, Case) Ruling, test func(t *testing.T, h *harness, j *fakeJudge)) {
	t.Helper()
	j := &fakeJudge{rule: rule}
	bubble(t, func(t *testing.T, h *harness) { test(t, h, j) }, func(_ *harness, o *Options) { o.Judge = j })
}

// A rule answers with the option that holds once, and what was judged is the call
// with all that the agent has told of it.
func TestARuleAnswers(t *testing.T) {
	for verdict, want := range map[policy.Verdict]string{policy.Allow: "yes", policy.Deny: "no"} {
		judgedBy(t, ruling(verdict), func(t *testing.T, h *harness, j *fakeJudge) {
			h.prompt("go")
			h.agent().update("s1", `{"sessionUpdate":"tool_call","toolCallId":"t1","title":"T","kind":"execute","rawInput":{"command":"ls"}}`)
			ch := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
			h.settle()
			wantAnswer(t, ch, `{"outcome":{"outcome":"selected","optionId":"`+want+`"}}`)
			if len(j.cases) != 1 || string(j.cases[0].Call.RawInput) != `{"command":"ls"}` || j.cases[0].Mode != "ask" || j.cases[0].Switching {
				t.Errorf("judged %+v", j.cases)
			}
			call := h.conv.Items[len(h.conv.Items)-1].(*conversation.ToolCall)
			if a := call.Answer; a == nil || string(a.Option.OptionID) != want || a.Rule != "the rule" || a.Source != "the file" || len(call.Asked) != 1 {
				t.Errorf("the call knows of the answer %+v", a)
			}
			if len(test.Permissions(h.conv))+len(test.Judging(&h.conv.State)) != 0 {
				t.Error("a question is still open")
			}
			if err := Try(h.Context(), h, Answer{Question: conversation.Seen{ID: 1, Revision: 1}, Option: "no"}); err == nil {
				t.Error("a second answer was taken")
			}
		})
	}
}

// What was in a file that the agent would replace without saying so is part of the question,
// however late somebody looks: the user is asked with it, and what the agent adds changes the
// question.
func TestTheFilesOfAQuestionArePartOfIt(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "notes")
	if err := os.WriteFile(file, []byte("milk\neggs\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, judged := range []bool{true, false} {
		bubble(t, func(t *testing.T, h *harness) {
			h.prompt("go")
			change := `"content":[{"type":"diff","path":"` + file + `","newText":"milk\n"},{"type":"diff","path":"new","oldText":"","newText":"x"}]`
			ch := h.agent().ask(t.Context(), "session/request_permission", strings.Replace(permissionFor("t1"), `"toolCallId"`, `"kind":"edit",`+change+`,"toolCallId"`, 1))
			h.settle()
			asked := test.Permissions(h.conv)[0]
			first := asked.Seen
			want := []conversation.FileSeen{{Path: file, Exists: true, Text: "milk\neggs\n"}, {Path: "new"}}
			if d := cmp.Diff(want, asked.Asked.Files); d != "" || judged && first.Revision != 1 {
				t.Errorf("%s, revision %d", d, first.Revision)
			}
			h.agent().update("s1", `{"sessionUpdate":"tool_call_update","toolCallId":"t1",`+strings.Replace(change, `"new"`, `"`+dir+`"`, 1)+`}`)
			h.settle()
			asked = test.Permissions(h.conv)[0]
			if d := cmp.Diff(append(want, conversation.FileSeen{Path: dir, Exists: true}), asked.Asked.Files); d != "" {
				t.Error(d)
			}
			if err := Try(h.Context(), h, Answer{Question: first, Option: "yes"}); !errors.Is(err, ErrChanged) {
				t.Errorf("an answer to the question as it was: %v", err)
			}
			for _, text := range []string{"milk\neggs\nflour\n", "milk\neggs\n"} { // the user writes while it is open
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := Try(h.Context(), h, Answer{Question: asked.Seen, Option: "yes"}); !errors.Is(err, ErrChanged) {
					t.Errorf("an answer about files as they were: %v", err)
				}
				h.settle()
				asked = test.Permissions(h.conv)[0]
				if f := asked.Asked.FileSeen(file); len(asked.Asked.Files) != 3 || f.Text != text {
					t.Errorf("the question has %+v", asked.Asked.Files)
				}
			}
			if err := Try(h.Context(), h, Answer{Question: asked.Seen, Option: "no"}); err != nil {
				t.Error(err)
			}
			<-ch
		}, func(_ *harness, o *Options) {
			o.Cwd = dir
			if judged {
				o.Judge = &fakeJudge{rule: func(context.Context, Case) Ruling { return Ruling{} }}
			}
		})
	}
}

// Neither a rule nor the user can allow a call of which parts were left out; both can reject it.
func TestWhatIsNotKnownIsNotAllowed(t *testing.T) {
	judgedBy(t, ruling(policy.Allow), func(t *testing.T, h *harness, j *fakeJudge) {
		h.prompt("go")
		h.agent().update("s1", `{"sessionUpdate":"tool_call","toolCallId":"t1","title":"T","kind":"execute","status":"pending","rawInput":{"command":"ls `+strings.Repeat("x", 2000)+`"}}`)
		for i := range 60 {
			h.agent().update("s1", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"f%d","title":"f","status":"pending","rawInput":{"text":%q}}`, i, strings.Repeat("q", 1<<20)))
		}
		ch := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.settle()
		if len(test.Permissions(h.conv)) != 1 || len(j.cases) != 0 {
			t.Fatalf("%d questions are open, %d were judged", len(test.Permissions(h.conv)), len(j.cases))
		}
		p := test.Permissions(h.conv)[0]
		if p.Why != "parts of the call were left out" {
			t.Errorf("the user is asked because %s", p.Why)
		}
		if err := Try(h.Context(), h, Answer{Question: p.Seen, Option: "yes"}); !errors.Is(err, ErrIncomplete) {
			t.Errorf("allowing it ends with %v", err)
		}
		if err := Try(h.Context(), h, Answer{Question: p.Seen, Option: "no"}); err != nil {
			t.Errorf("rejecting it ends with %v", err)
		}
		h.settle()
		wantAnswer(t, ch, `{"outcome":{"outcome":"selected","optionId":"no"}}`)
	})
}

// Whoever has seen another call than the one that is asked about can only reject it.
func TestWhatWasNotShownIsNotAllowed(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("go")
		ch := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.settle()
		seen := test.Permissions(h.conv)[0].Seen
		seen.Shown = "another"
		if err := Try(h.Context(), h, Answer{Question: seen, Option: "yes"}); !errors.Is(err, ErrIncomplete) {
			t.Errorf("allowing it ends with %v", err)
		}
		if err := Try(h.Context(), h, Answer{Question: seen, Option: "no"}); err != nil {
			t.Errorf("rejecting it ends with %v", err)
		}
		h.settle()
		wantAnswer(t, ch, `{"outcome":{"outcome":"selected","optionId":"no"}}`)
	})
}

// What rules leave open is the user's, with why and with what could be a rule.
func TestWhatNoRuleAnswersIsAsked(t *testing.T) {
	judgedBy(t, func(context.Context, Case) Ruling {
		return Ruling{Verdict: policy.Ask, Why: "because", Proposals: [][]string{{"allow read"}}}
	}, func(t *testing.T, h *harness, _ *fakeJudge) {
		ch := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.settle()
		if len(test.Permissions(h.conv)) != 1 || test.Permissions(h.conv)[0].Why != "because" || len(test.Permissions(h.conv)[0].Proposals) != 1 {
			t.Fatalf("open: %+v", test.Permissions(h.conv))
		}
		seen := test.Permissions(h.conv)[0].Seen
		if err := Try(h.Context(), h, Answer{Question: seen, Option: "no", Rule: "allow execute(rm)"}); !errors.Is(err, ErrChanged) {
			t.Errorf("an answer by a rule that was not proposed: %v", err)
		}
		h.agent().update("s1", `{"sessionUpdate":"tool_call_update","toolCallId":"t1","rawInput":{"command":"rm"}}`)
		h.settle()
		if test.Permissions(h.conv)[0].Proposals != nil {
			t.Error("rules are proposed for what is not asked about any more")
		}
		if err := Try(h.Context(), h, Answer{Question: test.Permissions(h.conv)[0].Seen, Option: "no"}); err != nil {
			t.Fatal(err)
		}
		h.settle()
		wantAnswer(t, ch, `{"outcome":{"outcome":"selected","optionId":"no"}}`)
	})
}

// A denial counts for every session that the agent names: the rules that allow do not.
func TestARuleDeniesForAnotherSession(t *testing.T) {
	rule := func(_ context.Context, c Case) Ruling {
		if !c.Unasked {
			return Ruling{Verdict: policy.Allow, Rule: "allow"}
		}
		return Ruling{Verdict: policy.Deny, Rule: "deny"}
	}
	judgedBy(t, rule, func(t *testing.T, h *harness, _ *fakeJudge) {
		ch := h.agent().ask(t.Context(), "session/request_permission", strings.Replace(permissionFor("t1"), `"s1"`, `"zzz"`, 1))
		h.settle()
		wantAnswer(t, ch, `{"outcome":{"outcome":"selected","optionId":"no"}}`)
	})
}

// A rule gives no answer that the agent does not offer, none that reaches further
// than once, and allows nothing for another session.
func TestWhatARuleMayNotAnswer(t *testing.T) {
	options := func(options string) string {
		return `{"sessionId":"s1","toolCall":{"toolCallId":"t1"},"options":[` + options + `]}`
	}
	for name, c := range map[string]struct {
		verdict policy.Verdict
		params  string
	}{
		"always only":     {policy.Allow, options(`{"optionId":"a","name":"A","kind":"allow_always"},{"optionId":"n","name":"N","kind":"reject_once"}`)},
		"a choice":        {policy.Allow, options(`{"optionId":"a","name":"A","kind":"allow_once"},{"optionId":"b","name":"B","kind":"allow_once"},{"optionId":"n","name":"N","kind":"reject_once"}`)},
		"no denial":       {policy.Deny, options(`{"optionId":"a","name":"A","kind":"allow_once"},{"optionId":"n","name":"N","kind":"reject_always"}`)},
		"no options":      {policy.Allow, options(``)},
		"unknown kinds":   {policy.Allow, options(`{"optionId":"a","name":"A","kind":"answer"}`)},
		"another session": {policy.Allow, strings.Replace(permissionFor("t1"), `"s1"`, `"s9"`, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			judgedBy(t, ruling(c.verdict), func(t *testing.T, h *harness, _ *fakeJudge) {
				ch := h.agent().ask(t.Context(), "session/request_permission", c.params)
				h.settle()
				select {
				case got := <-ch:
					t.Errorf("answered %s", got.raw)
				default:
				}
				if len(test.Permissions(h.conv)) != 1 {
					t.Fatalf("%d questions are open", len(test.Permissions(h.conv)))
				}
				if p := test.Permissions(h.conv)[0]; name != "no denial" && p.Proposals != nil {
					t.Errorf("proposed are %v, which could not answer it", p.Proposals)
				}
			})
		})
	}
}

// What the agent changes while it is judged is judged again, and what it changes
// again and again is asked.
func TestWhatChangesMeanwhileIsJudgedAgain(t *testing.T) {
	for always, want := range map[bool]int{false: 2, true: judgeRounds} {
		j := &fakeJudge{}
		bubble(t, func(t *testing.T, h *harness) {
			judging, on := make(chan struct{}), make(chan struct{})
			j.mu.Lock()
			j.rule = func(_ context.Context, c Case) Ruling {
				judging <- struct{}{}
				<-on
				if strings.Contains(string(c.Call.RawInput), "rm") && !always {
					return Ruling{Verdict: policy.Deny, Rule: "r"}
				}
				return Ruling{Verdict: policy.Allow, Rule: "r"}
			}
			j.mu.Unlock()
			ch := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
			for i := range want {
				<-judging
				if i == 0 || always {
					h.agent().update("s1", `{"sessionUpdate":"tool_call_update","toolCallId":"t1","rawInput":{"command":"rm `+strings.Repeat("x", i)+`"}}`)
					h.settle()
				}
				on <- struct{}{}
			}
			h.settle()
			if always {
				if len(test.Permissions(h.conv)) != 1 || !strings.Contains(test.Permissions(h.conv)[0].Why, "keeps changing") {
					t.Errorf("open: %+v", test.Permissions(h.conv))
				}
				return
			}
			wantAnswer(t, ch, `{"outcome":{"outcome":"selected","optionId":"no"}}`)
		}, func(_ *harness, o *Options) { o.Judge = j })
	}
}

// While the rules are looked at nothing waits: neither updates nor a cancel. A judge
// that takes too long is not waited for.
func TestJudgingHoldsNothingUp(t *testing.T) {
	stuck := func(ctx context.Context, _ Case) Ruling { <-ctx.Done(); return Ruling{Verdict: policy.Allow} }
	judgedBy(t, stuck, func(t *testing.T, h *harness, _ *fakeJudge) {
		h.prompt("go")
		ch := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.settle()
		h.agent().text("s1", "meanwhile")
		h.settle()
		if m, ok := h.conv.Items[len(h.conv.Items)-1].(*conversation.Message); !ok || m.Parts.Plain() != "meanwhile" {
			t.Errorf("the last item is %+v", h.conv.Items[len(h.conv.Items)-1])
		}
		resultOf(h, Cancel{})
		h.settle()
		wantAnswer(t, ch, `{"outcome":{"outcome":"cancelled"}}`)
		if len(test.Judging(&h.conv.State)) != 0 {
			t.Error("it is still being judged")
		}
	})
	judgedBy(t, stuck, func(t *testing.T, h *harness, _ *fakeJudge) {
		h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.settle()
		time.Sleep(judgeTime) // of the bubble's clock
		h.settle()
		if len(test.Permissions(h.conv)) != 1 || !strings.Contains(test.Permissions(h.conv)[0].Why, "too long") {
			t.Errorf("open: %+v", test.Permissions(h.conv))
		}
	})
}

// The mode that is judged by is the one that is on, also after a switch.
func TestTheModeIsJudged(t *testing.T) {
	judgedBy(t, ruling(policy.Allow), func(t *testing.T, h *harness, j *fakeJudge) {
		ask := func() Case {
			h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
			h.settle()
			return j.cases[len(j.cases)-1]
		}
		h.agent().update("s1", `{"sessionUpdate":"current_mode_update","currentModeId":"plan"}`)
		h.settle()
		if c := ask(); c.Mode != "plan" || c.Switching {
			t.Errorf("judged in %+v", c)
		}
		Post(h, SetOption{conversation.LegacyModeID, acpclient.SelectValue("ask")})
		h.settle()
		if c := ask(); c.Mode != "ask" || !c.Switching {
			t.Errorf("judged in %+v", c)
		}
	})
}

// Questions come to the user in the order in which the agent has asked them, however
// long each is judged.
func TestQuestionsComeInTheirOrder(t *testing.T) {
	first := make(chan struct{})
	judged := func(answer policy.Verdict) func(context.Context, Case) Ruling {
		return func(_ context.Context, c Case) Ruling {
			if c.Call.ID == "t1" {
				<-first
				return Ruling{Verdict: answer, Rule: "r"}
			}
			return Ruling{Verdict: policy.Ask, Proposals: [][]string{{"allow " + string(c.Call.RawInput)}}}
		}
	}
	for _, answer := range []policy.Verdict{policy.Ask, policy.Allow} {
		j := &fakeJudge{}
		bubble(t, func(t *testing.T, h *harness) {
			first = make(chan struct{})
			j.mu.Lock()
			j.rule = judged(answer)
			j.mu.Unlock()
			for _, tool := range []string{"t1", "t2", "t3"} {
				h.agent().ask(t.Context(), "session/request_permission", permissionFor(tool))
				h.settle()
			}
			if len(test.Permissions(h.conv)) != 0 || len(test.Judging(&h.conv.State)) != 3 {
				t.Errorf("%d questions are open, %d are judged", len(test.Permissions(h.conv)), len(test.Judging(&h.conv.State)))
			}
			// What changes while it waits for its turn is what rules are proposed for.
			h.agent().update("s1", `{"sessionUpdate":"tool_call_update","toolCallId":"t3","rawInput":{"command":"rm"}}`)
			h.settle()
			close(first)
			h.settle()
			var order []string
			for _, p := range test.Permissions(h.conv) {
				order = append(order, string(p.Asked.ID))
			}
			want := "t1 t2 t3"
			if answer == policy.Allow {
				want = "t2 t3"
			}
			if got := strings.Join(order, " "); got != want {
				t.Fatalf("asked %s, want %s", got, want)
			}
			last := test.Permissions(h.conv)[len(order)-1]
			if len(last.Proposals) != 1 || last.Proposals[0][0] != `allow {"command":"rm"}` || test.Permissions(h.conv)[len(order)-2].ID != last.ID-1 {
				t.Errorf("the last is %+v", last)
			}
			if answer == policy.Allow && test.Permissions(h.conv)[0].Proposals == nil {
				t.Error("nothing is proposed for what has not changed")
			}
		}, func(_ *harness, o *Options) { o.Judge = j })
	}
}

// What was done is judged beside the session: while a file system does not answer, turns end and begin.
func TestJudgingWhatWasDoneHoldsUpNobody(t *testing.T) {
	never := func(ctx context.Context, _ Case) Ruling {
		<-ctx.Done()
		return Ruling{}
	}
	judgedBy(t, never, func(t *testing.T, h *harness, j *fakeJudge) {
		h.prompt("go")
		for i, status := range []string{"completed", "completed", "in_progress", "in_progress"} {
			h.agent().update("s1", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"t%d","title":"T","kind":"execute","status":%q,"rawInput":{"command":"rm %d"}}`, i, status, i))
		}
		began := time.Now()
		h.reply("session/prompt", `{"stopReason":"end_turn"}`)
		h.prompt("on")
		if len(j.cases) != 4 || !h.isRunning() || time.Since(began) >= judgeTime {
			t.Errorf("%d calls are being judged; after %v the next turn runs: %v", len(j.cases), time.Since(began), h.isRunning())
		}
	})
}

// Who has the sandbox on is not told to switch it on.
func TestWhatWasDeniedAndDoneNamesTheSandboxOnce(t *testing.T) {
	for bounds, want := range map[string]string{"": "--sandbox bounds the others.", "sandbox": "this one is bounded by the sandbox alone."} {
		j := &fakeJudge{rule: ruling(policy.Deny)}
		bubble(t, func(t *testing.T, h *harness) {
			h.prompt("go")
			h.agent().update("s1", `{"sessionUpdate":"tool_call","toolCallId":"t1","title":"T","kind":"execute","status":"completed","rawInput":{"command":"rm x"}}`)
			h.settle()
			for _, item := range h.conv.Items {
				if n, ok := item.(*conversation.Note); ok && n.Title == DeniedDone {
					if !strings.HasSuffix(n.Detail, want) {
						t.Errorf("with bounds %q it says %q", bounds, n.Detail)
					}
					return
				}
			}
			t.Error("nothing is said")
		}, func(_ *harness, o *Options) { o.Judge, o.Bounds = j, bounds })
	}
}

// An update that changes nothing that is judged, as opencode sends right after its
// question, neither has it judged again nor takes away the rules that are proposed.
func TestAnEqualUpdateKeepsTheProposals(t *testing.T) {
	const input = `"kind":"execute","rawInput":{"command":"ls","description":"x"}`
	question := strings.Replace(permissionFor("t1"), `"toolCallId":"t1"`, `"toolCallId":"t1",`+input, 1)
	for name, c := range map[string]struct {
		update string
		keeps  bool
	}{
		"equal":             {`"status":"in_progress",` + input, true},
		"with other blanks": {`"kind":"execute","rawInput":{ "command": "ls", "description":"x" },"locations":[],"content":[]`, true},
		"of the title":      {`"title":"Another"`, true},
		"another command":   {`"rawInput":{"command":"rm","description":"x"}`, false},
		"another member":    {`"rawInput":{"command":"ls","description":"x","cwd":"/"}`, false},
		"the same twice":    {`"rawInput":{"command":"rm","command":"ls","description":"x"}`, false},
		"another kind":      {`"kind":"edit"`, false},
		"a place":           {`"locations":[{"path":"/x"}]`, false},
		"a change":          {`"content":[{"type":"diff","path":"/x","newText":""}]`, false},
	} {
		for _, late := range []bool{false, true} {
			j, rounds := &fakeJudge{}, 0
			bubble(t, func(t *testing.T, h *harness) {
				judging, on := make(chan struct{}), make(chan struct{})
				j.mu.Lock()
				j.rule = func(context.Context, Case) Ruling {
					if rounds++; rounds == 1 {
						judging <- struct{}{}
						<-on
					}
					return Ruling{Verdict: policy.Ask, Proposals: [][]string{{"allow execute(ls)"}}}
				}
				j.mu.Unlock()
				h.agent().update("s1", `{"sessionUpdate":"tool_call","toolCallId":"t1","title":"T","kind":"execute"}`)
				h.agent().ask(t.Context(), "session/request_permission", question)
				<-judging
				update := func() {
					h.agent().update("s1", `{"sessionUpdate":"tool_call_update","toolCallId":"t1",`+c.update+`}`)
					h.settle()
				}
				if !late {
					update()
				}
				on <- struct{}{}
				h.settle()
				if late {
					update()
				}
				if len(test.Permissions(h.conv)) != 1 {
					t.Fatalf("%s: %d questions", name, len(test.Permissions(h.conv)))
				}
				kept, again := test.Permissions(h.conv)[0].Proposals != nil, rounds > 1
				if late && kept != c.keeps || !late && again == c.keeps || !late && !kept {
					t.Errorf("%s, late %v: kept %v, judged again %v", name, late, kept, again)
				}
			}, func(_ *harness, o *Options) { o.Judge = j })
		}
	}
}
