package tab

import (
	"slices"
	"strings"
	"testing"
)

// The list of what works in the background has the key that stops each, and opens the
// transcript of a subagent. Between turns the activity line names the list's key.
func TestBackground(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.play(`handshake
expect session/prompt
update {"sessionUpdate":"subagent_update","sessionId":"k","title":"Look around","description":"explorer","capabilities":{"cancel":{}},"state":{"state":"running"}}
notify session/update {"sessionId":"k","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Found it."}}}
update {"sessionUpdate":"async_task_spawned","asyncTaskId":"b","name":"Wait for it","taskType":"shell","canStop":true}
end-turn
expect session/cancel contains "k"
expect _session/async_task/stop as stop contains "asyncTaskId":"b"
reply stop {"stopped":false}
expect nothing/more
`)
		b.Do(b.prompts.Submit(promptOf("go")))
		b.mustShow(t, "2 tasks in the background", "f6 shows it")
		b.press("f6")
		b.mustShow(t, "Look around", "explorer", "Wait for it", "ctrl+x stop")
		b.Do(b.Update(keyPress("enter")))
		b.mustShow(t, "Found it.", "q close")
		b.press("q", "f6")
		b.Do(b.Update(keyPress("ctrl+x")))
		if !slices.Contains(strings.Fields(b.wire.got()), "session/cancel") {
			t.Error("the subagent was not cancelled")
		}
		b.press("down")
		b.Do(b.Update(keyPress("ctrl+x")))
		if !strings.Contains(b.toast.text, "Wait for it: the agent did not stop the task") {
			t.Errorf("it says %q", b.toast.text)
		}
	})
}
