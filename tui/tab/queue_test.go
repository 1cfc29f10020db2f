package tab

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/composer"
	"parley/tui/theme"
)

// place is a tab whose session notes what it is sent.
type outboxPlace struct {
	conv    *conversation.Conversation // nil as long as there is no session
	session bool
	refuses string
	far     bool
	got     []string
}

func (p *outboxPlace) Conversation() *conversation.Conversation { return p.conv }
func (p *outboxPlace) CannotTake(composer.Prompt) string        { return p.refuses }
func (p *outboxPlace) Sending()                                 {}

func (p *outboxPlace) WithTold(blocks []acpclient.ContentBlock) []acpclient.ContentBlock {
	return blocks
}

func (p *outboxPlace) Taker() queueSession {
	if !p.session {
		return nil
	}
	return p
}

func (p *outboxPlace) note(how string, blocks []acpclient.ContentBlock) {
	p.got = append(p.got, how+" "+blocks[0].Text)
}

func (p *outboxPlace) Prompt(b []acpclient.ContentBlock) { p.note("send", b) }
func (p *outboxPlace) PromptAt(at int, b []acpclient.ContentBlock) {
	p.note(fmt.Sprint("put at ", at), b)
}

func (p *outboxPlace) SendNow(b []acpclient.ContentBlock) bool {
	p.note("now", b)
	return true
}

func (p *outboxPlace) SendQueuedNow(id int) (found, cancelled bool) {
	_, found = p.Unqueue(id)
	return found, found
}

func (p *outboxPlace) Unqueue(id int) (q conversation.QueuedPrompt, ok bool) {
	at := slices.IndexFunc(p.conv.Queue, func(q conversation.QueuedPrompt) bool { return q.ID == id })
	if at < 0 {
		return q, false
	}
	q = p.conv.Queue[at]
	p.conv.Queue = slices.Delete(slices.Clone(p.conv.Queue), at, at+1)
	return q, true
}

func (p *outboxPlace) MoveQueued(int, int) {}

func (p *outboxPlace) EmptyQueue() []conversation.QueuedPrompt {
	all := p.conv.Queue
	p.conv.Queue = nil
	return all
}

func (p *outboxPlace) Connects() bool { return p.far }

func (p *outboxPlace) ResumeQueue() { p.conv.QueuePaused = false }

// queue lets prompts wait in the session.
func (p *outboxPlace) queue(prompts ...string) {
	for i, words := range prompts {
		p.conv.Queue = append(p.conv.Queue, conversation.QueuedPrompt{ID: i + 1, Prompt: []acpclient.ContentBlock{acpclient.TextBlock(words)}})
	}
}

// ready is a tab with a session.
func outboxReady() *outboxPlace { return &outboxPlace{conv: conversation.New(), session: true} }

func newOutbox(b *deskBench, p *outboxPlace) *promptQueue {
	return newPromptQueue(b.desk, p, composer.New(composer.Options{Theme: theme.New(true), Keys: config.DefaultKeys()}))
}

func outboxPrompt(words string) composer.Prompt { return composer.NewPrompt(words, "/") }

// Prompts that are sent while there is no session yet go to it in their order; if it does
// not come, they are the draft again.
func TestPromptsWaitForTheSession(t *testing.T) {
	for _, comes := range []bool{true, false} {
		runBench(t, func(t *testing.T, b *deskBench) {
			p := &outboxPlace{}
			o := newOutbox(b, p)
			b.Do(o.Submit(outboxPrompt("one")))
			b.Do(o.Submit(outboxPrompt("two")))
			if o.Len() != 2 || len(p.got) != 0 {
				t.Fatalf("%d wait, and %v were sent", o.Len(), p.got)
			}
			if !comes {
				if o.GiveBack(); o.composer.Text() != "one\n\ntwo" {
					t.Errorf("the draft is %q", o.composer.Text())
				}
				return
			}
			p.conv, p.session = conversation.New(), true
			b.Do(o.Read())
			if got := strings.Join(p.got, ", "); got != "send one, send two" || o.Len() != 0 {
				t.Errorf("the session got %q, and %d wait", got, o.Len())
			}
		})
	}
}

// Nor are they lost if the next one has been begun meanwhile.
func TestPromptsAreGivenBackBehindADraft(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		p := &outboxPlace{}
		o := newOutbox(b, p)
		b.Do(o.Submit(outboxPrompt("one")))
		o.composer.SetText("two")
		if o.GiveBack(); o.composer.Text() != "two\n\none" {
			t.Errorf("the draft is %q", o.composer.Text())
		}
	})
}

