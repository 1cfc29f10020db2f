package tab

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/tui/composer"
)

func promptOf(words string) composer.Prompt { return composer.NewPrompt(words) }

// enqueue lets prompts wait in the session.
func (b *bench) enqueue(prompts ...string) {
	for _, words := range prompts {
		session.Post(b.session(), session.Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(words)}}})
	}
	b.Do(nil)
}

// Prompts that are sent while there is no session yet go to it in their order; if it does
// not come, they are the draft again.
func TestPromptsWaitForTheSession(t *testing.T) {
	for _, comes := range []bool{true, false} {
		runBench(t, func(t *testing.T, b *bench) {
			o := b.prompts
			b.Do(o.Submit(promptOf("one")))
			b.Do(o.Submit(promptOf("two")))
			if len(o.held) != 2 {
				t.Fatalf("%d wait", len(o.held))
			}
			if !comes {
				if o.ReturnToDraft(); b.composer.Text() != "one\n\ntwo" {
					t.Errorf("the draft is %q", b.composer.Text())
				}
				return
			}
			b.ready()
			o.held.Send(b.session())
			b.Do(nil)
			if got := b.queued(); got != "one, two" || len(o.held) != 0 {
				t.Errorf("the session got %q, and %d wait", got, len(o.held))
			}
		})
	}
}

// Nor are they lost if the next one has been begun meanwhile.
func TestPromptsAreGivenBackBeforeADraft(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		o := b.prompts
		b.Do(o.Submit(promptOf("one")))
		b.composer.SetText("two")
		if o.ReturnToDraft(); b.composer.Text() != "one\n\ntwo" {
			t.Errorf("the draft is %q", b.composer.Text())
		}
	})
}

// What cannot be sent is not lost.
func TestAPromptThatIsRefused(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.ready()
		b.stored.readOnly = "read-only here"
		b.Do(b.prompts.Submit(promptOf("one")))
		b.MustSay("read-only here")
		if b.queued() != "" || b.composer.Text() != "one" {
			t.Errorf("%v was sent, and the draft is %q", b.queued(), b.composer.Text())
		}
	})
}

// A prompt that is taken out of the queue goes back to its place, unless it is given up.
func TestAPromptThatWaitsIsEdited(t *testing.T) {
	for _, given := range []bool{false, true} {
		runBench(t, func(t *testing.T, b *bench) {
			b.ready()
			b.enqueue("first", "second", "third")
			o := &b.open().queue
			b.shared(command.Queue)
			b.Choose("second")
			if b.composer.Text() != "second" || o.Queued() != 2 {
				t.Fatalf("the draft is %q, and %d wait", b.composer.Text(), o.Queued())
			}
			want := "first, changed, third"
			if given {
				b.composer.SetText("")
				want = "first, third, changed"
			}
			b.prompts.Typed()
			b.Do(b.prompts.Submit(promptOf("changed")))
			if got := b.queued(); got != want {
				t.Errorf("given up %v: the queue is %q", given, got)
			}
		})
	}
}

func TestTheQueueIsEmptied(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.ready()
		b.enqueue("first", "second")
		o := &b.open().queue
		if lines := ansi.Strip(strings.Join(o.Lines(), "\n")); !strings.Contains(lines, "queued: first") || !strings.Contains(lines, "queued: second") {
			t.Errorf("it shows %q", lines)
		}
		b.shared(command.Queue)
		b.Choose("Clear the queue")
		b.MustSay("removed 2 prompts; ctrl+r finds them again")
		b.shared(command.Queue)
		b.MustSay("The queue is empty")
	})
}

// What waited when the agent went is sent only when the user says so.
func TestWhatWaitedWhenTheAgentWent(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		queue := []conversation.QueuedPrompt{{ID: 1, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("tidy up")}}}
		past := conversation.NewState()
		past.Queue = queue
		b.use(newSession(b.cwd, noMachine{}, func(o *session.Options) { o.Past = past }))
		b.events(conversation.QueueChanged{Paused: true, Queue: queue})
		opened := conversation.SessionOpened{ID: "s", Cwd: b.cwd}
		if b.events(opened); !b.dialogs.Empty() {
			t.Fatalf("nothing has gone, and it asks\n%s", b.Screen())
		}
		b.events(conversation.AgentLost{Err: errors.New("exit status 1")})
		b.Choose("Stay and read")
		b.events(opened)
		b.MustSay("❯ tidy up")
		b.Choose("Send")
		if b.conv().QueuePaused {
			t.Error("it still waits")
		}
	})
}

