package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/internal/schema"
	"parley/internal/termtext"
)

// bubble is a test on a clock that stands still while anything happens: no pause of the
// examination, or of the agent, takes any time.
func bubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, test)
}

// examined is the report on an agent to which a prompt is sent.
func examined(t *testing.T, f *fake, opt Options) *Report {
	t.Helper()
	opt.Start, opt.Cwd, opt.Command = f.start, "/tmp/examined", cmp.Or(opt.Command, "fake --acp")
	if opt.Timeout == 0 {
		opt.Timeout = 20 * time.Second
	}
	r, err := Examine(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Nothing is found in an agent that does everything right.
func TestNothingIsWrong(t *testing.T) {
	for _, v := range []struct {
		version         int
		agent           func() *fake
		timed, notTried []string
	}{
		{
			1, newFake,
			[]string{"session/prompt", "session/cancel", "session/load", "session/resume", "session/close", "session/list"},
			[]string{"authenticate: it needs you"},
		},
		{
			2, newFakeV2,
			[]string{
				"session/new", "session/set_config_option", "session/prompt", "session/prompt to idle", "session/cancel", "session/list",
				"session/resume", "session/resume from the start", "session/close",
			},
			[]string{"auth/logout: it would sign you out", "auth/login: it needs you"},
		},
	} {
		t.Run(fmt.Sprintf("v%d", v.version), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := examined(t, v.agent(), Options{Prompt: ScriptedPrompt, Protocol: v.version})
				if r.Outcome != Clean || len(r.Deviations)+len(r.Notes) > 0 || r.Why != "" || r.ProtocolVersion != v.version {
					t.Errorf("%s", r.Text())
				}
				for _, what := range v.timed {
					if !slices.ContainsFunc(r.Timings, func(timing Timing) bool { return timing.What == what }) {
						t.Errorf("%s was not tried", what)
					}
				}
				if !slices.Equal(r.NotTried, v.notTried) {
					t.Errorf("not tried: %q", r.NotTried)
				}
			})
		})
	}
}

// Each fault is found, and every rule of each version has one.
func TestFaults(t *testing.T) {
	t.Parallel()
	first := slices.Concat(transportFaults, startFaults, sessionFaults, turnFaults)
	both := slices.DeleteFunc(slices.Clone(first), func(f fault) bool { return f.v1 })
	for _, v := range []struct {
		faults  []fault
		agent   func() *fake
		dialect *dialect
	}{
		{first, newFake, v1},
		{slices.Concat(both, startFaultsV2, sessionFaultsV2, workFaultsV2), newFakeV2, v2},
	} {
		t.Run(fmt.Sprintf("v%d", v.dialect.version), func(t *testing.T) {
			t.Parallel()
			foundAll(t, v.faults, v.agent, v.dialect.version)
			for _, r := range Rules {
				if v.dialect.page(r) != "" && !slices.ContainsFunc(v.faults, func(f fault) bool { return f.rule == r }) {
					t.Errorf("no fault breaks the rule %s", r.ID)
				}
			}
		})
	}
}

// foundAll examines an agent with each of the faults.
func foundAll(t *testing.T, faults []fault, agent func() *fake, version int) {
	for _, c := range faults {
		t.Run(strings.TrimSpace(c.rule.ID+" "+c.name), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f := agent()
				c.make(f)
				r := examined(t, f, Options{Prompt: ScriptedPrompt, Protocol: version})
				all := slices.Concat(r.Deviations, r.Notes)
				i := slices.IndexFunc(all, func(f Finding) bool { return f.Rule == c.rule.ID })
				if i < 0 {
					t.Fatalf("it is not found:\n%s", r.Text())
				}
				if spoken := fmt.Sprintf("/protocol/v%d/", version); r.ProtocolVersion == version && !strings.Contains(all[i].Page, spoken) {
					t.Errorf("the page is not of the version that is spoken: %s", all[i].Page)
				}
			})
		})
	}
}