// What was read for a prompt that was given back meanwhile, because the agent was left, is
// not sent to the next one in the place of another prompt.
func TestAPromptIsSentWithItsOwnFiles(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		p := outboxReady()
		o := newOutbox(b, p)
		late := o.Submit(outboxPrompt("one"))().(then)
		o.GiveBack()
		own := o.Submit(outboxPrompt("two"))
		b.Do(late())
		b.Do(own)
		if got := strings.Join(p.got, ", "); got != "send two" {
			t.Errorf("the session got %q", got)
		}
	})
}

// What cannot be sent is not lost.
func TestAPromptThatIsRefused(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		p := outboxReady()
		p.refuses = "here it can only be read"
		o := newOutbox(b, p)
		b.Do(o.Submit(outboxPrompt("one")))
		b.MustSay("here it can only be read")
		if len(p.got) != 0 || o.composer.Text() != "one" {
			t.Errorf("%v was sent, and the draft is %q", p.got, o.composer.Text())
		}
	})
}

// A prompt that is taken out of the queue goes back to its place, unless it is given up.
func TestAPromptThatWaitsIsEdited(t *testing.T) {
	for _, given := range []bool{false, true} {
		runBench(t, func(t *testing.T, b *deskBench) {
			p := outboxReady()
			p.queue("first", "second", "third")
			o := newOutbox(b, p)
			b.Do(o.Show())
			b.Choose("second")
			if o.composer.Text() != "second" || o.Queued() != 2 {
				t.Fatalf("the draft is %q, and %d wait", o.composer.Text(), o.Queued())
			}
			want := "put at 1 changed"
			if given {
				o.composer.SetText("")
				want = "send changed"
			}
			o.Typed()
			b.Do(o.Submit(outboxPrompt("changed")))
			if got := strings.Join(p.got, ", "); got != want {
				t.Errorf("given up %v: the session got %q", given, got)
			}
		})
	}
}

func TestTheQueueIsEmptied(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		p := outboxReady()
		p.queue("first", "second")
		o := newOutbox(b, p)
		if lines := ansi.Strip(strings.Join(o.Lines(60), "\n")); !strings.Contains(lines, "queued: first") || !strings.Contains(lines, "queued: second") {
			t.Errorf("it shows %q", lines)
		}
		b.Do(o.Show())
		b.Choose("Empty the queue")
		b.MustSay("2 prompts were taken out; ctrl+r finds them again")
		b.Do(o.Show())
		b.MustSay("nothing waits")
	})
}

// What waited when the agent went is sent only when the person says so.
func TestWhatWaitedWhenTheAgentWent(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		p := outboxReady()
		p.queue("tidy up")
		p.conv.QueuePaused = true
		o := newOutbox(b, p)
		if o.AskToSend(); !b.Dialogs.Empty() {
			t.Fatalf("nothing has gone, and it asks\n%s", b.Screen())
		}
		o.Lost()
		o.AskToSend()
		b.MustSay("❯ tidy up")
		b.Choose("Send it")
		if p.conv.QueuePaused {
			t.Error("it still waits")
		}
	})
}

// The last prompt comes back with a second esc, if that comes soon.
func TestEscapeTwice(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		o := newOutbox(b, outboxReady())
		b.Do(o.Escape())
		if o.Escapes() {
			t.Error("there is no prompt that could come back")
		}
		b.Do(o.Submit(outboxPrompt("tidy up")))
		b.Do(o.Escape())
		time.Sleep(time.Minute)
		b.Do(o.Escape())
		if !o.composer.Empty() {
			t.Error("the second came late")
		}
		if b.Do(o.Escape()); o.composer.Text() != "tidy up" {
			t.Errorf("the draft is %q", o.composer.Text())
		}
	})
}

// What is kept because the agent has gone says how to have it back: one on the network is
// connected to.
func TestWhatIsKeptSaysHowTheAgentIsHadBack(t *testing.T) {
	for far, want := range map[bool]string{false: "alt+r starts it again", true: "alt+r connects again"} {
		runBench(t, func(t *testing.T, b *deskBench) {
			p := outboxReady()
			p.far = far
			p.conv.Apply(conversation.AgentLost{})
			o := newOutbox(b, p)
			if b.Do(o.Submit(outboxPrompt("one"))); !strings.Contains(b.desk.Said(), want) {
				t.Errorf("it says %q, want %q", b.desk.Said(), want)
			}
			p.queue("one")
			if b.Do(o.SendNothing()); !strings.Contains(b.desk.Said(), want) {
				t.Errorf("enter says %q, want %q", b.desk.Said(), want)
			}
		})
	}
}
