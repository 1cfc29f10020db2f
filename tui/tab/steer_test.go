package tab

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/config"
	"parley/internal/command"
	"parley/internal/conversation"
)

// steered is an agent that takes prompts into its turn, and ends that when it has the second.
const steered = `expect initialize as i
reply i {"protocolVersion":1,"agentCapabilities":{},"_meta":{"steering":{"supported":true}}}
expect session/new as n
reply n {"sessionId":"s"}
expect session/prompt as p
say Working.
`

// Where the agent takes prompts into its turn, the key that sends now steers, and says so.
func TestSendNowSteers(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.play(steered + `expect _session/steering as q
reply q {"outcome":"injected"}
say On it.
expect nothing/more
`)
		b.Do(b.prompts.Submit(promptOf("go")))
		b.mustShow(t, "enter queue", "alt+s steer", "Working.")
		b.composer.SetText("look left")
		b.Do(b.open().queue.SendNow())
		b.mustShow(t, "look left", "steered into the running turn", "On it.")
		if !b.composer.Empty() || b.queued() != "" || !b.conv().Turn.Running {
			t.Errorf("the draft is %q, the queue %q", b.composer.Text(), b.queued())
		}
	})
}

// With enter = "steer", enter does it.
func TestEnterSteers(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.program.Enter = config.EnterSteers
		b.play(steered + `expect _session/steering as q
reply q {"outcome":"injected"}
expect nothing/more
`)
		b.Do(b.prompts.Submit(promptOf("go")))
		b.mustShow(t, "enter steer")
		if strings.Contains(ansi.Strip(b.screen()), "alt+s") {
			t.Error("two keys are named for the same")
		}
		if got := b.sends(); got != "steer the turn" {
			t.Errorf("at a question, the hint says %q", got)
		}
		b.Do(b.prompts.Submit(promptOf("look left")))
		b.mustShow(t, "steered into the running turn")
	})
}

// A prompt that the agent refuses is in the queue, with the reason.
func TestARefusedSteerIsQueued(t *testing.T) {
	const refuses = `expect _session/steering as q
reply-error q -32602 not now
`
	runBench(t, func(t *testing.T, b *bench) {
		b.play(steered + refuses + refuses + refuses + "expect nothing/more\n")
		b.Do(b.prompts.Submit(promptOf("go")))
		const words = "look left, where the words are more than would fit in a line that is not in the transcript"
		b.composer.SetText(words)
		b.Do(b.open().queue.SendNow())
		notice, _ := b.conv().Items[len(b.conv().Items)-1].(*conversation.Note)
		if got := b.queued(); got != words || notice == nil || !strings.HasSuffix(notice.Detail, "\n"+words) || !strings.Contains(notice.Detail, "not now") {
			t.Errorf("the queue is %q, and the notice %+v", got, notice)
		}
		b.mustShow(t, "A prompt was not steered: it stays queued", "not now", "not in the transcript")
		b.shared(command.Queue)
		b.Choose("Clear the queue")
		b.enqueue("one", "two")
		b.Do(b.open().queue.SendNow())
		if got := b.queued(); got != "one, two" {
			t.Errorf("the queue is %q", got)
		}
		b.composer.SetText("look right")
		cmd := b.open().queue.SendNow()
		b.composer.SetText("another")
		b.Do(cmd)
		if got := b.queued(); b.composer.Text() != "another" || got != "look right, one, two" {
			t.Errorf("the draft is %q, the queue %q", b.composer.Text(), got)
		}
	})
}

// With any other agent, the key cancels the turn first, and says that.
func TestSendNowCancels(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.work(t)
		b.mustShow(t, "alt+s cancel and send")
	})
}