// What is written is that of the agent, and of no control character.
func TestReportIsFitToBeDrawn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const evil = "\x1b]0;owned\x07\u009b2J\u202e"
		f := newFake()
		f.hello["agentInfo"] = object{"name": evil, "title": evil, "version": evil}
		f.hello["authMethods"] = []object{{"id": evil, "name": evil}, {"id": evil, "name": evil}}
		f.first = func(f *fake) { f.raw(evil + "\n"); _, _ = f.stderr.Write([]byte(evil)) }
		f.state["modes"].(object)["currentModeId"] = evil
		f.methods[evil] = nil
		inTurn(func(f *fake, session string) {
			f.write(object{"method": evil})
			f.update(session, object{"sessionUpdate": evil})
			f.update(evil, object{"sessionUpdate": "plan"})
		})(f)
		r := examined(t, f, Options{Prompt: ScriptedPrompt})
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"text": r.Text(), "JSON": string(data)} {
			if i := strings.IndexAny(text, "\x1b\x07\u009b\u202e"); i >= 0 {
				t.Errorf("the %s has a control character: %q", name, text[max(i-80, 0):i+8])
			}
		}
		if len(r.Deviations) < 5 {
			t.Errorf("%s", r.Text())
		}
	})
}

// The file of the wire has the line that a finding names.
func TestWire(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		inTurn(func(f *fake, _ string) { f.raw("noise \x1b\n") })(f)
		var wire bytes.Buffer
		r := examined(t, f, Options{Prompt: ScriptedPrompt, Wire: &wire})
		if len(r.Deviations) != 1 || r.Outcome != Deviates {
			t.Fatalf("%s", r.Text())
		}
		lines := strings.Split(strings.TrimSpace(wire.String()), "\n")
		if len(lines) != r.Lines {
			t.Errorf("%d lines, the report says %d", len(lines), r.Lines)
		}
		var got wireLine
		if err := json.Unmarshal([]byte(lines[r.Deviations[0].Line-1]), &got); err != nil {
			t.Fatal(err)
		}
		if got.Text != "noise \x1b" || got.From != schema.Agent || got.Run != 1 || got.Line != r.Deviations[0].Line {
			t.Errorf("%+v", got)
		}
	})
}

// Lines for an agent that does not read are neither on the wire nor the agent's fault.
func TestAFloodThatReadsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		received := 0
		f.stray = func(*fake, json.RawMessage, []byte) bool { received++; return false }
		instead("session/new", func(f *fake, id json.RawMessage, p params) {
			for n := range 1000 {
				f.write(object{"id": n, "method": "_parley/flood"})
			}
			f.newSession(id, p)
		})(f)
		var wire bytes.Buffer
		r := examined(t, f, Options{Wire: &wire})
		if sent := strings.Count(wire.String(), `"from":"client"`); sent != received {
			t.Errorf("%d lines are on the wire, the agent got %d", sent, received)
		}
		if len(r.Deviations) > 0 || r.Outcome != Incomplete || !strings.Contains(r.Why, "unread") {
			t.Errorf("%s", r.Text())
		}
	})
}

// Without a prompt none is sent, and the same mistake many times is one finding.
func TestFindingsAreCounted(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		instead("session/prompt", func(*fake, json.RawMessage, params) { t.Error("a prompt was sent") })(f)
		instead("session/set_mode", func(f *fake, id json.RawMessage, p params) {
			f.setMode(id, p)
			for range 100 {
				f.say(p.SessionID, "agent_message_chunk", "and on")
			}
		})(f)
		r := examined(t, f, Options{})
		if len(r.Deviations) != 1 || r.Deviations[0].Count < 300 || r.Deviations[0].Line == 0 {
			t.Errorf("%s", r.Text())
		}
	})
}