// The last prompt comes back with a second esc, if that comes soon.
func TestEscapeTwice(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.ready()
		o := b.prompts
		b.Do(o.Escape(b.conv()))
		if o.Escapes() {
			t.Error("there is no prompt that could come back")
		}
		b.Do(o.Submit(promptOf("tidy up")))
		b.Do(o.Escape(b.conv()))
		time.Sleep(time.Minute)
		b.Do(o.Escape(b.conv()))
		if !b.composer.Empty() {
			t.Error("the second came late")
		}
		if b.Do(o.Escape(b.conv())); b.composer.Text() != "tidy up" {
			t.Errorf("the draft is %q", b.composer.Text())
		}
	})
}

// What is kept because the agent exited says how to have it back: one on the network is
// connected to.
func TestWhatIsKeptSaysHowTheAgentIsHadBack(t *testing.T) {
	for far, want := range map[bool]string{false: "alt+r restarts it", true: "alt+r reconnects"} {
		runBench(t, func(t *testing.T, b *bench) {
			b.use(newSession(b.cwd, noMachine{}, func(o *session.Options) {
				if far {
					o.Remote = &session.Remote{Listens: true}
				}
			}))
			b.opens()
			b.conv().Apply(conversation.AgentLost{})
			o := &b.open().queue
			if b.Do(b.prompts.Submit(promptOf("one"))); !strings.Contains(b.toast.text, want) {
				t.Errorf("it says %q, want %q", b.toast.text, want)
			}
			b.enqueue("one")
			if b.Do(o.SendNothing()); !strings.Contains(b.toast.text, want) {
				t.Errorf("enter says %q, want %q", b.toast.text, want)
			}
		})
	}
}

// A prompt that is sent while the agent starts is in the queue, and its place there is kept
// while it is edited.
func TestAPromptIsEditedWhileTheAgentStarts(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.use(newSession(b.cwd, noMachine{}))
		b.Do(b.prompts.Submit(promptOf("read @notes.txt")))
		b.Do(b.prompts.Submit(promptOf("two")))
		if got := strings.Join(b.open().queue.Lines(), "\n"); !strings.Contains(got, "read @notes.txt") {
			t.Fatalf("it shows %q", got)
		}
		b.shared(command.Queue)
		b.Choose("read @notes.txt")
		b.Do(b.prompts.Submit(promptOf("see @notes.txt")))
		b.composer.SetText("")
		b.Do(b.open().queue.Recall())
		if b.composer.Text() != "two" || b.queued() != "see @notes.txt" || !slices.Equal(b.conv().Queue[0].Files, []string{"@notes.txt"}) {
			t.Errorf("the draft is %q, and the queue %+v", b.composer.Text(), b.conv().Queue)
		}
	})
}

// A folded paste that is taken back from the queue is folded.
func TestAPasteComesBackFolded(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.use(newSession(b.cwd, noMachine{}))
		b.composer.Paste(strings.Repeat("line\n", 20))
		taken, _ := b.composer.Take()
		p := taken.Prompt
		b.Do(b.prompts.Submit(*p))
		b.Do(b.open().queue.Recall())
		lines, _ := b.composer.View()
		if got := ansi.Strip(strings.Join(lines, "\n")); !strings.Contains(got, "[pasted text #1, 20 lines]") {
			t.Errorf("the draft shows %q", got)
		}
	})
}

