package tab

import (
	"testing"
	"time"

	"parley/internal/conversation"
	"parley/internal/session"
)

// A budget that is used up ends the turn, and asks how to go on.
func TestTheBudgetAsks(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.play(`handshake
expect session/prompt
update {"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":10,"currency":"USD"}}
expect session/cancel
end-turn cancelled
expect session/prompt contains "more"
say On it goes.
expect nothing/more
`, func(o *session.Options) { o.Budget = conversation.Budget{Cost: 5} })
		b.Do(b.prompts.Submit(promptOf("go")))
		b.mustShow(t, "The budget of this session is used up", "$10.00 of $5.00", "Stop here", "Raise it to $20.00", "Go on for one turn")
		b.Choose("Stop here")
		time.Sleep(time.Second) // else it is the same press of enter
		b.Do(b.Update(keyPress("enter")))
		b.mustShow(t, "The budget of this session is used up")
		b.Choose("Stop here")
		b.Do(b.prompts.Submit(promptOf("more")))
		b.Do(b.prompts.Submit(promptOf("and more")))
		b.mustShow(t, "The budget of this session is used up", "paused: more", "paused: and more")
		b.mustNotShow(t, "enter: decide") // which is the question's
		b.Choose("Go on for one turn")
		b.mustShow(t, "On it goes.")
	})
}