// An agent that answers nothing any more is given up.
func TestPatienceEnds(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		f.stray = func(_ *fake, _ json.RawMessage, line []byte) bool {
			return !bytes.Contains(line, []byte(`"initialize"`))
		}
		instead("initialize", func(f *fake, id json.RawMessage, _ params) {
			f.answer(id, f.hello)
			f.methods["initialize"] = func(*fake, json.RawMessage, params) {}
		})(f)
		r := examined(t, f, Options{Timeout: 200 * time.Millisecond})
		if !strings.Contains(r.Why, "respond to 3 requests") {
			t.Errorf("%s", r.Text())
		}
	})
}

// An agent that has ended in time has done so though something that it started holds its
// stdout open.
func TestAnAgentWhoseChildHoldsItsStdoutHasEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for range 8 {
			f := newFake()
			start := func(stderr io.Writer) (*acpclient.Peer, error) {
				r, err := f.start(stderr)
				child := make(chan struct{})
				stop := r.Stop
				r.In = &heldOpen{r.In, child}
				r.Stop = func(ctx context.Context) { close(child); stop(ctx) }
				return r, err
			}
			r, err := Examine(t.Context(), Options{Start: start, Cwd: "/tmp/examined", Timeout: 20 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if r.has(ruleExit) {
				t.Fatalf("%s", r.Text())
			}
		}
	})
}

// heldOpen is a pipe that does not end before a child does.
type heldOpen struct {
	io.Reader
	child chan struct{}
}

func (h *heldOpen) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if err != nil {
		<-h.child
	}
	return n, err
}

// Where answers and updates come on streams of their own, a replay that comes behind its
// answer is waited for, and is no deviation.
func TestTheOrderOfStreamsSaysNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		var late sync.WaitGroup
		defer late.Wait()
		f.methods["session/load"] = func(f *fake, id json.RawMessage, p params) {
			f.resume(id, p)
			said := f.said[p.SessionID]
			late.Go(func() {
				time.Sleep(time.Second)
				f.say(p.SessionID, "agent_message_chunk", said)
			})
		}
		r, err := Examine(t.Context(), Options{
			Cwd: "/tmp/examined", Command: "fake --acp", Prompt: ScriptedPrompt, Timeout: 20 * time.Second, Unordered: true,
			Start: func(stderr io.Writer) (*acpclient.Peer, error) {
				late.Wait() // for those of the run before
				return f.start(stderr)
			},
		})
		if err != nil || r.Outcome != Clean || len(r.Deviations) > 0 {
			t.Errorf("%v\n%s", err, r.Text())
		}
		if !slices.ContainsFunc(r.NotTried, func(what string) bool { return strings.Contains(what, "order of responses") }) {
			t.Errorf("not tried: %q", r.NotTried)
		}
	})
}

// An agent of version 1 answers the offer with its own, and is examined in that.
func TestAnAgentOfVersion1IsOfferedVersion2(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := examined(t, newFake(), Options{Prompt: ScriptedPrompt, Protocol: 2})
		if r.Outcome != Clean || r.ProtocolVersion != 1 || !strings.Contains(r.Text(), "version 1, offered version 2") {
			t.Errorf("%s", r.Text())
		}
	})
}

// One that ends at the offer is started again, and examined in version 1.
func TestAnAgentThatEndsAtTheOffer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		instead("initialize", func(f *fake, id json.RawMessage, p params) {
			if p.Version > 1 {
				f.stopped = true
				return
			}
			f.answer(id, f.hello)
		})(f)
		r := examined(t, f, Options{Prompt: ScriptedPrompt, Protocol: 2})
		var rules []string
		for _, d := range r.Deviations {
			rules = append(rules, d.Rule)
		}
		if !slices.Equal(rules, []string{ruleVersion.ID, ruleDied.ID}) || r.ProtocolVersion != 1 {
			t.Errorf("%s", r.Text())
		}
		if !slices.Contains(r.Tried, "session/load") || !slices.Contains(r.Tried, "malformed lines") {
			t.Errorf("it was not examined in whole: %q", r.Tried)
		}
	})
}