// The line below a paused queue says that enter sends the draft first, and the one below a prompt
// that steers says what it waits for.
func TestTheQueueSaysWhatItWaitsFor(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.ready()
		b.ask(app.Question{Title: "A question", Choices: []app.Choice{{Name: "Close"}}})
		b.mustShow(t, "Answer above, or send a prompt") // no turn runs, and nothing is queued
		b.dialogs.Pop()
		queue := []conversation.QueuedPrompt{{ID: 1, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("later")}}}
		b.events(conversation.QueueChanged{Queue: queue, Paused: true})
		b.mustShow(t, "   enter: send it, ↑: edit it")
		b.ask(app.Question{Title: "A question", Choices: []app.Choice{{Name: "Close"}}})
		b.mustShow(t, "Answer above, or queue a prompt")
		b.mustNotShow(t, "enter: send")
		b.dialogs.Pop()
		b.composer.SetText("draft")
		b.mustShow(t, "after the draft, enter: send it")
		b.events(conversation.QueueChanged{Queue: append(slices.Clone(queue), queue[0]), Paused: true})
		b.mustShow(t, "after the draft, enter: send them")
		queue[0].Steering = true
		b.events(conversation.QueueChanged{Queue: queue})
		b.mustShow(t, "steering: later", "waits for the agent to say whether it took the prompt")
		b.events(conversation.QueueChanged{Queue: conversation.Unclaimed(queue), Paused: true})
		b.mustShow(t, "paused, the agent may have it: later")
		b.shared(command.Queue)
		b.mustShow(t, "1 of 1, the agent may have it")
	})
}

// The question of a limit that has reset says so, also one that was open before.
func TestTheQuestionOfALimitThatHasReset(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.ready()
		b.events(
			conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1}}, Paused: true},
			conversation.LimitReached{Kind: "five_hour", Resets: b.program.Now().Add(time.Hour)},
		)
		resets := "It resets " + app.MomentText(b.program.Now().Add(time.Hour), b.program.Now()) + ". This is sent then:"
		for range 59 {
			b.mustShow(t, "5-hour limit reached", resets, "Wait and go on") // which stays true
			time.Sleep(time.Minute)
			b.Do(nil)
		}
		time.Sleep(time.Minute)
		b.Do(nil)
		b.mustShow(t, "5-hour limit has reset", "This is sent again:", "Go on")
		b.mustNotShow(t, "It resets")
		b.events(conversation.PromptSent{})
		b.mustNotShow(t, "5-hour limit has")
	})
}

// A turn that ends at a limit of the plan in the background waits for the user from then on: it has not
// just failed.
func TestALimitInTheBackground(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.Hide()
	b.events(
		conversation.PromptSent{},
		conversation.TurnEnded{Err: errors.New("no")},
		conversation.LimitReached{Kind: "five_hour"},
		conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1}}, Paused: true},
	)
	if o := b.Overview(); o.Standing != conversation.StandingAsks || !strings.HasPrefix(o.State(), "waits for you") || o.Question != "5-hour limit reached" {
		t.Errorf("%v, %q, asks %q", o.Standing, o.State(), o.Question)
	}
}

// A prompt written at the question of a limit is queued behind what that is about, and the question
// stays. The hint says what enter does, also at the questions that hold up nothing.
func TestAPromptAtAQuestion(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.play(`handshake
expect session/prompt contains "go"
reply-error -32603 "You've hit your limit" {"errorKind":"rate_limit"}
expect session/prompt contains "now"
end-turn
expect nothing/more
`)
		b.ask(app.Question{Title: "Sure?", Choices: []app.Choice{{Name: "Yes"}}})
		b.composer.SetText("go")
		time.Sleep(time.Second)
		b.mustShow(t, "enter send the prompt")
		b.composer.SetText("")
		b.Choose("Yes")
		b.Do(b.prompts.Submit(promptOf("go")))
		b.composer.SetText("docs")
		time.Sleep(time.Second)
		b.mustShow(t, "The limit of the plan is reached", "paused: go", "enter queue the prompt")
		b.mustNotShow(t, "enter: send them")
		b.Press("enter")
		b.mustShow(t, "The limit of the plan is reached", "paused: go", "paused: docs")
		b.Choose("Stop here")
		time.Sleep(time.Second)
		b.composer.SetText("now")
		b.Do(b.Update(keyPress("enter")))
		if got := b.wire.got(); !strings.HasSuffix(got, "session/prompt, session/prompt") || b.queued() != "go, docs" {
			t.Errorf("the agent got %s, queued are %s", got, b.queued())
		}
	})
}
