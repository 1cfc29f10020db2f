package serve

import (
	"strings"
	"testing"

	"parley/acpclient"
)

// A prompt goes into the running turn where the agent takes it; where it does not, the client is told, and
// nothing of it stays in the queue.
func TestSteering(t *testing.T) {
	const steers, begins = `{"protocolVersion":1,"_meta":{"steering":{"supported":true}}}`, "expect session/prompt as p\nsay working\n"
	end := "\nsay Done.\n" + `reply p {"stopReason":"end_turn"}` + "\nserve\n"
	for name, test := range map[string]struct{ info, script, want string }{
		"it is taken":        {steers, begins + "expect _session/steering as s contains \"left\"\n" + `reply s {"outcome":"injected"}` + end, `"injected"`},
		"it is refused":      {steers, begins + "expect _session/steering as s\nreply-error s -32603 not now\nexpect session/set_mode\nreply" + end, "not now"},
		"the turn has ended": {steers, begins + "expect _session/steering as s\n" + `reply p {"stopReason":"end_turn"}` + "\n" + `reply s {"outcome":"promptRequired"}` + "\nsay Done.\nserve\n", `"promptRequired","reason":"noRunningTurn"`},
		"no turn runs":       {steers, "serve\n", `"promptRequired","reason":"noRunningTurn"`},
		"the agent cannot":   {`{"protocolVersion":1}`, begins + "expect session/set_mode\nreply" + end, "_session/steering"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, "expect initialize\nreply "+test.info+"\nexpect session/new\n"+
				`reply {"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"b","name":"B"}]}}`+"\n"+test.script)
			c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
			var turn <-chan string
			if strings.Contains(test.script, "working") {
				turn = c.prompt("go")
				c.said("working")
			}
			r, err := acpclient.Call(t.Context(), c, acpclient.SessionSteering, &acpclient.SteeringRequest{SessionID: c.id, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("left")}})
			got := encode(r)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("%s", got)
			}
			if strings.Contains(test.script, "set_mode") {
				var st Status
				for waits := true; waits; waits = len(st.Queue) > 0 { // until it is taken out
					st = Status{}
					if err := c.Call(t.Context(), MethodStatus, map[string]any{"sessionId": c.id}, &st); err != nil {
						t.Fatal(err)
					}
				}
				if err := c.call(acpclient.SessionSetMode.Name, &acpclient.SetSessionModeRequest{SessionID: c.id, ModeID: "b"}); err != nil {
					t.Fatal(err)
				}
			}
			if turn != nil {
				c.ends(turn, "end_turn")
				c.said("Done.")
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			if told := c.conv.Told(); len(told) > 0 {
				t.Errorf("it was sent %q", told)
			}
		})
	}
}