// What the doctor itself sends in version 2 fits the schema, but for what is wrong on purpose.
func TestTheDoctorsOwnMessagesV2(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFakeV2()
		inTurn(func(f *fake, session string) {
			f.ask(`"q"`, "session/request_permission", object{"sessionId": session, "title": "May I?", "options": []object{
				{"optionId": "no", "name": "No", "kind": "reject_once"},
			}})
		})(f)
		var wire bytes.Buffer
		if r := examined(t, f, Options{Prompt: ScriptedPrompt, Protocol: 2, Wire: &wire}); r.Outcome != Clean {
			t.Fatalf("%s", r.Text())
		}
		seen := map[string]bool{}
		for line := range strings.Lines(wire.String()) {
			var l struct {
				From    schema.Side
				Message struct {
					Method         string
					Params, Result json.RawMessage
				}
			}
			if json.Unmarshal([]byte(line), &l) != nil || l.From != schema.Client || strings.Contains(line, `"params":{}`) {
				continue
			}
			types := schema.V2().Methods[schema.MethodKey{Side: "agent", Method: l.Message.Method}]
			def, value := types.Request+types.Notification, l.Message.Params
			if l.Message.Result != nil {
				def, value = "RequestPermissionResponse", l.Message.Result
			}
			if def == "" {
				continue
			}
			seen[def] = true
			if err := schema.V2().Faults(def, value); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
		for _, def := range []string{
			"InitializeRequest", "NewSessionRequest", "PromptRequest", "CancelSessionNotification", "SetSessionConfigOptionRequest",
			"ResumeSessionRequest", "CloseSessionRequest", "ListSessionsRequest", "DeleteSessionRequest", "RequestPermissionResponse",
		} {
			if !seen[def] {
				t.Errorf("no %s was sent", def)
			}
		}
	})
}

// What an agent says of its own after a session was loaded is no replay.
func TestAFreshMessageIsNoReplay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		f.methods["session/load"] = func(f *fake, id json.RawMessage, p params) {
			f.load(id, p)
			f.say(p.SessionID, "agent_message_chunk", "Welcome back!")
		}
		if r := examined(t, f, Options{Prompt: ScriptedPrompt}); r.has(ruleReplayLate) || r.has(ruleAfterCancel) {
			t.Errorf("%s", r.Text())
		}
	})
}

// Numbers as JavaScript has them are no deviation.
func TestAnAgentInJavaScriptIsClean(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		stray("9223372036854775807", func(f *fake, _ json.RawMessage) { f.refuse(json.RawMessage("9223372036854776000"), -32601) })(f)
		r := examined(t, f, Options{Prompt: ScriptedPrompt})
		if r.Outcome != Clean || len(r.Notes) != 1 || r.Notes[0].Rule != ruleIDPrecision.ID {
			t.Errorf("%s", r.Text())
		}
	})
}

// Options that come and go with another one are the whole state.
func TestOptionsMayDependOnOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		all := f.options
		f.methods["session/set_config_option"] = func(f *fake, id json.RawMessage, p params) {
			if f.options = all; p.ConfigID == "model" && p.Value == "large" {
				f.options = all[:1]
			}
			for _, o := range f.options {
				if o["id"] == p.ConfigID && p.Value != nothing {
					o["currentValue"] = p.Value
				}
			}
			f.update(p.SessionID, object{"sessionUpdate": "config_option_update", "configOptions": f.options})
			f.setOption(id, p)
		}
		if r := examined(t, f, Options{Prompt: ScriptedPrompt}); r.Outcome != Clean {
			t.Errorf("%s", r.Text())
		}
	})
}

// A turn that has ended by itself just when it was cancelled is no deviation.
func TestATurnMayEndWhenItIsCancelled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		f.methods["session/prompt"] = func(f *fake, id json.RawMessage, p params) {
			f.say(p.SessionID, "agent_message_chunk", "pong")
			f.answer(id, object{"stopReason": "end_turn"})
		}
		f.methods["session/load"] = func(f *fake, id json.RawMessage, p params) {
			f.said[p.SessionID] = "pong"
			f.load(id, p)
		}
		r := examined(t, f, Options{Prompt: ScriptedPrompt})
		if r.Outcome != Clean || !slices.ContainsFunc(r.NotTried, func(what string) bool { return strings.Contains(what, "cancelling a turn") }) {
			t.Errorf("%s", r.Text())
		}
	})
}

