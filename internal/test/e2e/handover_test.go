//go:build unix

package e2e

import (
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/conversation"
	"parley/internal/store"
)

// answering is an agent that edits a file and answers with each prompt.
func answering(name, file string) string {
	return `
handshake ` + resumes + ` {"sessionId": "` + name + `"}
repeat 9
  expect session/prompt as heard
  request fs/write_text_file {"sessionId": "` + name + `", "path": "${cwd}/` + file + `", "content": "` + name + `\n"} as written
  await written
  say "` + name + ` heard ${heard.params.prompt.0.text}."
  end-turn
end
`
}

// Another agent goes on with the conversation, in the same directory and the same transcript, and
// the first one again after it. Each gets what was said before.
func TestHandsOverAndBack(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	p := Start(t, Options{Home: at.home, Project: at.dir, Script: answering("One", "a.txt"), Others: map[string]string{
		"two": answering("Two", "b.txt"), "three": answering("Three", "c.txt"),
	}})
	p.Ready().Ask("first").Shows("One heard first.").Idle()
	p.handOver("", "two").Shows("One heard first.")
	p.Ask("second").Shows("Two heard second.").Idle()
	two := p.Other("two")
	sent := two.WaitSent("session/prompt", 1)
	if !strings.Contains(sent, "One heard first.") || strings.Count(sent, "second") != 1 {
		t.Errorf("the next agent got %s", sent)
	}
	p.handOver("two", "three").Ask("third").Shows("Three heard third.").Idle()
	p.handOver("three", "two").Ask("fourth").Shows("Two heard fourth.").Idle()
	if sent := two.WaitSent("session/prompt", 2); !strings.Contains(sent, "Three heard third.") || !strings.Contains(sent, "Two heard second.") {
		t.Errorf("as it goes on again, the agent got %s", sent)
	}
	p.holds("a.txt", "One\n").holds("b.txt", "Two\n").holds("c.txt", "Three\n")
	p.Press("f5").Shows("a.txt", "b.txt", "c.txt").Press("q").Leave()
}

// handOver hands the session over from an agent, whose name may be left out, to another.
func (p *Parley) handOver(from, name string) *Parley {
	p.t.Helper()
	p.Ask("/handover").Question("Continue with another agent").Type(name).Press("enter")
	p.Question("Hand over to "+name+"?", "sends the conversation along").Answer("Hand over")
	return p.Shows("Handed over from "+from, "to "+name, "It gets the conversation").Idle()
}

// What the first agent has cost counts for the budget, though the next one knows nothing of it.
func TestTheCostOfBothCountsAfterAHandOver(t *testing.T) {
	t.Parallel()
	costs := func(name, amount string) string {
		return `
handshake ` + resumes + ` {"sessionId": "` + name + `"}
expect session/prompt
update {"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": {"amount": ` + amount + `, "currency": "USD"}}
say "` + name + ` is at work."
wait-cancel
end-turn cancelled
`
	}
	p := Start(t, Options{Script: costs("One", "0.10"), Others: map[string]string{"two": costs("Two", "0.30")}, Config: "[budget]\nsession = 0.35\n"})
	p.Ready().Ask("first").Shows("One is at work.").Press("esc").Idle().handOver("", "two").Status("$0.10")
	p.Ask("second").Question("The budget of this session is used up", "$0.40 of $0.35").Answer("Stop here")
	p.Leave()
}

// What waits in the queue at a limit goes along, as a draft, and is sent once.
func TestHandsOverAtALimit(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: limited("30h"), Others: map[string]string{"two": answering("Two", "b.txt")}})
	p.Ready().Ask("mend it").Question("5-hour limit reached").Answer("Continue with another agent…")
	p.Question("Continue with another agent").Type("two").Press("enter").Question("Hand over to two?").Answer("Hand over")
	p.Shows("to two", "❯ mend it").Idle().Type(" now").Shows("❯ mend it now").Press("enter").Shows("Two heard mend it now.").Idle()
	if got := p.Other("two").Sent("session/prompt"); len(got) != 1 || strings.Contains(p.Screen().String(), "5-hour limit") {
		t.Errorf("the next agent got %q", got)
	}
	p.Leave()
}

// A kept session stays kept, for everybody who looks on.
func TestAKeptSessionIsHandedOver(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	p := k.open(Options{Script: answering("One", "a.txt"), Others: map[string]string{"two": answering("Two", "b.txt")}})
	p.Ready().Ask("first").Shows("One heard first.").Idle().handOver("", "two").Ask("second").Shows("Two heard second.").Status("kept")
	p.HangUp().WaitExit()
	q := k.attach()
	q.Shows("One heard first.", "Handed over from", "Two heard second.").Idle().Leave()
}

// Whenever parley is killed in a hand-over, each queued prompt is in one of both sessions. If it has
// moved, the next agent still gets the conversation with it.
func TestAKilledHandOverLosesNoPrompt(t *testing.T) {
	t.Parallel()
	for i := range moments(t, 4) {
		k := newKept(t)
		options := Options{Script: "handshake " + resumes + ` {"sessionId": "s1"}
expect session/prompt
say "At work."
wait-cancel
end-turn cancelled
`, Others: map[string]string{"two": answering("Two", "b.txt")}}
		if i%2 == 0 {
			options.Args = []string{"--keep=false"}
		}
		p := k.open(options)
		p.Ready().Ask("first").Shows("At work.").Ask("next words").Shows("queued: next words").Ask("last words").Shows("queued: last words")
		p.Press("esc").Shows("Cancelled", "paused: next words").Ask("/handover").Question("Continue with another agent").Type("two").Press("enter")
		p.Question("Hand over to two?").Answer("Hand over")
		time.Sleep(time.Duration(rand.IntN(400)) * time.Millisecond) // the moment, nothing to wait for
		p.Signal(syscall.SIGKILL)
		p.WaitExit()
		k.endHosts()

		logs, err := filepath.Glob(filepath.Join(k.home, ".local/state/parley/sessions/*.jsonl"))
		must(t, err)
		lib, found, moved := store.New(filepath.Dir(logs[0])), "", ""
		for _, log := range logs {
			id := store.ID(strings.TrimSuffix(filepath.Base(log), ".jsonl"))
			session, err := lib.Read(t.Context(), id)
			must(t, err)
			view, err := lib.View(id)
			must(t, err)
			has, err := json.Marshal([]any{view, slices.Clone[[]conversation.QueuedPrompt](session.Conversation.Queue)})
			must(t, err)
			if strings.Contains(string(has), "next words") && strings.Contains(string(has), "last words") {
				if found = string(id); session.Meta.Origin != "" {
					moved = found
				}
			}
		}
		if found == "" {
			t.Fatalf("none of %q has the queue", logs)
		}
		if moved == "" {
			continue
		}
		options.Args = append(options.Args, "-a", "two", "--resume="+moved)
		p = k.open(options)
		p.Shows("❯ next words", "last words").Idle().Type(" now").Press("enter").Shows("Two heard next words").Idle()
		if sent := p.Other("two").WaitSent("session/prompt", 1); !strings.Contains(sent, "At work.") {
			t.Errorf("the agent got %s", sent)
		}
		p.Leaves()
		k.endHosts()
	}
}
