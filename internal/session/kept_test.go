package session

import (
	"errors"
	"fmt"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// kept makes a session whose transcript is at hand.
func kept(_ *harness, o *Options) {
	o.ResumeID, o.HasTranscript, o.Past = "old", true, conversation.NewState()
	o.Past.Said = true
}

// What the agent replays of a session that is at hand is left out, whether it comes
// before its answer or after it. How the session stands is taken, and what follows on
// the next prompt.
func TestTheReplayOfAKeptSessionIsLeftOut(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		a := h.agent()
		a.update("old", `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"before"}}`)
		a.update("old", `{"sessionUpdate":"session_info_update","title":"Its title"}`)
		h.reply("session/load", `null`)
		a.text("old", "replayed late")
		a.update("old", `{"sessionUpdate":"tool_call","toolCallId":"t1","title":"Replayed too"}`)
		a.update("old", `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"init"}]}`)
		h.settle()
		test.WantTranscript(t, h.conv)
		if h.conv.Title != "Its title" || len(h.conv.Commands) != 1 || h.conv.Phase != conversation.PhaseReady {
			t.Errorf("title %q, %d commands, phase %v", h.conv.Title, len(h.conv.Commands), h.conv.Phase)
		}
		for _, e := range eventsOf[conversation.SessionOpening](h) {
			if e.Clear {
				t.Error("the transcript was to be forgotten")
			}
		}
		Post(h, Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go on")}}})
		h.settle()
		a.text("old", "new")
		h.settle()
		test.WantTranscript(t, h.conv, "user: go on", "agent: new")
	}, capable(`{"loadSession":true}`), kept)
}

// What the user did with the session in another program is added to what parley has of it, however
// the agent cuts it into chunks, and whether it comes before the answer or after it.
func TestTurnsOfAnotherProgramAreAdded(t *testing.T) {
	const wentOn, interrupted = "note: The session went on in another program", "[Request interrupted by user]"
	user := func(text string) string {
		return fmt.Sprintf(`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":%q}}`, text)
	}
	for name, c := range map[string]struct {
		told, replayed []string // the user's messages
		want           []string
	}{
		"more":                {[]string{"one"}, []string{"one", "two", "three"}, []string{wentOn, "user: two", "agent: on two", "user: three", "agent: on three"}},
		"the same":            {[]string{"one", "two"}, []string{"one", "two"}, nil},
		"with files, and cut": {[]string{"one", "cut", "cut too"}, []string{"one\nfile: a", "yes"}, []string{wentOn, "user: yes", "agent: on yes"}},
		"the same words":      {[]string{"go on"}, []string{"go on", "go on"}, []string{wentOn, "user: go on", "agent: on go on"}},
		"a summary":           {[]string{"one", "two"}, []string{"Summary"}, nil},
		"cancelled":           {[]string{"one"}, []string{"one", interrupted}, nil},
		"cancelled elsewhere": {[]string{"one"}, []string{"one", "two", interrupted}, []string{wentOn, "user: two", "agent: on two", "note: Cancelled"}},
		"summed up, and more": {[]string{"one"}, []string{"Summary", "more"}, []string{"note: The agent has more of this session than parley"}},
	} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", late: ", late), func(t *testing.T) {
				bubble(t, func(t *testing.T, h *harness) {
					if late {
						h.reply("session/load", `null`)
					}
					for _, text := range c.replayed {
						h.agent().update("old", user(text))
						if text != interrupted {
							h.agent().text("old", "on ")
							h.agent().text("old", text)
						}
					}
					if h.settle(); !late {
						h.reply("session/load", `null`)
					} else if len(c.want) > 0 { // at the latest then
						h.prompt("next")
						c.want = append(c.want, "user: next")
					}
					test.WantTranscript(t, h.conv, c.want...)
				}, claude("0.101.0", everything), func(h *harness, o *Options) { kept(h, o); o.Told = c.told })
			})
		}
	}
}

func TestAKeptSessionIsResumedWhereThatCanBe(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.reply("session/resume", `{}`)
		if h.conv.Phase != conversation.PhaseReady || h.agent().count("session/load") != 0 {
			t.Errorf("phase %v, the agent got %q", h.conv.Phase, h.agent().got())
		}
	}, capable(everything), kept)
}

// Nothing is opened in place of a kept session without a word of the user, and it is
// not tried again and again.
func TestAKeptSessionThatCannotBeOpened(t *testing.T) {
	for name, test := range map[string]struct{ capabilities, method string }{
		"by nothing": {`{}`, ""},
		"by load":    {`{"loadSession":true}`, "session/load"},
		"by resume":  {`{"sessionCapabilities":{"resume":{}}}`, "session/resume"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				if test.method != "" {
					h.fail(test.method, -32002, "no such session")
				}
				failed := eventsOf[conversation.SessionFailed](h)
				if len(failed) != 1 || h.conv.Phase != conversation.PhaseFailed || h.agent().count("session/new") != 0 {
					t.Fatalf("%d failures, phase %v, the agent got %q", len(failed), h.conv.Phase, h.agent().got())
				}
				if errors.Is(failed[0].Err, ErrCannotReopen) != (test.method == "") {
					t.Errorf("it says %v", failed[0].Err)
				}
				items := len(h.conv.Items)
				if err := Try(h.Context(), h, OpenAnew{}); err != nil {
					t.Fatal(err)
				}
				h.settle()
				if h.conv.Phase != conversation.PhaseReady || len(h.conv.Items) < items {
					t.Errorf("phase %v, %d items of %d", h.conv.Phase, len(h.conv.Items), items)
				}
			}, capable(test.capabilities), kept)
		})
	}
}

// A kept session in which nothing was said is nothing to lose.
func TestAKeptSessionWithoutAPromptIsReplaced(t *testing.T) {
	for name, method := range map[string]string{`{}`: "", `{"loadSession":true}`: "session/load", `{"sessionCapabilities":{"resume":{}}}`: "session/resume"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				if method != "" {
					h.fail(method, acpclient.CodeResourceNotFound, "no such session")
				}
				test.WantTranscript(t, h.conv, "note: The agent cannot resume the earlier session")
				if h.conv.Phase != conversation.PhaseReady || h.conv.ID == "old" {
					t.Errorf("phase %v, session %q", h.conv.Phase, h.conv.ID)
				}
			}, capable(name), func(h *harness, o *Options) { kept(h, o); o.Past = nil })
		})
	}
}

func TestPromptsOfBeforeWaitForAYes(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.reply("session/resume", `{}`)
		if n := h.agent().count("session/prompt"); n != 0 {
			t.Fatalf("%d prompts were sent unasked", n)
		}
		Post(h, ResumeQueue{})
		h.settle()
		if n := h.agent().count("session/prompt"); n != 1 {
			t.Errorf("%d prompts were sent", n)
		}
		Post(h, SetOption{"model", acpclient.SelectValue("small")})
		h.settle()
		if chosen := eventsOf[conversation.OptionChosen](h); len(chosen) != 1 || chosen[0].Seq <= 7 {
			t.Errorf("numbers are given out again: %v", chosen)
		}
	}, capable(everything), kept, func(_ *harness, o *Options) {
		o.Past = conversation.NewState()
		o.Past.Queue = []conversation.QueuedPrompt{{ID: 7, Now: true, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("later")}}}
		o.Past.LastNumber = 7
	})
}