// An agent that works on several requests at once may answer them in any order: an answer to
// a later request says nothing about the earlier ones.
func TestAnswersMayComeInAnyOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		var late json.RawMessage
		f.stray = func(f *fake, id json.RawMessage, line []byte) bool {
			switch {
			case strings.Contains(string(line), `"id":"7"`):
				late = id
				return true
			case late != nil && strings.Contains(string(line), "_parley/fence"):
				f.refuse(id, -32601)
				f.refuse(late, -32601)
				late = nil
				return true
			}
			return false
		}
		if r := examined(t, f, Options{Prompt: ScriptedPrompt}); r.Outcome != Clean {
			t.Errorf("%s", r.Text())
		}
	})
}

// A call that permission was asked for before it is announced is found once, and is not
// announced a second time.
func TestACallMayBeAnnouncedAfterItsQuestion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		inTurn(func(f *fake, session string) { f.question(session, allow); announce(f, session, nil) })(f)
		r := examined(t, f, Options{Prompt: ScriptedPrompt})
		if len(r.Deviations) != 1 || r.Deviations[0].Rule != ruleCallUnknown.ID {
			t.Errorf("%s", r.Text())
		}
	})
}

// The report has what an agent wrote to stderr where it failed, not what it wrote about
// the doctor's probes.
func TestStderrIsAboutTheFailure(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(f *fake)
		want string
	}{
		{"a deviation", func(f *fake) { f.hello["agentInfo"] = object{"name": "", "version": ""} }, ""},
		{"it ends", instead("session/prompt", func(f *fake, _ json.RawMessage, _ params) {
			_, _ = f.stderr.Write([]byte("panic: no model\n"))
			f.stopped = true
		}), "panic: no model"},
		{"no session", instead("session/new", func(f *fake, id json.RawMessage, _ params) {
			_, _ = f.stderr.Write([]byte("cannot read the key\n"))
			f.refuse(id, -32603)
		}), "cannot read the key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f := newFake()
				c.make(f)
				f.stray = func(f *fake, _ json.RawMessage, line []byte) bool {
					if bytes.Contains(line, []byte("parley")) || !bytes.HasPrefix(line, []byte("{")) {
						_, _ = f.stderr.Write(append([]byte("cannot handle "), line...))
					}
					return false
				}
				r := examined(t, f, Options{Prompt: ScriptedPrompt})
				if len(r.Deviations) == 0 || r.Stderr != c.want || strings.Contains(r.Text(), "cannot handle") {
					t.Errorf("stderr %q\n%s", r.Stderr, r.Text())
				}
			})
		})
	}
}

// No line of the report is longer than a terminal can show.
func TestLinesOfTheReportAreShort(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f := newFake()
		long := strings.Repeat("word ", 200)
		f.hello["agentInfo"] = object{"name": long, "title": "T" + long, "version": strings.Repeat("9", 300)}
		f.hello["authMethods"] = []object{{"id": "a", "name": long}, {"id": "b", "name": long}}
		instead("session/new", func(f *fake, id json.RawMessage, _ params) {
			_, _ = f.stderr.Write([]byte(long + "\n" + strings.Repeat("x", 3000) + "\n"))
			f.write(object{"id": id, "error": object{"code": -32603, "message": strings.Repeat("x", 3000)}})
		})(f)
		r := examined(t, f, Options{Command: strings.Repeat("agent ", 100), Prompt: ScriptedPrompt})
		for line := range strings.Lines(r.Text()) {
			if n := termtext.Width(strings.TrimSuffix(line, "\n")); n > 200 {
				t.Errorf("%d characters: %s", n, line)
			}
		}
		if !strings.Contains(r.Text(), "Last lines of stderr") {
			t.Errorf("%s", r.Text())
		}
	})
}
